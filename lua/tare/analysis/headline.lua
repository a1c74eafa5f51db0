-- The headline of a result: what a call costs by each clock, as 'time',
-- 'cycles' and 'wall'. tare.analysis computes these from the timed rows.
-- Whatever changes one of them afterwards has to change all three, and does so
-- here.
local headline = {}

local CLOCKS = { "time", "cycles", "wall" }

--- Replaces each of these figures by another; with 'of_launch', also the times
--- of launches and of groups of launches.
---@param result table
---@param change fun(found: table, factor: number): table  factor: units of the
---  figure per nanosecond of the time
---@param of_launch (fun(ns: number): number)? by default these times stay
function headline.change(result, change, of_launch)
  local ns = result.time.value
  for _, name in ipairs(CLOCKS) do
    local found = result[name]
    if found then
      result[name] = change(found, ns > 0 and found.value / ns or 1)
    end
  end
  if not of_launch then return end
  for i, one in ipairs(result.launch_values or {}) do
    result.launch_values[i] = of_launch(one)
  end
  for _, cluster in ipairs(result.groups or {}) do
    cluster.value = of_launch(cluster.value)
  end
end

--- Replaces the time per call by another one. The other clocks, launches and
--- groups change by the same factor. R2 is removed: it described the line that
--- gave the former time.
---@param result table
---@param value number ns
---@param half number|false|nil relative half-width of its interval; else none
function headline.replace(result, value, half)
  local factor = value / result.time.value
  result.r2 = nil
  headline.change(result, function(found)
    local x = found.value * factor
    return { value = x, unit = found.unit,
      low = half and x * math.max(0, 1 - half) or nil,
      high = half and x * (1 + half) or nil,
      unseen = found.unseen and found.unseen * factor }
  end, function(ns) return ns * factor end)
end

--- Removes the intervals: the time can't be relied on.
---@param result table
function headline.refuse(result)
  headline.change(result, function(found)
    return { value = found.value, unit = found.unit }
  end)
end

return headline
