-- Prints a document for a terminal: tables fitted to its width, colours where
-- they are wanted, ASCII where nothing else is understood.
local chart = require "tare.report.chart"
local columns = require "tare.report.columns"
local document = require "tare.report.document"
local escape = require "tare.report.escape"
local unicode = require "tare.base.unicode"
local unpack = require("tare.base.compat").unpack
local width = require "tare.report.width"

local text = {}

local INDENT, GAP = 2, 2
local SGR = { title = "1", bad = "31", good = "32", warn = "33", dim = "2" }

-- Columns that a table leaves for names at least, and at most in a pipe, where
-- a longer name moves only its own row.
local NARROWEST_NAME, WIDEST_NAME = 8, 60
local SHORT_NAME = 14 -- that can lose a few letters

local DOT = " \194\183 "

local Page = {}
Page.__index = Page

local JOINER = 0x200D
local IN_ASCII = { [0xB1] = "+-", [0xB7] = "|" }

-- A text that the terminal shows in as many columns as it is counted for:
-- joined emoji are one picture to some terminals and several to others.
function Page:plain(s)
  if not s:find(self.ascii and "[\128-\255]" or "\226\128\141") then
    return s
  end
  return unicode.map(unicode.repair(s), function(code)
    if not code or not self.ascii and code ~= JOINER or code < 128 then
      return nil
    end
    return IN_ASCII[code] or (code > 0xFFFF and "\\U%08x" or "\\u%04x")
      :format(code)
  end)
end

function Page:style(s, name)
  if not (self.color and SGR[name]) or s == "" then return s end
  return ("\27[%sm%s\27[0m"):format(SGR[name], s)
end

function Page:add(line) self[#self + 1] = (line:gsub("%s+$", "")) end

-- One blank line, never two.
function Page:gap()
  if #self > 0 and self[#self] ~= "" then self[#self + 1] = "" end
end

-- A paragraph, wrapped; 'name' begins it in the style, lines after the first
-- are indented by more.
function Page:paragraph(s, options)
  options = options or {}
  local indent = options.indent or 0
  local name = options.name and self:plain(options.name)
  s = self:plain(s)
  local hanging = indent + (options.hanging or 0)
  local room = self.width and math.max(20, self.width - hanging)
  for i, line in ipairs(width.wrap(name and name .. " " .. s or s, room)) do
    if i == 1 and name and line:sub(1, #name) == name then
      line = self:style(name, options.style or "plain")
        .. line:sub(#name + 1)
    elseif options.style and not name then
      line = self:style(line, options.style)
    end
    self:add((" "):rep(i == 1 and indent or hanging) .. line)
  end
end

-- Phrases with a dot between them; lines break between phrases, and within one
-- where it is too long for a line.
function Page:phrases(list, indent)
  local line = ""
  local function put()
    local room = self.width and math.max(20, self.width - INDENT)
    local fits = width.of(line) <= (self.width or 1/0) - indent
    for _, part in ipairs(fits and { line } or width.wrap(line, room)) do
      self:add((" "):rep(indent) .. self:style(part, "dim"))
      indent = INDENT
    end
  end
  for _, phrase in ipairs(list) do
    phrase = self:plain(phrase)
    local joined = line == "" and phrase or line .. self:plain(DOT) .. phrase
    if line ~= "" and width.of(joined) > (self.width or 1/0) - indent then
      put()
      joined = phrase
    end
    line = joined
  end
  if line ~= "" then put() end
end

-- Tables ---------------------------------------------------------------------

-- A cell in print: the part that is aligned on its right, and what follows it.
local function parts_of(page, cell, is_short)
  local main = is_short and cell.short or cell.text
  local more = not is_short and cell.more or nil
  return page:plain(main), (cell.mark or "")
    .. (more and " " .. page:plain(more) or "")
end

local CUT_SHORT = "%(cut short%)" -- "#" where room is short

-- A column as it is printed: its cells' parts and its width.
local function measured(page, made, i, is_short)
  local column = made.columns[i]
  local out = { key = column.key, align = column.align, left = 0, right = 0,
    is_gated = column.is_gated,
    title = page:plain(column.title), cells = {} }
  for r, row in ipairs(made.rows) do
    local cell = row.cells[i] or { text = "" }
    local main, more = parts_of(page, cell, is_short)
    if i == 1 and row.mark then
      more = " " .. (is_short and row.mark:gsub(CUT_SHORT, "#") or row.mark)
    end
    out.cells[r] = { main = main, more = more, style = cell.style,
      least = is_short and cell.least and page:plain(cell.least) or nil }
    out.has_least = out.has_least or out.cells[r].least ~= nil
    out.left = math.max(out.left, width.of(main))
    out.right = math.max(out.right, width.of(more))
  end
  -- A title that is longer than its key is no reason for a wider column.
  if is_short and width.of(out.title) > math.max(out.left + out.right,
    #column.key) then out.title = column.key end
  out.size = math.max(out.left + out.right, width.of(out.title))
  if out.align == "right" then
    out.left = math.max(out.left, out.size - out.right)
  end
  return out
end

local function total(list)
  local sum = INDENT - GAP
  for _, column in ipairs(list) do sum = sum + column.size + GAP end
  return sum
end

local function shorten_names(page, column, room)
  local function fit(s)
    return width.squeeze(s, math.max(NARROWEST_NAME, room), page.ellipsis)
  end
  column.title, column.left = fit(column.title), 0
  for _, cell in ipairs(column.cells) do
    cell.main = fit(cell.main)
    column.left = math.max(column.left, width.of(cell.main))
  end
  column.size = math.max(column.left + column.right, width.of(column.title))
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

local function leave_out(page, what)
  if page.dropped[what] then return end
  page.dropped[what], page.dropped[#page.dropped + 1] = true, what
end

-- Texts without their ranges, where a column would be left out otherwise.
local function lessen(page, column)
  column.left, column.has_least = 0, false
  for _, cell in ipairs(column.cells) do
    cell.main = cell.least or cell.main
    column.left = math.max(column.left, width.of(cell.main))
  end
  column.size = math.max(column.left + column.right, width.of(column.title))
  leave_out(page, "ranges of what is " .. column.key)
end

-- Leaves out columns, the least telling first, until the rest fits.
local function drop(page, list)
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
    if list[worst].has_least then
      lessen(page, list[worst])
    else
      leave_out(page, table.remove(list, worst).key)
    end
  end
end

-- The columns of a table in blocks that fit the page.
local function fitted(page, made, keeps_all)
  local list = {}
  for i = 1, #made.columns do list[i] = measured(page, made, i) end
  if not page.width then
    local first = list[1]
    if first.size > WIDEST_NAME then first.size = WIDEST_NAME end
    return { list }
  end
  if total(list) > page.width and any_short(made) then
    for i = 1, #made.columns do list[i] = measured(page, made, i, true) end
    -- Intervals of the time are worth more room than those of ratios, and a
    -- quarter of the names.
    if made.columns[2] then
      local short, names = list[2], list[1].size
      list[2] = measured(page, made, 2)
      local over = total(list) - page.width
      if over > names / 4 or over > 0 and names - over < SHORT_NAME then
        if list[2].right > short.right then
          leave_out(page, ("\194\177 of the %s"):format(short.title))
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
    shorten_names(page, names, room - names.right)
  end
  if total(list) <= page.width then return { list } end
  if keeps_all then
    list[1] = measured(page, made, 1)
    shorten_names(page, list[1], math.floor(page.width / 3) - list[1].right)
    return split(page, list)
  end
  drop(page, list)
  shorten_names(page, names, page.width - total(list) + names.size
    - names.right)
  return { list }
end

local function cell_text(page, column, cell, is_last)
  local main, more = cell.main, cell.more
  local missing = column.left - width.of(main)
  local text_of = column.align == "right" and (" "):rep(missing)
    .. page:style(main, cell.style) .. more
    or page:style(main, cell.style) .. more
  if is_last then return text_of end
  local used = (column.align == "right" and column.left or width.of(main))
    + width.of(more)
  return text_of .. (" "):rep(column.size - used)
end

-- A table whose names don't fit, with what names in a row begin with on a line
-- above them: "calls/make/", and below it "coroutine" and "closure".
local function under_headings(page, made)
  local list, headings, above = {}, 0, nil
  for i = 1, #made.columns do list[i] = measured(page, made, i, true) end
  if made.columns[1].key ~= "bench" or not page.width
    or total(list) <= page.width then return made end
  local out = { columns = made.columns, legend = made.legend, rows = {} }
  for _, row in ipairs(made.rows) do
    local prefix, rest = row.cells[1].text:match("^([^{]*/)(.*)$")
    if prefix ~= above then
      above, headings = prefix, headings + 1
      out.rows[#out.rows + 1] = prefix and { heading = prefix, cells = {} }
    end
    local copy = { mark = row.mark, cells = { unpack(row.cells) } }
    copy.cells[1] = { style = row.cells[1].style,
      text = prefix and "  " .. rest or row.cells[1].text }
    out.rows[#out.rows + 1] = copy
  end
  return headings * 2 <= #made.rows and out or made
end

-- 'explains': whether its own legend says what its figures are.
local function add_table(page, made, title, keeps_all, explains)
  if not title then made = under_headings(page, made) end
  for _, list in ipairs(fitted(page, made, keeps_all)) do
    for _, column in ipairs(list) do
      page.shown[column.key] = page.shown[column.key] or not explains
        or column.key == "gc"
      for _, cell in ipairs(column.cells) do
        page.shown["-"] = page.shown["-"] or cell.main == "-"
      end
    end
    for _, cell in ipairs(list[1].cells) do
      for mark in (cell.more or ""):gmatch "[!#]" do page.shown[mark] = true end
    end
    local first = {}
    for key, value in pairs(list[1]) do first[key] = value end
    list[1] = first -- blocks share their names
    local borrowed = 0
    if title then
      local room = page.width and page.width - total(list) + first.size
        or WIDEST_NAME
      -- It may reach over the next column, as far as that has no title.
      local second = list[2]
      local spare = second and second.align == "right"
        and second.left - width.of(second.title) or 0
      borrowed = math.max(0, math.min(spare, width.of(page:plain(title))
        - INDENT - room))
      first.title = width.squeeze(page:plain(title), math.max(room + INDENT
        + borrowed, NARROWEST_NAME), page.ellipsis)
      first.size = math.max(first.size, width.of(first.title) - INDENT
        - borrowed)
    end
    local heads = {}
    for i, column in ipairs(list) do
      local padded
      if column.align == "right" and width.of(column.title) <= column.left then
        padded = width.pad(width.pad(column.title, column.left, "right"),
          column.size)
      else
        padded = width.pad(column.title, column.size)
      end
      if i == 1 then
        -- The title of a section begins where the page does.
        padded = title and width.pad(column.title, column.size + INDENT)
          or (" "):rep(INDENT) .. padded
      end
      if i == 2 then padded = padded:sub(1 + borrowed) end
      if i == #list then padded = padded:gsub("%s+$", "") end
      heads[i] = page:style(padded, i == 1 and title and "title" or "dim")
    end
    page:add(table.concat(heads, (" "):rep(GAP)))
    for r in ipairs(made.rows) do
      local cells, heading = {}, made.rows[r].heading
      for i, column in ipairs(list) do
        cells[i] = cell_text(page, column, column.cells[r], i == #list)
      end
      page:add((" "):rep(INDENT) .. (heading and page:style(width.squeeze(
        page:plain(heading), page.width - INDENT, page.ellipsis), "dim")
        or table.concat(cells, (" "):rep(GAP))))
    end
  end
  if made.legend then
    page:paragraph(made.legend, { indent = INDENT, style = "dim" })
  end
end

-- Sections -------------------------------------------------------------------

local function add_sentences(page, section)
  for _, sentence in ipairs(section.sentences or {}) do
    if not sentence.in_table or page.dropped[1] then
      page:paragraph(sentence.text, { indent = INDENT, style = sentence.style })
    end
  end
end

-- A single bench: its name, the circumstances on the right, the figures below.
local function add_card(page, section, head)
  local name = page:plain(section.card.name)
  local about = page:plain(table.concat(head, DOT))
  local room = (page.width or 100) - width.of(name) - 3
  if width.of(about) <= room then
    page:add(page:style(name, "title") .. (" "):rep(room - width.of(about) + 3)
      .. page:style(about, "dim"))
  else
    page:paragraph(section.card.name, { style = "title" })
    page:phrases(head, INDENT)
  end
  for _, phrases in ipairs(section.card.lines) do
    local line = page:plain(table.concat(phrases, "   "))
    if page.width and width.of(line) + INDENT > page.width then
      page:paragraph(table.concat(phrases, ", "), { indent = INDENT })
    else
      page:add((" "):rep(INDENT) .. line)
    end
  end
end

-- What the usual columns are of, in a line; --explain says more.
local function legend_of(shown)
  local per_call, parts = {}, {}
  for _, key in ipairs { "time", "bytes", "allocs", "instr" } do
    per_call[#per_call + 1] = shown[key] and (key == "instr"
      and "instr (Lua code only)" or key) or nil
  end
  if per_call[1] then
    parts[1] = "per call: " .. table.concat(per_call, ", ")
  end
  parts[#parts + 1] = shown.gc and "gc: collector's share of the time"
    or nil
  parts[#parts + 1] = shown["-"] and "-: no figure" or nil
  parts[#parts + 1] = shown["!"] and "!: too noisy to rely on" or nil
  parts[#parts + 1] = shown["#"] and "#: cut short" or nil
  return parts[1] and table.concat(parts, "; ") or nil
end

-- Where the other figures of a sweep's cells are.
local OTHERS = "gc, bytes and instr of each: --columns time,gc,bytes,instr"

-- Kinds of sections whose tables keep every column, in several blocks if need
-- be.
local WHOLE = { frames = true, sweep = true, interpreters = true,
  regression = true }

local TITLED = { sweep = true, changes = true, interpreters = true,
  regression = true, profile = true }

local function add_section(page, section, options)
  page:gap()
  local titled = TITLED[section.kind]
  if titled then page:paragraph(section.title, { style = "title" }) end
  if section.table then
    if section.kind == "sweep" and options.command and not options.columns then
      section.table.legend = (section.table.legend
        and section.table.legend .. "; " or "") .. OTHERS
    end
    add_table(page, section.table, not titled and (section.title ~= ""
      and section.title or nil) or nil, options.columns ~= nil
      or WHOLE[section.kind], section.kind == "changes")
  end
  if options.plot or options.plots then
    for _, line in ipairs(chart.lines(section, { ascii = page.ascii,
      width = page.width and page.width - INDENT, ellipsis = page.ellipsis,
      plain = function(s) return page:plain(s) end })) do
      page:add((" "):rep(INDENT) .. line)
    end
  end
  add_sentences(page, section)
  if options.explain or options.plot then
    for _, law in ipairs(section.laws or {}) do
      page:paragraph(law, { indent = INDENT })
    end
  end
end

--- Prints a Report for a terminal. Beside the options of the document: 'width'
--- (nil is a pipe, without limit), 'color', 'ascii', 'plot'.
---@param report table
---@param options table?
---@return string? text
---@return string? message where columns or sort name what there is not
function text.render(report, options)
  options = options or {}
  local made, message = document.of(report, options)
  if not made then return nil, message end
  local page = setmetatable({ width = options.width, dropped = {},
    shown = {}, color = options.color, ascii = options.ascii,
    ellipsis = options.ascii and "~" or "\226\128\166" }, Page)
  local card = made.sections[1] and made.sections[1].kind == "card"
    and made.sections[1]
  if card then
    add_card(page, card, made.head)
  elseif made.head[1] then
    page:phrases(made.head, 0)
  end
  for _, line in ipairs { made.machine or false, made.interrupted or false } do
    if line then page:paragraph(line, { style = "warn", hanging = INDENT }) end
  end
  if made.failures[1] then page:gap() end
  for _, one in ipairs(made.failures) do
    page:paragraph(one.text, { name = "FAILED " .. one.name .. ":",
      style = "bad", hanging = INDENT })
  end
  for _, section in ipairs(made.sections) do
    if section ~= card then add_section(page, section, options) end
  end
  for _, one in ipairs(made.notes) do
    if one.mark == "!" then page.shown["!"] = nil end -- it says that
  end
  local legend = not made.explanations and legend_of(page.shown)
  if made.explanations or made.notes[1] or page.dropped[1] or legend then
    page:gap()
  end
  if legend then page:paragraph(legend, { style = "dim" }) end
  for _, one in ipairs(made.explanations or {}) do
    page:paragraph(one.text, { name = one.name .. ":", style = "title",
      hanging = INDENT })
  end
  for _, one in ipairs(made.notes) do
    page:paragraph(one.text, { name = (one.mark and one.mark .. " " or "")
      .. one.name .. ":", style = one.name == "note" and "dim" or "warn",
      hanging = INDENT })
  end
  if page.dropped[1] then
    page:paragraph(("not shown at this width (see --width): %s"):format(
      table.concat(page.dropped, ", ")), { style = "dim" })
  end
  if not card or made.closing.style ~= "good" or made.failures[1]
    or options.failures then
    page:gap()
    page:paragraph(made.closing.text, { style = made.closing.style })
  end
  if made.next_step then -- the command is one line, to be copied
    page:gap()
    page:paragraph(("Next, %s:"):format(made.next_step.why))
    page:add((" "):rep(INDENT) .. page:plain(escape.visible(
      made.next_step.command)))
  end
  return table.concat(page, "\n") .. "\n"
end

return text
