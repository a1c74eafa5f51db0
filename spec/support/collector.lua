-- The collector's pause and step multiplier, in the words of each Lua.
local collector = {}

local NAMED = _VERSION >= "Lua 5.5"

--- Sets "pause" or "stepmul".
---@return number what it was
function collector.set(name, value)
  if NAMED then return collectgarbage("param", name, value) end
  return collectgarbage("set" .. name, value)
end

--- What it is.
---@return number
function collector.get(name)
  local value = collector.set(name, 200)
  collector.set(name, value)
  return value
end

return collector
