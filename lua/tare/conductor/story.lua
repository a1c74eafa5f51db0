-- One launch of benches that are compared: set up, warm up, count, plan,
-- rounds, empty loop, tear down (story.run, at the end of this file). It is a
-- coroutine that runs no bench itself: it yields (bench, request), and is
-- resumed with the row from that bench's worker. The code that resumes it
-- reaches the workers: through links (tare.conductor), or in the same process
-- (tare.conductor.direct).
--
-- The LIMITS of a launch come from the code that runs it, which may change them
-- meanwhile:
--
--   by all
--     min_batch_ns   the least length of a batch, if calls are short enough
--     row_cost_ns    of a batch, besides its timed calls
--     resolution_ns  of the clock
--     stop?          set to end early
--     untimed_ns?    of untimed calls before a batch: see UNTIMED CALLS
--
--   by tare.conductor
--     in_turn_ns?    of untimed calls at the beginning of a turn: see TURNS in
--                    tare.conductor.order
--     free_width?    of a core that no other thread uses: see PATIENCE
--     on_known?      called when the times per call are known, and again when
--                    the allocations are known
--     is_last?       a function: whether this is the last launch
--   by tare.conductor.direct
--     is_manual?     the clock is made up
--     heap_bytes?    a function: the size of the heap now
--     is_precise?    called with a bench after each row: whether to stop
--     redraws?       there is a single process: see DRAWS
--   by tare.session, which runs in a host's loop
--     step_ns?, batch_ns?  the length of a step, and of a batch at most
--     gc_is_stopped? the host has stopped its collector
--     is_collected?  the host stops its collector, but collects by itself
--
-- What is in capitals is explained in tare.conductor.rounds.
local gc_modes = require "tare.base.gc_modes"
local gc_option = require "tare.base.gc_option"
local order = require "tare.conductor.order"
local pass_names = require "tare.base.passes"
local pass_plan = require "tare.conductor.pass_plan"
local returned = require "tare.worker.returned"
local rounds = require "tare.conductor.rounds"
local warmup = require "tare.conductor.warmup"

local story = {}

local MAX_INPUTS = 4096 -- most prepared inputs of a batch

-- SET UP ---------------------------------------------------------------------

local function prepare(bench)
  local info = bench:ask("prepare")
  if not info then return end
  bench:keep_info(info)
  if info.has_inputs then bench:limit_calls(MAX_INPUTS) end
  if bench.options.yields then bench:limit_calls(1) end
  if info.ignores_setting then bench:warn "setting_unused" end
end

-- Compares what benches return, where they have the option 'agree'. Each is
-- compared with the baseline, or else with the first bench of the list (not
-- with the first of this launch, whose order may be reversed).
local function compare_returned(benches, limits)
  local list, first = {}, nil
  for turn = 1, #benches do
    local bench = benches[order.place(turn, #benches, benches[1].launch)]
    table.insert(list, bench.cell.baseline and 1 or #list + 1, bench)
  end
  for _, bench in ipairs(list) do
    local is_asked = bench.options.agree and bench.info and not bench.error
      and not limits.stop
    if is_asked and not bench:has_room(1) then
      bench:fail "a quota of one call has none to see whether it agrees"
    end
    local here = is_asked and not bench.error and bench:run("returned", 1)
    if here then
      first = first or { id = bench.cell.id, returned = here.returned }
      local found = returned.difference(first.returned, here.returned)
      if found then bench:disagree(first.id, found) end
    end
  end
end

-- COUNT ----------------------------------------------------------------------

local HOOK_SLOWDOWN = 60 -- of a call by a count hook, at most
local HOOK_SHARE = 0.02 -- of the quota, to count instructions by default

-- Compiled code calls no hooks, so its instructions can't be counted.
local function counts_instructions(bench, limits)
  if bench.info.compiles then return false end
  local asked = bench.options.instructions
  local needs_ns = bench.quickest_ns * HOOK_SLOWDOWN
  if needs_ns > (limits.batch_ns or math.huge) then
    if asked then bench:warn "not_counted" end
    return false
  end
  if asked ~= nil then return asked end
  return needs_ns < (bench.options.quota.ns or 1e9) * HOOK_SHARE
end

local COLLECTS = 0.25 -- of a batch in a host's loop, for a part of a collection
local COLLECTS_SHARE = 0.125 -- of the quota, for all parts
local NS_PER_US = 1e3
local LONGEST_PART_NS = 1e8 -- where a step has no limit

-- In a host's loop a census starts from a collection in parts that fit a step,
-- instead of a full one. The first collection that ends may have begun before,
-- so a second one follows. Returns the figures of the second one, in the form
-- of a full collection's; nil where the quota has no room for it, or where the
-- collector is generational.
local function collect_in_parts(bench, limits)
  local has_whole_ones = gc_modes.of(bench.info.gc_mode).whole
  local until_ns = bench.spent_ns + COLLECTS_SHARE * bench.quota_ns
  local whole_ns, before_bytes
  repeat
    local part_ns = math.min(COLLECTS * limits.batch_ns,
      math.max(until_ns - bench.spent_ns, NS_PER_US), LONGEST_PART_NS)
    local part = bench:ask("collect", math.ceil(part_ns / NS_PER_US),
      2 * part_ns)
    if not part then return nil end
    before_bytes = before_bytes or part.heap_bytes
    if whole_ns then whole_ns = whole_ns + part.ns end
    if part.ended and whole_ns then
      return { ns = whole_ns, heap_bytes = part.heap_bytes,
        freed_bytes = math.max(0, before_bytes - part.heap_bytes) }
    end
    if part.ended then whole_ns = 0 end
    -- In generational mode a part is minor collections, and none ends a major
    -- one.
  until has_whole_ones or bench.spent_ns >= until_ns or limits.stop
end

local COUNTED_SHARE = 0.25 -- of a launch's quota, for what is counted in it

-- The exact figures, once per run. The number of counted calls follows from the
-- quickest batch of the warm-up, so that noise does not change the figures.
local function take_counts(bench, limits)
  local known = bench.known
  if known.census == nil then
    local requests = pass_plan.counting {
      call_ns = math.max(bench.quickest_ns, 1),
      quota_ns = bench.options.quota.ns or math.huge,
      batch_ns = limits.batch_ns, timeout_ns = bench.options.timeout,
      before = bench.cell.census_calls, is_jit = bench.info.compiles,
      most_calls = (bench.quota_calls - bench.calls) / 2,
      longest = bench.most_calls }
    for _, request in ipairs(requests) do
      local calls = request.calls or request.iters
      if not bench:has_room(calls) or bench.error then return end
      local op, full = request.op, nil
      if op == "census" and limits.batch_ns then
        op, full = "census_alone", collect_in_parts(bench, limits)
      end
      local figures = not bench.error and bench:run(op, request.iters,
        request.factor, calls)
      if not figures then return end
      if full then figures.full_collection = full end
      bench:keep_figures(request.op, figures)
    end
  end
  if known.instructions == nil and bench:has_room(1)
    and counts_instructions(bench, limits) then
    bench:keep_figures("instructions",
      bench:run("instructions", 1, HOOK_SLOWDOWN))
  end
end

-- What is counted is for all launches: this one, whose timed batches need its
-- quota, is charged no more than a share of it.
local function count(bench, limits)
  if limits.is_manual then return end
  if bench.options.yields then return end -- other coroutines allocate meanwhile
  local most_ns = bench.spent_ns + COUNTED_SHARE * bench.quota_ns
  take_counts(bench, limits)
  bench:charge(math.min(0, most_ns - bench.spent_ns))
end

-- THE END --------------------------------------------------------------------

local TRACED_NS = 1e6 -- of a batch while traces are recorded

-- The profile and LuaJIT's traces, once per run. They come after all rounds, so
-- that they don't affect them, and are not charged to the quota.
local function profile(bench, limits)
  if not bench.options.profile or bench.known.profile or limits.stop
    or limits.is_manual or not bench.quickest_ns then return end
  local spent_ns = bench.spent_ns
  local function take(name, calls, due_ns, op)
    local found = not bench.error
      and bench:ask(op or name, calls, due_ns)
    if found then
      found.spent_ns = nil
      bench:keep_figures(name, found)
    end
  end
  if bench.info.compiles and bench.info.watches_compiler
    and not limits.step_ns then
    take("traces", math.max(1, math.min(MAX_INPUTS,
      math.floor(TRACED_NS / math.max(bench.quickest_ns, 1)))))
  end
  local census = bench:census()
  local calls = census and census.iters == 1 and 1
    or pass_names.profiled_calls(bench.quickest_ns)
  local each_ns = 2 * bench.quickest_ns * pass_names.PROFILE_SLOWDOWN
  -- In a host's loop: as many calls as fit a step.
  while limits.step_ns and calls > 1 and calls * each_ns > limits.step_ns do
    calls = calls / 2
  end
  if limits.step_ns and calls * each_ns > limits.step_ns then
    bench:warn "not_profiled"
  else
    take("profile", calls, calls * each_ns,
      limits.step_ns and "profile_alone" or nil)
  end
  bench:charge(spent_ns - bench.spent_ns)
end

local KEPT_SHARE = 0.1 -- of the whole quota, for calls that show what is kept

-- The time of a full collection with all that the bench keeps, and, if the heap
-- has grown since the census, what is kept of as many calls again. Like the
-- profile, this is not charged to the quota.
local function collect_all(bench, limits)
  local spent_ns, first = bench.spent_ns, bench:full_collection()
  local full = bench:ask("full", 0, math.huge)
  local grown = full and first and full.heap_bytes - first.heap_bytes
  if grown and grown < pass_names.LEAST_RETAINED * bench.measured_calls then
    full.retained = { iters = bench.measured_calls, bytes = grown }
  elseif full and not limits.stop then
    local most_ns = KEPT_SHARE * (bench.options.quota.ns or math.huge)
    local calls = math.floor(math.min(bench:calls_made(), bench.most_calls,
      bench.quota_calls - bench.calls, most_ns / bench.quickest_ns))
    full = calls > 0 and bench:ask("full", calls, math.huge) or full
  end
  bench:keep_figures("full", full)
  bench:charge(spent_ns - bench.spent_ns)
end

local function finish(bench, limits)
  if not bench.error and bench.passes.paced then
    local pauses = bench:ask("pauses")
    bench:keep_pauses(pauses and pauses.pauses)
  end
  -- In the last launch, and also in the first, since a run may end before the
  -- last one.
  if not bench.error and bench.quickest_ns and limits.is_last
    and (not bench.known.full or limits.is_last()) then
    collect_all(bench, limits)
  end
  if not bench.error and bench.samples then profile(bench, limits) end
  if bench.samples and bench.calls > 0 and bench:measured_call_ns()
    and bench:measured_call_ns() > bench.quota_ns then
    bench:warn "quota_exceeded"
  end
  -- The figures lack the collector where the host has stopped it.
  local census, of_host = bench:census(), gc_option.of(bench.options.gc).of_host
  if bench.gc_is_stopped and (of_host or limits.is_collected)
    and (not census or census.bytes > 0) then
    bench:warn "collector_stopped"
  end
  bench:ask "finish"
  bench:enter "done"
end

--- A launch of benches that are compared. Runs as a coroutine: it yields
--- (bench, request) and is resumed with the worker's answer: a row, or nil,
--- message and code.
---@param benches table[] of tare.conductor.bench
---@param limits table see the head of this file
---@param round integer? the last round of the earlier launches
---@return integer round the last one
function story.run(benches, limits, round)
  -- SET UP
  for _, bench in ipairs(benches) do
    bench:begin(limits)
    if not limits.stop then prepare(bench) end
  end
  compare_returned(benches, limits)
  -- WARM UP
  for _, bench in ipairs(benches) do
    if bench.info and not bench.error and not limits.stop then
      warmup.run(bench)
    end
  end
  if limits.on_known then limits.on_known() end
  -- COUNT
  local ready = {}
  for _, bench in ipairs(benches) do
    -- Calls are so slow that the warm-up has spent the quota of this launch.
    if bench.stage == "warm up" and bench.singles
      and bench.spent_ns >= bench.quota_ns
      and rounds.fewest_calls(bench) == 1 then
      bench:take_singles()
    end
    local may_go_on = bench.stage == "warm up" and not bench.error
    if may_go_on and not limits.stop then count(bench, limits) end
    if may_go_on and not bench.error and not limits.stop then
      ready[#ready + 1] = bench
    end
  end
  if limits.on_known then limits.on_known() end
  -- PLAN, ROUNDS and THE EMPTY LOOP
  local last = rounds.measure(ready, limits, round or 0)
  -- THE END
  for _, bench in ipairs(benches) do
    if limits.stop and not bench.error and bench.stage ~= "measured" then
      bench:warn "interrupted"
    end
    finish(bench, limits)
  end
  return last
end

--- A launch that measures nothing: each bench makes as many calls as its quota
--- has, between its set-up and its teardown.
---@param benches table[]
---@param limits table
---@return integer round
function story.call(benches, limits)
  for _, bench in ipairs(benches) do
    bench:begin(limits)
    local info = not limits.stop and bench:ask "prepare"
    local left = bench.quota_calls
    while left > 0 and not bench.error and not limits.stop do
      local calls = info.has_inputs and math.min(left, MAX_INPUTS) or left
      bench:ask("call", calls)
      left = left - calls
    end
    if left > 0 and not bench.error then
      bench:fail("it was interrupted", "interrupted")
    end
    bench:ask "finish"
    bench:enter "done"
  end
  return 0
end

return story
