-- How far off a cost may be. The error has parts, each relative to the cost,
-- which estimate.per_call adds in quadrature:
--
--   seen     how much launches differ (tare.analysis.launch_mean); in one
--            process, how much stretches of its batches differ (within_process)
--   common   an error that all launches have, since the same correction was
--            made to all of them: the fixed cost of a batch, the cost of
--            collections, and the doubt whether the line or the mean is meant
--   unseen   what no batch here can show: how another run, or another process,
--            would differ (unseen_sd)
--   upwards  only of the upper end: what calls that differ may take on average,
--            where that is unsure (CALLS THAT DIFFER in tare.analysis.slope)
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"
local slope = require "tare.analysis.slope"

local uncertainty = {}

-- SEEN in one process ---------------------------------------------------------

local BLOCKS = 5 -- of neighbouring batches
-- Fewest values for Student's t: of two its intervals are right, but reach
-- from nearly nothing to twice the value and more.
local FEWEST = 3

-- Whether units are so few that all of them may lie on one side of a quantile:
-- then none of them shows how far off it is.
local function are_few(count, tau, confidence)
  return math.max(tau, 1 - tau) ^ count > (1 - confidence) / 2
end

-- Half-width of a quantile's interval on the logarithmic scale, if the
-- logarithms of the units' costs per call are normal: Student's t times the
-- standard error of a sample's quantile (Cramer, 'Mathematical methods of
-- statistics', 1946, 28.5). Nil where there are too few units.
local function normal_half(units, tau, fixed, confidence)
  local logs = {}
  for _, unit in ipairs(units) do
    local left = slope.left_of(unit, fixed)
    if left > 0 then logs[#logs + 1] = math.log(left / unit.iters) end
  end
  if #logs < FEWEST then return nil end
  local z = core.stats.normal_quantile(tau)
  local density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
  return core.stats.t_quantile((1 + confidence) / 2, #logs - 1)
    * core.stats.stddev(logs) * math.sqrt(tau * (1 - tau) / #logs) / density
end

--- The ends of a quantile's interval within a process: two other quantiles of
--- the units' costs per call. They are as far from 'tau' as the share of units
--- below the line may be off, by how it differs between stretches of neighbours
--- (the scores of the quantile regression, added up by blocks: Koenker 2005,
--- 'Quantile regression', 3.5), and at least as far as by the binomial
--- distribution of independent units: a few stretches may be alike by chance.
--- Such ends reach no further than the quickest and the slowest unit, which is
--- not far enough where units are few. Then the interval is no narrower than
--- that of normal logarithms (docs/accuracy.md).
---@param units { iters: number, value: number, batches: integer? }[] in the
---  order of measuring
---@param tau number
---@param value number the quantile of value / iters
---@param fixed number the fixed cost of a batch, in each value
---@param confidence number
---@return number? low nil where there are too few units
---@return number? high
function uncertainty.score_interval(units, tau, value, fixed, confidence)
  local blocks = lists.blocks(units, BLOCKS)
  local scores, total, squared = {}, 0, 0
  for i, block in ipairs(blocks) do
    scores[i] = 0
    for _, unit in ipairs(block) do
      local is_below = slope.left_of(unit, fixed) < value * unit.iters
      scores[i] = scores[i] + unit.iters * ((is_below and 1 or 0) - tau)
      total, squared = total + unit.iters, squared + unit.iters ^ 2
    end
  end
  if #blocks < FEWEST then return nil end
  rest.here()
  local stats, upper = core.stats, (1 + confidence) / 2
  local away = math.max(stats.t_quantile(upper, #blocks - 1)
    * stats.stddev(scores) * math.sqrt(#blocks),
    stats.normal_quantile(upper) * math.sqrt(tau * (1 - tau) * squared)) / total
  local x, y = slope.lists_of(units, fixed)
  local function at(share)
    return (core.stats.quantile_line(x, y,
      math.max(1e-9, math.min(1 - 1e-9, share)), true))
  end
  local low = at(tau - away)
  rest.here()
  local high = at(tau + away)
  if not are_few(#units, tau, confidence) then return low, high end
  local half = normal_half(units, tau, fixed, confidence)
  if not half then return nil end
  return math.min(low, value * math.exp(-half)),
    math.max(high, value * math.exp(half))
end

-- The ends where the slope is not a quantile: Student's t over the slopes of
-- blocks. None where a block has no time: a coarse clock stood still in it.
local function block_interval(units, slope_of, value, confidence)
  local blocks, logs = lists.blocks(units, BLOCKS), {}
  for i, block in ipairs(blocks) do
    rest.here()
    local found = slope_of(block)
    if found <= 0 then return nil end
    logs[i] = math.log(found)
  end
  if #logs < FEWEST then return nil end
  local half = core.stats.t_quantile((1 + confidence) / 2, #logs - 1)
    * core.stats.stddev(logs) / math.sqrt(#logs)
  return value * math.exp(-half), value * math.exp(half)
end

--- How far the interval within one process reaches below and above the value,
--- on the logarithmic scale.
---@param launch table of tare.analysis.spans
---@param rule table of tare.analysis.slope
---@param value number
---@param confidence number
---@return number? below nil where there are too few batches
---@return number? above
function uncertainty.within_process(launch, rule, value, confidence)
  local low, high
  local tau = rule.tau
  if tau and (not launch.is_joined or #launch.units >= slope.FEWEST_SPANS) then
    low, high = uncertainty.score_interval(launch.units, tau, value, rule.fixed,
      confidence)
  else
    local function mean(units) return slope.mean(units, rule.fixed) end
    low, high = block_interval(launch.batches, tau and mean or rule.of, value,
      confidence)
  end
  if not low then return nil end
  return math.log(math.max(1, low > 0 and value / low or math.huge)),
    math.log(math.max(1, high / value))
end

-- COMMON ----------------------------------------------------------------------

--- Half-width, relative to the value, of the errors that all launches share.
---@param launches table[] of tare.analysis.spans
---@param rule table of tare.analysis.slope
---@param value number
---@param error_of_collections number of their cost per call, a standard error
---@param confidence number
---@return number
function uncertainty.common(launches, rule, value, error_of_collections,
  confidence)
  local calls, batches = 0, 0
  for _, launch in ipairs(launches) do
    for _, unit in ipairs(launch.batches) do calls = calls + unit.iters end
    batches = batches + #launch.batches
  end
  return interval.quadrature(rule.doubt,
    interval.quadrature(rule.fixed_error * batches / calls,
      error_of_collections) / value
    * core.stats.t_quantile((1 + confidence) / 2, slope.INTERCEPTS - 1))
end

-- UNSEEN ----------------------------------------------------------------------

-- RUN_SD: relative standard deviation of what all launches of a run share and
-- another run, minutes later, does not, on a quiet machine. DISTURBED_SD: the
-- same for the share of the time that others had. Others slow some batches
-- visibly, and the rest of them a little (docs/accuracy.md).
local RUN_SD, DISTURBED_SD = 0.0035, 0.04
-- The same for compiled code that allocates: it takes as long as memory and
-- caches do, which neighbours use even while the core itself is free. How much
-- that slows it differs between functions and machines, so DISTURBED_MEMORY_SD
-- is only what is known before any launch is seen (SENSITIVITY).
local MEMORY_SD, DISTURBED_MEMORY_SD = 0.013, 0.18
-- Relative standard deviation between processes, where one is all there is:
-- wide enough for nine of ten functions (docs/accuracy.md).
local PROCESS_SD = 0.015

--- Whether these are batches of compiled code that allocates, which takes as
--- long as memory and caches do.
---@param samples table columns
---@return boolean
function uncertainty.follows_memory(samples)
  return samples.jit_events ~= nil and samples.gc_major ~= nil
    and columns.sum(samples.gc_major) > 0
end

-- SENSITIVITY. Launches that others disturbed more show the effect: how much
-- longer a call takes, per share of the time that others had. A robust line
-- through launches has the slope b with standard error e; d is the deviation
-- that was known before. Then the normal posterior has the mean
-- b d^2 / (d^2 + e^2) and the variance d^2 e^2 / (d^2 + e^2) (Gelman et al.,
-- 'Bayesian data analysis', 2013, 2.5). If all launches were disturbed alike, e
-- is large and d remains.
local FEWEST_TO_FIT = 5 -- launches, for that line

-- How far off a call's time is, per share of the time that others had: the root
-- mean square of the effect by its posterior.
local function sensitivity(shares, launches, values)
  local logs, disturbed = {}, {}
  for i, launch in ipairs(launches) do
    if values[i] > 0 and shares[launch.draw] then
      logs[#logs + 1] = math.log(values[i])
      disturbed[#disturbed + 1] = shares[launch.draw]
    end
  end
  if #logs < FEWEST_TO_FIT or not columns.varies(disturbed) then
    return DISTURBED_MEMORY_SD
  end
  local fit = core.stats.huber(logs, { disturbed })
  local effect = fit and fit.coefficients[1]
  if not effect or not effect.high then return DISTURBED_MEMORY_SD end
  local error_of_effect = (effect.high - effect.low) / 2
    / core.stats.t_quantile(0.975, #logs - 2)
  local known = DISTURBED_MEMORY_SD ^ 2
    / (DISTURBED_MEMORY_SD ^ 2 + error_of_effect ^ 2)
  return interval.quadrature(known * effect.value,
    math.sqrt(known) * error_of_effect)
end

--- The relative deviation of what these batches can't show.
---@param samples table columns, of all batches
---@param clean table of rows.clean
---@param launches table[] of tare.analysis.spans
---@param values number[] of each launch
---@return number sd
---@return number least the part of it that there is on a quiet machine, too
function uncertainty.unseen_sd(samples, clean, launches, values)
  if not rows.has_launches(samples) then return PROCESS_SD, PROCESS_SD end
  if uncertainty.follows_memory(samples) then
    rest.here()
    return interval.quadrature(MEMORY_SD, clean.disturbed
      * sensitivity(clean.disturbed_draws or {}, launches, values)), MEMORY_SD
  end
  return interval.quadrature(RUN_SD, DISTURBED_SD * clean.disturbed), RUN_SD
end

return uncertainty
