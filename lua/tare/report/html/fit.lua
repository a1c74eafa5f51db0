-- Time against batch size, with the line of the cost that is reported, its
-- band, and the batches in which a collection ended (the figure of Core_bench's
-- paper): of the short batches that were made for it, where there are any, with
-- the line of least squares.
local canvas = require "tare.report.html.canvas"
local metrics = require "tare.base.metrics"
local plot = require "tare.report.html.plot"
local points = require "tare.report.html.points"
local scale = require "tare.report.scale"

-- The first fit of time on the calls, of the rows of a pass, that has as many
-- predictors as asked for: 1, or "more".
local function find_fit(result, many, pass)
  for _, fit in ipairs(result.fits or {}) do
    local iters = fit.responder == "time" and (fit.coefficients or {}).iters
    if iters and iters.value and fit.pass == pass
      and (#(fit.predictors or {}) > 1) == many then
      return fit
    end
  end
end

local function intercept_of(fit)
  local estimate = fit.coefficients.intercept or fit.coefficients.constant
  return estimate and estimate.value or 0
end

local function mean(values)
  local sum = 0
  for i = 1, #values do sum = sum + values[i] end
  return sum / #values
end

-- What the reported cost leaves of the batches, at the quarter of them that was
-- disturbed least (see tare.analysis.estimate).
local function base_of(slope, samples, kept)
  local rest = {}
  for k, row in ipairs(kept) do
    rest[k] = samples.wall_ns[row] - slope * samples.iters[row]
  end
  table.sort(rest)
  return scale.quantile(rest, 0.25)
end

-- The line to draw: { slope = estimate, base =, name = }, or nil.
local function line_of(result, fit, samples, kept)
  local time = samples == result.samples and metrics.get(result, "time")
  if time then
    return { slope = time, base = base_of(time.value, samples, kept),
      name = "Line" }
  elseif fit then
    return { slope = fit.coefficients.iters, base = intercept_of(fit) }
  end
end

-- The band of the slope's interval: the lines of both ends, turned about the
-- middle of the samples.
local function band(line, ax, ay, xs)
  local e, middle = line.slope, mean(xs)
  if not (e.low and e.high) then return "" end
  local height = line.base + e.value * middle
  local function at(slope, x) return height + slope * (x - middle) end
  local x1, x2 = ax.low, ax.high
  return canvas.area("band", ax, ay, { x1, x2, x2, x1 },
    { at(e.low, x1), at(e.low, x2), at(e.high, x2), at(e.high, x1) })
end

local function drawn(line, ax, ay)
  return canvas.line("estimate", ax, ay, { ax.low, ax.high },
    { line.base + line.slope.value * ax.low,
      line.base + line.slope.value * ax.high })
end

local function fitted(class, fit, ax, ay)
  local slope, base = fit.coefficients.iters.value, intercept_of(fit)
  return canvas.line(class, ax, ay, { ax.low, ax.high },
    { base + slope * ax.low, base + slope * ax.high })
end

-- Points by what ended in the batch: nothing, a minor, a major collection.
local function sorted_points(samples, rows)
  local minor = points.pick(samples.gc_minor, rows)
  local major = points.pick(samples.gc_major, rows)
  local groups = {}
  for _, name in ipairs { "none", "minor", "major" } do
    groups[name] = { x = {}, y = {} }
  end
  for k, i in ipairs(rows) do
    local name = major[k] > 0 and "major" or minor[k] > 0 and "minor" or "none"
    local group = groups[name]
    group.x[#group.x + 1] = samples.iters[i]
    group.y[#group.y + 1] = samples.wall_ns[i]
  end
  return groups
end

local MARKS = {
  { "none", "s1", "batch" },
  { "minor", "minor", "a minor collection ended in it" },
  { "major", "major", "a major collection ended in it" },
}

local function dots(groups, ax, ay, layers, keys)
  for _, mark in ipairs(MARKS) do
    local group = groups[mark[1]]
    if group.x[1] then
      layers[#layers + 1] = canvas.dots(mark[2], ax, ay, group.x, group.y)
      keys[#keys + 1] = { "dot " .. mark[2], mark[3] }
    end
  end
end

local MINUS = "\226\136\146"

-- " + 2 us a batch", or " - 2 us a batch".
local function term(value, of)
  return (" %s %s a %s"):format(value < 0 and MINUS or "+",
    plot.quantity(math.abs(value), "ns"), of)
end

local function formula(name, fit)
  local e = fit.coefficients
  local text = ("%s: %s a call"):format(name,
    plot.quantity(e.iters.value, "ns", 4))
  for _, kind in ipairs { "minor", "major" } do
    local cost = e["gc_" .. kind]
    if cost and cost.value then
      text = text .. term(cost.value, kind .. " collection")
    end
  end
  text = text .. term(intercept_of(fit), "batch")
  if fit.r2 then text = text .. (", R\194\178 %.4f"):format(fit.r2) end
  return text .. ". "
end

local function note(line, fit, full, keys)
  local text = plot.key(keys)
  if line and line.name then
    text = text .. ("Line: %s a call, as reported. "):format(
      plot.quantity(line.slope.value, "ns", 4))
  end
  return text .. (fit and formula("Least squares", fit) or "")
    .. (full and not full.collinear and formula("With collections", full)
      or "")
end

local function axes(samples, kept)
  local xs = points.pick(samples.iters, kept)
  local _, most = scale.extent(xs)
  local _, longest = scale.extent(points.pick(samples.wall_ns, kept))
  return scale.linear(0, most * 1.03), scale.linear(0, longest * 1.06), xs
end

--- The plot of time against batch size; nil where there are no samples.
---@param result table
---@param limit integer most points to draw
---@return string? markup
return function(result, limit)
  local counts = (result.passes or {}).counts
  local pass = counts and find_fit(result, true, "counts") and "counts" or nil
  local samples = pass and counts.samples or result.samples
  local rows = points.rows(samples, "wall_ns")
  if not rows then return nil end
  local kept = points.thin(rows, limit)
  local ax, ay, xs = axes(samples, kept)
  local layers, keys = {}, {}
  local fit = find_fit(result, false, pass)
  local full = find_fit(result, true, pass)
  local line = line_of(result, fit, samples, kept)
  if line then
    layers[1], layers[2] = band(line, ax, ay, xs), drawn(line, ax, ay)
  end
  if full then
    layers[#layers + 1] = fitted("dashed", full, ax, ay)
    keys[1] = { "bar dashed", "without its collections" }
  end
  dots(sorted_points(samples, kept), ax, ay, layers, keys)
  local drawing = plot.frame { x = ax, x_unit = "calls", y = ay, y_unit = "ns",
    x_label = "calls in the batch", y_label = "time of the batch",
    layers = layers, about = "Time against batch size, with a fitted line" }
  return plot.figure("Time against batch size", drawing,
    note(line, fit, full, keys) .. points.remark(#kept, #rows))
end
