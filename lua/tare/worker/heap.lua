-- The state of the heap before measuring: without what loading and a set-up
-- have left; and for counted passes, with the collector stopped until they are
-- over.
local compat = require "tare.base.compat"
local core = require "tare.core"

local heap = {}

local collectgarbage, pcall = collectgarbage, pcall
local FAR = 99200 -- percent: the longest wait that 5.5 can be given

-- A full collection after which the next one is far off: see
-- compat.WORKS_WHEN_STOPPED.
local function collect_and_put_off()
  local pause = collectgarbage("param", "pause", FAR)
  local minor = collectgarbage("param", "minormul", FAR)
  collectgarbage()
  collectgarbage("param", "pause", pause)
  collectgarbage("param", "minormul", minor)
end

--- Collects what loading or a set-up left. After a full collection, and after a
--- 'bad' one (lgc.c), Lua's generational collector waits until the heap has
--- doubled. Batches would have no collection until then, and in their midst a
--- whole major one. Setting the mode anew and a minor collection end this wait.
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

--- To be called after heap.collect(). In LuaJIT, 5.1 and 5.2 each full
--- collection halves the buffer in which strings are made, and the next long
--- string makes it grow. This gives the buffer a small size, so that counts
--- don't depend on what ran before.
function heap.settle()
  if not compat.HALVES_BUFFER then return end
  local before
  for _ = 1, MOST_COLLECTIONS do
    before = collectgarbage "count"
    collectgarbage()
    if collectgarbage "count" >= before then break end
  end
  -- After many halvings the buffer may have one of many small sizes. In LuaJIT
  -- it is a power of two; elsewhere, making a string gives it the size of that
  -- string.
  return IS_JIT or HALF .. HALF == WHOLE
end

--- Calls f(...) with the collector stopped.
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
