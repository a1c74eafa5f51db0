-- A sweep as a line plot in characters.
local plot = require "tare.report.plot"
local ruler = require "tare.report.ruler"
local width = require "tare.report.width"

local sketch = {}

-- Of a plot with few series, and of one with more.
local ROWS, FEW_SERIES, MORE_ROWS = 12, 3, 18

local function points_of(sweep)
  local xs, ys = {}, {}
  for _, series in ipairs(sweep.series) do
    for _, point in ipairs(series.points) do
      if point.value then
        xs[#xs + 1], ys[#ys + 1] = point.x, point.value
      end
    end
  end
  return xs, ys
end

local function places(series, x_axis, y_axis)
  local list = {}
  for _, point in ipairs(series.points) do
    if point.value then
      list[#list + 1] = { x = x_axis.at(point.x), y = y_axis.at(point.value) }
    end
  end
  return list
end

-- Labels of the rows of a line plot, by row from the top.
local function row_labels(ticks, rows)
  local labels = {}
  for _, tick in ipairs(ticks) do
    if tick.at >= 0 and tick.at <= 1 then
      labels[rows - math.floor(tick.at * (rows - 1) + 0.5)] = tick.text
    end
  end
  return labels
end

local EDGE, CORNER, LEVEL = "\226\148\130", "\226\148\148", "\226\148\128"

local function framed(rows, labels, label_width, columns, ascii)
  local edge = ascii and "|" or EDGE
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = width.pad(labels[i] or "", label_width, "right") .. " "
      .. edge .. row
  end
  lines[#lines + 1] = (" "):rep(label_width + 1) .. (ascii and "+" or CORNER)
    .. (ascii and "-" or LEVEL):rep(columns)
  return lines
end

--- A sweep as a line plot: a mark a point, one series beside the other.
---@param sweep table of report.sweeps
---@param options { width: integer?, ascii: boolean? }
---@return string[]
function sketch.sweep(sweep, options)
  local xs, ys = points_of(sweep)
  local x_axis, y_axis = ruler.axis(xs), ruler.axis(ys, 4)
  if not x_axis then return {} end
  local ticks = ruler.ticks(y_axis, ruler.duration)
  local texts = {}
  for i, tick in ipairs(ticks) do texts[i] = tick.text end
  local label_width = ruler.longest(texts)
  local columns = ruler.columns(label_width + 4, options.width)
  local series, rows = {}, #sweep.series > FEW_SERIES and MORE_ROWS or ROWS
  for i, one in ipairs(sweep.series) do
    series[i] = places(one, x_axis, y_axis)
  end
  local lines = framed(plot.lines(series, columns, rows, options.ascii),
    row_labels(ticks, rows), label_width, columns, options.ascii)
  lines[#lines + 1] = (" "):rep(label_width + 2)
    .. plot.axis(ruler.ticks(x_axis, ruler.plain), columns)
  return lines
end

return sketch
