-- Fits a table to the width of a page of text: texts become short, names are
-- cut out of their middle, and the columns that say least are left out, until
-- the rest has room; then what still has room comes back.
local columns = require "tare.report.columns"
local width = require "tare.report.width"

local fitting = {}

--- Columns before a table, and between two of its columns.
fitting.INDENT, fitting.GAP = 2, 2
local INDENT, GAP = fitting.INDENT, fitting.GAP

--- Columns that a table leaves for names at least, and at most in a pipe, where
--- a longer name moves only its own row.
fitting.NARROWEST_NAME, fitting.WIDEST_NAME = 8, 60
local NARROWEST_NAME, WIDEST_NAME = fitting.NARROWEST_NAME, fitting.WIDEST_NAME
local SHORT_NAME = 14 -- that can lose a few letters

-- A cell in print: the part that is aligned on its right, what follows it, and
-- how the interval is written that it shows, if it does.
local function parts_of(page, cell, is_short)
  local main = is_short and cell.short or cell.text
  local more = not is_short and cell.more or nil
  return page:plain(main), (cell.mark or "")
    .. (more and " " .. page:plain(more) or ""),
    (more or not cell.more) and cell.interval or nil
end

local CUT_SHORT = "%(cut short%)" -- a dagger where room is short

-- Sets the width of a column by its cells and its title. In one that is aligned
-- on the left, what follows a short text takes none of a longer one's room.
local function set_size(column, is_short)
  column.left, column.right, column.size = 0, 0, 0
  for _, cell in ipairs(column.cells) do
    local main, more = width.of(cell.main), width.of(cell.more)
    column.left = math.max(column.left, main)
    column.right = math.max(column.right, more)
    column.size = math.max(column.size, main + more)
  end
  if column.align == "right" then column.size = column.left + column.right end
  -- A title that is longer than its key is no reason for a wider column.
  if is_short and width.of(column.title) > math.max(column.size,
    #column.key) then column.title = column.key end
  column.size = math.max(column.size, width.of(column.title))
  if column.align == "right" then
    column.left = math.max(column.left, column.size - column.right)
  end
end

--- A column as it is printed: its cells' parts and its width.
---@param page table plain(text), width?, ellipsis
---@param made table TABLE of tare.report.document
---@param i integer of the column
---@param is_short boolean? with short texts
---@return table column
function fitting.measured(page, made, i, is_short)
  local column = made.columns[i]
  local out = { key = column.key, align = column.align, index = i,
    is_gated = column.is_gated,
    title = page:plain(column.title), cells = {} }
  for r, row in ipairs(made.rows) do
    local cell = row.cells[i] or { text = "" }
    local main, more, interval = parts_of(page, cell, is_short)
    if i == 1 and row.mark then
      more = " " .. (is_short and row.mark:gsub(CUT_SHORT,
        page:plain "\226\128\160") or row.mark)
    end
    out.cells[r] = { main = main, more = more, style = cell.style,
      interval = interval, verdict = cell.verdict,
      least = is_short and cell.least and page:plain(cell.least) or nil }
    out.has_least = out.has_least or out.cells[r].least ~= nil
  end
  set_size(out, is_short)
  return out
end

--- Columns that a table takes.
---@param list table[] columns of fitting.measured
---@return integer
function fitting.total(list)
  local sum = INDENT - GAP
  for _, column in ipairs(list) do sum = sum + column.size + GAP end
  return sum
end

local measured, total = fitting.measured, fitting.total

-- Cuts all names at the same length, with which they fit into 'room', each with
-- its marks.
local function shorten_names(page, column, room)
  local most = room
  for _, cell in ipairs(column.cells) do
    local more = width.of(cell.more)
    if width.of(cell.main) + more > room then
      most = math.min(most, room - more)
    end
  end
  most = math.max(NARROWEST_NAME, most)
  column.title = width.squeeze(column.title, most, page.ellipsis)
  for _, cell in ipairs(column.cells) do
    cell.main = width.squeeze(cell.main, most, page.ellipsis)
  end
  set_size(column)
end

local function any_short(made)
  for _, row in ipairs(made.rows) do
    for _, cell in ipairs(row.cells) do
      if cell.short then return true end
    end
  end
end

-- Cuts the cells of a column that is wider than the page leaves it.
local function cut(page, column, room)
  column.left = 0
  for _, cell in ipairs(column.cells) do
    cell.main = width.cut(cell.main, math.max(1, room - column.right),
      page.ellipsis)
    column.left = math.max(column.left, width.of(cell.main))
  end
  column.title = width.cut(column.title, math.max(1, room), page.ellipsis)
  column.size = math.max(column.left + column.right, width.of(column.title))
end

-- As many tables as it takes to show every column, each with the first one.
local function split(page, list)
  local most = page.width
  local blocks, block = {}, { list[1] }
  for i = 2, #list do
    block[#block + 1] = list[i]
    if #block > 2 and total(block) > most then
      block[#block] = nil
      blocks[#blocks + 1], block = block, { list[1], list[i] }
    end
  end
  blocks[#blocks + 1] = block
  for _, one in ipairs(blocks) do
    local last = one[#one]
    if total(one) > most and #one > 1 then
      cut(page, last, last.size - (total(one) - most))
    end
  end
  return blocks
end

local LEAST_SOURCE = 24 -- of a line of code that is still worth showing

-- The rank by which a column is left out; the text of code is cut, and stays,
-- as does what a gate is about.
local function rank(column)
  return (column.key == "source" or column.is_gated) and 0
    or columns.rank(column.key)
end

-- Texts without their ranges, where a column would be left out otherwise.
local function lessen(column)
  column.has_least = false
  for _, cell in ipairs(column.cells) do
    if cell.least then cell.main, cell.interval = cell.least, nil end
  end
  set_size(column, true)
end

-- Leaves out columns, the least telling first, until the rest fits; adds them
-- to 'out'.
local function drop(page, list, out)
  local last = list[#list]
  local function cut_source()
    local over = total(list) - page.width
    if last.key == "source" and over > 0 then
      cut(page, last, math.max(LEAST_SOURCE, last.size - over))
    end
  end
  cut_source()
  while total(list) > page.width and #list > 2 do
    local worst = #list
    for i = #list - 1, 3, -1 do
      if rank(list[i]) > rank(list[worst]) then worst = i end
    end
    local column = list[worst]
    local is_lessened = column.has_least
    if is_lessened then lessen(column) else table.remove(list, worst) end
    out[#out + 1] = { index = column.index, what = (is_lessened
      and "ranges of what is " or "") .. column.key }
  end
end

-- Puts a column into a list, or back into it, if there is room.
local function put_back(page, list, column)
  local at, old = #list + 1, nil
  for i = #list, 1, -1 do
    if list[i].index >= column.index then at = i end
  end
  if list[at] and list[at].index == column.index then
    old = table.remove(list, at)
  end
  table.insert(list, at, column)
  if total(list) <= page.width then return true end
  if old then list[at] = old else table.remove(list, at) end
  return false
end

-- What was left out before it was known how much has to go comes back where
-- there is room now: names, intervals of the time, then what went last.
local function give_back(page, made, list, out)
  list[1] = measured(page, made, 1, out.is_short)
  shorten_names(page, list[1], page.width - total(list) + list[1].size)
  local by_worth = { out.interval }
  for i = #out, 1, -1 do by_worth[#by_worth + 1] = out[i] end
  for _, one in ipairs(by_worth) do
    one.is_back = put_back(page, list, measured(page, made, one.index,
      out.is_short and one ~= out.interval))
  end
  for _, column in ipairs(list) do
    local title = page:plain(made.columns[column.index].title)
    local more = width.of(title) - column.size
    if column.align == "left" and title ~= column.title and column.index > 1
      and total(list) + math.max(0, more) <= page.width then
      column.title, column.size = title, column.size + math.max(0, more)
    end
  end
  local gone = {}
  if out.interval then table.insert(out, 1, out.interval) end
  for _, one in ipairs(out) do
    if not one.is_back then gone[#gone + 1] = one.what end
  end
  return { list }, gone
end

--- The columns of a table in blocks that fit the page.
---@param page table as fitting.measured gives it
---@param made table TABLE
---@param keeps_all boolean? in several blocks, rather than leave out columns
---@return table[][] blocks
---@return string[] left_out
function fitting.blocks(page, made, keeps_all)
  local list, out = {}, {}
  for i = 1, #made.columns do list[i] = measured(page, made, i) end
  if not page.width then
    local first = list[1]
    if first.size > WIDEST_NAME then first.size = WIDEST_NAME end
    return { list }, {}
  end
  if total(list) <= page.width then return { list }, {} end
  out.is_short = any_short(made)
  if out.is_short then
    for i = 1, #made.columns do list[i] = measured(page, made, i, true) end
    -- Intervals of the time are worth more room than those of ratios, and a
    -- quarter of the names.
    if made.columns[2] then
      local short, names = list[2], list[1].size
      list[2] = measured(page, made, 2)
      local over = total(list) - page.width
      if over > names / 4 or over > 0 and names - over < SHORT_NAME then
        if list[2].right > short.right then
          out.interval = { index = 2,
            what = ("\194\177 of the %s"):format(short.title) }
        end
        list[2] = short
      end
    end
  end
  local names = list[1]
  local others = total(list) - names.size
  -- Names keep three quarters of what they need, short ones all of it, up to a
  -- third of the page.
  local needed = math.max(math.ceil(names.size * 0.75),
    math.min(names.size, SHORT_NAME))
  local room = math.max(page.width - others, math.min(
    math.floor(page.width / 3), needed))
  if total(list) > page.width then
    shorten_names(page, names, room)
  end
  if total(list) > page.width and keeps_all then
    list[1] = measured(page, made, 1)
    shorten_names(page, list[1], math.floor(page.width / 3))
    return split(page, list), { out.interval and out.interval.what }
  end
  drop(page, list, out)
  return give_back(page, made, list, out)
end

return fitting
