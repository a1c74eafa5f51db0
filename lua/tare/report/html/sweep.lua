-- A sweep: lines on logarithmic axes, the law of each series, where one
-- overtakes another, and a table with one column a series.
local canvas = require "tare.report.html.canvas"
local markup = require "tare.report.html.markup"
local plot = require "tare.report.html.plot"
local scale = require "tare.report.scale"
local sweep_table = require "tare.report.html.sweep_table"
local words = require "tare.report.words"

local escape = markup.escape
local COLOURS = 8
local FEWEST = 4 -- points that could show a law

local function class_of(k) return "m" .. (k - 1) % COLOURS + 1 end

local function above_zero(x) return x and x > 0 and x or nil end

-- The points that logarithmic axes can show.
local function drawable(points)
  local list = {}
  for _, p in ipairs(points or {}) do
    if p.x and above_zero(p.value) then
      list[#list + 1] = { x = p.x, value = p.value, low = above_zero(p.low),
        high = above_zero(p.high) }
    end
  end
  return list
end

-- The sweep with all that may be absent filled in or left out.
local function readable(sweep)
  local series, crossovers = {}, {}
  for k, one in ipairs(sweep.series or {}) do
    series[k] = { label = one.label or "", law = one.law,
      points = drawable(one.points) }
  end
  for _, one in ipairs(sweep.crossovers or {}) do
    if one.x then crossovers[#crossovers + 1] = one end
  end
  return { bench = sweep.bench or "", axis = sweep.axis or "",
    metric = sweep.metric, unit = sweep.unit, series = series,
    crossovers = crossovers }
end

-- All x and all values (with the ends of their intervals).
local function gather(sweep)
  local xs, ys = {}, {}
  for _, series in ipairs(sweep.series) do
    for _, point in ipairs(series.points) do
      xs[#xs + 1], ys[#ys + 1] = point.x, point.value
      ys[#ys + 1] = point.low
      ys[#ys + 1] = point.high
    end
  end
  return xs, ys
end

local function axes(sweep)
  local xs, ys = gather(sweep)
  if not xs[1] then return nil end
  local x_low, x_high = scale.extent(xs)
  local ay = scale.log(scale.log_padded(scale.extent(ys)))
  if x_low > 0 then
    return scale.log(scale.log_padded(x_low, x_high, 0.03)), ay
  end
  return scale.linear(scale.padded(x_low, x_high, 0.03)), ay
end

local function whiskers(class, ax, ay, points)
  local parts = {}
  for _, point in ipairs(points) do
    if point.low and point.high then
      local x, y1 = canvas.place(ax, ay, point.x, point.low)
      local _, y2 = canvas.place(ax, ay, point.x, point.high)
      parts[#parts + 1] = ("M%d %dV%d"):format(x, y1, y2)
    end
  end
  return ('<path class="line thin %s" d="%s"/>'):format(class,
    table.concat(parts))
end

local function series_layers(series, k, ax, ay)
  local xs, ys = {}, {}
  for _, point in ipairs(series.points) do
    xs[#xs + 1], ys[#ys + 1] = point.x, point.value
  end
  local class = class_of(k)
  return canvas.line(class, ax, ay, xs, ys)
    .. whiskers(class, ax, ay, series.points)
    .. canvas.dots(class .. " big", ax, ay, xs, ys)
end

local function crossover_layer(crossover, ax)
  local drawing = ""
  if crossover.low and crossover.high then
    drawing = canvas.column("interval", ax, crossover.low, crossover.high)
  end
  return drawing .. canvas.rule("median", ax, crossover.x)
end

local function is_within(ax, crossover)
  return crossover.x >= ax.low and crossover.x <= ax.high
end

local function drawing(sweep)
  local ax, ay = axes(sweep)
  if not ax then return "" end
  local layers = {}
  for _, crossover in ipairs(sweep.crossovers) do
    if is_within(ax, crossover) then
      layers[#layers + 1] = crossover_layer(crossover, ax)
    end
  end
  for k, series in ipairs(sweep.series) do
    layers[#layers + 1] = series_layers(series, k, ax, ay)
  end
  return plot.frame { x = ax, x_unit = "count", x_label = sweep.axis, y = ay,
    y_unit = sweep.unit or "ns", y_label = words.metric(sweep.metric),
    height = 300, layers = layers, about = words.metric(sweep.metric)
      .. " of " .. sweep.bench .. " against " .. sweep.axis }
end

local function sentences(sweep)
  local items = {}
  for k, series in ipairs(sweep.series) do
    local law = #series.points < FEWEST and ""
      or " " .. words.law(series.law) .. "."
    items[k] = ('<li><i class="key dot %s"></i>%s%s</li>'):format(
      class_of(k), markup.id(series.label), escape(law))
  end
  for _, crossover in ipairs(sweep.crossovers) do
    items[#items + 1] = '<li><i class="key bar median"></i>'
      .. escape(words.crossover(crossover, sweep.axis)) .. "</li>"
  end
  return '<ul class="laws">' .. table.concat(items) .. "</ul>"
end

--- A sweep as a section of the page.
---@param sweep table of the Report
---@return string markup
return function(sweep)
  sweep = readable(sweep)
  return '<article class="card sweep"><h3>' .. markup.id(sweep.bench)
    .. "</h3>" .. drawing(sweep) .. sentences(sweep)
    .. sweep_table(sweep) .. "</article>"
end
