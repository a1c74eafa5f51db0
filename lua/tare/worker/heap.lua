-- The heap that a bench starts from, without what loading and its set-up left;
-- and the one of counted passes, in which the collector waits until they are
-- over.
local compat = require "tare.base.compat"
local core = require "tare.core"

local heap = {}

local collectgarbage, pcall = collectgarbage, pcall
local FAR = 99200 -- percent: as far as 5.5 puts the next collection off

-- For compat.WORKS_WHEN_STOPPED.
local function collect_and_put_off()
  local pause = collectgarbage("param", "pause", FAR)
  local minor = collectgarbage("param", "minormul", FAR)
  collectgarbage()
  collectgarbage("param", "pause", pause)
  collectgarbage("param", "minormul", minor)
end

--- Collects what loading or a set-up left. After a full collection, and after a
--- 'bad' one (lgc.c), Lua's generational collector waits until the heap has
--- doubled: batches would have no collection until then, and all of a major one
--- in the midst of them. Its mode set anew, and a minor collection, end that.
function heap.start_anew()
  collectgarbage()
  if compat.HAS_GC_MODES and collectgarbage "incremental" == "generational" then
    collectgarbage "generational"
    collectgarbage "step"
  else
    collectgarbage() -- what finalizers left
  end
end

--- A full collection, before heap.still().
heap.collect = compat.WORKS_WHEN_STOPPED and collect_and_put_off
  or function() collectgarbage() end

local MOST_COLLECTIONS = 16

local IS_JIT = compat.jit() ~= nil
local SMALLEST = 64 -- bytes, of the buffer
-- Two halves of a string that is there already, so that making it again leaves
-- no garbage.
local HALF = IS_JIT and "" or ("-"):rep(SMALLEST)
local WHOLE = HALF .. HALF

--- After heap.collect(): in LuaJIT, 5.1 and 5.2 each full collection halves the
--- buffer in which strings are made, and the next long one makes it grow. It is
--- given a small size here, so that counts don't depend on what ran before.
function heap.settle()
  if not compat.HALVES_BUFFER then return end
  local before
  for _ = 1, MOST_COLLECTIONS do
    before = collectgarbage "count"
    collectgarbage()
    if collectgarbage "count" >= before then break end
  end
  -- Halved often, it has one of many sizes, in LuaJIT a power of two: elsewhere
  -- it gets that of a string.
  return IS_JIT or HALF .. HALF == WHOLE
end

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
