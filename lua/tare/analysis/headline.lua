-- The headline of a result: what a call costs, by each clock: 'time', and the
-- same as 'cycles' and as 'wall'. tare.analysis makes these of the timed rows;
-- what changes one of them afterwards changes all, and does so here.
local headline = {}

local CLOCKS = { "time", "cycles", "wall" }

--- Replaces each figure by another, and with it the times of launches and
--- groups of these.
---@param result table
---@param change fun(found: table, factor: number): table  factor: units of the
---  figure per nanosecond of the time
---@param of_launch (fun(ns: number): number)? they stay as they are by default
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

--- Replaces the time per call by another one, and the others in proportion.
--- Launches keep their distances.
---@param result table
---@param value number ns
---@param half number|false|nil relative half of its interval; nil: it has none
function headline.replace(result, value, half)
  local factor = value / result.time.value
  headline.change(result, function(found)
    local x = found.value * factor
    return { value = x, unit = found.unit,
      low = half and x * math.max(0, 1 - half) or nil,
      high = half and x * (1 + half) or nil, within = half and x * half or nil }
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
