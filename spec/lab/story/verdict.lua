-- Whether runs tell the story of the vector: the time for an element bends with
-- the size, the function's own does not. It can't be judged where a size has no
-- sound figure: too few cycles of the collector, or neighbours on the core,
-- and each size has neighbours of its own, so one crowded size bends the curve.
local verdict = {}

local MOST_NET, LEAST_TIME, MOST_CROWDED = 1.2, 1.4, 0.25

--- Largest over smallest; nil where a figure is missing.
---@param values (number|false)[]
---@return number?
function verdict.bend(values)
  local low, high = math.huge, 0
  for _, value in ipairs(values) do
    if not value then return nil end
    low, high = math.min(low, value), math.max(high, value)
  end
  return high / low
end

--- Why a result has no sound figure of the function's own time; nil if it has.
---@param result table
---@return string?
function verdict.refused(result)
  if not result.net then return "too few cycles of the collector" end
  if (result.crowded or 0) > MOST_CROWDED then
    return ("%.0f %% of the batches shared their core"):format(
      100 * result.crowded)
  end
  if not result.net.low then return "no interval" end
  return nil
end

--- Judges what is found in all runs.
---@param nets number[] bends of the function's own time
---@param times number[] bends of the time
---@param refusals string[] a line for each result without a sound figure
---@return boolean passed
---@return string why
function verdict.of(nets, times, refusals)
  if #refusals > 0 then
    return false, "not to be judged: " .. table.concat(refusals, "; ")
  end
  local worst, least = 0, math.huge
  for _, bend in ipairs(nets) do worst = math.max(worst, bend) end
  for _, bend in ipairs(times) do least = math.min(least, bend) end
  return worst <= MOST_NET and least >= LEAST_TIME,
    ("net: %.2f at most (%.2f is the limit); time: %.2f at least (%.2f)")
    :format(worst, MOST_NET, least, LEAST_TIME)
end

return verdict
