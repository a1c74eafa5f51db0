-- Lays out a table of text: widths first, then lines. Cells are strings or
-- { text, style }; styles are applied after padding, so they take no room.
local width = require "tare.report.width"

local layout = {}

local GAP = "  "

local function text_of(cell)
  return type(cell) == "table" and cell[1] or cell
end

-- "±12.5%" -> "±12", ".5%"
local function split(text)
  return text:match("^([^%d]*%d*)(.*)$")
end

-- Cells of equal width whose decimal points stand below each other.
local function align_decimals(cells)
  local left, right = 0, 0
  for _, cell in ipairs(cells) do
    local a, b = split(text_of(cell))
    left = math.max(left, width.of(a))
    right = math.max(right, width.of(b))
  end
  local aligned = {}
  for i, cell in ipairs(cells) do
    local a, b = split(text_of(cell))
    local text = width.pad(a, left, "right") .. width.pad(b, right)
    aligned[i] = type(cell) == "table" and { text, cell[2] } or text
  end
  return aligned
end

--- Pads the cells of a column, and its title, to one width.
---@param column { title: string, align: "left"|"right"|"decimal",
---  cells: table }
---@return { title: string, cells: table, side: string, size: integer }
function layout.measure(column)
  local cells = column.cells
  if column.align == "decimal" then cells = align_decimals(cells) end
  local size = width.of(column.title)
  for _, cell in ipairs(cells) do
    size = math.max(size, width.of(text_of(cell)))
  end
  local side = column.align == "left" and "left" or "right"
  return { cells = cells, side = side, size = size, title = column.title }
end

local function trimmed(s) return (s:gsub("%s+$", "")) end

-- One line: 'pick' gives the cell of a column.
local function line_of(columns, pick, indent, style)
  local parts = {}
  for i, column in ipairs(columns) do
    local cell = pick(column)
    local padded = width.pad(text_of(cell), column.size, column.side)
    if i == #columns then padded = trimmed(padded) end
    local name = type(cell) == "table" and cell[2]
    parts[i] = name and style(padded, name) or padded
  end
  return (" "):rep(indent) .. trimmed(table.concat(parts, GAP))
end

--- Columns of the terminal that a table takes.
---@param columns table[] of layout.measure
---@param indent integer
---@return integer
function layout.width(columns, indent)
  local total = indent - #GAP
  for _, column in ipairs(columns) do total = total + column.size + #GAP end
  return total
end

--- Lines of a table, titles first.
---@param columns table[] of layout.measure
---@param indent integer blanks before each line
---@param style fun(text: string, name: string): string
---@return string[]
function layout.lines(columns, indent, style)
  local lines = { line_of(columns, function(column)
    return { column.title, "title" }
  end, indent, style) }
  for row = 1, #columns[1].cells do
    lines[row + 1] = line_of(columns, function(column)
      return column.cells[row]
    end, indent, style)
  end
  return lines
end

return layout
