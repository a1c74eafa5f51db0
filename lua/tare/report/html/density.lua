-- How the times a call are spread: their density, the samples below it, and
-- where the estimates lie.
local canvas = require "tare.report.html.canvas"
local plot = require "tare.report.html.plot"
local points = require "tare.report.html.points"
local scale = require "tare.report.scale"

local FLOOR = -0.22 -- the samples' strip, as a share of the density's height
local GOLDEN = 0.6180339887498949
local ENOUGH_POINTS, KERNEL_POINTS = 40, 72

-- The part of a density that an axis shows, and its neighbour on either side.
local function within(density, axis)
  local xs, ys = {}, {}
  for i, x in ipairs(density.x) do
    local before, after = density.x[i - 1] or x, density.x[i + 1] or x
    if after >= axis.low and before <= axis.high then
      xs[#xs + 1], ys[#ys + 1] = x, density.y[i]
    end
  end
  return xs, ys
end

-- A Gaussian kernel density over the axis; Silverman's rule of thumb with the
-- smaller of both spreads (Density Estimation, 1986, equation 3.31).
local function estimated(values, axis)
  local sorted, sum, squares = {}, 0, 0
  for i, v in ipairs(values) do sorted[i], sum = v, sum + v end
  table.sort(sorted)
  for _, v in ipairs(values) do squares = squares + (v - sum / #values) ^ 2 end
  local spread = (scale.quantile(sorted, 0.75) - scale.quantile(sorted, 0.25))
    / 1.34
  if spread == 0 then spread = math.sqrt(squares / #values) end
  local width = math.max(0.9 * spread * (#values) ^ -0.2,
    (axis.high - axis.low) / KERNEL_POINTS)
  local xs, ys = {}, {}
  for k = 0, KERNEL_POINTS do
    local x, y = axis.low + (axis.high - axis.low) * k / KERNEL_POINTS, 0
    for _, v in ipairs(values) do
      y = y + math.exp(-((x - v) / width) ^ 2 / 2)
    end
    xs[k + 1], ys[k + 1] = x, y
  end
  return xs, ys
end

-- The Report's density where it is fine enough for what is shown (outliers
-- stretch it), else one of the samples drawn; as a shape of height 1.
local function shape(density, values, axis)
  local xs, ys = {}, {}
  if density and density.x and density.y then xs, ys = within(density, axis) end
  if #xs < ENOUGH_POINTS then xs, ys = estimated(values, axis) end
  local _, peak = scale.extent(ys)
  for i = 1, #ys do ys[i] = ys[i] / peak end
  table.insert(xs, 1, xs[1])
  table.insert(ys, 1, 0)
  xs[#xs + 1], ys[#ys + 1] = xs[#xs], 0
  return xs, ys
end

-- Low-discrepancy heights within the strip, so that dots don't hide others.
local function heights(count)
  local ys = {}
  for k = 1, count do ys[k] = FLOOR * (0.18 + 0.7 * (k * GOLDEN % 1)) end
  return ys
end

local function drawn(result, limit)
  local samples = result.samples
  local rows = points.rows(samples, "wall_ns")
  if not rows then return nil end
  local values = points.per_call(samples, "wall_ns", rows)
  local kept = points.thin(rows, limit)
  return values, points.per_call(samples, "wall_ns", kept), #rows - #kept
end

local function axis_for(values, result)
  local low, high, beyond = scale.bulk(values)
  for _, name in ipairs { "time", "median" } do
    local e = result[name] or {}
    low = math.min(low, e.low or e.value or low)
    high = math.max(high, e.high or e.value or high)
  end
  low, high = scale.padded(low, high, 0.08)
  return scale.linear(low, high), beyond
end

local function marks(result, ax)
  local layers, keys = {}, {}
  local time, median = result.time, result.median
  if time and time.value then
    if time.low and time.high then
      layers[1] = canvas.column("interval", ax, time.low, time.high)
    end
    layers[#layers + 1] = canvas.rule("estimate", ax, time.value)
    keys[1] = { "bar estimate", "time a call, with its interval" }
  end
  if median and median.value then
    layers[#layers + 1] = canvas.rule("median", ax, median.value)
    keys[#keys + 1] = { "bar median", "median sample" }
  end
  return layers, keys
end

local function beyond_text(beyond)
  if beyond == 0 then return "" end
  return (beyond == 1 and "1 sample lies" or beyond .. " samples lie")
    .. " beyond the edges."
end

--- The density plot of a result; nil where there are no samples.
---@param result table
---@param limit integer most points to draw
---@return string? markup
return function(result, limit)
  local values, shown, left_out = drawn(result, limit)
  if not values then return nil end
  local ax, beyond = axis_for(values, result)
  local ay = scale.linear(FLOOR, 1.06)
  local layers, keys = marks(result, ax)
  table.insert(layers, 1, canvas.area("s1", ax, ay,
    shape(result.density, shown, ax)))
  layers[#layers + 1] = canvas.dots("s1 rug", ax, ay, shown, heights(#shown))
  local drawing = plot.frame { x = ax, x_unit = "ns", x_label = "time a call",
    layers = layers, about = "Density of the times a call" }
  return plot.figure("Distribution", drawing, plot.key(keys)
    .. beyond_text(beyond) .. points.remark(#shown, #shown + left_out))
end
