-- What a call costs, and how sure that is. How the defaults were chosen, with
-- the figures: docs/accuracy.md.
local columns = require "tare.base.columns"
local core = require "tare.core"
local lists = require "tare.base.lists"
local noise = require "tare.noise"
local spans = require "tare.analysis.spans"

local estimate = {}

-- The line below which a quarter of the batches lies: a machine disturbs a
-- batch by making it slower, so the low side repeats, and a quarter is low
-- enough to be undisturbed and high enough to have its share of collections.
local TAU = 0.25
local BLOCKS = 8 -- of neighbouring batches, whose slopes show the drift
local ROWS_A_BLOCK = 4
local FEWEST_SPANS = 8 -- of batches, for a median of them
local NEGLIGIBLE_NS = 5e4 -- a batch as long needs no intercept

-- One process is one draw of addresses, hash seed and traces: how far such
-- draws lie apart (relative standard deviation), which no process can see.
local PROCESS_SD = 0.01
local ALLOCATING_SD = 0.014 -- where the heap is another in each, too
local FEWEST_LAUNCHES = 4 -- from which on the launches themselves show it

local function quantile_slope(tau)
  return function(x, y, through_origin)
    return (core.stats.quantile_line(x, y, tau, through_origin))
  end
end

local function ols_slope(x, y)
  local fit = core.stats.ols(y, { x }, { intercept = columns.varies(x) })
  return fit and fit.coefficients[1]
end

-- Where there are too few spans: all time over all calls.
local function mean_slope(x, y)
  return columns.sum(y) / columns.sum(x)
end

-- Slopes by name: each gets calls and times of the batches.
local SLOPES = {
  quantile = quantile_slope(TAU),
  median = quantile_slope(0.5),
  ols = ols_slope,
}

-- The slope of some units, from the i-th to the j-th.
local function slope_of(units, slope, i, j)
  local x, y, through_origin = {}, {}, true
  for k = i, j do
    local unit = units[k]
    x[#x + 1], y[#y + 1] = unit.iters, unit.value
    through_origin = through_origin and unit.wall_ns >= NEGLIGIBLE_NS
  end
  return slope(x, y, through_origin)
end

-- Standard error of the slope, from how slopes of blocks of neighbours differ,
-- and the degrees of freedom it has.
local function error_of_blocks(units, slope)
  local count, slopes = math.min(BLOCKS, math.floor(#units / ROWS_A_BLOCK)), {}
  if count < 2 then
    for i, unit in ipairs(units) do slopes[i] = unit.value / unit.iters end
    if #slopes < 2 then return nil end
    return core.stats.stddev(slopes) / math.sqrt(#slopes), #slopes - 1
  end
  for b = 1, count do
    slopes[b] = slope_of(units, slope,
      math.floor((b - 1) * #units / count) + 1, math.floor(b * #units / count))
  end
  return core.stats.stddev(slopes) / math.sqrt(count), count - 1
end

local function launch_of(unit) return unit.launch end

-- Standard error from how launches differ.
local function error_of_launches(launches, slope)
  local slopes = {}
  for i, units in ipairs(launches) do
    slopes[i] = slope_of(units, slope, 1, #units)
  end
  return core.stats.stddev(slopes) / math.sqrt(#slopes), #slopes - 1
end

-- How far processes lie apart, for functions that have collections or not.
local function process_sd(samples)
  for _, kind in ipairs { "gc_minor", "gc_major" } do
    if columns.complete(samples[kind], #samples.iters)
      and columns.sum(samples[kind]) > 0 then
      return ALLOCATING_SD
    end
  end
  return PROCESS_SD
end

-- Half the width of the interval, and the part of it that this run shows; nil
-- where there are too few batches to show anything.
local function half_width(units, slope, value, unseen_sd, confidence)
  local upper = (1 + confidence) / 2
  local launches = lists.grouped(units, launch_of)
  if #launches >= FEWEST_LAUNCHES then
    local sd, df = error_of_launches(launches, slope)
    local half = sd * core.stats.t_quantile(upper, df)
    return half, half
  end
  local sd, df = error_of_blocks(units, slope)
  if not sd then return nil end
  local seen = sd * core.stats.t_quantile(upper, df)
  local unseen = core.stats.normal_quantile(upper) * unseen_sd
    * math.abs(value) / math.sqrt(#launches)
  return math.sqrt(seen * seen + unseen * unseen), seen
end

--- What a call costs in a column of the samples.
---@param samples table columns of equal length
---@param column string like "wall_ns" or "cycles"
---@param settings { confidence: number, estimator: string? }
---@return { value: number, low: number?, high: number?, within: number? }?
---  'within': half the width that this run alone shows, without what one
---  process can't see; no interval where the batches are too few
function estimate.per_call(samples, column, settings)
  if not columns.complete(samples[column], #samples.iters) then return nil end
  local slope = SLOPES[settings.estimator or "quantile"]
  local rows = noise.undisturbed(samples)
  local units, joined = spans.of(samples, column, rows)
  if joined and slope == SLOPES.quantile then
    slope = SLOPES.median
    if #units < FEWEST_SPANS then
      units, slope = spans.batches(samples, column, rows), mean_slope
    end
  end
  local value = slope_of(units, slope, 1, #units)
  if value and value < 0 then -- of few and short batches: it tells nothing
    slope = mean_slope
    value = slope_of(units, slope, 1, #units)
  end
  if not value then return nil end
  local half, within = half_width(units, slope, value, process_sd(samples),
    settings.confidence)
  if not half then return { value = value } end
  return { value = value, low = value - half, high = value + half,
    within = within }
end

return estimate
