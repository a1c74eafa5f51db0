-- The estimate: what a call costs, and how far off that may be. The path of
-- estimate.per_call, each step in a file of its own:
--
--   rows      which batches count (tare.analysis.rows), each with its share of
--             the collections (tare.analysis.levelled)
--   units     batches, or spans of them (tare.analysis.spans)
--   slope     of each launch (tare.analysis.slope)
--   launches  their mean (tare.analysis.launch_mean)
--   interval  from all errors (tare.analysis.uncertainty)
--
-- docs/accuracy.md has the reasons and the measured coverage.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local interval = require "tare.base.interval"
local launch_mean = require "tare.analysis.launch_mean"
local levelled = require "tare.analysis.levelled"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"
local slope = require "tare.analysis.slope"
local spans = require "tare.analysis.spans"
local uncertainty = require "tare.analysis.uncertainty"

local estimate = {}

--- The cost per call in a column of the samples.
---@param samples table columns of equal length
---@param column string like "time_ns" or "cycles"
---@param settings { confidence: number, estimator: string? }
---@param best_width number? of the machine
---@param clean table? of rows.clean, where that is known already
---@return { value: number, low: number?, high: number?, unseen: number?,
---  fixed: number, common: number?, mean_share: number,
---  launch_values: number[] }? found  'unseen': the part of the distance to
---  'high' that neither more batches nor more launches narrow, nor a quiet
---  machine. 'fixed': the fixed cost of a batch.
---  'common': the relative half-width of the errors that all launches share.
---  'mean_share': how far the value is a mean and not a quantile, from 0 to 1,
---  since calls differ.
---  'launch_values': the values of those launches that say something by
---  themselves (rows.is_telling). No 'low' and 'high' where batches are too few
---  or can't be trusted
function estimate.per_call(samples, column, settings, best_width, clean)
  if not columns.complete(samples[column], #samples.iters) then return nil end
  -- ROWS
  clean = clean or rows.clean(samples, best_width)
  -- UNITS, SLOPE, LAUNCHES
  local cost = estimate.of_rows(clean.samples, column, clean.list, nil,
    settings)
  local rule, value = cost.rule, cost.value
  local found = { value = value, fixed = rule.fixed,
    mean_share = rule.mean_share, launch_values = cost.launch_values }
  if not clean.trusted or value <= 0 then return found end

  -- INTERVAL
  local seen_below, seen_above
  if cost.half then
    seen_below, seen_above = cost.half / value, cost.half / value
  else
    seen_below, seen_above = uncertainty.within_process(cost.launches[1], rule,
      value, settings.confidence)
  end
  local common = cost.common
  found.common = common
  if not seen_below then return found end
  local z = core.stats.normal_quantile((1 + settings.confidence) / 2)
  local sd, least_sd = uncertainty.unseen_sd(cost.samples, clean, cost.launches,
    cost.values)
  local unseen = z * sd
  local upwards = math.log(math.max(1, rule.mean / value))
  local below = interval.quadrature(seen_below, common, unseen)
  local above = interval.quadrature(seen_above, common, unseen, upwards)
  found.unseen = value * (math.exp(z * least_sd) - 1)
  found.low, found.high = value * math.exp(-below), value * math.exp(above)
  return found
end

--- The cost per call in some rows, and what its interval is made of.
---@param samples table columns of equal length
---@param column string
---@param list integer[] the rows
---@param whole table? all samples, if these are a part of them
---@param settings { confidence: number, estimator: string? }
---@return table cost value; samples, levelled; launches, of
---  tare.analysis.spans, and the values of each; rule, of tare.analysis.slope;
---  half, the half-width from launches, if there are several; launch_values and
---  common as in per_call
function estimate.of_rows(samples, column, list, whole, settings)
  local times, error_of_collections = samples[column]
  samples, error_of_collections = levelled.samples(samples, column, list, whole)
  -- UNITS
  local launches, is_joined, is_coarse = spans.of_launches(samples, column,
    list, times)
  -- SLOPE
  local rule = slope.rule(launches, is_joined, settings.estimator, is_coarse)
  local values, is_sum = {}, is_joined
  for i, launch in ipairs(launches) do
    rest.here()
    values[i] = rule.of(launch.units)
    is_sum = is_sum and #launch.units < slope.FEWEST_SPANS
  end
  is_sum = is_sum or rule.mean_share > 0.5
  -- LAUNCHES
  local value, half = values[1], nil
  local weights, telling = launch_mean.weights(samples, launches, values)
  if #launches > 1 then
    value, half = launch_mean.of(values, core.stats.mean(values),
      settings.confidence, { weights = weights, is_sum = is_sum,
        is_compiled = samples.jit_events ~= nil })
  end
  return { value = value, samples = samples, launches = launches,
    values = values, rule = rule, half = half, launch_values = telling,
    common = value > 0 and uncertainty.common(launches, rule, value,
      error_of_collections, settings.confidence) or nil }
end

-- Every second one of some units, beginning with the first or the second.
local function half_of(units, first)
  local half = {}
  for i = first, #units, 2 do half[#half + 1] = units[i] end
  return half
end

--- How far launches differ, and how much of that is due to their own batches:
--- for that, each launch's estimates from its odd and its even units are
--- compared.
---@param samples table columns, of two launches or more
---@param column string
---@param settings { estimator: string? }
---@param best_width number? of the machine
---@return { between: number, within: number }? spread relative standard
---  deviations. 'between': between launches, without the part that their
---  batches explain; 'within': of the estimate of one launch, due to its
---  batches. Nil where launches or their units are too few
function estimate.spread(samples, column, settings, best_width)
  if not columns.complete(samples[column], #samples.iters) then return nil end
  local clean = rows.clean(samples, best_width)
  samples = levelled.samples(clean.samples, column, clean.list)
  local launches, is_joined, is_coarse = spans.of_launches(samples, column,
    clean.list, clean.samples[column])
  local rule = slope.rule(launches, is_joined, settings.estimator, is_coarse)
  local values, errors = {}, {}
  for _, launch in ipairs(launches) do
    rest.here()
    local units = launch.units
    if #units >= 4 then
      values[#values + 1] = rule.of(units)
      errors[#errors + 1] = math.abs(rule.of(half_of(units, 1))
        - rule.of(half_of(units, 2))) / 2
    end
  end
  if #values < 3 then return nil end
  local mean = core.stats.mean(values)
  if mean <= 0 then return nil end
  -- The median of a normal deviate's distance from zero is 0.6745.
  local within = core.stats.median(errors) / 0.6745 / mean
  local all = core.stats.stddev(values) / mean
  return { between = math.sqrt(math.max(0, all ^ 2 - within ^ 2)),
    within = within }
end

return estimate
