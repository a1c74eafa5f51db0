-- Exact figures of some calls, each by a request of its own, since counting
-- would slow timed batches. All run under the settings of a batch, and may
-- raise the bench's errors.
local compat = require "tare.base.compat"
local core = require "tare.core"
local heap = require "tare.worker.heap"
local Jitwatch = require "tare.worker.jitwatch"

local probe = {}

local collectgarbage, pcall = collectgarbage, pcall

-- LuaJIT's compiler allocates from the heap that is counted: a block for each
-- trace, and other blocks while it records one, even one that it gives up. So
-- the compiler is off in counted calls: no loop and no function gets hot, and
-- compiled code runs as before. Exits of traces get hot all the same. Most of
-- them do in short batches before the count. If a trace is made later, it is
-- detected and the calls are counted once more. A count without a new trace is
-- final, even if an earlier one was lower: what only some of the calls allocate
-- is part of their cost.
local SETTLING = 16 -- batches: an exit is hot after 10, and tried 4 times
local SETTLING_SHARE = 2 -- calls in all these batches, per counted call
local TRIES = 6 -- until a count has no new trace; else the lowest is used

local function count_without_traces(take, iters)
  local watch, least = Jitwatch.new(), nil
  for _ = 1, TRIES do
    local made = watch:count()
    watch:follow(take)
    local census, message = take(iters)
    watch:follow(nil)
    if not census then return nil, message end
    local is_clean = watch:count() == made
    if is_clean or not least or census.allocs < least.allocs then
      least = census
    end
    if is_clean then break end
  end
  return least
end

-- Calls take() for short batches, then counts.
local function settled_census(take, iters, jit)
  local size = math.max(1, math.floor(SETTLING_SHARE * iters / SETTLING))
  for _ = 1, math.min(SETTLING, iters) do
    local before, message = take(size)
    if not before then return nil, message end
  end
  jit.off()
  local ok, census, message = pcall(count_without_traces, take, iters)
  jit.on()
  if not ok then return nil, census end
  return census, message
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

--- A part of a collection, where a full one would take too long. In
--- generational mode: minor collections.
---@param us integer about how many microseconds it takes
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
--- is stopped, since the moment when it runs decides which short strings are
--- made anew. As many calls come first that are not counted, so that what all
--- calls share (such as a string that the first one makes) exists. They are
--- batches of their own, with inputs of their own.
---@param fixture table prepared
---@param iters integer
---@return table? census totals over 'iters' calls
---@return any error what the function raised
function probe.census_alone(fixture, iters)
  local jit = compat.jit()
  local compiles = jit and jit.status()
  local function take(calls)
    local ok, wrong = fixture:before(calls)
    if not ok then return nil, wrong end
    local census
    if compiles then -- by the compiled loop, which may sink tables
      census, wrong = fixture:within(core.census, fixture:repeater(), 1, calls)
    else
      census, wrong = fixture:apply(core.census, calls)
    end
    if not census then return nil, wrong end
    ok, wrong = fixture:after(calls)
    if not ok then return nil, wrong end
    return census
  end
  local census, message = heap.still(function()
    if compiles then return settled_census(take, iters, jit) end
    if iters > 1 then
      local before, wrong = take(iters)
      if not before then return nil, wrong end
    end
    return take(iters)
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

--- What calls allocate in a long run, with the collector running: what it frees
--- has to be made again, such as short strings and the table of them. LuaJIT's
--- compiler is off.
---@param fixture table prepared
---@param iters integer
---@return table? census { iters, allocs, bytes }
---@return any error what the function raised
function probe.long_census(fixture, iters)
  local ok, census, message = compat.interpreted(fixture.within, fixture,
    core.census, fixture:repeater(), 1, iters)
  if not ok then return nil, census end
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

--- Calls whose processor instructions valgrind counts from outside
--- (tare.conductor.callgrind): from a collected heap and with the collector
--- stopped, as in a census.
---@param fixture table prepared
---@param iters integer
---@return table? figures { grown_bytes }: growth of the heap
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

-- What is left of the last calls is collected first, and their finalizers run.
local function collect_all()
  local before = collectgarbage "count" * 1024
  collectgarbage()
  local full = full_collection(collectgarbage)
  full.freed_bytes = math.max(0, before - full.heap_bytes)
  return full
end

--- A full collection with what the bench keeps when it ends; asked for once all
--- rows are made, before teardown. What calls keep is the growth of the heap in
--- some more calls. (Not in all of them: where calls are slow, and so few, what
--- a process makes once would count as kept.) LuaJIT's compiler, which keeps
--- its traces, is off meanwhile.
---@param fixture table prepared
---@param iters integer how many calls more; may be 0
---@return table? figures { ns, heap_bytes, freed_bytes, retained? }
---@return any error what the function raised
function probe.full(fixture, iters)
  if iters == 0 then return collect_all() end
  local first_bytes = collect_all().heap_bytes
  local ok, message = fixture:before(iters)
  if not ok then return nil, message end
  ok, message = compat.interpreted(fixture.within, fixture, fixture:repeater(),
    iters)
  if not ok then return nil, message end
  ok, message = fixture:after(iters)
  if not ok then return nil, message end
  local full = collect_all()
  full.retained = { iters = iters, bytes = full.heap_bytes - first_bytes }
  return full
end

return probe
