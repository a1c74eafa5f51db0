-- One launch of benches that are compared: set up, warm up, count, plan,
-- rounds, empty loop, tear down. A coroutine that runs no bench itself: it
-- yields (bench, request) and is resumed with the row of that bench's worker.
-- Whoever resumes it reaches the workers: through links (tare.conductor), or in
-- the same process (tare.conductor.direct).
--
-- The LIMITS of a launch are made by who runs it, and may change meanwhile:
--
--   by all
--     min_batch_ns   the least length of a batch, if calls are short enough
--     row_cost_ns    of a batch, beside its calls
--     resolution_ns  of the clock
--     stop?          set to end early
--   by tare.conductor
--     untimed_ns?    of calls that begin a turn: see TURNS
--     free_width?    of a core that nobody shares: see PATIENCE
--     on_known?      called when the times per call are known, and when the
--                    allocations are
--     is_last?       whether this is the last launch, a function
--   by tare.conductor.direct
--     is_manual?     the clock is made up
--     heap_bytes?    the heap now, a function
--     is_precise?    called with a bench after each row: whether to stop
--     redraws?       one process is all there is: see DRAWS
--   by tare.session, which has a host's loop
--     step_ns?, batch_ns?  the length of a step, and of a batch at most
--     is_stopped?    the host has stopped its collector
--     is_collected?  it collects all the same
local gc_option = require "tare.base.gc_option"
local pass_names = require "tare.base.passes"
local pass_plan = require "tare.conductor.pass_plan"
local returned = require "tare.worker.returned"
local batch_sizes = require "tare.conductor.sizes"
local Warmup = require "tare.conductor.warmup"

local story = {}

local TICKS_A_BATCH = 30 -- least length of a batch, in ticks of the clock
local COARSE_NS = 1e4 -- a clock with ticks this long is coarse
local MAX_INPUTS = 4096 -- most prepared inputs of a batch
local SHORTEST = 4 -- ratio of batch sizes if the longest batch is limited
local TOO_LONG = 3 -- calls in a row longer than a step: the bench is given up
local QUICKEST_NS = 0.01 -- that a call in a loop can take on any processor

-- The least length of a batch, if calls are short enough.
local function min_batch_ns(limits)
  return math.min(math.max(limits.min_batch_ns,
    TICKS_A_BATCH * limits.resolution_ns), (limits.batch_ns or math.huge)
    / SHORTEST)
end

-- What a batch takes beside its calls.
local function beside_ns(row)
  return math.max(0, (row.spent_ns or 0) - row.wall_ns)
end

-- SET UP ---------------------------------------------------------------------

local function prepare(bench, first)
  local info = bench:ask("prepare")
  if not info then return end
  bench:uncharge(0) -- the quota is for calls
  bench.info = info
  if info.per_call then bench:limit_calls(MAX_INPUTS) end
  if bench.options.yields then bench:limit_calls(1) end
  if info.ignores_setting then bench:warn "setting_unused" end
  bench.is_stopped = info.is_running == false
  if not bench.options.agree then return end
  local here = bench:ask("returned")
  if not here then return end
  first.call = first.call or { id = bench.cell.id, there = here.returned }
  local found = returned.difference(first.call.there, here.returned)
  if found then
    bench:fail(("does not agree with %s: %s"):format(first.call.id, found))
  end
end

-- WARM UP --------------------------------------------------------------------

-- Whether calls were longer than the host's step so often that the bench is
-- given up. One that yields may have waited.
local function exceeds_steps(bench, limits, row, iters, is_over)
  if iters > 1 or bench.options.yields
    or bench.ran_ns(row) <= (limits.step_ns or math.huge) then
    bench.too_long = 0
    return false
  end
  bench.too_long = bench.too_long + 1
  if bench.too_long < (is_over and 1 or TOO_LONG) then return false end
  bench:warn "budget_exceeded"
  return true
end

-- Whether a bench's own batch() does the same whatever it is asked for: it has
-- failed then. A warm-up may end before that is seen.
local function lacks_loop(bench, row, iters)
  if bench.info.loop ~= "batch" or row.wall_ns <= 0
    or row.wall_ns / iters >= QUICKEST_NS then
    return false
  end
  bench:fail(("batch(n) took %.0f ns with n = %.0f: it must make n calls "
    .. "(for _ = 1, n do ... end)"):format(row.wall_ns, iters))
  return true
end

local FIRST = 0.25 -- of a batch, that a warm-up begins with

local function warm_up(bench, limits)
  local quota = { ns = bench.quota_ns < math.huge and bench.quota_ns or nil,
    calls = bench.quota_calls < math.huge and bench.quota_calls or nil }
  local is_coarse = limits.resolution_ns >= COARSE_NS
  bench.stage = "warm up"
  bench.tick_ns = is_coarse and limits.resolution_ns or 0
  -- The first batch has one call, unless an earlier launch has shown how long
  -- a call takes.
  local expected_ns, first = bench.expected_ns or 0, 1
  if expected_ns > 0 then
    first = math.max(1, math.floor(math.min(bench:room(),
      FIRST * min_batch_ns(limits) / expected_ns)))
  end
  local warmup = Warmup.new(quota, bench.warmup_most, bench.tick_ns, first)
  local is_over, before_first_ns
  repeat
    local iters = math.min(warmup.iters, bench:batch_max(limits))
    local row = bench:run("warm", iters)
    if not row then return end
    if bench:read_flags(row, iters) then
      local before_ns, min_ns = bench.call_ns, min_batch_ns(limits)
      bench.beside_ns = beside_ns(row)
      local collections = (row.gc_minor or 0) + (row.gc_major or 0)
      if collections > 0 then -- not NaN: where they are not counted
        bench.collections = bench.collections + collections
      end
      local ran_ns = bench.ran_ns(row)
      -- The first request sets the collector up, too, which is long beside a
      -- large heap: that is no part of a warm-up.
      before_first_ns = before_first_ns
        or math.max(0, (row.spent_ns or 0) - row.wall_ns)
      bench.call_ns = warmup:estimate(iters, ran_ns, min_ns,
        iters >= bench:batch_max(limits))
      bench.quickest_ns = math.min(bench.quickest_ns or math.huge,
        bench.call_ns)
      is_over = warmup:observe({ iters = iters, ns = ran_ns,
          events = row.jit_events or 0 }, before_ns,
        { ns = bench.spent_ns - before_first_ns, calls = bench.calls },
        { min_batch_ns = min_ns, most_calls = bench:batch_max(limits),
          calls = math.min(bench:room(), bench:batch_max(limits)) })
      bench:keep_single(row, iters)
      if lacks_loop(bench, row, iters) then return end
      if exceeds_steps(bench, limits, row, iters, is_over)
        or not bench:has_room(0) then
        bench:take_singles(row)
        bench.stage = "measured"
        return
      end
    end
  until is_over or limits.stop
  -- What a call takes without a burst (tare.conductor.bench), which the last
  -- batches of a few calls may have had.
  if limits.batch_ns then bench.call_ns = bench.quickest_ns end
  bench.warmed_up = { calls = bench.calls, ns = bench.spent_ns }
  if not warmup.settled then bench:warn "not_settled" end
end

-- COUNT ----------------------------------------------------------------------

local HOOK_SLOWDOWN = 60 -- of a call under a count hook, at most
local HOOK_SHARE = 0.02 -- of the quota, to count instructions by default

-- Compiled code calls no hooks, so its instructions can't be counted.
local function counts_instructions(bench, limits)
  if bench.info.compiles then return false end
  local needs_ns = bench.quickest_ns * HOOK_SLOWDOWN
  if needs_ns > (limits.batch_ns or math.huge) then return false end
  local asked = bench.options.instructions
  if asked ~= nil then return asked end
  return needs_ns < (bench.options.quota.ns or 1e9) * HOOK_SHARE
end

local COLLECTS = 0.25 -- of a batch in a host's loop, that a part takes
local COLLECTS_SHARE = 0.125 -- of the quota, that all of them take
local NS_PER_US = 1e3
local LONGEST_PART_NS = 1e8 -- where a step may take for ever

-- In a host's loop, what a census starts from: a cycle of the collector in
-- parts that fit a step. The first that ends may have begun before. Returns
-- what the second one took, as a full collection does; nil where the quota has
-- no room for it, and where the collector is generational.
local function collect_in_parts(bench, limits)
  local is_generational = bench.info.gc_mode == "generational"
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
    -- Generational, a part is minor collections, and none ends a cycle.
  until is_generational or bench.spent_ns >= until_ns or limits.stop
end

-- The exact figures, once per run. The number of counted calls follows from the
-- quickest batch of the warm-up, so that noise does not change the figures.
local function count(bench, limits)
  if limits.is_manual then return end
  if bench.options.yields then return end -- others allocate meanwhile
  local known = bench.known
  if known.census == nil then
    local requests = pass_plan.counting {
      call_ns = math.max(bench.quickest_ns, 1), quota_ns = bench.quota_ns,
      batch_ns = limits.batch_ns, timeout_ns = bench.options.timeout,
      before = bench.cell.census_calls, is_jit = bench.info.compiles,
      most_calls = (bench.quota_calls - bench.calls) / 2 }
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

-- PLAN -----------------------------------------------------------------------

local SHARED_RATIO = 2 -- ratio of call times up to which benches share sizes
local FEWEST_SHARED_ROWS = 24
local EMPTY_SHARE = 0.05 -- of the quota, for the empty loop
local EMPTY_MOST_NS = 2e7
local ONE_BY_ONE = { kind = "fixed" }
local EARLIER = 3 -- collections in a warm-up that may be of earlier garbage

local function empty_ns(bench, limits)
  if limits.is_manual or bench.info.per_call or bench.info.loop == "batch"
    or bench.options.yields then
    return 0
  end
  return math.min(EMPTY_SHARE * bench.quota_ns, EMPTY_MOST_NS)
end

-- Plans the passes between the timed batches, which get the rest of the quota.
local function plan_passes(bench, limits)
  local options = bench.options
  local budget_ns = math.max(0, bench.quota_ns - bench.spent_ns
    - empty_ns(bench, limits))
  local budget_calls = bench.quota_calls - bench.calls
  bench.pass_plan = not limits.is_manual
    and not options.yields and pass_plan.new {
    gc = options.gc, split = options.split, gc_mode = bench.info.gc_mode,
    hooks = not bench.info.compiles, running = bench.info.is_running,
    census = bench:census(),
    collects = bench.collections > EARLIER,
    call_ns = bench.call_ns,
    budget_ns = math.min(budget_ns, budget_calls * bench.call_ns),
    budget_calls = budget_calls < math.huge and budget_calls or nil,
    most_calls = bench.most_calls < math.huge and bench.most_calls or nil,
    batch_ns = limits.batch_ns, memory_cap = options.memory_cap,
    heap_bytes = bench.info.heap_bytes, seed = bench.seed } or nil
  local share = 1 - (bench.pass_plan and bench.pass_plan.share or 0)
  if options.rehearse then share = share / 2 end
  bench.budget_ns, bench.budget_calls = budget_ns * share, budget_calls * share
end

-- Sizes of the timed batches that fit the budget if a call takes 'call_ns'; at
-- most 'most_rows'.
local function sizes_of(bench, limits, call_ns, most_rows)
  local schedule = bench.options.yields and ONE_BY_ONE
    or bench.options.schedule
  return batch_sizes.of(schedule, {
    call_ns = call_ns, budget_ns = bench.budget_ns,
    budget_calls = bench.budget_calls,
    min_batch_ns = min_batch_ns(limits), most_rows = most_rows,
    row_cost_ns = limits.row_cost_ns,
    batch_max = bench:batch_max(limits, nil, true) })
end

local function calls_of(sizes)
  local calls = 0
  for _, size in ipairs(sizes) do calls = calls + size end
  return calls
end

-- The fewest calls of a batch. A bench has one such batch even if its share of
-- the quota is spent: a process that waited for its core may have spent it on
-- one quick call.
local function fewest_calls(bench, limits)
  if bench.quota_calls < math.huge then return 1 end
  return math.max(1, math.floor(math.min(bench:batch_max(limits),
    batch_sizes.fewest_calls(bench.call_ns, min_batch_ns(limits)))))
end

local function set_sizes(bench, limits, sizes)
  if #sizes == 0 and bench.calls < bench.quota_calls then sizes = { 1 } end
  local fewest = fewest_calls(bench, limits)
  for i, size in ipairs(sizes) do sizes[i] = math.max(size, fewest) end
  local options = bench.options
  bench.planned, bench.position = #sizes, 1
  bench.sizes = options.rehearse and batch_sizes.doubled(sizes) or sizes
  bench:forget_rows(options.discard and 2 * #sizes or #sizes)
end

-- Where others take the core every few milliseconds, the warm-up finds a call
-- slow, since each batch begins with the caches that they left. Batches of few
-- calls would then be slow, too: so a call is not planned to take much longer
-- than it did in the first launch. Where it does, batches are longer and fewer.
local DOUBTED = 2

-- Benches that are compared have batches of the same sizes in the same rounds.
-- If their call times differ too much, only the number of batches is the same.
local function plan_batches(benches, limits)
  local slowest, quickest = 0, math.huge
  for _, bench in ipairs(benches) do
    if (bench.expected_ns or 0) > 0 then
      bench.call_ns = math.min(bench.call_ns, DOUBTED * bench.expected_ns)
    end
    plan_passes(bench, limits)
    slowest = math.max(slowest, bench.call_ns)
    quickest = math.min(quickest, bench.call_ns)
  end
  local shares_sizes = #benches > 1 and slowest < quickest * SHARED_RATIO
  local least, fewest, most
  for _, bench in ipairs(benches) do
    local sizes = sizes_of(bench, limits,
      shares_sizes and slowest or bench.call_ns)
    batch_sizes.shuffle(sizes, bench.random)
    bench.sizes = sizes
    if not least or calls_of(sizes) < calls_of(least) then least = sizes end
    fewest = math.min(fewest or math.huge, #sizes)
    most = math.max(most or 0, #sizes)
  end
  for _, bench in ipairs(benches) do
    local sizes = bench.sizes
    if shares_sizes then
      sizes, bench.call_ns = least, slowest
    elseif fewest < most and fewest >= FEWEST_SHARED_ROWS then
      sizes = sizes_of(bench, limits, bench.call_ns, fewest)
      batch_sizes.shuffle(sizes, bench.random)
    end
    set_sizes(bench, limits, sizes)
    bench.stage = "measure"
  end
end

-- ROUNDS ---------------------------------------------------------------------

local LOOK_AFTER = 3 -- rounds, after which the plan is checked
local MISLED = 1.5 -- calls quicker than planned by this factor: plan again
local MOST_PLANS = 3

-- The next size that fits the rest of the quota, or nil. If not even the first
-- batch fits, the fewest calls are measured anyway, since the bench would have
-- no result.
local function next_size(bench, limits)
  local room = bench:room()
  while bench.sizes[bench.position] and bench.sizes[bench.position] > room do
    bench.position = bench.position + 1
  end
  local size = bench.sizes[bench.position]
  if not size and bench.rows == 0 and bench.calls < bench.quota_calls then
    bench.position, size = #bench.sizes, fewest_calls(bench, limits)
  end
  return size and math.min(size, bench:batch_max(limits),
    bench.clean_most or math.huge)
end

-- Runs the batches of other passes (paced, stopped, counts) that are due when
-- the share 'done' of the timed batches is done.
local function run_passes(bench, limits, round, done)
  while bench.pass_plan and not bench.error do
    local request = bench.pass_plan:next(done, limits.batch_ns
      and bench:batch_max(limits, pass_plan.DEARER))
    local calls = request and (request.calls or request.iters)
    if not request or not bench:has_room(calls - 1) then return end
    local row = bench:run(request.op, request.iters,
      request.op ~= "time" and pass_plan.DEARER or nil, calls)
    bench.pass_plan:saw(request, row)
    if row and request.pass and bench:read_flags(row, request.iters) then
      bench:keep_in(request.pass, row, round)
    end
  end
end

-- PATIENCE: a batch is of little use while another hardware thread uses the
-- same core, so the bench waits: a request with 'wait_ms' is sent that much
-- later, and 'waited_ns' set to how long that was: a busy system wakes us late.
-- LOOK_MS, MOST_LOOK_MS: first and longest wait between two looks. HOPELESS: if
-- the core was never free during this share of the patience, this launch waits
-- no more.
local LOOK_MS, MOST_LOOK_MS = 1, 20
local HOPELESS = 0.3

local function wait_for_core(bench, limits)
  local free = limits.free_width
  local width, wait_ms = bench.width, LOOK_MS
  while free and width and width < free and not limits.stop
    and bench.waited_ns + wait_ms * 1e6 <= bench.patience_ns do
    if not bench.has_seen_free
      and bench.waited_ns > HOPELESS * bench.patience_ns then
      return
    end
    bench.request.wait_ms, bench.request.waited_ns = wait_ms, wait_ms * 1e6
    local row = bench:ask("look")
    bench.waited_ns = bench.waited_ns + bench.request.waited_ns
    bench.request.wait_ms, bench.request.waited_ns = nil, nil
    if not row then return end
    width, wait_ms = row.width, math.min(2 * wait_ms, MOST_LOOK_MS)
  end
  if free and width and width >= free then bench.has_seen_free = true end
end

-- DISCARD, as Keirin does (R. Bowyer's library for Clojure): a batch in which a
-- collection ended, or the compiler was at work, is measured again, and after
-- two in a row with half as many calls, until batches without them exist. There
-- are at most as many such batches again as batches that were planned. What is
-- left out is decided by the analysis, which has all of them.
local DIRTY_IN_A_ROW = 2

-- Whether to measure this batch again.
local function is_discarded(bench, row, iters)
  local is_dirty = false
  for _, kind in ipairs(bench.options.discard or {}) do
    local seen = kind == "gc" and (row.gc_minor or 0) + (row.gc_major or 0)
      or kind == "jit" and row.jit_events or 0
    is_dirty = is_dirty or seen > 0
  end
  bench.dirty = is_dirty and bench.dirty + 1 or 0
  if not is_dirty or bench.discarded >= bench.planned then
    return false
  end
  bench.discarded = bench.discarded + 1
  if bench.dirty >= DIRTY_IN_A_ROW and iters > 1 then
    bench.clean_most, bench.dirty = math.floor(iters / 2), 0
  end
  return true
end

-- TURNS. While other workers had their turn, they filled the caches with their
-- heaps, so a function that allocates takes longer until its own heap is back:
-- by 0.1 ms in all, more or less as the others use the caches. So a turn begins
-- with calls that are not timed. Not where the quota is one of calls, where
-- each call has an input of its own or may yield, or where a collection comes
-- before each batch.
local function untimed_calls(bench, limits)
  if not limits.untimed_ns or bench.quota_calls < math.huge
    or gc_option.of(bench.options.gc).collects or bench.info.per_call
    or bench.options.yields then
    return nil
  end
  local calls = math.floor(limits.untimed_ns / math.max(bench.call_ns, 1e-3))
  return calls > 0 and math.min(calls, bench:batch_max(limits)) or nil
end

-- One turn of a bench in a round: a timed batch, and other passes' batches that
-- are due.
local function take_turn(bench, limits, round)
  wait_for_core(bench, limits)
  bench.untimed = untimed_calls(bench, limits)
  run_passes(bench, limits, round, bench.rows / math.max(1, bench.planned))
  if bench.error then return end
  local iters = next_size(bench, limits)
  if not iters then
    bench.stage = "measured"
    return
  end
  local row = bench:run("time", iters)
  if not row or not bench:read_flags(row, iters)
    or lacks_loop(bench, row, iters) then
    return
  end
  bench.width = row.width
  bench:count_timed(row.wall_ns, iters)
  bench.beside_ns = beside_ns(row)
  local position = bench.position
  if not is_discarded(bench, row, iters) then bench.position = position + 1 end
  if bench.pass_plan then
    bench.pass_plan:saw(bench.request, row)
  end
  local is_too_long = exceeds_steps(bench, limits, row, iters, false)
  if position > (bench.options.rehearse and bench.planned or 0) then
    bench.is_stopped = bench.is_stopped or limits.is_stopped
    bench:keep(row, round)
    if limits.is_precise and limits.is_precise(bench) then
      bench.stage = "measured"
    end
  end
  if is_too_long or not bench.sizes[bench.position] then
    bench.stage = "measured"
  end
end

-- The radical inverse of a number (van der Corput 1935), in base 3: those of 1,
-- 2, 3... are spread evenly over [0, 1), and so are the numbers, odd and even,
-- of those below a share.
local function radical_inverse(number)
  local inverse, part = 0, 1 / 3
  while number > 0 do
    inverse = inverse + number % 3 * part
    number, part = math.floor(number / 3), part / 3
  end
  return inverse
end

-- Whether a bench has a batch in this round. A bench with fewer batches than
-- others has them in evenly spread rounds, in which every bench with more
-- batches has one too, so that they have rounds in common.
local function takes_part(bench, round, rounds)
  if bench.stage ~= "measure" or bench.error then return false end
  local share = #bench.sizes / math.max(1, rounds)
  -- After the last planned round: batches of the plan that are still left.
  return radical_inverse(round) < share or round > rounds
end

-- DRAWS: by chance LuaJIT makes other traces of the same function, and one of
-- two equal functions is a third slower until the process ends. Launches are
-- draws of that. Where one process is all there is, what is compiled is thrown
-- away some times in a run and compiled anew. Not in a host's loop, or among
-- its coroutines ('yields'), whose own compiled code would go, too.
local DRAWS, ROUNDS_A_DRAW = 12, 6
local MOST_UNSTORED = 4 -- batches after a draw, until nothing is compiled

-- Whether compiled code is drawn in this run, and how often.
local function draws_of(benches, limits)
  if not limits.redraws or limits.step_ns or limits.is_manual then return 0 end
  for _, bench in ipairs(benches) do
    local info = bench.info
    if not info.compiles or not info.watches_compiler
      or bench.options.yields then
      return 0
    end
  end
  return DRAWS
end

-- The share of the quotas that is spent, or of the rounds that is done.
local function progress_of(benches, rounds_done)
  local sum = 0
  for _, bench in ipairs(benches) do sum = sum + bench:progress() end
  return math.max(sum / #benches, rounds_done)
end

-- Draws compiled code; the first draw is what the warm-up has left. Batches
-- until nothing is compiled any more are not stored.
local function redraw(benches, limits)
  for _, bench in ipairs(benches) do
    bench.draw = bench.draw + 1
    if bench.draw > 1 and not bench.error then bench:ask("redraw") end
  end
  for _, bench in ipairs(benches) do
    local unstored = bench.draw > 1 and MOST_UNSTORED or 0
    while unstored > 0 and bench.stage == "measure" and not bench.error
      and not limits.stop do
      local iters = next_size(bench, limits)
      local row = iters and bench:has_room(iters) and bench:run("time", iters)
      if not row or not bench:read_flags(row, iters) then break end
      unstored = (row.jit_events or 0) > 0 and unstored - 1 or 0
    end
  end
end

-- Whether the first batches were much quicker than planned: the warm-up was
-- slow, because of the first call or of the machine.
local function was_misled(benches)
  for _, bench in ipairs(benches) do
    local call_ns = bench:measured_call_ns()
    if bench.stage == "measure" and not bench.error and call_ns
      and bench.rows >= 1 and call_ns * MISLED < bench.call_ns
      and bench:has_room(bench.planned) then
      return true
    end
  end
  return false
end

-- The order: a bench has one batch in each round in which it takes part. Odd
-- rounds run from the first bench to the last, even rounds back, so that no
-- bench is always first. Returns whether to plan the rounds again, and the
-- number of the last round.
local function play(benches, limits, offset, may_plan)
  local rounds = 1
  for _, bench in ipairs(benches) do
    rounds = math.max(rounds, #bench.sizes)
  end
  local round, is_over = 0, false
  local draws, drawn = draws_of(benches, limits), 0
  local begun = progress_of(benches, 0)
  local function is_draw_due()
    return drawn < draws and round >= drawn * ROUNDS_A_DRAW
      and progress_of(benches, round / rounds)
        >= begun + (1 - begun) * drawn / draws
  end
  while not is_over and not limits.stop do
    if is_draw_due() then
      redraw(benches, limits)
      drawn = drawn + 1
    end
    round, is_over = round + 1, true
    for i = 1, #benches do
      local bench = benches[round % 2 == 1 and i or #benches + 1 - i]
      if takes_part(bench, round, rounds) then
        take_turn(bench, limits, offset + round)
      end
      if bench.stage == "measure" and not bench.error then
        is_over = false
      end
    end
    if round == LOOK_AFTER and may_plan and was_misled(benches) then
      return true, offset + round
    end
  end
  return false, offset + round
end

-- THE EMPTY LOOP AND THE END -------------------------------------------------

local EMPTY_FIRST_CALLS = 1000
local EMPTY_BATCHES = 10

-- Times the empty loop, in batches of two sizes. At the end, so that it does
-- not affect the bench's own batches.
local function time_empty(bench, limits)
  local left_ns = empty_ns(bench, limits)
  if left_ns <= 0 or bench.error or #bench.samples == 0 then return end
  local spent_ns = bench.spent_ns
  bench:ask("empty", EMPTY_FIRST_CALLS)
  local row = bench:ask("empty", EMPTY_FIRST_CALLS)
  if not row then return end
  left_ns = left_ns - (bench.spent_ns - spent_ns)
  -- A coarse clock may stand still meanwhile: a call takes at most this long.
  local call_ns = math.max((row.wall_ns + bench.tick_ns) / EMPTY_FIRST_CALLS,
    1e-2)
  local calls = math.max(1, math.floor(math.min(left_ns / EMPTY_BATCHES / 1.5,
    limits.batch_ns and limits.batch_ns / 2 or math.huge) / call_ns))
  for i = 1, EMPTY_BATCHES do
    if limits.stop then return end
    row = bench:ask("empty", i % 2 == 0 and calls or 2 * calls,
      3 * calls * call_ns)
    if not row then return end
    bench:keep_in("empty", row)
  end
end

local TRACED_NS = 1e6 -- of a batch while traces are recorded

-- The profile and LuaJIT's traces, once per run and after all rounds: nothing
-- of them is in these, and they are beside the quota.
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
    elseif bench.error then
      bench.has_sound_rows = true
    end
  end
  if bench.info.compiles and bench.info.watches_compiler
    and not limits.step_ns then
    take("traces", math.max(1, math.min(MAX_INPUTS,
      math.floor(TRACED_NS / math.max(bench.quickest_ns, 1)))))
  end
  local census = bench:census()
  local calls = census and census.iters == 1 and 1
    or pass_plan.profiled_calls(bench.quickest_ns)
  local each_ns = 2 * bench.quickest_ns * pass_names.PROFILE_SLOWDOWN
  -- In a host's loop: as many as fit a step, from the heap as it is.
  while limits.step_ns and calls > 1 and calls * each_ns > limits.step_ns do
    calls = calls / 2
  end
  if limits.step_ns and calls * each_ns > limits.step_ns then
    bench:warn "not_profiled"
  else
    take("profile", calls, calls * each_ns,
      limits.step_ns and "profile_alone" or nil)
  end
  bench:uncharge(spent_ns)
end

local function finish(bench, limits)
  if not bench.error and bench.passes.paced then
    local pauses = bench:ask("pauses")
    bench:keep_pauses(pauses and pauses.pauses)
  end
  if not bench.error and limits.is_last and limits.is_last() then
    bench:keep_figures("full", bench:ask("full", 1, math.huge))
  end
  if not bench.error and bench.samples then profile(bench, limits) end
  if bench.samples and bench.calls > 0 and bench:measured_call_ns()
    and bench:measured_call_ns() > bench.quota_ns then
    bench:warn "quota_exceeded"
  end
  -- A host's stopped collector is missing in the figures. A paced pass that is
  -- taken all the same runs it.
  local census, mode = bench:census(), gc_option.of(bench.options.gc)
  local needs_host = mode.second and (mode.on_split or mode.second ~= "paced")
  if bench.is_stopped and (needs_host or limits.is_collected)
    and (not census or census.allocs > 0) then
    bench:warn "collector_stopped"
  end
  local had_failed, is_finished = bench.error ~= nil, bench:ask("finish")
  if not (had_failed or is_finished) and bench:measured_call_ns() then
    bench.has_sound_rows = true -- only the teardown failed
  end
  bench.stage = "done"
end

--- A launch of benches that are compared. Runs as a coroutine: it yields
--- (bench, request) and is resumed with the worker's answer: a row, or nil,
--- message and code.
---@param benches table[] of tare.conductor.bench
---@param limits table see the head of this file
---@param round integer? the last round of the earlier launches
---@return integer round the last one
function story.run(benches, limits, round)
  local first, last = {}, round or 0
  -- SET UP
  for _, bench in ipairs(benches) do
    bench.limits = limits
    if not limits.stop then prepare(bench, first) end
  end
  -- WARM UP
  for _, bench in ipairs(benches) do
    if bench.info and not bench.error and not limits.stop then
      warm_up(bench, limits)
    end
  end
  if limits.on_known then limits.on_known() end
  -- COUNT
  local ready = {}
  for _, bench in ipairs(benches) do
    -- A slow call: the quota of this launch is spent already.
    if bench.stage == "warm up" and bench.singles
      and bench.spent_ns >= bench.quota_ns
      and fewest_calls(bench, limits) == 1 then
      bench:take_singles()
      bench.stage = "measured"
    end
    local may_go_on = bench.stage == "warm up" and not bench.error
    if may_go_on and not limits.stop then count(bench, limits) end
    if may_go_on and not bench.error and not limits.stop then
      ready[#ready + 1] = bench
    end
  end
  if limits.on_known then limits.on_known() end
  -- PLAN and ROUNDS
  for number = 1, #ready > 0 and MOST_PLANS or 0 do
    plan_batches(ready, limits)
    local again
    again, last = play(ready, limits, last, number < MOST_PLANS)
    if not again then break end
    for _, bench in ipairs(ready) do
      bench.call_ns = math.min(bench.call_ns,
        bench:measured_call_ns() or math.huge)
      bench:forget_passes(pass_names.between)
    end
  end
  -- THE EMPTY LOOP AND THE END
  for _, bench in ipairs(ready) do
    if not limits.stop then run_passes(bench, limits, last, 1) end
    if not limits.stop then time_empty(bench, limits) end
  end
  for _, bench in ipairs(benches) do
    if limits.stop and not bench.error and bench.stage ~= "measured" then
      bench:warn "interrupted"
    end
    finish(bench, limits)
  end
  return last
end

return story
