-- The timed batches of a launch: their sizes are planned, then benches take
-- turns, round by round, and a reserved share of the quota is for the empty
-- loop. It runs in the coroutine of tare.conductor.story.
local columns = require "tare.base.sample_columns"
local gc_option = require "tare.base.gc_option"
local order = require "tare.conductor.order"
local pass_names = require "tare.base.passes"
local pass_plan = require "tare.conductor.pass_plan"
local batch_sizes = require "tare.conductor.sizes"

local rounds = {}

-- What is planned for the turns of a bench, and what was seen in them:
--
--   bench, limits  the bench, and the limits of its launch
--   pass_plan?     what is done between batches (tare.conductor.pass_plan)
--   budget_ns, budget_calls   for the timed batches
--   sizes          of the timed batches, after those of a rehearsal
--   position       of the next batch in 'sizes'
--   width          of the core, beside the last timed batch
--   has_seen_free  see PATIENCE
--   dirty, discarded, clean_most   see DISCARD
local Turns = {}
Turns.__index = Turns

local function new_turns(bench)
  return setmetatable({ bench = bench, limits = bench.limits,
    has_seen_free = false, dirty = 0, discarded = 0 }, Turns)
end

function Turns:is_open()
  return self.bench.stage == "measure" and not self.bench.error
end

-- PLAN -----------------------------------------------------------------------

local SHARED_RATIO = 2 -- ratio of call times up to which benches share sizes
local FEWEST_SHARED_ROWS = 24
local EMPTY_SHARE = 0.05 -- of the quota, for the empty loop
local EMPTY_MOST_NS = 2e7
local ONE_BY_ONE = { kind = "fixed" }
local EARLIER = 3 -- collections in a warm-up may be of earlier garbage

function Turns:empty_ns()
  local bench = self.bench
  if self.limits.is_manual or bench.info.has_inputs
    or bench.info.loop == "batch" or bench.options.yields then
    return 0
  end
  return math.min(EMPTY_SHARE * bench.quota_ns, EMPTY_MOST_NS)
end

-- Plans the passes between the timed batches. The timed batches get the rest of
-- the quota.
function Turns:plan_passes()
  local bench, limits = self.bench, self.limits
  local options, info = bench.options, bench.info
  local budget_ns = math.max(0, bench.quota_ns - bench.spent_ns
    - self:empty_ns())
  local budget_calls = bench.quota_calls - bench.calls
  self.pass_plan = not limits.is_manual and not options.yields
    and pass_plan.new {
    gc = options.gc, split = options.split, heap = bench:heap(),
    hooks = not info.compiles, running = info.is_running,
    census = bench:census(), collects = bench.collections > EARLIER,
    call_ns = bench.call_ns,
    budget_ns = math.min(budget_ns, budget_calls * bench.call_ns),
    most_calls = bench.most_calls < math.huge and bench.most_calls or nil,
    batch_ns = limits.batch_ns, memory_cap = options.memory_cap,
    seed = bench.seed } or nil
  local share = 1 - (self.pass_plan and self.pass_plan.share or 0)
  if options.rehearse then share = share / 2 end
  self.budget_ns, self.budget_calls = budget_ns * share, budget_calls * share
end

-- Sizes of the timed batches, shuffled: as many as fit the budget if a call
-- takes 'call_ns', and at most 'most_rows'.
function Turns:sizes_for(call_ns, most_rows)
  local bench = self.bench
  local sizes = batch_sizes.of(bench.options.yields and ONE_BY_ONE
    or bench.options.schedule, {
    call_ns = call_ns, budget_ns = self.budget_ns,
    budget_calls = self.budget_calls,
    min_batch_ns = batch_sizes.min_ns(self.limits), most_rows = most_rows,
    row_cost_ns = self.limits.row_cost_ns,
    batch_max = bench:batch_max(nil, true) })
  batch_sizes.shuffle(sizes, bench.random)
  return sizes
end

local function calls_of(sizes)
  local calls = 0
  for _, size in ipairs(sizes) do calls = calls + size end
  return calls
end

--- The fewest calls of a batch. A bench has one such batch even if its share of
--- the quota is spent: a process that waited for its core may have spent its
--- share on one quick call.
---@param bench table of tare.conductor.bench
---@return integer
function rounds.fewest_calls(bench)
  if bench.quota_calls < math.huge then return 1 end
  return math.max(1, math.floor(math.min(bench:batch_max(),
    batch_sizes.fewest_calls(bench.call_ns,
      batch_sizes.min_ns(bench.limits)))))
end

-- Begins to measure batches of these sizes, each of 'fewest' calls at least.
function Turns:set_sizes(sizes, fewest)
  local bench, own = self.bench, {}
  for i, size in ipairs(sizes) do own[i] = math.max(size, fewest) end
  if #own == 0 and bench.calls < bench.quota_calls then own[1] = fewest end
  self.sizes, self.position = own, 1
  if bench.options.rehearse then self.sizes = batch_sizes.doubled(own) end
  self.dirty, self.discarded, self.clean_most = 0, 0, nil
  bench:forget_rows(#own)
  bench:enter "measure"
end

-- Where other processes take the core every few milliseconds, a call seems slow
-- in the warm-up, since each batch begins with the caches that these processes
-- left. Batches planned by that time would have few calls, which makes calls
-- slow again. So the plan takes a call for at most DOUBTED times as long as in
-- the first launch. If calls do take longer, batches are longer and fewer than
-- they should be.
local DOUBTED = 2

-- Benches that are compared have batches of the same sizes in the same rounds.
-- If their call times differ too much, only the number of batches is the same,
-- or not even that if it would be small.
local function plan(all)
  local slowest, quickest = 0, math.huge
  for _, turns in ipairs(all) do
    local bench = turns.bench
    if (bench.expected_ns or 0) > 0 then
      bench:expect(math.min(bench.call_ns, DOUBTED * bench.expected_ns))
    end
    turns:plan_passes()
    slowest = math.max(slowest, bench.call_ns)
    quickest = math.min(quickest, bench.call_ns)
  end
  local shares_sizes = #all > 1 and slowest < quickest * SHARED_RATIO
  local sizes_of, fewest, most = {}, math.huge, 0
  for i, turns in ipairs(all) do
    turns.bench:rest() -- planning takes up to a millisecond per bench
    sizes_of[i] = turns:sizes_for(shares_sizes and slowest
      or turns.bench.call_ns)
    fewest, most = math.min(fewest, #sizes_of[i]), math.max(most, #sizes_of[i])
  end
  if shares_sizes then
    local least, calls = sizes_of[1], 1
    for i, turns in ipairs(all) do
      if calls_of(sizes_of[i]) < calls_of(least) then least = sizes_of[i] end
      calls = math.max(calls, rounds.fewest_calls(turns.bench))
    end
    for _, turns in ipairs(all) do
      turns:set_sizes(least, calls)
      turns.bench:rest()
    end
    return
  end
  for i, turns in ipairs(all) do
    local bench, sizes = turns.bench, sizes_of[i]
    if fewest < most and fewest >= FEWEST_SHARED_ROWS then
      sizes = turns:sizes_for(bench.call_ns, fewest)
    end
    turns:set_sizes(sizes, rounds.fewest_calls(bench))
    bench:rest()
  end
end

-- A TURN ---------------------------------------------------------------------

-- PATIENCE: a batch is of little use while another hardware thread uses the
-- same core, so the bench waits and looks (Bench:look_after).
-- LOOK_MS, MOST_LOOK_MS: first and longest wait between two looks. HOPELESS: if
-- the core was never free during this share of the patience, this launch waits
-- no more.
local LOOK_MS, MOST_LOOK_MS = 1, 20
local HOPELESS = 0.3

function Turns:wait_for_core()
  local bench, free = self.bench, self.limits.free_width
  local width, wait_ms = self.width, LOOK_MS
  while free and width and width < free and not self.limits.stop
    and bench.waited_ns + wait_ms * 1e6 <= bench.patience_ns do
    if not self.has_seen_free
      and bench.waited_ns > HOPELESS * bench.patience_ns then
      return
    end
    width = bench:look_after(wait_ms)
    wait_ms = math.min(2 * wait_ms, MOST_LOOK_MS)
  end
  if free and width and width >= free then self.has_seen_free = true end
end

-- UNTIMED CALLS. What ran before leaves its heap in the caches and its branches
-- in the core's predictor. A function that allocates then takes longer until
-- its own heap is back in the caches, and a loop of Lua 5.4 may take a sixth
-- longer for tens of milliseconds. So the worker clears the predictor before a
-- batch, and makes calls that are not timed: these bring back what the function
-- uses. The first batch of a turn has more of them. There are none in a host's
-- loop, with a quota of calls, where each call has an input of its own or may
-- yield, or where the heap is collected before each batch.
function Turns:untimed_calls(begins_turn)
  local bench, limits = self.bench, self.limits
  local untimed_ns = begins_turn and limits.in_turn_ns or limits.untimed_ns
  if not untimed_ns or bench.quota_calls < math.huge or bench.info.has_inputs
    or gc_option.of(bench.options.gc).collects or bench.options.yields then
    return nil
  end
  local calls = math.floor(untimed_ns / math.max(bench.call_ns, 1e-3))
  return calls > 0 and math.min(calls, bench:batch_max()) or nil
end

-- Runs the batches of other passes (paced, stopped, counts) that are due once
-- the share 'done' of the timed batches is done. Returns whether any was.
function Turns:run_passes(round, done)
  local bench, passes, has_run = self.bench, self.pass_plan, false
  while passes and not bench.error and not self.limits.stop do
    local request = passes:next(done, self.limits.batch_ns
      and bench:batch_max(pass_plan.DEARER))
    local calls = request and (request.calls or request.iters)
    if not request or not bench:has_room(calls - 1) then break end
    has_run = true
    local row = bench:run(request.op, request.iters,
      request.op ~= "time" and pass_plan.DEARER or nil, calls)
    passes:saw(request, row)
    if row and request.pass and bench:read_flags(row, request.iters) then
      bench:keep_in(request.pass, row, round)
    end
  end
  return has_run
end

-- The next size that fits the rest of the quota, or nil. If not even the first
-- batch fits, the fewest calls are measured anyway, since the bench would
-- otherwise have no result.
function Turns:next_size()
  local bench, sizes = self.bench, self.sizes
  local room = bench:room()
  while sizes[self.position] and sizes[self.position] > room do
    self.position = self.position + 1
  end
  local size = sizes[self.position]
  if not size and bench.rows == 0 and bench.calls < bench.quota_calls then
    self.position, size = #sizes, rounds.fewest_calls(bench)
  end
  return size and math.min(size, bench:batch_max(),
    self.clean_most or math.huge)
end

-- DISCARD, as Keirin does (R. Bowyer's library for Clojure): a batch in which a
-- collection ended, or for which LuaJIT compiled a trace, is measured again.
-- (Traces that the compiler gives up are not seen: tare.worker.jitwatch.) After
-- two such batches in a row the size is halved, so that some batches have no
-- such event. At most as many batches are repeated as were planned. All rows
-- are kept; the analysis decides which to leave out.
local DIRTY_IN_A_ROW = 2

-- Whether to measure this batch again.
function Turns:is_discarded(row, iters)
  local bench, is_dirty = self.bench, false
  for _, kind in ipairs(bench.options.discard or {}) do
    for _, name in ipairs(columns.EVENTS[kind]) do
      is_dirty = is_dirty or (row[name] or 0) > 0
    end
  end
  self.dirty = is_dirty and self.dirty + 1 or 0
  if not is_dirty or self.discarded >= bench.planned_batches then
    return false
  end
  self.discarded = self.discarded + 1
  if self.dirty >= DIRTY_IN_A_ROW and iters > 1 then
    self.clean_most, self.dirty = math.floor(iters / 2), 0
  end
  return true
end

-- A bench's part of a round: a timed batch, and the batches of other passes
-- that are due.
function Turns:take(round, begins_turn)
  local bench, limits = self.bench, self.limits
  self:wait_for_core()
  bench:begin_with(self:untimed_calls(begins_turn))
  if self:run_passes(round, (bench.rows - self.discarded)
    / math.max(1, bench.planned_batches)) then
    bench:begin_with(self:untimed_calls())
  end
  if bench.error then return end
  local iters = self:next_size()
  if not iters then
    bench:begin_with(nil)
    return bench:enter "measured"
  end
  local row = bench:run("time", iters)
  if not row or not bench:read_flags(row, iters)
    or bench:lacks_loop(row, iters) then
    return
  end
  self.width = row.width
  bench:count_timed(row.wall_ns, iters)
  bench:keep_cost(row)
  local is_rehearsal = bench.options.rehearse
    and self.position <= bench.planned_batches
  if is_rehearsal or not self:is_discarded(row, iters) then
    self.position = self.position + 1
  end
  if self.pass_plan then self.pass_plan:saw(bench.request, row) end
  local is_over = bench:exceeds_steps(row, iters)
  if not is_rehearsal then
    bench:keep(row, round)
    is_over = limits.is_precise and limits.is_precise(bench) or is_over
  end
  if is_over or not self.sizes[self.position] then bench:enter "measured" end
end

-- ROUNDS ---------------------------------------------------------------------

local LOOK_AFTER = 3 -- rounds: then the plan is checked
local MISLED = 1.5 -- calls quicker than planned by this factor: plan again
local MOST_PLANS = 3

-- DRAWS: which traces LuaJIT makes of a function depends on chance, and one of
-- two equal functions may be a third slower until the process ends. Each launch
-- is a new draw. In a single process, all compiled code is thrown away some
-- times in a run, and compiled anew. Not in a host's loop, nor among a host's
-- coroutines ('yields'): the host's own compiled code would be lost, too.
local DRAWS, ROUNDS_A_DRAW = 12, 6
local MOST_UNSTORED = 4 -- batches after a draw, until nothing is compiled

-- How often compiled code is drawn in this run; 0 if it can't be.
local function draws_of(all, limits)
  if not limits.redraws or limits.step_ns or limits.is_manual then return 0 end
  for _, turns in ipairs(all) do
    local info = turns.bench.info
    if not info.compiles or not info.watches_compiler
      or turns.bench.options.yields then
      return 0
    end
  end
  return DRAWS
end

-- The share of the quotas that is spent, or of the rounds that is done: the
-- larger one.
local function progress_of(all, rounds_done)
  local sum = 0
  for _, turns in ipairs(all) do sum = sum + turns.bench:progress() end
  return math.max(sum / #all, rounds_done)
end

-- Draws compiled code. The batches that follow are not stored, until nothing is
-- compiled any more.
local function redraw(all, limits)
  local unstored_of = {}
  for i, turns in ipairs(all) do
    unstored_of[i] = turns.bench:redraw() and MOST_UNSTORED or 0
  end
  for i, turns in ipairs(all) do
    local bench, unstored = turns.bench, unstored_of[i]
    while unstored > 0 and turns:is_open() and not limits.stop do
      local iters = turns:next_size()
      local row = iters and bench:has_room(iters) and bench:run("time", iters)
      if not row or not bench:read_flags(row, iters) then break end
      unstored = (row.jit_events or 0) > 0 and unstored - 1 or 0
    end
  end
end

-- Whether the first batches were much quicker than planned: the warm-up was
-- slow, because of the first call or of the machine.
local function was_misled(all)
  for _, turns in ipairs(all) do
    local bench = turns.bench
    local call_ns = bench:measured_call_ns()
    if turns:is_open() and call_ns
      and bench.rows >= 1 and call_ns * MISLED < bench.call_ns
      and bench:has_room(bench.planned_batches) then
      return true
    end
  end
  return false
end

-- How many batches a turn has.
local function batches_a_turn(all, limits, planned_rounds)
  if not limits.in_turn_ns then return 1 end
  local ns, batches = 0, 0
  for _, turns in ipairs(all) do
    ns = ns + calls_of(turns.sizes) * turns.bench.call_ns
    batches = batches + #turns.sizes
  end
  if batches == 0 then return 1 end -- the warm-up used up a quota of calls
  return order.batches_a_turn(ns / batches, planned_rounds)
end

-- Plays the rounds. Each lap has as many rounds as a turn has batches.
-- 'before': the last round of earlier launches and plans. Returns whether to
-- plan the rest again, and the number of the last round.
local function play(all, limits, before, may_plan)
  local planned_rounds = 1
  for _, turns in ipairs(all) do
    if turns:is_open() then
      planned_rounds = math.max(planned_rounds, #turns.sizes)
    end
  end
  local each = batches_a_turn(all, limits, planned_rounds)
  local round, lap, is_over, latest = 0, 0, false, nil
  local draws, drawn = draws_of(all, limits), 0
  local begun = progress_of(all, 0)
  local function is_draw_due()
    return drawn < draws and round >= drawn * ROUNDS_A_DRAW
      and progress_of(all, round / planned_rounds)
        >= begun + (1 - begun) * drawn / draws
  end
  while not is_over and not limits.stop do
    if is_draw_due() then
      redraw(all, limits)
      drawn = drawn + 1
    end
    lap, is_over = lap + 1, true
    for i = 1, #all do
      local turns = all[order.place(i, #all, lap)]
      for k = round + 1, round + each do
        -- After the last planned round, benches take the batches that they have
        -- left.
        if turns:is_open() and (k > planned_rounds
          or order.takes_part(#turns.sizes / planned_rounds, k)) then
          turns:take(before + k, turns ~= latest)
          latest = turns
        end
      end
      if turns:is_open() then is_over = false end
    end
    local is_early = round < LOOK_AFTER
    round = round + each
    if is_early and round >= LOOK_AFTER and round < planned_rounds and may_plan
      and was_misled(all) then
      return true, before + round
    end
  end
  return false, before + round
end

-- THE EMPTY LOOP -------------------------------------------------------------

local EMPTY_FIRST_CALLS = 1000
local EMPTY_BATCHES = 10

-- Times the empty loop, in batches of two sizes. At the end, so that it does
-- not affect the bench's own batches.
function Turns:time_empty()
  local bench, limits = self.bench, self.limits
  local left_ns = self:empty_ns()
  if left_ns <= 0 or bench.error or #bench.samples == 0 then return end
  local spent_ns = bench.spent_ns
  local row = bench:ask("empty", EMPTY_FIRST_CALLS)
    and bench:ask("empty", EMPTY_FIRST_CALLS)
  if not row then return end
  left_ns = left_ns - (bench.spent_ns - spent_ns)
  -- A coarse clock may stand still during the batch. A call takes at most this
  -- long.
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

--- Measures benches in turn, once they are warmed up.
---@param benches table[] of tare.conductor.bench
---@param limits table see tare.conductor.story
---@param last integer the last round of the earlier launches
---@return integer last of this one
function rounds.measure(benches, limits, last)
  if #benches == 0 then return last end
  local all = {}
  for i, bench in ipairs(benches) do all[i] = new_turns(bench) end
  local open = all
  for plans = 1, MOST_PLANS do
    plan(open)
    local again
    again, last = play(all, limits, last, plans < MOST_PLANS)
    if not again then break end
    open = {}
    for _, turns in ipairs(all) do
      if turns:is_open() then -- benches that are done keep their rows
        local bench = turns.bench
        bench:expect(math.min(bench.call_ns,
          bench:measured_call_ns() or math.huge))
        bench:forget_passes(pass_names.between)
        open[#open + 1] = turns
      end
    end
  end
  -- Spend what is left of the budgets: on other passes, then on the empty loop.
  for _, turns in ipairs(all) do
    if not limits.stop then turns:run_passes(last, 1) end
    turns.bench:end_rounds()
    if not limits.stop then turns:time_empty() end
  end
  return last
end

return rounds
