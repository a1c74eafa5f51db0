-- One cell being measured. A step is one batch (or one hook, or one probe), so
-- a runner can interleave cells as it likes. Stages, in order:
--
--   prepare -> warmup -> probe -> planned -> measure -> finish -> done
--
-- 'planned' waits for plan() and start(): what is compared is planned together.
local agree = require "tare.run.agree"
local core = require "tare.core"
local counting = require "tare.run.counting"
local deadline = require "tare.run.deadline"
local Fixture = require "tare.bench.fixture"
local outlook = require "tare.run.outlook"
local Pacing = require "tare.run.pacing"
local Policy = require "tare.run.policy"
local probe = require "tare.run.probe"
local schedule = require "tare.run.schedule"
local terms = require "tare.bench.terms"
local throughput = require "tare.bench.throughput"
local timing = require "tare.run.timing"

local Trial = {}
Trial.__index = Trial

local MIN_BATCH_NS = 1e5 -- long against the clock, the call and cold caches
local TICKS_A_BATCH = 30 -- of the clock, at least
local COARSE_NS = 1e4 -- from which on a clock's steps are told from no time
local MAX_INPUTS = 4096 -- prepared calls that a batch keeps alive
local TOO_LONG = 3 -- calls in a row longer than a step: it is given up

local function policy_of(options, context, fixture)
  return Policy.new {
    quota = options.quota, schedule = options.schedule,
    warmup = options.warmup, rehearse = options.rehearse,
    random = schedule.generator(options.seed),
    min_batch_ns = math.max(MIN_BATCH_NS,
      TICKS_A_BATCH * context.resolution_ns),
    batch_max = fixture.per_call and MAX_INPUTS or nil,
    tick_ns = context.resolution_ns >= COARSE_NS and context.resolution_ns
      or nil,
  }
end

--- A new trial; nothing of the bench is run yet.
---@param cell table one of suite:cells()
---@param settings table resolved options
---@param context table of Runner.context()
---@param group table? what those that are compared share
---@return table trial
function Trial.new(cell, settings, context, group)
  local own = terms.options(cell, settings)
  local fixture = Fixture.new(cell, terms.loop(cell, settings), own.unroll,
    deadline.of(own, context))
  fixture.calls:keep(context.sound)
  return setmetatable({
    cell = cell, options = own, context = context, meter = context.meter,
    fixture = fixture, loop_kind = terms.loop_name(fixture),
    group = group or {},
    policy = policy_of(own, context, fixture),
    stage = "prepare", passes = {}, warnings = {},
    samples = core.samples(TOO_LONG), round = 0, first_round = 0,
    beside_ns = 0, too_long = 0,
  }, Trial)
end

--- The trial has failed: what is left is its teardown.
---@param message string
function Trial:fail(message)
  self.error = self.error or message
  if self.fixture.calls:timed_out() then self.warnings.timeout = true end
  self.stage = "finish"
end

--- Ends the trial with an error that its steps have not caught themselves.
---@param message string
function Trial:blame(message)
  local at_end = self.stage == "finish" or self.stage == "done"
  self:fail(message)
  if at_end then self.stage = "done" end
end

function Trial:_prepare()
  local ok, message = self.fixture:prepare()
  if ok and self.options.agree then
    ok, message = agree.check(self.group, self.cell.id, self.fixture)
  end
  if not ok then return self:fail(message) end
  self.stage = "warmup"
end

function Trial:_warm_up()
  if not timing.batch(self, self.policy:next()) then return end
  local is_ready = self.policy.state == "ready"
  if self.too_long >= (is_ready and 1 or TOO_LONG) then
    self.warnings.budget_exceeded = true
    self.stage = "finish"
    return
  end
  if not is_ready then return end
  self.warmup = { calls = self.policy.calls, ns = self.policy.spent_ns }
  if not self.policy.settled then self.warnings.not_settled = true end
  if self.context.collector:ignores(self.options) then
    self.warnings.setting_unused = true
  end
  self.stage = self.policy:has_room(0) and "probe" or "finish"
end

function Trial:_probe()
  self.stage = "planned"
  if self.context.is_manual then return end
  probe.run(self)
  if not self.error then counting.run(self) end
end

--- Plans the timed rounds; may be asked again until start().
---@param call_ns number? estimate to plan with, shared by what is compared
---@param most_rows integer? no more batches than so many
---@return integer rows
function Trial:plan(call_ns, most_rows)
  self.paced_share = Pacing.share(self.options, self.passes.census)
  self.rows = self.policy:plan(1 - self.paced_share, call_ns, most_rows)
  return self.rows
end

--- Measures the same batches as another trial that is planned.
---@param other table trial
function Trial:follow(other)
  self.rows = self.policy:follow(other.policy)
end

--- Leaves 'planned', or begins anew with another plan: the rounds begin.
---@param round integer? the last one that is over
function Trial:start(round)
  local policy = self.policy
  local share = self.paced_share
  self.first_round = round or 0
  self.samples = core.samples(math.max(2, self.rows))
  self.pacing = share > 0
    and Pacing.new(self, (policy.quota_ns - policy.spent_ns) * share,
      (policy.quota_calls - policy.calls) * share) or nil
  self.stage = "measure"
end

-- One batch; true when its turn in the round is still to come.
function Trial:_measure()
  local pacing = self.pacing
  if pacing and pacing:is_due(self) then
    pacing:batch(self)
    return true
  end
  local iters = self.policy:next()
  if not iters then
    self.stage = "finish"
  elseif timing.batch(self, iters) and outlook.is_precise(self) then
    self.policy:stop()
  end
end

function Trial:_finish()
  if self.policy:call_exceeds_quota() then
    self.warnings.quota_exceeded = true
  end
  self.throughput = throughput.of(self.fixture)
  local ok, message = self.fixture:teardown()
  if not ok then self:fail(message) end
  self.context.collector:settle(self.options)
  self.stage = "done"
end

local STEPS = { prepare = Trial._prepare, warmup = Trial._warm_up,
  probe = Trial._probe, measure = Trial._measure, finish = Trial._finish }

--- Does one unit of work.
---@param round integer? number of the round, for the row
---@return boolean? again whether its turn in this round is still to come
function Trial:step(round)
  self.round = round or self.round
  self.policy:limit(self.context.batch_ns or math.huge)
  return STEPS[self.stage](self)
end

--- One batch that leaves no row, as the next would be: for the collector and
--- the compiler to get used to it, after what else there was.
function Trial:settle()
  local iters = self.stage == "measure" and self.policy:next()
  if iters and self.policy:has_room(iters) then timing.extra(self, iters) end
end

--- See tare.run.outlook.
Trial.due_ns, Trial.progress = outlook.due_ns, outlook.progress

--- Ends the measuring early; teardown is still to come.
function Trial:stop()
  if self.stage == "done" or self.stage == "finish" then return end
  self.warnings.interrupted = true
  self.stage = "finish"
end

return Trial
