-- Exact figures of some calls, each by a request of its own, since counting
-- would slow timed batches. All run under the settings of a batch, and may
-- raise the bench's errors.
local compat = require "tare.base.compat"
local core = require "tare.core"
local heap = require "tare.worker.heap"

local probe = {}

local collectgarbage = collectgarbage
local TRIES = 4 -- on LuaJIT, until the least was seen twice

-- The compiler also allocates while it makes a trace, and LuaJIT's buffer of
-- strings grows in the first call that needs it larger, which is no allocation
-- but bytes. The function's figure is the least, once it was seen twice.
local function settled_census(take)
  local least, message = take()
  for _ = 2, least and TRIES or 1 do
    local again = take()
    if not again then break end
    local more = again.allocs - least.allocs
    if more == 0 then more = again.bytes - least.bytes end
    if more == 0 then break end
    if more < 0 then least = again end
  end
  return least, message
end

-- A full collection, and what it costs with all that the bench keeps.
local function full_collection(collect)
  local before = collectgarbage "count"
  local began = core.now_ns()
  collect()
  local ns = core.now_ns() - began
  local after = collectgarbage "count"
  return { ns = ns, heap_bytes = after * 1024,
    freed_bytes = math.max(0, before - after) * 1024 }
end

--- A part of a collection, where a full one would take too long; generational,
--- a minor one.
---@param us integer microseconds that it takes, about
---@return table figures { ended, ns, heap_bytes }: whether it ended a cycle
function probe.collect(_, us)
  local pause, multiplier, was_running = core.gc_settings()
  local began = core.now_ns()
  local ended
  if compat.FINE_STEPS then
    core.gc_put(pause, compat.FINE_STEPS, was_running)
  end
  repeat
    ended = collectgarbage("step", 0)
  until ended or core.now_ns() - began >= us * 1e3
  core.gc_put(pause, multiplier, was_running)
  return { ended = ended, ns = core.now_ns() - began,
    heap_bytes = collectgarbage "count" * 1024 }
end

--- What so many calls allocate, by type as far as Lua reports it. The collector
--- waits: when it runs decides which short strings are made anew. As many calls
--- before them are not counted, so that what all calls share (a string that the
--- first one makes) is there.
---@param fixture table prepared
---@param iters integer
---@return table? census totals over 'iters' calls
---@return any error what the function raised
function probe.census_alone(fixture, iters)
  local jit = compat.jit()
  local compiles = jit and jit.status()
  local function take()
    if compiles then -- as it was compiled, for that may sink tables
      return fixture:within(core.census, fixture:repeater(), 1, iters)
    end
    return fixture:apply(core.census, iters)
  end
  local census, message = heap.still(function()
    if compiles then return settled_census(take) end
    if iters > 1 then
      local before, wrong = take()
      if not before then return nil, wrong end
    end
    return take()
  end)
  if not census then return nil, message end
  census.iters = iters
  return census
end

--- The same, from a collected heap.
---@param fixture table prepared
---@param iters integer
---@return table? census with 'full_collection': what it began with
---@return any error what the function raised
function probe.census(fixture, iters)
  local full = full_collection(heap.collect)
  heap.settle()
  local census, message = probe.census_alone(fixture, iters)
  if not census then return nil, message end
  census.full_collection = full
  return census
end

--- What calls allocate in a long run, with the collector at work: what it
--- clears has to be made again, like short strings and the table of them.
---@param fixture table prepared
---@param iters integer
---@return table? census { iters, allocs, bytes }
---@return any error what the function raised
function probe.long_census(fixture, iters)
  local census, message = fixture:within(core.census, fixture:repeater(), 1,
    iters)
  if not census then return nil, message end
  return { iters = iters, allocs = census.allocs, bytes = census.bytes }
end

--- Instructions of the virtual machine that so many calls execute.
---@param fixture table prepared
---@param iters integer
---@return table? counts
---@return any error what the function raised, or why they can't be had
function probe.instructions(fixture, iters)
  local count, message = fixture:apply(core.instructions, iters)
  if not count then return nil, message end
  return { iters = iters, instructions = count }
end

--- Calls whose instructions of the processor are counted from without, by
--- valgrind (tare.conductor.callgrind): from a collected heap, and the
--- collector waits, as in a census.
---@param fixture table prepared
---@param iters integer
---@return table? figures { grown_bytes }: by which the heap grew
---@return any error what the function raised
function probe.machine(fixture, iters)
  local repeater = fixture:repeater()
  heap.collect()
  heap.collect()
  local before = collectgarbage "count"
  local ok, message = heap.still(fixture.within, fixture, core.counted,
    repeater, iters)
  local grown = collectgarbage "count" - before
  if not ok then return nil, message end
  return { grown_bytes = grown * 1024 }
end

--- A full collection with what the bench keeps when it ends; asked for once all
--- rows are made, before teardown.
---@return table figures { ns, heap_bytes, freed_bytes }
function probe.full() return full_collection(collectgarbage) end

return probe
