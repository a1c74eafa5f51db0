-- The heap that counted passes start from: without garbage, and the collector
-- waits until they are over.
local core = require "tare.core"

local heap = {}

local collectgarbage, pcall = collectgarbage, pcall
local FAR = 99200 -- percent: as far as 5.5 puts the next collection off

-- Lua 5.5 lets a stopped collector work where C makes a long string
-- (luaL_pushresult of 5.5.0), unless the next collection is far off.
local function collect_and_put_off()
  local pause = collectgarbage("param", "pause", FAR)
  local minor = collectgarbage("param", "minormul", FAR)
  collectgarbage()
  collectgarbage("param", "pause", pause)
  collectgarbage("param", "minormul", minor)
end

--- A full collection, before heap.still().
heap.collect = _VERSION == "Lua 5.5" and collect_and_put_off
  or function() collectgarbage() end

--- Calls f(...), while the collector waits.
---@return any what it returns: up to two values; or nil, what it raised
---@return any
function heap.still(f, ...)
  local _, _, was_running = core.gc_settings()
  core.gc_run(false)
  local ok, value, message = pcall(f, ...)
  core.gc_run(was_running)
  if not ok then return nil, value end
  return value, message
end

return heap
