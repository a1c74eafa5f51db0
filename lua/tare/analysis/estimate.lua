-- What a call costs, and how sure that is. How the defaults were chosen, with
-- the figures: docs/accuracy.md.
local columns = require "tare.base.columns"
local core = require "tare.core"
local noise = require "tare.noise"

local estimate = {}

-- The line below which a quarter of the batches lies: a machine disturbs a
-- batch by making it slower, so the low side repeats, and a quarter is low
-- enough to be undisturbed and high enough to have its share of collections.
local TAU = 0.25
local BLOCKS = 8 -- of neighbouring batches, whose slopes show the drift
local ROWS_A_BLOCK = 4
local FEWEST_ROWS = 20 -- to keep when crowded rows are left out
local NEGLIGIBLE_NS = 5e4 -- a batch as long needs no intercept

-- One process is one draw of addresses, hash seed and traces: how far such
-- draws lie apart (relative standard deviation), which no process can see.
local PROCESS_SD = 0.01
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

-- Slopes by name: each gets calls and times of the batches.
local SLOPES = {
  quantile = quantile_slope(TAU),
  median = quantile_slope(0.5),
  ols = ols_slope,
}

-- Rows that count, in the order in which they were measured.
local function rows_in_order(samples)
  local crowded, rows = noise.crowded(samples) or {}, {}
  for row = 1, #samples.iters do
    if not crowded[row] then rows[#rows + 1] = row end
  end
  if #rows < FEWEST_ROWS then
    for row = 1, #samples.iters do rows[row] = row end
  end
  local start = samples.start_ns
  if start then
    table.sort(rows, function(a, b) return start[a] < start[b] end)
  end
  return rows
end

-- The slope of some rows, from the i-th to the j-th.
local function slope_of(samples, column, rows, slope, i, j)
  local x, y, through_origin = {}, {}, true
  for k = i, j do
    local row = rows[k]
    x[#x + 1], y[#y + 1] = samples.iters[row], samples[column][row]
    through_origin = through_origin and samples.wall_ns[row] >= NEGLIGIBLE_NS
  end
  return slope(x, y, through_origin)
end

-- Standard error of the slope, from how slopes of blocks of neighbours differ,
-- and the degrees of freedom it has.
local function error_of_blocks(samples, column, rows, slope)
  local count = math.min(BLOCKS, math.floor(#rows / ROWS_A_BLOCK))
  if count < 2 then return nil end
  local slopes = {}
  for b = 1, count do
    slopes[b] = slope_of(samples, column, rows, slope,
      math.floor((b - 1) * #rows / count) + 1, math.floor(b * #rows / count))
  end
  return core.stats.stddev(slopes) / math.sqrt(count), count - 1
end

local function by_launch(samples, rows)
  local launches, order = {}, {}
  for _, row in ipairs(rows) do
    local launch = samples.launch and samples.launch[row] or 1
    if not launches[launch] then
      launches[launch] = {}
      order[#order + 1] = launches[launch]
    end
    table.insert(launches[launch], row)
  end
  return order
end

-- Standard error from how launches differ.
local function error_of_launches(samples, column, launches, slope)
  local slopes = {}
  for i, rows in ipairs(launches) do
    slopes[i] = slope_of(samples, column, rows, slope, 1, #rows)
  end
  return core.stats.stddev(slopes) / math.sqrt(#slopes), #slopes - 1
end

-- Half the width of the interval, and the part of it that this run shows.
local function half_width(samples, column, rows, slope, value, confidence)
  local upper = (1 + confidence) / 2
  local launches = by_launch(samples, rows)
  if #launches >= FEWEST_LAUNCHES then
    local sd, df = error_of_launches(samples, column, launches, slope)
    local half = sd * core.stats.t_quantile(upper, df)
    return half, half
  end
  local sd, df = error_of_blocks(samples, column, rows, slope)
  local seen = sd and sd * core.stats.t_quantile(upper, df) or 0
  local unseen = core.stats.normal_quantile(upper) * PROCESS_SD
    * math.abs(value) / math.sqrt(#launches)
  return math.sqrt(seen * seen + unseen * unseen), seen
end

--- What a call costs in a column of the samples.
---@param samples table columns of equal length
---@param column string like "wall_ns" or "cycles"
---@param settings { confidence: number, estimator: string? }
---@return { value: number, low: number, high: number, within: number }?
---  'within': half the width that this run alone shows, without what one
---  process can't see
function estimate.per_call(samples, column, settings)
  if not columns.complete(samples[column], #samples.iters) then return nil end
  local slope = SLOPES[settings.estimator or "quantile"]
  local rows = rows_in_order(samples)
  local value = slope_of(samples, column, rows, slope, 1, #rows)
  if not value then return nil end
  local half, within = half_width(samples, column, rows, slope, value,
    settings.confidence)
  return { value = value, low = value - half, high = value + half,
    within = within }
end

--- Names of the estimators.
estimate.names = { "quantile", "median", "ols" }

return estimate
