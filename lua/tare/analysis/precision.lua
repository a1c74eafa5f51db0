-- Stopping early: whether an interval is as narrow as was asked for
-- (--precision), and when to look. Also what else rows say while more are
-- measured.
local estimate = require "tare.analysis.estimate"
local lists = require "tare.base.lists"
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

--- The settings that the time of a record is estimated with, and what is taken
--- from it: where a row is one call, its low quarter does not repeat, but the
--- median does; where measuring may have stopped early, the interval is that of
--- each look.
---@param record { loop: string?, precision: number? }
---@param settings table confidence, estimator?
---@return table settings
function precision.of_time(record, settings)
  settings = lists.copy(settings)
  if record.loop == "yields" then settings.estimator = "median" end
  if record.precision then
    settings.confidence = precision.confidence(settings.confidence)
  end
  return settings
end

--- The warning that an interval deserves which is wider than was asked for; nil
--- where it is narrow enough. In one process the variation between processes
--- is unknown, and may alone be wider than that; then no more batches would
--- help.
---@param found { value: number, high: number, within: number? }
---@param share number of the value that half of the interval may be
---@param has_launches boolean
---@return string? code
local function complaint(found, share, has_launches)
  local half, wanted = found.high - found.value, share * math.abs(found.value)
  if half <= wanted then return nil end
  local within = not has_launches and found.within or half
  local is_out_of_reach = wanted * wanted <= half * half - within ^ 2
  return is_out_of_reach and within <= wanted and "precision_unseen"
    or "precision_missed"
end

--- Whether the interval of the time per call is as narrow as was asked, or as
--- more batches would make it.
---@param samples table columns
---@param record { loop: string?, precision: number } what is known of them
---@param settings { confidence: number, estimator: string? }
---@param clock { best_width: number? }?
---@return boolean
function precision.is_narrow(samples, record, settings, clock)
  local found = estimate.per_call(samples, time_column(samples),
    precision.of_time(record, settings), clock and clock.best_width)
  return found ~= nil and found.low ~= nil and complaint(found,
    record.precision, rows.has_launches(samples)) ~= "precision_missed"
end

--- The warning of a result whose interval is wider than was asked for.
---@param result table with precision?
---@return string? code
function precision.complaint(result)
  local time = result.time
  if not (result.precision and time and time.high) then return nil end
  return complaint(time, result.precision, rows.has_launches(result.samples))
end

--- What the analysis says of rows while a conductor measures more.
---@param clock table of tare.env.clock; it may learn meanwhile
---@return table analysis as Conductor.new() takes it
function precision.meanwhile(clock)
  return {
    is_look = precision.is_look,
    is_narrow = function(record, options)
      return precision.is_narrow(reference.samples(record.samples, clock),
        record, options, clock)
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
