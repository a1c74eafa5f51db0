-- The plan of a launch for the passes between its timed batches, and for the
-- passes that count (tare.base.passes). Its input is figures and rows alone.
-- Before each timed batch, tare.conductor.rounds asks it for the next request
-- to the worker, one of these:
--
--   paced    a batch in which tare runs the collector between short chunks of
--            calls and times both
--   inside   the same, with the collector's steps inside calls
--   stopped  a batch with the collector stopped ('--gc arms')
--   time     a batch like the timed ones, for the pass 'counts'
local gc_modes = require "tare.base.gc_modes"
local gc_option = require "tare.base.gc_option"
local batch_sizes = require "tare.conductor.sizes"
local pass_names = require "tare.base.passes"
local plan = require "tare.analysis.plan"
local random = require "tare.base.random"

local pass_plan = {}
pass_plan.__index = pass_plan

-- SHARES of a launch's time. The second pass has the share of its way of --gc
-- (tare.base.gc_option); RARE_SHARE, if larger, where that share has no room
-- for FEW_COLLECTIONS.
local RARE_SHARE = plan.RARE_SHARE
local FEW_COLLECTIONS = 12 -- in the paced rows of a launch
local COUNTS_SHARE = 0.1

-- ROWS. Before each row other processes have used the caches. Its first
-- collection, which goes through the whole heap, pays for most of that: 65 us
-- on one machine, which was a twentieth of the collector's time in rows of 2
-- ms. So paced rows are longer than that. Rows with the collector stopped have
-- no collection.
local MOST_ROWS = 60
local PACED = { pass = "paced", row_ns = 10e6, fewest = 3 }
local STOPPED = { pass = "stopped", row_ns = 2.5e6, fewest = 8 }
-- The KIND of a bench's second pass, by --gc (tare.base.gc_option).
local KINDS = { paced = PACED, stopped = STOPPED }
--- A call of a second pass takes up to this many times as long as a timed one.
pass_plan.DEARER = 2
-- A stretch of consecutive paced rows ends after this many collections: the
-- cost of a collection can't be derived from rows that hold only parts of one.
-- The first collection of a stretch had begun before it, so that one is lost.
local STRETCH_COLLECTIONS = 5
-- A stretch begins where timed rows have just ended a collection. Otherwise the
-- timed rows would stop in the midst of a collection and go on at the beginning
-- of another, and so have fewer collections than their calls cause. A stretch
-- waits for such an end during the calls of LONGEST_WAIT collections at most.
local LONGEST_WAIT = 1.5

-- CALLS WITH COLLECTIONS INSIDE. From INSIDE collections per call on, steps run
-- inside calls. Steps after a call would find the call's objects dead, and cost
-- less. And the garbage of whole calls would leave the heap and the system's
-- allocator in a state that timed batches never have, which would also affect
-- the batches that follow. For the same reason these batches are no longer than
-- timed ones: when they were longer, an element of the longest vector of the
-- examples seemed to take 1.3 times as long as an element of the shortest,
-- without the collector.
local INSIDE = 0.1
local FEWEST_SEEN = 3 -- least collections that give their number per call
local HOOKED = 2.5 -- first guess of the slowdown by the count hook
local COLLECTIONS_A_ROW = 3 -- with steps inside, if timed rows are that long

-- WITH THE COLLECTOR STOPPED. The garbage of a batch, as a share of the heap:
-- small enough that the memory of the last batch is reused, as it would be with
-- the collector.
local GARBAGE, LEAST_GARBAGE_BYTES, OF_CAP = 0.25, 2^18, 0.5
-- Calls in all, with those that collect the garbage, per timed call of a batch
-- with the collector stopped.
local CALLS_IN_ALL = 1 + pass_names.SETTLING_BATCHES

-- COUNTS. Batches so short that some have a collection and others have none:
-- from one call to LONGEST times the calls between two collections.
local COUNTS_ROWS, FEWEST_COUNTS = 160, 6
local LONGEST = 1.25
local COUNTS_AFTER = 0.5 -- of the timed rows come first
local ENOUGH = 6 -- least collections that give the calls between two of them
local ROW_COST_NS = 2e4 -- of such a batch, besides its calls

-- COUNTED CALLS. As many calls come before them that are not counted. Their
-- number is always one of these, so that figures repeat. Of slower calls a
-- single one is counted, with no call before it: its figures include what only
-- the first call after a collection allocates.
local CENSUS_CALLS = { pass_names.COUNTED_CALLS, 2 }
-- SHARES of the whole quota, not of the first launch, whose calls these are.
local CENSUS_SHARE, LONG_SHARE = 0.1, 0.02
local CENSUS_TRIES = 4 -- on LuaJIT; more are rare (tare.worker.probe)
local MOST_ROUNDS = 8 -- on LuaJIT, all calls by counted calls, at most
local LONG_CALLS, LEAST_LONG_CALLS = 20000, 64
local COUNTED_SLOWDOWN = 2 -- of a call by counting its allocations

--- The requests of the counted passes, which are taken once per run, in the
--- first launch.
---@param given { call_ns: number, quota_ns: number, batch_ns: number?,
---  timeout_ns: number?, before: integer?, is_jit: boolean?, longest: number?,
---  most_calls: number? } quota_ns: of all launches; before: calls of the
---  census that this one will be compared with (a stored report's); longest:
---  the most calls of a batch, however short these are; most_calls: that the
---  quota has room for
---@return { op: string, iters: integer, factor: number, calls: integer? }[] op:
---  also the name of the pass; calls: number of calls made, if more than
---  'iters'
function pass_plan.counting(given)
  local call_ns, iters = given.call_ns, 1
  local tries = given.is_jit and CENSUS_TRIES or 1
  local limit_ns = math.min(given.batch_ns or math.huge,
    (given.timeout_ns or math.huge) / (2 * CENSUS_TRIES))
  -- As many uncounted calls come before the counted ones; on LuaJIT there are
  -- several tries.
  local function calls_for(count)
    return count * (given.is_jit and MOST_ROUNDS or count > 1 and 2 or 1)
  end
  for _, count in ipairs(CENSUS_CALLS) do
    local share = given.before == count and 1 or CENSUS_SHARE
    if iters == 1 and count <= (given.before or count)
      and 2 * count * call_ns < math.min(share * given.quota_ns, limit_ns)
      and calls_for(count) <= (given.most_calls or math.huge) then
      iters = count
    end
  end
  local list = { { op = "census", iters = iters,
    calls = calls_for(iters),
    factor = COUNTED_SLOWDOWN * (tries + (iters > 1 and 1 or 0)) } }
  local long = math.floor(math.min(LONG_CALLS, given.longest or math.huge,
    limit_ns / (COUNTED_SLOWDOWN * call_ns),
    LONG_SHARE * given.quota_ns / (COUNTED_SLOWDOWN * call_ns)))
  if long >= LEAST_LONG_CALLS and iters > 1 then
    list[2] = { op = "long_census", iters = long, factor = COUNTED_SLOWDOWN }
  end
  return list
end

-- The share for the second pass (tare.base.gc_option); 0 if the collector has
-- no part in the time, because the bench does not allocate or the host has
-- stopped the collector. A census may count nothing although a long run
-- allocates: there, counted calls find strings that the calls before them have
-- made.
local function share_of(given)
  local way = gc_option.of(given.gc)
  if not gc_option.second(given.gc, given.split)
    or way.optional and given.running == false
    or not given.census
    or given.census.bytes == 0 and not given.collects then
    return 0
  end
  if not (given.call_ns > 0 and given.budget_ns < math.huge) then return 0 end
  return way.share
end

-- The share of the pass 'counts'. Only in modes whose collections run in one
-- piece: 0 where they are spread over many calls.
local function counts_share(given)
  if not given.split or given.batch_ns
    or not gc_modes.of(given.heap.gc_mode).whole
    or FEWEST_COUNTS * given.call_ns > COUNTS_SHARE * given.budget_ns then
    return 0
  end
  return COUNTS_SHARE
end

-- The most calls of a batch in which a call takes 'factor' times as long.
local function most_calls(given, factor)
  local by_time = given.batch_ns and given.batch_ns / given.call_ns or math.huge
  return math.max(1, math.floor(math.min(given.most_calls or math.huge,
    by_time) / factor))
end

-- The most calls of a batch with the collector stopped.
local function stopped_calls(given)
  local each = math.max(1, given.census.bytes / given.census.iters)
  local bytes = math.min((given.memory_cap or math.huge) * OF_CAP,
    math.max(LEAST_GARBAGE_BYTES, (given.heap.heap_bytes or 0) * GARBAGE))
  return math.max(1, math.floor(bytes / each))
end

--- The plan of a launch of a bench.
---@param given table gc, split, heap (of tare.conductor.bench), hooks (whether
---  code calls hooks), running (whether the host lets the collector run),
---  collects? (whether the warm-up had collections of the bench's garbage),
---  census, call_ns, budget_ns (for timed rows and all rows of this plan),
---  most_calls? (of a batch), batch_ns? (longest batch), memory_cap, seed
---@return table plan 'share': its share of the budget
function pass_plan.new(given)
  local self = setmetatable({ given = given, share = share_of(given),
    spent_ns = 0, counted_ns = 0, made = {},
    stretch = { collections = 0, rows = 0 }, hooked = HOOKED,
    since_end = 0, longest_timed = 1,
    seen = { calls = 0, collections = 0, ns = 0 } }, pass_plan)
  if self.share == 0 then return self end
  local kind = KINDS[gc_option.of(given.gc).second]
  self.kind = kind
  local between = plan.calls_between(given.census.bytes / given.census.iters,
    given.heap)
  local collection_ns = between * given.call_ns
  self.between = between
  if kind == PACED and self.share * given.budget_ns
    < math.max(FEW_COLLECTIONS * collection_ns,
      kind.fewest * given.call_ns) then
    self.share = math.max(self.share, RARE_SHARE)
  end
  self.budget_ns = self.share * given.budget_ns
  local of_counts = counts_share(given)
  self.counts_ns = of_counts * given.budget_ns
  self.share = math.min(0.9, self.share + of_counts)
  local rows = math.max(kind.fewest,
    math.min(MOST_ROWS, self.budget_ns / kind.row_ns))
  self.row_ns = self.budget_ns / rows
  if kind == STOPPED then
    self.iters = math.max(1, math.min(most_calls(given, CALLS_IN_ALL),
      math.floor(self.row_ns / given.call_ns), stopped_calls(given)))
    self.row_ns = CALLS_IN_ALL * self.iters * given.call_ns
    self.budget_ns = math.min(self.budget_ns,
      2 * MOST_ROWS * self.row_ns)
  end
  self.random = random.generator(given.seed or 1)
  return self
end

-- Collections per call, from timed rows and from paced rows with steps between
-- calls; from the census where too few were seen.
local function collections_a_call(self)
  local seen = self.seen
  if seen.collections < FEWEST_SEEN then return 1 / self.between end
  return seen.collections / seen.calls
end

-- Whether timed rows are in the midst of a collection. 'since_end': their calls
-- since the row in which one ended.
local function is_in_collection(self)
  return self.since_end > 0
    and self.since_end * collections_a_call(self) < LONGEST_WAIT
end

-- The mean time of a call in the rows until now. The warm-up's time is no
-- substitute: after a warm-up that ended with a collection, calls seem far
-- slower, and paced rows would be too short.
local function seen_call_ns(self)
  local seen = self.seen
  return seen.ns > 0 and seen.ns / seen.calls or self.given.call_ns
end

-- The calls of a paced row.
local function paced_calls(self)
  return math.max(1, math.min(most_calls(self.given, pass_plan.DEARER),
    math.floor(self.row_ns / seen_call_ns(self))))
end

-- The request of a row of the second pass.
local function request_for(self, op, most)
  local given, kind, iters = self.given, self.kind
  if kind == STOPPED then
    iters = self.iters
  elseif op == "paced" then
    iters = paced_calls(self)
  else
    iters = math.max(1, math.ceil(COLLECTIONS_A_ROW / collections_a_call(self)),
      math.floor(PACED.row_ns / (self.hooked * given.call_ns)))
    iters = math.min(iters, most_calls(given, self.hooked), self.longest_timed)
  end
  iters = math.min(iters, most)
  self.op = op
  return { op = op, iters = iters, pass = kind.pass,
    calls = kind == STOPPED and CALLS_IN_ALL * iters or nil }
end

-- The sizes of the pass 'counts', shuffled; nil if too few fit.
local function plan_counts(self)
  local seen, given = self.seen, self.given
  self.has_planned_counts = true
  if seen.collections < ENOUGH then return nil end
  local calls = math.min(seen.calls / seen.collections, most_calls(given, 1))
  local largest = math.max(LONGEST * calls, 2)
  local row_ns = largest / 2 * given.call_ns + ROW_COST_NS
  local rows = math.min(COUNTS_ROWS, math.floor(self.counts_ns / row_ns))
  if rows < FEWEST_COUNTS then return nil end
  local sizes, shift = {}, self.random(1000) / 1000 -- differs by launch
  for i = 1, rows do
    sizes[i] = math.max(1, math.floor(largest * (i - shift) / rows + 0.5))
  end
  batch_sizes.shuffle(sizes, self.random)
  return sizes
end

-- The request for the next row of the pass 'counts'; nil after the last. These
-- rows follow each other directly, so that they collect their own garbage.
local function next_count(self)
  local sizes = self.sizes
  local size = sizes and table.remove(sizes)
  if not size or self.counted_ns > self.counts_ns then
    self.sizes = nil
    return nil
  end
  return { op = "time", iters = size, pass = "counts" }
end

--- The next request for the worker; nil if a timed row is next, or if nothing
--- is left to do.
---@param done number share of the timed rows that are done, in [0, 1]
---@param most integer? calls of a row of the second pass
---@return { op: string, iters: integer, pass: string }?
function pass_plan:next(done, most)
  most = most or math.huge
  if self.share == 0 then return nil end
  -- A STRETCH goes on until it has enough collections, as long as there is
  -- time.
  local left_ns = self.budget_ns - self.spent_ns
  if self.stretch.rows > 0 then
    if self.stretch.collections < STRETCH_COLLECTIONS and left_ns > 0 then
      return request_for(self, self.op, most)
    end
    self.stretch = { collections = 0, rows = 0 }
  end

  if not self.has_planned_counts and self.counts_ns > 0
    and done >= COUNTS_AFTER then
    self.sizes = plan_counts(self)
  end
  local count = self.sizes and next_count(self)
  if count then return count end

  -- Stretches are spread evenly over the timed rows: each is in the middle of
  -- its part of them.
  local is_paced, row_ns = self.kind == PACED, self.row_ns
  if is_paced then row_ns = math.max(row_ns, seen_call_ns(self)) end
  local due = self.spent_ns + row_ns / 2 <= done * self.budget_ns
  if not due or left_ns <= 0 then return nil end
  if not is_paced then return request_for(self, "stopped", most) end
  if done < 1 and is_in_collection(self) then return nil end
  local is_inside = self.given.hooks and collections_a_call(self) >= INSIDE
  return request_for(self, is_inside and "inside" or "paced", most)
end

--- Records a row of the launch, whether timed or of a pass.
---@param request { op: string, iters: integer, pass: string? }
---@param row table? nil: it failed
function pass_plan:saw(request, row)
  if self.share == 0 or not row then return end
  local op, iters = request.op, request.iters
  -- The first row of a kind also makes the pacer (tare.worker), which is not
  -- charged.
  local makes = op ~= "stopped" and not self.made[op]
  local spent_ns = not makes and row.spent_ns or row.wall_ns or 0
  self.made[op] = true
  local collections = (row.gc_minor or 0) + (row.gc_major or 0)
  if collections ~= collections then collections = 0 end -- NaN: not counted
  if op == "time" or op == "paced" then
    local seen = self.seen
    seen.calls, seen.collections = seen.calls + iters,
      seen.collections + collections
    seen.ns = seen.ns + (row.wall_ns or 0)
    self.since_end = collections > 0 and 0 or self.since_end + iters
  end
  if op == "time" then
    if request.pass then
      self.counted_ns = self.counted_ns + spent_ns
    else
      self.longest_timed = math.max(self.longest_timed, iters)
    end
    return
  end
  self.spent_ns = self.spent_ns + spent_ns
  local stretch = self.stretch
  stretch.rows = stretch.rows + 1
  stretch.collections = stretch.collections + collections
  if op == "stopped" then stretch.collections = STRETCH_COLLECTIONS end
  if op == "inside" then
    self.hooked = math.max(1, spent_ns / (iters * self.given.call_ns))
  end
end

return pass_plan
