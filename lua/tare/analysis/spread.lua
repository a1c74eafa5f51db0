-- How the times of a call lie over the batches.
local core = require "tare.core"

local spread = {}

-- The time in the middle; without an interval where the clock stood still in
-- some batch.
local function middle(call_ns)
  local stats = core.stats
  if stats.quantile(call_ns, 0) > 0 then return stats.sign_interval(call_ns) end
  return { value = stats.median(call_ns) }
end

--- Adds location and spread of the time of a call over the batches to a result.
---@param result table
---@param call_ns number[] nanoseconds, one a batch
function spread.add(result, call_ns)
  local stats, median = core.stats, middle(call_ns)
  result.median = { value = median.value, low = median.low,
    high = median.high, unit = "ns" }
  result.mean = { value = stats.mean(call_ns), unit = "ns" }
  result.min = stats.quantile(call_ns, 0)
  result.outliers = stats.outliers(call_ns)
  result.outliers.variance = stats.outlier_variance(call_ns)
  if #call_ns == 1 then return end
  result.stddev = { value = stats.stddev(call_ns), unit = "ns" }
  result.mad = stats.mad(call_ns)
  result.density = stats.density(call_ns)
end

return spread
