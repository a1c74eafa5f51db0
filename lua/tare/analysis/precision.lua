-- Stopping early: whether an interval is as narrow as was asked for
-- (--precision), and when to look. Also what else rows say while more are
-- measured.
local estimate = require "tare.analysis.estimate"
local reference = require "tare.analysis.reference"
local rows = require "tare.analysis.rows"

local precision = {}

-- Stopping at the first interval that is narrow enough reduces its coverage. So
-- there are few looks, at numbers fixed beforehand, and each interval (also the
-- reported one) has a confidence at which all of them together hold
-- (Bonferroni: each look has an equal share of the error).
local AT_LAUNCHES = { [4] = true, [6] = true, [10] = true, [16] = true,
  [25] = true, [40] = true, [63] = true }
local AT_ROWS = { [40] = true, [80] = true, [160] = true, [320] = true,
  [640] = true }
local LOOKS = 8 -- these, and the end of the quota

--- Whether to look at the interval after this number of launches.
---@param launches integer
---@return boolean
function precision.is_look(launches) return AT_LAUNCHES[launches] == true end

--- Whether to look at the interval after this number of rows of one process.
---@param count integer
---@return boolean
function precision.is_look_at_rows(count) return AT_ROWS[count] == true end

--- The confidence of each interval, so that all hold with the one asked for.
---@param confidence number
---@return number
function precision.confidence(confidence)
  return 1 - (1 - confidence) / LOOKS
end

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
    confidence = precision.confidence(settings.confidence),
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
    is_look = precision.is_look,
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
