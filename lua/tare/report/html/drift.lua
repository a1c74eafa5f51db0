-- The samples in the order in which they were measured: does the time a call
-- drift, and do the launches differ?
local canvas = require "tare.report.html.canvas"
local plot = require "tare.report.html.plot"
local points = require "tare.report.html.points"
local scale = require "tare.report.scale"

local MARKS = 6 -- marks of launches before they begin again
local WINDOWS = 12

-- Seconds since the start where they rise through the run; else the number
-- of the sample.
local function order(samples, rows)
  local xs, rising = points.pick(samples.start_ns, rows), true
  for k = 2, #xs do rising = rising and xs[k] >= xs[k - 1] end
  if rising and xs[#xs] > xs[1] then
    return xs, { x_unit = "ns", x_label = "since the start" }
  end
  for k, i in ipairs(rows) do xs[k] = i end
  return xs, { x_unit = "samples", x_label = "sample, as measured" }
end

local function median(values)
  table.sort(values)
  return scale.quantile(values, 0.5)
end

-- The median of each of some windows along the run.
local function running(xs, ys)
  local mx, my = {}, {}
  local windows = math.min(WINDOWS, math.floor(#xs / 5))
  for w = 1, windows do
    local first = math.floor((w - 1) * #xs / windows) + 1
    local last = math.floor(w * #xs / windows)
    local window = {}
    for k = first, last do window[#window + 1] = ys[k] end
    mx[w] = (xs[first] + xs[last]) / 2
    my[w] = median(window)
  end
  return mx, my
end

local function by_launch(samples, rows, xs, ys)
  local launches = points.pick(samples.launch, rows)
  local groups, numbers = {}, {}
  for k = 1, #rows do
    local number = launches[k]
    if not groups[number] then
      groups[number] = { x = {}, y = {} }
      numbers[#numbers + 1] = number
    end
    local group = groups[number]
    group.x[#group.x + 1], group.y[#group.y + 1] = xs[k], ys[k]
  end
  table.sort(numbers)
  return groups, numbers
end

local function layers_of(groups, numbers, ax, ay)
  local layers, keys = {}, {}
  for k, number in ipairs(numbers) do
    local class = "m" .. (k - 1) % MARKS + 1
    layers[k] = canvas.dots(class, ax, ay, groups[number].x, groups[number].y)
    if #numbers > 1 and k <= MARKS then
      keys[k] = { "dot " .. class, ("launch %d"):format(number) }
    end
  end
  keys[#keys + 1] = { "bar running", "running median" }
  return layers, keys
end

-- What lies beyond the axis is drawn at its edge.
local function clamped(values, low, high)
  local list = {}
  for k, v in ipairs(values) do list[k] = math.max(low, math.min(high, v)) end
  return list
end

local function ordinals(count)
  local list = {}
  for k = 1, count do list[k] = k end
  return list
end

--- The plot of samples over time; nil where there are less than three.
---@param result table
---@param limit integer most points to draw
---@return string? markup
return function(result, limit)
  local samples = result.samples
  local rows = points.rows(samples, "wall_ns")
  if not rows or #rows < 3 then return nil end
  local xs, axis = order(samples, rows)
  local ys = points.per_call(samples, "wall_ns", rows)
  local low, high = scale.bulk(ys)
  local ax, ay = scale.linear(scale.padded(xs[1], xs[#xs], 0.02)),
    scale.linear(scale.padded(low, high))
  local shown = points.thin(ordinals(#rows), limit)
  local groups, numbers = by_launch(samples, points.pick(rows, shown),
    points.pick(xs, shown), clamped(points.pick(ys, shown), low, high))
  local layers, keys = layers_of(groups, numbers, ax, ay)
  layers[#layers + 1] = canvas.line("running", ax, ay, running(xs, ys))
  local drawing = plot.frame { x = ax, x_unit = axis.x_unit,
    x_label = axis.x_label, y = ay, y_unit = "ns", y_label = "time a call",
    layers = layers, about = "Time a call in the order of measuring" }
  return plot.figure("Samples over time", drawing, plot.key(keys))
end
