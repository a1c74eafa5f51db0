-- How many launches there are and how long each is. Whether fewer are enough is
-- in tare.analysis.precision. What is in a launch is planned while it runs: the
-- passes between its timed batches in tare.conductor.pass_plan, the calls of
-- each timed batch in tare.conductor.sizes. Pure: figures in, numbers out.
--
-- A process is one draw of addresses, hash seed and traces, so a quota is spent
-- on several launches: repeat at the level that varies (Kalibera and Jones,
-- 'Rigorous benchmarking in reasonable time', ISMM 2013). A run begins with
-- launches of the usual length, or with short ones where a few may do. If these
-- differ more than their own batches explain, the rest of the quota goes into
-- shorter launches.
local gc_modes = require "tare.base.gc_modes"

local plan = {}

-- A launch of 40 ms has about 24 batches, and its warm-up is a small part of
-- it; 25 launches that lie 2 % apart give an interval of 1 %. A short quota has
-- ten launches, which are shorter.
plan.LAUNCHES = 25
local LAUNCHES, LAUNCH_NS, OF_SHORT = plan.LAUNCHES, 4e7, 10
-- In a shorter launch, start and warm-up would take longer than the batches;
-- where a quota has room for few launches, they may be somewhat shorter.
local LEAST_LAUNCH_NS, LEAST_OF_SHORT_NS = 2e7, 1.5e7
-- A launch has at least this many calls, so that it has a slope of its own.
local CALLS_A_LAUNCH = 10
-- Most time to start a launch, as a share of the time it measures.
local MOST_START = 0.5
-- Most of the quota for set-up, in all launches.
local SETUP_SHARE = 0.5
--- The fewest batches of a short launch: tare.conductor.sizes plans its sizes
--- for this number. Where other processes use the core, a launch has far fewer
--- batches than its length suggests, so it is made long enough for these.
plan.LEAST_ROWS = 6
-- REPLANNED_AT: numbers of launches after which the rest is planned anew.
-- MOST_LAUNCHES: the most that a quota is spent on, enough for any function.
local REPLANNED_AT = { [5] = true, [10] = true, [20] = true }
local MOST_LAUNCHES = 100

--- About how many calls there are between two collections.
---@param bytes number that a call allocates
---@param heap { heap_bytes: number?, gc_mode: string?, gc_pause: number?,
---  gc_minor_multiplier: number? } the live heap, and the collector's mode and
---  settings
---@return number calls infinite where nothing is allocated
function plan.calls_between(bytes, heap)
  if bytes <= 0 then return math.huge end
  return gc_modes.share_of_heap(heap) * (heap.heap_bytes or 0) / bytes
end

--- The share of a launch for paced rows (function and collector timed
--- separately), where collections are rare.
plan.RARE_SHARE = 0.5
local COLLECTIONS_A_LAUNCH = 6 -- in its paced rows: then a few are whole
local CALLS_WITH_COLLECTIONS = 24 -- at least, if single calls have collections
local COLLECTED = 2 -- slowdown of a call by the collector if the heap is large

--- How long a launch must be to have some whole collections in its timed rows
--- and in its paced rows.
---@param call_ns number
---@param bytes number that a call allocates
---@param heap table as for calls_between
---@return number ns
function plan.collections_ns(call_ns, bytes, heap)
  local calls = plan.calls_between(bytes, heap)
  if calls == math.huge then return 0 end
  calls = COLLECTIONS_A_LAUNCH / plan.RARE_SHARE * COLLECTED * calls
  return math.max(CALLS_WITH_COLLECTIONS, calls) * call_ns
end

-- The least length of a launch, by what is known of a bench.
local function least_launch_ns(known, least_ns)
  return math.max(least_ns, known.collections_ns or 0,
    CALLS_A_LAUNCH * (known.call_ns or 0), (known.load_ns or 0) / MOST_START,
    (known.setup_ns or 0) / SETUP_SHARE)
end

--- The most launches that a quota has room for, as short as those of a quota of
--- a second where the calls allow it.
---@param known table as for plan.launches
---@return integer launches at least 1
function plan.short_launches(known)
  local launch_ns = math.max(least_launch_ns(known, LEAST_OF_SHORT_NS),
    math.min(LAUNCH_NS, known.quota_ns / OF_SHORT))
  return math.max(1, math.floor(known.quota_ns / launch_ns + 1e-9))
end

--- The number of launches to begin with.
---@param known { quota_ns: number, call_ns: number?, load_ns: number?,
---  setup_ns: number?, collections_ns: number? } quota_ns: for the bench;
---  call_ns: per call; load_ns: to start and load one launch; setup_ns: of the
---  bench's set-up; collections_ns: of a launch that has whole collections
---@return integer launches at least 1
function plan.launches(known)
  return math.min(LAUNCHES, plan.short_launches(known))
end

--- The most launches for a quota of calls.
---@param calls integer
---@return integer launches at least 1
function plan.launches_of_calls(calls)
  return math.max(1, math.floor(calls / CALLS_A_LAUNCH))
end

--- Whether to plan the rest of the launches anew after this number of them.
---@param launches integer
---@return boolean
function plan.is_replanned(launches) return REPLANNED_AT[launches] == true end

--- How long the next launches of a bench should be, so that the mean has the
--- smallest error for the time that is left. A longer launch reduces the
--- differences due to its batches; more launches reduce those between launches
--- (Kalibera and Jones 2013, 5.2: the number of batches is the square root of
--- the cost of a launch over that of a batch, times the ratio of the variance
--- within launches to that between them). Never longer than those so far.
---@param known table as for plan.launches, and of the launches so far:
---  launch_ns (of the quota), and of that timed_ns (in timed batches) and
---  started_ns (in start and warm-up); rows (batches); relative standard
---  deviations: between (launches) and within (of a launch's estimate, due to
---  its own batches)
---@return number launch_ns
---@return number least_ns the shortest that it may be
function plan.launch_ns(known)
  local longest_ns = known.launch_ns
  local least_ns = math.max(least_launch_ns(known, LEAST_LAUNCH_NS),
    known.quota_ns / MOST_LAUNCHES,
    longest_ns * plan.LEAST_ROWS / math.max(1, known.rows))
  if known.between <= 0 or known.timed_ns <= 0 then
    return longest_ns, least_ns
  end
  local timed_ns = known.within / known.between
    * math.sqrt(known.started_ns * known.timed_ns)
  return math.min(longest_ns,
    math.max(least_ns, longest_ns * timed_ns / known.timed_ns)), least_ns
end

--- How many launches to add in place of those that were crowded as a whole.
--- They take time from the patience, as waiting does. If no launch was usable,
--- the machine is crowded all the time, and more launches would be crowded,
--- too.
---@param known { planned: integer, done: integer, usable: integer,
---  launch_ns: number, patience_ns: number, waited_ns: number } numbers of
---  launches that were planned, that are done, and that have enough clean
---  batches; launch_ns: time for one more; patience_ns: how long a run may
---  wait; waited_ns: how long it has waited
---@return integer
function plan.more_launches(known)
  if known.usable == 0 then return 0 end
  local added = known.done - known.planned
  local room = (known.patience_ns - known.waited_ns) / known.launch_ns - added
  return math.max(0, math.floor(math.min(known.planned - known.usable, room)))
end

return plan
