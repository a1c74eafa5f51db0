-- Plots made of characters: blocks of Unicode, or ASCII alone.
local width = require "tare.report.width"

local plot = {}

local BLOCKS = { "\226\150\129", "\226\150\130", "\226\150\131",
  "\226\150\132", "\226\150\133", "\226\150\134", "\226\150\135",
  "\226\150\136" }
local SHADES = { ".", ":", "-", "=", "+", "*", "#", "@" }

--- A histogram in one line: a character a bin, a blank where nothing is.
---@param counts number[]
---@param ascii boolean?
---@return string
function plot.spark(counts, ascii)
  local top, levels = 0, ascii and SHADES or BLOCKS
  for i = 1, #counts do top = math.max(top, counts[i]) end
  local out = {}
  for i, count in ipairs(counts) do
    local level = math.ceil(count / top * #levels)
    out[i] = count > 0 and levels[level] or " "
  end
  return table.concat(out)
end

local GLYPHS = {
  box = { whisker = "\226\148\128", left = "\226\148\156",
    right = "\226\148\164", body = "\226\150\146", middle = "\226\148\131",
    rule = "\226\148\138" },
  ascii = { whisker = "-", left = "|", right = "|", body = "=",
    middle = "#", rule = ":" },
}

--- A row of blanks to draw into.
local function blank(columns)
  local row = {}
  for i = 1, columns do row[i] = " " end
  return row
end

-- Column (from 1) of a place between 0 and 1; nil for what is no number.
local function place(at, columns)
  if at ~= at then return nil end
  return math.floor(math.max(0, math.min(1, at)) * (columns - 1) + 0.5) + 1
end

local function fill(row, from, to, glyph)
  for i = from, to do row[i] = glyph end
end

--- One row of a box plot: whiskers from low to high, a box from q1 to q3, a
--- bar at the middle. 'q1' and 'q3' may be absent (an interval with its
--- value). Places are between 0 and 1; 'rule' draws a line of reference.
---@param box { low: number, high: number, middle: number, q1: number?,
---  q3: number?, rule: number? }
---@param columns integer
---@param ascii boolean?
---@return string
function plot.box(box, columns, ascii)
  local row, glyphs = blank(columns), ascii and GLYPHS.ascii or GLYPHS.box
  local rule = box.rule and place(box.rule, columns)
  if rule then row[rule] = glyphs.rule end
  local low, high = place(box.low, columns), place(box.high, columns)
  if low and high then
    fill(row, low, high, glyphs.whisker)
    if high > low then row[low], row[high] = glyphs.left, glyphs.right end
  end
  if box.q1 and box.q3 then
    fill(row, place(box.q1, columns), place(box.q3, columns), glyphs.body)
  end
  local middle = place(box.middle, columns)
  if middle then row[middle] = glyphs.middle end
  return (table.concat(row):gsub("%s+$", ""))
end

--- Labels below an axis, each centred under its place; one that would touch
--- the one before it is left out.
---@param ticks { at: number, text: string }[] ascending, 'at' from 0 to 1
---@param columns integer
---@return string
function plot.axis(ticks, columns)
  local line, used = "", 0
  for _, tick in ipairs(ticks) do
    local size = width.of(tick.text)
    local start = place(tick.at, columns) - 1 - math.floor(size / 2)
    start = math.max(0, math.min(columns - size, start))
    if used == 0 or start > used then
      line = width.pad(line, start) .. tick.text
      used = start + size
    end
  end
  return line
end

local MARKS = { "\226\151\143", "\226\151\139", "\226\150\178", "\226\150\179",
  "\226\150\160", "\226\150\161", "\226\151\134", "\226\151\135" }
local LETTERS = { "o", "x", "+", "*", "#", "%", "@", "&" }

--- The mark of the i-th series.
---@param i integer
---@param ascii boolean?
---@return string
function plot.mark(i, ascii)
  local marks = ascii and LETTERS or MARKS
  return marks[(i - 1) % #marks + 1]
end

local DOT, ASCII_DOT = "\194\183", "."

-- Dots along the straight line between two points, where nothing stands yet.
local function connect(grid, from, to, dot)
  local steps = math.max(math.abs(to.column - from.column),
    math.abs(to.row - from.row))
  for step = 1, steps - 1 do
    local t = step / steps
    local row = math.floor(from.row + (to.row - from.row) * t + 0.5)
    local column = math.floor(from.column
      + (to.column - from.column) * t + 0.5)
    if grid[row][column] == " " then grid[row][column] = dot end
  end
end

local function placed(points, columns, rows)
  local list = {}
  for _, point in ipairs(points) do
    local column, row = place(point.x, columns), place(point.y, rows)
    if column and row then
      list[#list + 1] = { column = column, row = rows + 1 - row }
    end
  end
  return list
end

-- A mark at its place, or beside those that stand there already; where there
-- is no room left it is hidden by the first.
local function put(row, column, columns, mark)
  for _, aside in ipairs { 0, 1, -1, 2, -2 } do
    local at = column + aside
    if at >= 1 and at <= columns and not row.marked[at] then
      row[at], row.marked[at] = mark, true
      return
    end
  end
end

-- So many series are joined by dots; of more, the marks would drown.
local MOST_JOINED = 3

--- Lines of a plot of several series; the first line is the top.
---@param series { x: number, y: number }[][] places from 0 to 1
---@param columns integer
---@param rows integer
---@param ascii boolean?
---@return string[]
function plot.lines(series, columns, rows, ascii)
  local grid, all = {}, {}
  for row = 1, rows do
    grid[row] = blank(columns)
    grid[row].marked = {}
  end
  for s, points in ipairs(series) do all[s] = placed(points, columns, rows) end
  for _, points in ipairs(#all <= MOST_JOINED and all or {}) do
    for i = 2, #points do
      connect(grid, points[i - 1], points[i], ascii and ASCII_DOT or DOT)
    end
  end
  for s, points in ipairs(all) do
    for _, point in ipairs(points) do
      put(grid[point.row], point.column, columns, plot.mark(s, ascii))
    end
  end
  for row = 1, rows do
    grid[row] = table.concat(grid[row]):gsub("%s+$", "")
  end
  return grid
end

return plot
