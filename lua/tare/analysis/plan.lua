-- How much to measure. Pure: figures in, numbers out.
--
-- A process is one draw of addresses, hash seed and traces, so a quota is spent
-- on several launches (Kalibera and Jones, 'Rigorous benchmarking in reasonable
-- time', ISMM 2013: repeat at the level that varies). Theirs divides the time
-- by the variances that the first launches show. Here it is a fixed number: a
-- launch must also hold a warm-up and whole cycles of the collector.
local plan = {}

-- A launch of 100 ms has about fifty batches, and its warm-up is a small part
-- of it. Ten launches give an interval of 1 % if their standard deviation is
-- 1.4 %.
local LAUNCHES, LAUNCH_NS = 10, 1e8
-- In a shorter launch, start and warm-up would take longer than the batches.
local LEAST_LAUNCH_NS = 1e7
-- A launch has at least this many calls, so that it has a slope of its own.
local CALLS_A_LAUNCH = 10
-- Most time to start a launch, as a share of the time it measures.
local MOST_START = 0.5
-- Most of the quota for set-up, in all launches.
local SETUP_SHARE = 0.5

-- Bytes allocated between two collections, as a share of the heap, with the
-- collectors' default settings: a guess where too few collections were seen.
local OF_HEAP = { incremental = 1, generational = 0.2 }

--- About how many calls there are between two collections.
---@param bytes number that a call allocates
---@param heap_bytes number
---@param gc_mode string?
---@return number calls infinite where nothing is allocated
function plan.calls_between(bytes, heap_bytes, gc_mode)
  if bytes <= 0 then return math.huge end
  return (OF_HEAP[gc_mode] or 1) * heap_bytes / bytes
end

--- The number of launches.
---@param known { quota_ns: number, call_ns: number?, load_ns: number?,
---  setup_ns: number?, cycles_ns: number? } times: for the bench, per call, to
---  start and load one launch, of the bench's set-up, and of a launch that has
---  whole cycles of the collector
---@return integer launches at least 1
function plan.launches(known)
  local quota_ns, setup_ns = known.quota_ns, known.setup_ns or 0
  local launch_ns = math.max(LEAST_LAUNCH_NS, known.cycles_ns or 0,
    CALLS_A_LAUNCH * (known.call_ns or 0), (known.load_ns or 0) / MOST_START,
    math.min(LAUNCH_NS, quota_ns / LAUNCHES))
  local most = LAUNCHES
  if setup_ns > 0 then
    most = math.min(most, SETUP_SHARE * quota_ns / setup_ns)
  end
  return math.max(1, math.floor(math.min(most, quota_ns / launch_ns + 1e-9)))
end

--- How many launches to add in place of those that were crowded as a whole.
--- They take time from the patience, as waiting does. Where none was usable,
--- the machine is not crowded now and then but all the time, and more launches
--- would be crowded, too.
---@param known { planned: integer, done: integer, usable: integer,
---  quota_ns: number, patience_ns: number, waited_ns: number } launches
---  planned at first, done, and of those with enough clean batches; time for
---  the planned ones, and that may be waited and was
---@return integer
function plan.more_launches(known)
  if known.usable == 0 then return 0 end
  local launch_ns = known.quota_ns / known.planned
  local added = known.done - known.planned
  local room = (known.patience_ns - known.waited_ns) / launch_ns - added
  return math.max(0, math.floor(math.min(known.planned - known.usable, room)))
end

------------------------------------------------------------- stopping early --

-- Stopping at the first interval that is narrow enough reduces its coverage. So
-- there are few looks, at numbers fixed beforehand, and each interval (also the
-- reported one) has a confidence at which all of them together hold
-- (Bonferroni: each look has an equal share of the error).
local AT_LAUNCHES = { [4] = true, [6] = true, [10] = true, [16] = true,
  [25] = true }
local AT_ROWS = { [40] = true, [80] = true, [160] = true, [320] = true,
  [640] = true }
local LOOKS = 6 -- these, and the end of the quota

--- Whether to look at the interval after this number of launches.
---@param launches integer
---@return boolean
function plan.is_look(launches) return AT_LAUNCHES[launches] == true end

--- Whether to look at the interval after this number of rows of one process.
---@param count integer
---@return boolean
function plan.is_look_at_rows(count) return AT_ROWS[count] == true end

--- The confidence of each interval, so that all hold with the one asked for.
---@param confidence number
---@return number
function plan.confidence(confidence) return 1 - (1 - confidence) / LOOKS end

return plan
