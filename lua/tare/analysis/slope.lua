-- The slope of a launch: how much longer a batch takes with one call more. A
-- quantile line through its units (tare.analysis.spans), less the fixed cost of
-- a batch; the mean where calls differ, or units are few.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local lists = require "tare.base.lists"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"

local slope = {}

--- A unit's value less the fixed cost of its batches.
---@param unit { value: number, batches: integer? } a span has several batches
---@param fixed number?
---@return number
function slope.left_of(unit, fixed)
  return unit.value - (fixed or 0) * (unit.batches or 1)
end

--- Iterations and values of units as two lists, less the fixed cost of batches.
---@param units { iters: number, value: number, batches: integer? }[]
---@param fixed number?
---@return number[] iters
---@return number[] values
function slope.lists_of(units, fixed)
  local x, y = {}, {}
  for i, unit in ipairs(units) do
    x[i], y[i] = unit.iters, slope.left_of(unit, fixed)
  end
  return x, y
end

--- All of the value over all calls, less the fixed cost of batches.
---@param units { iters: number, value: number, batches: integer? }[]
---@param fixed number?
---@return number
function slope.mean(units, fixed)
  local iters, value = 0, 0
  for _, unit in ipairs(units) do
    iters = iters + unit.iters
    value = value + slope.left_of(unit, fixed)
  end
  return value / iters
end

-- THE LINE below which a quarter of the batches lies. A machine disturbs a
-- batch by making it slower, so the low side repeats. A quarter is low enough
-- to be undisturbed, and high enough to include what a call does now and then.
local TAU = { quantile = 0.25, median = 0.5 }
-- A span is already a mean: whether it is low is chance, not lack of
-- disturbance, so the line goes through the median. A launch with fewer spans
-- than FEWEST_SPANS has the mean, not a median.
local TAU_OF_SPANS = 0.5
slope.FEWEST_SPANS = 8

-- Through the origin, less a fixed cost of each unit.
local function line(units, tau, fixed)
  local x, y = slope.lists_of(units, fixed)
  return (core.stats.quantile_line(x, y, tau, true))
end

local function ols(units)
  local x, y = slope.lists_of(units)
  local fit = core.stats.ols(y, { x }, { intercept = columns.varies(x) })
  return fit and fit.coefficients[1] or slope.mean(units)
end

-- THE FIXED COST of a batch is used if its standard error is below
-- KNOWN_INTERCEPT of a batch, or if it is SURE standard errors above zero. The
-- error is from at least INTERCEPTS intercepts.
local KNOWN_INTERCEPT, SURE = 0.01, 4
slope.INTERCEPTS = 5

-- The fixed cost and its standard error, from the intercepts of launches, or of
-- stretches of one launch. It is shrunk towards zero by its error (James and
-- Stein's rule): most benches have no fixed cost, and a slope through the
-- origin has a far smaller error.
local function fixed_cost(launches, tau)
  local parts = {}
  for i, launch in ipairs(launches) do parts[i] = launch.batches end
  if #parts < slope.INTERCEPTS then
    local all = {}
    for _, units in ipairs(parts) do
      lists.append(all, units)
    end
    parts = lists.blocks(all, slope.INTERCEPTS)
  end
  local intercepts, value, count = {}, 0, 0
  for _, units in ipairs(parts) do
    rest.here()
    local x, y = slope.lists_of(units)
    value, count = value + columns.sum(y), count + #y
    if #x >= 4 and columns.varies(x) then
      local _, intercept = core.stats.quantile_line(x, y, tau)
      intercepts[#intercepts + 1] = intercept
    end
  end
  if #intercepts < slope.INTERCEPTS then return 0, 0 end
  local mean = core.stats.mean(intercepts)
  local error_ns = core.stats.stddev(intercepts) / math.sqrt(#intercepts)
  local is_known = error_ns <= KNOWN_INTERCEPT * value / count
  if mean <= (is_known and math.sqrt(2) or SURE) * error_ns then return 0, 0 end
  return mean - 2 * error_ns ^ 2 / mean, error_ns
end

-- CALLS THAT DIFFER. A batch of many calls is a mean of them, and what lifts it
-- above the line is the machine. A batch of few calls is also lifted by a dear
-- call, which is part of the cost. So with fewer than FEW_CALLS calls per batch
-- on average, the excess of the mean over the line counts. It is computed in
-- pieces of PIECE neighbours, and its lower quartile (QUIETER) is taken:
-- disturbances spare some pieces, but calls differ in nearly all. As the excess
-- goes from ALIKE to DIFFERENT, the slope goes from the line to the mean. In
-- between, the upper end of the interval reaches to the mean that half of the
-- pieces exceed.
local FEW_CALLS, PIECE, QUIETER = rows.FEW_CALLS, 8, 0.25
local ALIKE, DIFFERENT = 0.07, 0.14

-- How far the slope is the mean and not the line: from 0, where calls are
-- alike, to 1, where they differ; the doubt in between, a relative error; and
-- the mean of a call that half of the pieces exceed, 0 unless in between.
local function share_of_mean(launches, tau, fixed)
  local all, excesses, means, calls = {}, {}, {}, 0
  for _, launch in ipairs(launches) do
    for _, unit in ipairs(launch.batches) do
      all[#all + 1], calls = unit, calls + unit.iters
    end
  end
  if calls >= FEW_CALLS * #all then return 0, 0, 0 end
  for i, piece in ipairs(lists.blocks(all, math.floor(#all / PIECE))) do
    rest.here()
    local low = line(piece, tau, fixed)
    means[i] = slope.mean(piece, fixed)
    excesses[i] = low > 0 and means[i] / low - 1 or 0
  end
  if #excesses == 0 then return 0, 0, 0 end
  local excess = core.stats.quantile(excesses, QUIETER)
  local share = math.max(0, math.min(1,
    (excess - ALIKE) / (DIFFERENT - ALIKE)))
  if share == 0 then return 0, 0, 0 end
  return share, excess * (1 - share),
    share < 1 and core.stats.median(means) or 0
end

--- How slopes are taken, the same for all launches:
---
---   of          the function that takes one, of a launch's units
---   tau         its quantile, if it is one
---   fixed, fixed_error   the fixed cost of a batch
---   mean_share, doubt    how far it is the mean, and the error due to this
---   mean                 of a call, to which the upper end of the interval
---                        has to reach; 0 unless it is unsure whether calls
---                        differ
---@param launches table[] of tare.analysis.spans
---@param is_joined boolean whether their units are spans
---@param estimator string?
---@param is_coarse boolean? whether the clock stood still in some batches, so
---  that none shows its fixed cost
---@return table rule
function slope.rule(launches, is_joined, estimator, is_coarse)
  local rule = { of = ols, fixed = 0, fixed_error = 0, mean_share = 0,
    doubt = 0, mean = 0 }
  if estimator == "ols" then return rule end
  if estimator == "mean" then -- no user's, see tare.analysis.collector
    rule.of, rule.mean_share = slope.mean, 1
    return rule
  end
  local tau = is_joined and TAU_OF_SPANS or TAU[estimator or "quantile"]
  rule.tau = tau
  local fixed, share = 0, 0
  if not is_coarse then fixed, rule.fixed_error = fixed_cost(launches, tau) end
  if is_joined then
    rule.fixed = fixed
    function rule.of(units)
      local low = #units < slope.FEWEST_SPANS and slope.mean(units, fixed)
        or line(units, tau, fixed)
      return low > 0 and low or slope.mean(units)
    end
    return rule
  end
  if tau == TAU.quantile then
    share, rule.doubt, rule.mean = share_of_mean(launches, tau, fixed)
  end
  function rule.of(units)
    local low = line(units, tau, fixed)
    if low <= 0 then return slope.mean(units) end
    return low + share * (slope.mean(units, fixed) - low)
  end
  rule.fixed, rule.mean_share = fixed, share
  if share > 0.5 then rule.tau = nil end
  return rule
end

return slope
