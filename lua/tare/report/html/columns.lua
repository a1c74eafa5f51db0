-- Columns of numbers: one unit for all of a column, points below each other.
local markup = require "tare.report.html.markup"
local plot = require "tare.report.html.plot"
local scale = require "tare.report.scale"
local units = require "tare.base.units"

local columns = {}

local is_drawable = scale.is_drawable

-- How many figures each text needs on its right for its point to stand below
-- those of the others; a point counts as half a figure.
local function paddings(texts)
  local widest, pads = 0, {}
  for _, text in pairs(texts) do
    widest = math.max(widest, #(text:match("%.(%d+)$") or ""))
  end
  for row, text in pairs(texts) do
    local fraction = text:match("%.(%d+)$")
    pads[row] = fraction and widest - #fraction
      or widest > 0 and widest + 0.5 or 0
  end
  return pads
end

local function is_whole(value, unit, shared)
  return unit ~= "ns" and shared.factor == 1 and value % 1 == 0
    and math.abs(value) < 1e15
end

local function shared_text(value, unit, shared, digits)
  if is_whole(value, unit, shared) then return ("%.0f"):format(value) end
  return units.scaled(value, shared, digits)
end

--- A column of the finite ones among values with holes.
---@param values table<integer, number?> by row
---@param rows integer
---@param unit string
---@param digits integer? significant ones
---@return table column { texts, pads = figures of space on the right, suffix =
---  unit that all share, or "" where each carries its own }
function columns.column(values, rows, unit, digits)
  local known, texts = {}, {}
  for row = 1, rows do
    if is_drawable(values[row]) then known[#known + 1] = values[row] end
  end
  local shared = units.scale(unit, known)
  for row = 1, rows do
    if is_drawable(values[row]) then
      texts[row] = shared and shared_text(values[row], unit, shared, digits)
        or plot.quantity(values[row], unit, digits)
    end
  end
  return { texts = texts, pads = shared and paddings(texts) or {},
    suffix = shared and plot.typeset(shared.suffix) or "" }
end

--- A cell of a column.
---@param column table
---@param row integer
---@param class string
---@param sort_value number? what the script sorts by
---@param before string? markup
---@return string markup
function columns.cell(column, row, class, sort_value, before)
  local pad = column.pads[row] or 0
  return markup.element("td", { "class", class,
    "data-v", sort_value and ("%.9g"):format(sort_value),
    "style", pad > 0 and ("--p:%g"):format(pad) },
    (before or "") .. (column.texts[row] or ""))
end

--- A column's title with the unit that it shares.
---@param title string markup
---@param suffix string
---@return string markup
function columns.title(title, suffix)
  if suffix == "" then return title end
  return title .. ' <span class="unit">' .. suffix .. "</span>"
end

return columns
