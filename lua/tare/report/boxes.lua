-- Plots with a box a row under one axis: alternatives with their spread,
-- comparisons with their interval.
local escape = require "tare.report.escape"
local groups = require "tare.report.groups"
local histogram = require "tare.report.histogram"
local plot = require "tare.report.plot"
local ruler = require "tare.report.ruler"
local scale = require "tare.report.scale"
local units = require "tare.base.units"
local width = require "tare.report.width"

local boxes = {}

local MOST = 12 -- alternatives that are drawn
local MOST_RATIOS = 48 -- comparisons of a set

-- Columns that a plot and the gaps beside it take at least; fewer for labels
-- than these, and nothing is drawn.
local AROUND, NARROWEST_LABEL = 16, 10
local WIDEST_LABEL = 60 -- in a pipe, which takes lines of any length
local ELLIPSIS = "\226\128\166"

-- Rows of boxes under one axis. Each row is { label, box, text }, the box in
-- values of the axis.
local function draw(rows, axis, options)
  local labels, texts = {}, {}
  for i, row in ipairs(rows) do
    labels[i], texts[i] = row.label, row.text or ""
  end
  local text_width = ruler.longest(texts)
  local room = WIDEST_LABEL
  if options.width then room = options.width - text_width - AROUND end
  if room < NARROWEST_LABEL then return {} end
  for i, label in ipairs(labels) do
    labels[i] = width.squeeze(label, room, options.ascii and "~" or ELLIPSIS)
  end
  local label_width = ruler.longest(labels)
  local columns = ruler.columns(label_width + text_width + 6,
    options.width)
  local lines = {}
  for i, row in ipairs(rows) do
    local placed = {}
    for name, value in pairs(row.box) do placed[name] = axis.at(value) end
    local drawn = plot.box(placed, columns, options.ascii)
    if texts[i] ~= "" then drawn = width.pad(drawn, columns) .. "  " end
    lines[i] = width.pad(labels[i], label_width) .. "  " .. drawn .. texts[i]
  end
  lines[#lines + 1] = (" "):rep(label_width + 2)
    .. plot.axis(ruler.ticks(axis, options.tick), columns)
  return lines
end

local function summary_of(result)
  local values = histogram.per_call(result)
  if #values < 4 then return nil end
  local low, high = scale.bulk(values, 3)
  table.sort(values)
  return { low = low, high = high, q1 = scale.quantile(values, 0.25),
    middle = scale.quantile(values, 0.5), q3 = scale.quantile(values, 0.75) }
end

--- Alternatives as boxes on one axis: quartiles of the time a call over the
--- larger batches, whiskers over what lies within three interquartile ranges.
---@param results table[]
---@param title string of their section
---@param options { width: integer?, ascii: boolean? }
---@return string[] none where there is nothing to draw
function boxes.results(results, title, options)
  local rows, ends = {}, {}
  for _, result in ipairs(results) do
    local box = summary_of(result)
    if box then
      rows[#rows + 1] = { box = box,
        label = escape.visible(groups.label(result, title)) }
      ends[#ends + 1], ends[#ends + 2] = box.low, box.high
    end
  end
  if #rows < 2 or #rows > MOST then return {} end
  return draw(rows, ruler.axis(ends, 4), { width = options.width,
    ascii = options.ascii, tick = ruler.duration })
end

local function ratio_row(c, label)
  local r = c.ratio
  local low, high = r.low or r.value, r.high or r.value
  if not (scale.is_drawable(low) and low > 0 and scale.is_drawable(high)
    and scale.is_drawable(r.value)) then
    return nil
  end
  return { label = escape.visible(label), box = { low = low, high = high,
    middle = r.value, rule = 1 }, text = units.number(r.value, 3) .. "x" }
end

--- Comparisons as ratios with their intervals on one logarithmic axis; the
--- rule stands at 1.
---@param comparisons table[]
---@param options { width: integer?, ascii: boolean?, label: fun(c: table):
---  string }
---@return string[] none where there is nothing to draw, or too much
function boxes.ratios(comparisons, options)
  local rows, low, high = {}, 1, 1
  for _, c in ipairs(#comparisons <= MOST_RATIOS and comparisons or {}) do
    local row = ratio_row(c, options.label(c))
    if row then
      rows[#rows + 1] = row
      low, high = math.min(low, row.box.low), math.max(high, row.box.high)
    end
  end
  if #rows == 0 then return {} end
  low, high = scale.log_padded(low, high)
  return draw(rows, scale.log(low, high, 5), { width = options.width,
    ascii = options.ascii, tick = ruler.times })
end

return boxes
