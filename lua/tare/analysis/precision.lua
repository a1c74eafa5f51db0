-- Whether an interval is as narrow as was asked for (--precision), and what
-- else rows say while more are measured. When to look at them, and at which
-- confidence, is in tare.analysis.plan.
local estimate = require "tare.analysis.estimate"
local plan = require "tare.analysis.plan"
local reference = require "tare.analysis.reference"
local rows = require "tare.analysis.rows"

local precision = {}

local function time_column(samples)
  return samples.time_ns and "time_ns" or "wall_ns"
end

--- Whether the interval of the time per call is as narrow as 'precision' asks.
--- In one process the variation between processes is unknown, and may alone be
--- wider than that; then only the part that more batches would narrow counts.
---@param samples table columns
---@param settings { precision: number, confidence: number, estimator: string? }
---@param clock { best_width: number? }?
---@return boolean
function precision.is_narrow(samples, settings, clock)
  local found = estimate.per_call(samples, time_column(samples), {
    confidence = plan.confidence(settings.confidence),
    estimator = settings.estimator }, clock and clock.best_width)
  if not found or not found.low then return false end
  local half = found.high - found.value
  local wanted = settings.precision * math.abs(found.value)
  if rows.has_launches(samples) then return half <= wanted end
  local is_in_reach = wanted * wanted > half * half - found.within ^ 2
  return (is_in_reach and half or found.within) <= wanted
end

--- Whether a result's interval is wider than was asked for.
---@param result table with precision?
---@return boolean
function precision.is_missed(result)
  local time, asked = result.time, result.precision
  return asked ~= nil and time ~= nil and time.high ~= nil
    and time.high - time.value > asked * math.abs(time.value)
end

--- What the analysis says of rows while a conductor measures more.
---@param clock table of tare.env.clock; it may learn meanwhile
---@return table analysis as Conductor.new() takes it
function precision.meanwhile(clock)
  return {
    is_narrow = function(record, options)
      return precision.is_narrow(reference.samples(record.samples, clock),
        options, clock)
    end,
    spread = function(record, options)
      local samples = reference.samples(record.samples, clock)
      return estimate.spread(samples, time_column(samples), options,
        clock.best_width)
    end,
    free_width = function() return rows.free_width(clock.best_width) end,
    clean_launches = function(record)
      return rows.clean(record.samples, clock.best_width).launches
    end,
  }
end

return precision
