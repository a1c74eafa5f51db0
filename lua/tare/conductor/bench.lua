-- A bench in a launch: what is left of its quota, how it sends requests to its
-- worker and what they cost, and the rows that it keeps. It runs in the
-- coroutine of tare.conductor.story, which decides what is asked for and when.
local core = require "tare.core"
local gc_option = require "tare.base.gc_option"
local plan = require "tare.analysis.plan"
local random = require "tare.base.random"
local coroutine = require("tare.base.compat").coroutine

local Bench = {}
Bench.__index = Bench

local MARGIN = 1.2 -- factor on the expected time of a request
local PASS_ROWS = 400 -- most rows of a pass that a launch keeps
local SINGLES = 3 -- last rows of one call that are kept from a warm-up
local QUICKEST_NS = 0.01 -- least time of a call in a loop, on any processor
local COARSE_NS = 1e4 -- a clock with ticks this long is coarse
local TOO_LONG = 3 -- calls in a row longer than a step: the bench is given up

-- Its fields, which other modules only read:
--
--   cell, options, launch, seed, random
--   request              the table that is sent
--   known                passes that earlier launches have counted
--   expected_ns          the time of a call in an earlier launch
--   limits               of the launch: see tare.conductor.story
--   quota_ns, quota_calls, patience_ns, warmup_most    this launch's share
--   stage                "prepare", "warm up", "measure", "measured", "done"
--   rounds_are_over      a failure from now on is not one of timed batches
--   error, warnings      the first message, and a set of codes
--   has_sound_rows       its rows count although it has failed
--   was_interrupted      the error is no fault of the bench
--   disagrees            the error ends all launches of the bench
--   has_ended_launch     the launch ended in the turn of this bench
--   is_cut_off           the launch ended in the turn of another bench
--   info                 the worker's answer to "prepare"
--   spent_ns, calls      of the quota, in all requests until now
--   waited_ns, draw      see PATIENCE and DRAWS in tare.conductor.rounds
--   call_ns              the time of a call, as far as it is known
--   beside_ns            what a request takes besides its timed calls
--   most_calls           of a batch, however short calls are
--   tick_ns              length of a coarse clock's tick; 0: it is not coarse
--   collections, quickest_ns (of a call), warmed_up (calls and ns)
--                        what the warm-up has shown
--   singles              last rows of one call in the warm-up
--   measured_ns, measured_calls, rows    of timed batches
--   planned_batches      how many timed batches the plan has
--   samples, passes      rows of timed batches; rows or figures of passes
--   bursts               in a host's process: see tare.conductor.bursts

--- A bench of a launch; nothing is asked of its worker yet.
---@param cell table or what tare.worker.cells.plain() gives of one
---@param given { launch: integer, share: number, known: table?, seed: integer,
---  call_ns: number?, bursts: table? } share: of the quota, for this launch;
---  known: passes that earlier launches have counted; call_ns: the time of a
---  call in one of these launches; bursts: of tare.conductor.bursts, in a
---  host's process
---@return table bench
function Bench.new(cell, given)
  local options, share = cell.options, given.share
  local warmup = options.warmup
  local self = setmetatable({
    cell = cell, options = options, launch = given.launch, request = {},
    seed = given.seed, random = random.generator(given.seed),
    known = given.known or {}, expected_ns = given.call_ns, limits = {},
    stage = "prepare",
    warmup_most = warmup and { ns = warmup.ns and warmup.ns * share,
      calls = warmup.calls and math.max(1, warmup.calls * share) },
    spent_ns = 0, calls = 0, untimed_calls = 0, passes = {}, warnings = {},
    beside_ns = 0, bursts = given.bursts,
    most_calls = math.huge, too_long = 0,
    tick_ns = 0, collections = 0, rows = 0, measured_ns = 0,
    measured_calls = 0, waited_ns = 0, draw = 0,
  }, Bench)
  self:share_quota(share)
  return self
end

--- Sets the bench's share of its quota, and of its patience, in this launch.
---@param share number
function Bench:share_quota(share)
  local quota = self.options.quota
  self.patience_ns = (self.options.patience or quota.ns or 0) * share
  self.quota_ns = quota.ns and quota.ns * share or math.huge
  self.quota_calls = quota.calls
    and math.max(1, math.floor(quota.calls * share)) or math.huge
end

--- The launch begins.
---@param limits table see tare.conductor.story
function Bench:begin(limits)
  self.limits = limits
  if limits.resolution_ns >= COARSE_NS then
    self.tick_ns = limits.resolution_ns
  end
end

--- Keeps the worker's answer to "prepare".
---@param info table
function Bench:keep_info(info)
  self.info, self.gc_is_stopped = info, info.is_running == false
  self.spent_ns = 0 -- the quota is for calls
end

---@param stage string
function Bench:enter(stage) self.stage = stage end

--- Share of its quota that is spent, in [0, 1].
---@return number
function Bench:progress()
  if self.stage == "done" or self.error then return 1 end
  return math.min(1, math.max(self.spent_ns / self.quota_ns,
    self.calls / self.quota_calls))
end

--- The bench has failed: only its teardown is left. The first message is kept.
--- If the timed batches were over when it failed, their rows count.
---@param message string
---@param code string? of a warning
function Bench:fail(message, code)
  if not self.error then
    self.error, self.was_interrupted = message, code == "interrupted"
    if self.rounds_are_over and self:measured_call_ns() then
      self:keep_rows()
    end
  end
  if code then self:warn(code) end
end

--- The bench has failed for good: its result differs from that of another
--- bench.
---@param id string of the other one
---@param found string the difference
function Bench:disagree(id, found)
  self.disagrees = true
  self:fail(("does not agree with %s: %s"):format(id, found))
end

--- The launch has ended while this bench had its turn.
function Bench:end_launch() self.has_ended_launch = true end

--- Another bench has ended the launch. This bench's rows of the launch do not
--- count, and the loss of its worker is no failure of this bench.
---@param id string of the other one
function Bench:cut_off(id)
  self.is_cut_off = true
  self:fail(("%s has ended the process that started its worker"):format(id))
end

--- Its rows count although it has failed.
function Bench:keep_rows() self.has_sound_rows = true end

--- The timed batches are over: a failure from now on is not one of theirs.
function Bench:end_rounds() self.rounds_are_over = true end

local OF_CALL = 0.01 -- what is less than this share of a call is negligible

--- The full collection from which the census began.
---@return table? figures
function Bench:full_collection()
  return (self.passes.census or self.known.census or {}).full_collection
end

--- The census of this launch or of an earlier one; that of a long run where few
--- calls have no garbage, but many have some for which the collector takes more
--- than OF_CALL.
---@return table? census
function Bench:census()
  local census = self.passes.census or self.known.census
  local long = self.passes.long_census or self.known.long_census
  local full = self:full_collection()
  if full and long and census.bytes == 0 and self.call_ns
    and full.ns / plan.calls_between(long.bytes / long.iters, self:heap())
      > OF_CALL * self.call_ns then
    return long
  end
  return census
end

--- What the distance between two collections follows from: 'heap_bytes', the
--- live heap as the census found it (the first calls may have built most of
--- it), and the collector's mode and settings.
---@return table given as for plan.calls_between
function Bench:heap()
  local options = self.options
  return { heap_bytes = (self:full_collection() or self.info).heap_bytes,
    gc_mode = self.info.gc_mode, gc_pause = options.gc_pause,
    gc_minor_multiplier = options.gc_minor_multiplier }
end

--- Gives the bench a warning.
---@param code string
function Bench:warn(code) self.warnings[code] = true end

-- REQUESTS -------------------------------------------------------------------

--- Charges time to the quota.
---@param ns number negative: takes back what was charged
function Bench:charge(ns) self.spent_ns = self.spent_ns + ns end

--- Limits the calls of a batch, however short these are.
---@param calls integer
function Bench:limit_calls(calls)
  self.most_calls = math.max(1, math.min(self.most_calls, calls))
end

--- Sends a request to the worker. The time of the whole request is charged.
---@param op string
---@param iters integer?
---@param due_ns number? how long it should take
---@return table? row nil after a failure
function Bench:ask(op, iters, due_ns)
  local request = self.request
  request.op, request.iters, request.due_ns = op, iters, due_ns
  request.untimed, self.untimed = self.untimed, nil
  self.untimed_calls = self.untimed_calls + (request.untimed or 0)
  local row, message, code = coroutine.yield(self, request)
  if not row then
    self:fail(message, code)
    return nil
  end
  self:charge(row.spent_ns or 0)
  if row.clock_went_back then
    self:warn "stood_still"
    row.clock_went_back = nil
  end
  return row
end

--- Begins the next request with calls that are not timed.
---@param calls integer?
function Bench:begin_with(calls) self.untimed = calls end

--- Looks at the core after a wait: a request with 'wait_ms' is sent that much
--- later, and 'waited_ns' becomes the time that passed, since a busy system
--- wakes a process late.
---@param wait_ms number
---@return number? width of the core; nil if it is not known
function Bench:look_after(wait_ms)
  local request = self.request
  request.wait_ms, request.waited_ns = wait_ms, wait_ms * 1e6
  local row = self:ask "look"
  self.waited_ns = self.waited_ns + request.waited_ns
  request.wait_ms, request.waited_ns = nil, nil
  return row and row.width
end

--- In a host's loop: lets the step end here, since what follows is long enough
--- for a step of its own.
function Bench:rest()
  if self.limits.step_ns and not self.limits.stop and not self.error then
    self:ask "rest"
  end
end

--- Draws compiled code: see DRAWS in tare.conductor.rounds. The first draw is
--- the code that the warm-up has left, so nothing is drawn for it.
---@return boolean drawn
function Bench:redraw()
  self.draw = self.draw + 1
  if self.draw > 1 and not self.error then self:ask "redraw" end
  return self.draw > 1
end

--- How long the calls of a batch ran, without the time that the system gave to
--- other processes meanwhile, where that time is known.
---@param row table
---@return number ns
function Bench.ran_ns(row)
  local cpu_ns = row.cpu_ns
  if cpu_ns and cpu_ns > 0 and (row.preemptions or 0) > 0
    and (row.waits or 0) == 0 then
    return math.min(row.wall_ns, cpu_ns)
  end
  return row.wall_ns
end

--- Sends a request that makes calls. A quota of calls counts them.
---@param op string
---@param iters integer
---@param factor number? how many times as long as usual a call takes
---@param calls integer? number of calls made, if more than 'iters'
---@return table? row
function Bench:run(op, iters, factor, calls)
  local kind = factor and "other" or "timed" -- of batch, for bursts
  local usual_ns = self.call_ns and iters * self.call_ns * (factor or 1)
  local bursts = self.bursts
  local due_ns = usual_ns and MARGIN * (usual_ns + self.beside_ns)
    + (bursts and bursts:expected(kind, iters) or 0)
  self.calls = self.calls + (calls or iters)
  local row = self:ask(op, iters, due_ns)
  -- The compiler's work is no burst.
  if bursts and row and row.wall_ns and usual_ns
    and (row.jit_events or 0) == 0 then
    bursts:saw(kind, row, iters, usual_ns, self.limits)
  end
  return row
end

--- A call is expected to take this long.
---@param call_ns number
function Bench:expect(call_ns) self.call_ns = call_ns end

--- The most calls of a batch, apart from the quota.
---@param factor number? as in Bench:run
---@param is_planned boolean? whether it is for a plan, not for the next batch
---@return number calls
function Bench:batch_max(factor, is_planned)
  local most, limits = self.most_calls, self.limits
  if not limits.batch_ns or not self.call_ns then return most end
  local call_ns = math.max(self.call_ns * (factor or 1), 1e-3)
  local kind, bursts = factor and "other" or "timed", self.bursts
  if is_planned then
    return math.min(most, bursts:planned_calls(kind, call_ns, limits))
  end
  return math.min(most, bursts:most_calls(kind, call_ns, limits))
end

--- Whether a quota of calls has room for 'calls', and one timed call after
--- them.
---@param calls integer
---@return boolean
function Bench:has_room(calls) return self.calls + calls < self.quota_calls end

--- Mean time per call in the timed batches.
---@return number? ns nil before the first
function Bench:measured_call_ns()
  if self.measured_calls == 0 then return nil end
  return (self.measured_ns + self.tick_ns) / self.measured_calls
end

--- The most calls that the rest of the quota has room for.
---@return number calls
function Bench:room()
  local by_time, call_ns = math.huge, math.max(self.call_ns or 0,
    self:measured_call_ns() or 0)
  if call_ns > 0 then by_time = (self.quota_ns - self.spent_ns) / call_ns end
  return math.min(by_time, self.quota_calls - self.calls)
end

-- ROWS -----------------------------------------------------------------------

--- Reads the flags of a row and removes those that are not stored.
---@param row table
---@param iters integer that were asked for
---@return boolean is_whole false if the batch reached the memory cap and left
---  no row
function Bench:read_flags(row, iters)
  if row.shares_traces then
    self:warn "shared_traces"
    row.shares_traces = nil
  end
  if row.is_capped then
    self:warn "memory_cap"
    self:limit_calls(math.floor(iters / 2))
    return false
  end
  if gc_option.of(self.options.gc).stops and (row.growth_bytes or 0) > 0 then
    self:limit_calls(math.floor(self.options.memory_cap * 0.5
      / row.growth_bytes * iters))
  end
  return true
end

--- Whether calls were longer than the host's step so often that the bench is
--- given up. A bench that yields is not: its calls may have waited.
---@param row table
---@param iters integer
---@param is_last boolean? whether no other batch follows in any case
---@return boolean
function Bench:exceeds_steps(row, iters, is_last)
  if iters > 1 or self.options.yields
    or self.ran_ns(row) <= (self.limits.step_ns or math.huge) then
    self.too_long = 0
    return false
  end
  self.too_long = self.too_long + 1
  if self.too_long < (is_last and 1 or TOO_LONG) then return false end
  self:warn "budget_exceeded"
  return true
end

--- Whether the bench's own batch(n) takes the same time for any n: then the
--- bench fails. Checked in timed batches, too, since a short warm-up may not
--- show it.
---@param row table
---@param iters integer
---@return boolean
function Bench:lacks_loop(row, iters)
  if self.info.loop ~= "batch" or row.wall_ns <= 0
    or row.wall_ns / iters >= QUICKEST_NS then
    return false
  end
  self:fail(("batch(n) took %.0f ns with n = %.0f: it must make n calls "
    .. "(for _ = 1, n do ... end)"):format(row.wall_ns, iters))
  return true
end

--- Records what a batch costs besides its calls.
---@param row table
function Bench:keep_cost(row)
  self.beside_ns = math.max(0, (row.spent_ns or 0) - row.wall_ns)
end

--- Records a batch of the warm-up.
---@param row table
---@param iters integer
---@param call_ns number what a call is thought to take now
function Bench:keep_warm(row, iters, call_ns)
  local collections = (row.gc_minor or 0) + (row.gc_major or 0)
  if collections > 0 then -- false for NaN, where they are not counted
    self.collections = self.collections + collections
  end
  self.call_ns = call_ns
  self.quickest_ns = math.min(self.quickest_ns or math.huge, call_ns)
  -- Keep the last few rows, as long as batches have one call.
  if iters > 1 then
    self.singles = nil
    return
  end
  self.singles = self.singles or core.samples(SINGLES)
  if #self.singles == SINGLES then self.singles:drop(1) end
  self.singles:push(row)
end

--- The warm-up is over.
function Bench:end_warmup()
  -- The time of a call without a burst (tare.conductor.bursts): the last
  -- batches, of a few calls each, may have had one.
  if self.limits.batch_ns then self.call_ns = self.quickest_ns end
  self.warmed_up = { calls = self.calls, ns = self.spent_ns }
end

--- Begins the timed batches anew: forgets those until now.
---@param planned integer number of batches; room is made for as many rows, with
---  DISCARD for twice as many
function Bench:forget_rows(planned)
  local most = self.options.discard and 2 * planned or planned
  self.samples, self.rows = core.samples(math.max(2, most)), 0
  self.planned_batches = planned
  self.measured_ns, self.measured_calls = 0, 0
end

--- Counts a timed batch, whether its row is kept or not.
---@param ns number
---@param calls integer
function Bench:count_timed(ns, calls)
  self.measured_ns = self.measured_ns + ns
  self.measured_calls = self.measured_calls + calls
end

--- Takes the warm-up's last batches for the samples, where the quota has no
--- room for more.
---@param row table? of the last batch
function Bench:take_singles(row)
  local samples = self.singles
  if not samples then
    samples = core.samples(SINGLES)
    samples:push(row)
  end
  for i = 1, #samples do
    samples:set(i, "round", i)
    samples:set(i, "launch", self.launch)
    self:count_timed(samples:get(i, "wall_ns"), samples:get(i, "iters"))
  end
  self.samples, self.stage = samples, "measured"
  self:end_rounds()
end

--- Keeps a row in the samples.
---@param row table
---@param round integer
function Bench:keep(row, round)
  local samples = self.samples
  samples:push(row)
  samples:set(-1, "round", round)
  samples:set(-1, "launch", self.launch)
  if self.draw > 0 then samples:set(-1, "draw", self.draw) end
  self.rows = self.rows + 1
  self.gc_is_stopped = self.gc_is_stopped or self.limits.gc_is_stopped
end

--- Keeps the figures of a pass that has no rows.
---@param pass string
---@param figures table? nil: it failed
function Bench:keep_figures(pass, figures) self.passes[pass] = figures end

--- Keeps the pauses of the paced rows.
---@param pauses table?
function Bench:keep_pauses(pauses) self.passes.paced.pauses = pauses end

--- The calls that its worker has made until now, timed or not, without calls of
--- the empty loop.
---@return integer
function Bench:calls_made() return self.calls + self.untimed_calls end

--- Forgets passes: they will be taken anew.
---@param names string[]
function Bench:forget_passes(names)
  for _, name in ipairs(names) do self.passes[name] = nil end
end

--- Keeps a row of a pass.
---@param pass string
---@param row table
---@param round integer?
function Bench:keep_in(pass, row, round)
  local passes = self.passes
  passes[pass] = passes[pass] or { samples = core.samples(PASS_ROWS) }
  local samples = passes[pass].samples
  samples:push(row)
  samples:set(-1, "launch", self.launch)
  if round then samples:set(-1, "round", round) end
end

return Bench
