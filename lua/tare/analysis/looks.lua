-- Stopping early once an interval is narrow enough. To look at an interval
-- again and again and to stop at the first that pleases shrinks its coverage;
-- so there are few looks, at numbers of rows fixed beforehand, and every
-- interval, the one reported too, has the confidence that makes all of them
-- hold together (Bonferroni's share of the error for each look).
local estimate = require "tare.analysis.estimate"

local looks = {}

local AT_ROWS = { [40] = true, [80] = true, [160] = true, [320] = true,
  [640] = true }
local COUNT = 6 -- these, and the end of the quota

--- Whether it is time for a look.
---@param rows integer
---@return boolean
function looks.due(rows) return AT_ROWS[rows] == true end

--- The confidence of each interval, for all to hold with that asked for.
---@param confidence number
---@return number
function looks.confidence(confidence)
  return 1 - (1 - confidence) / COUNT
end

--- Whether the time of a call is known well enough: its interval is within the
--- precision. Where that can't be, since processes lie further apart, it is
--- enough that what more batches of this one could still narrow is.
---@param samples table columns
---@param settings { precision: number, confidence: number }
---@return boolean
function looks.narrow(samples, settings)
  local found = estimate.per_call(samples, "wall_ns", {
    confidence = looks.confidence(settings.confidence),
    estimator = settings.estimator })
  if not found or not found.within then return false end
  local half = found.high - found.value
  local wanted = settings.precision * math.abs(found.value)
  local is_in_reach = wanted * wanted > half * half - found.within ^ 2
  return (is_in_reach and half or found.within) <= wanted
end

--- Whether a result's interval is wider than was asked for.
---@param result table with precision?
---@return boolean
function looks.missed(result)
  local time, precision = result.time, result.precision
  return precision ~= nil and time ~= nil and time.high ~= nil
    and time.high - time.value > precision * math.abs(time.value)
end

return looks
