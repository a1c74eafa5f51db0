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

--- Whether the time of a call is known well enough: what more batches of this
--- process could still narrow is within the precision.
---@param samples table columns
---@param settings { precision: number, confidence: number }
---@return boolean
function looks.narrow(samples, settings)
  local found = estimate.per_call(samples, "wall_ns", {
    confidence = looks.confidence(settings.confidence),
    estimator = settings.estimator })
  return found ~= nil and found.within ~= nil
    and found.within <= settings.precision * math.abs(found.value)
end

return looks
