-- Throughput: what a bench says a call processes, by the time of a call.
local metrics = require "tare.base.metrics"

local rates = {}

--- Amounts a second, with their interval; nil where the bench does not say, or
--- has no time.
---@param result table
---@param kind "bytes"|"items"
---@return { value: number, low: number?, high: number? }?
function rates.of(result, kind)
  local amount = (result.throughput or {})[kind]
  local time = metrics.get(result, "time")
  if not (amount and time and amount > 0 and time.value > 0) then return nil end
  local per_second = amount * 1e9
  local ends = metrics.has_interval(time) and time.low > 0 and time or {}
  return { value = per_second / time.value,
    low = ends.high and per_second / ends.high,
    high = ends.low and per_second / ends.low }
end

return rates
