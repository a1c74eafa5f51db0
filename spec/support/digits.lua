--- Significant decimal digits that a number shares with what was expected of
--- it, at most 16 (which is as many as a double has).
---@param actual number
---@param expected number
---@return number
return function(actual, expected)
  if actual == expected then return 16 end
  local scale = expected == 0 and 1 or math.abs(expected)
  local digits = -math.log(math.abs(actual - expected) / scale) / math.log(10)
  return math.max(0, math.min(16, digits))
end
