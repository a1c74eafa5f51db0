-- Stopping early: whether an interval is as narrow as was asked for
-- (--precision), and when to look. Also the other questions that a conductor
-- asks about rows while more are measured.
local estimate = require "tare.analysis.estimate"
local lists = require "tare.base.lists"
local overhead = require "tare.analysis.overhead"
local reference = require "tare.analysis.reference"
local rows = require "tare.analysis.rows"

local precision = {}

-- Stopping at the first interval that is narrow enough reduces its coverage. So
-- there are few looks, at numbers fixed beforehand. Each interval, also the
-- reported one, has a higher confidence, so that all of them together hold with
-- the one asked for (Bonferroni: each look has an equal share of the error).
local AT_LAUNCHES = { [4] = true, [6] = true, [10] = true, [16] = true,
  [25] = true, [40] = true, [63] = true }
local AT_ROWS = { [40] = true, [80] = true, [160] = true, [320] = true,
  [640] = true }
local LOOKS = 8 -- the most of either list, and the end of the quota

--- Whether to look at the interval after this number of launches.
---@param launches integer
---@return boolean
function precision.is_look(launches) return AT_LAUNCHES[launches] == true end

--- Whether to look at the interval after this number of rows of one process.
---@param count integer
---@return boolean
function precision.is_look_at_rows(count) return AT_ROWS[count] == true end

--- The confidence of each interval, so that all of them together hold with the
--- confidence asked for.
---@param confidence number
---@return number
function precision.confidence(confidence)
  return 1 - (1 - confidence) / LOOKS
end

--- The settings for the estimate of a record's time. Where calls yield, each
--- row is one call: its low quarter does not repeat but the median does, so
--- that is taken whatever estimator is asked for. Where measuring may have
--- stopped early, the interval has the confidence of each look.
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

-- Of what is unseen: beside it, a seen part of this size makes the interval a
-- twentieth wider.
local SMALL = 1 / 3

-- The warning for an interval that is wider than was asked for, nil where it is
-- narrow enough; and whether to end there. More batches or launches narrow what
-- is seen of it, and not what is unseen: how other runs differ or, of one
-- process, other processes. Where that alone makes the interval too wide,
-- measuring ends once the part that is seen is as narrow as was asked for, or
-- small.
---@param found { value: number, high: number, unseen: number? }
---@param share number of the value that half of the interval may be
---@return string? code
---@return boolean is_over
local function complaint(found, share)
  local half, wanted = found.high - found.value, share * math.abs(found.value)
  if half <= wanted then return nil, true end
  local unseen = found.unseen or 0
  local seen = math.sqrt(math.max(0, half * half - unseen * unseen))
  if unseen < wanted or seen > math.max(wanted, unseen) then
    return "precision_missed", false
  end
  return "precision_unseen", seen <= math.max(wanted, SMALL * unseen)
end

--- Whether the interval of the time per call is as narrow as was asked for, or
--- about as narrow as more batches or launches can make it. It is that of the
--- time that will be reported: without the batches that are dropped and, where
--- that is asked for, without the loop. One process times the empty loop last.
--- Until then the loop's cost is unknown, and the answer is no.
---@param record { samples: table, loop: string?, precision: number,
---  discard: string[]?, passes: table? } what is known; one process has no
---  passes yet
---@param settings { confidence: number, estimator: string?,
---  net_of_loop: boolean? }
---@param clock { reference_ns: number?, best_width: number? }?
---@return boolean
function precision.is_narrow(record, settings, clock)
  local best_width = clock and clock.best_width
  local of_time = precision.of_time(record, settings)
  local samples = rows.discard(reference.samples(record.samples, clock),
    record.discard)
  local found = estimate.per_call(samples, "time_ns", of_time, best_width)
  if found and settings.net_of_loop then
    if not record.passes then return false end
    local empty = record.passes.empty
    found = overhead.less(found, overhead.cost(empty
      and reference.samples(empty.samples, clock), of_time, best_width))
  end
  if not (found and found.low) then return false end
  local _, is_over = complaint(found, record.precision)
  return is_over
end

--- The warning of a result whose interval is wider than was asked for.
---@param result table with precision?
---@return string? code
function precision.complaint(result)
  local time = result.time
  if not (result.precision and time and time.high) then return nil end
  return (complaint(time, result.precision))
end

--- The functions of the analysis that a conductor calls while it measures.
---@param clock table of tare.env.clock; it may learn meanwhile
---@return table analysis as Conductor.new() takes it
function precision.meanwhile(clock)
  return {
    is_look = precision.is_look,
    is_narrow = function(record, options)
      return precision.is_narrow(record, options, clock)
    end,
    spread = function(record, options)
      return estimate.spread(reference.samples(record.samples, clock),
        "time_ns", options, clock.best_width)
    end,
    free_width = function() return rows.free_width(clock.best_width) end,
    clean_launches = function(record)
      return rows.clean(record.samples, clock.best_width).launches
    end,
  }
end

return precision
