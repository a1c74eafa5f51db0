-- One cell being measured. A step is one batch (or one hook, or one probe), so
-- a runner can interleave cells as it likes. Stages, in order:
--
--   prepare -> warmup -> probe -> planned -> measure -> finish -> done
--
-- 'planned' waits for plan(): what is compared is planned together.
local core = require "tare.core"
local Fixture = require "tare.bench.fixture"
local looks = require "tare.analysis.looks"
local memory = require "tare.run.memory"
local Policy = require "tare.run.policy"
local probe = require "tare.run.probe"
local schedule = require "tare.run.schedule"

local Trial = {}
Trial.__index = Trial

local MIN_BATCH_NS = 1e5 -- long against the clock, the call and cold caches
local TICKS_A_BATCH = 30 -- of the clock, at least
local MAX_INPUTS = 4096 -- prepared calls that a batch keeps alive
-- Of the rounds' time, for benches that allocate, by mode.
local PACED_SHARE = { natural = 0.2, paced = 0.8 }
local PACED_ROWS = 20 -- more, where batches must be short
local FEWEST_PACED = 10 -- also where the precision is reached early
local MOST_PACED_ROWS = 200
local PACED_DEARER = 2 -- a paced call takes up to so much longer
local HOOK_SHARE = 0.02 -- of the quota, for counting instructions unasked
local TOO_LONG = 3 -- calls in a row longer than a step: it is given up
local MARGIN = 1.2 -- on what a batch is expected to take

-- Settings of the run, under those of the bench, under those of the cell.
local function merged(...)
  local all = {}
  for _, settings in ipairs { ... } do
    for name, value in pairs(settings) do all[name] = value end
  end
  return all
end

--- A new trial; nothing of the bench is run yet.
---@param cell table one of suite:cells()
---@param settings table resolved options
---@param context table meter, resolution_ns, events (a jitwatch), collector
---@return table trial
function Trial.new(cell, settings, context)
  local own = merged(settings, cell.spec.options, cell.settings)
  local kind = own.loop or (cell.spec.batch and "batch") or "inline"
  local fixture = Fixture.new(cell, kind)
  return setmetatable({
    cell = cell, options = own, context = context, meter = context.meter,
    stage = "prepare", passes = {}, warnings = {}, fixture = fixture,
    samples = core.samples(TOO_LONG),
    loop_kind = kind, round = 0, beside_ns = 0, too_long = 0,
    policy = Policy.new {
      quota = own.quota, schedule = own.schedule, warmup = own.warmup,
      random = schedule.generator(own.seed),
      min_batch_ns = math.max(MIN_BATCH_NS,
        TICKS_A_BATCH * context.resolution_ns),
      batch_max = fixture.per_call and MAX_INPUTS or nil,
    },
  }, Trial)
end

function Trial:_fail(message)
  self.error = self.error or message
  self.stage = "finish"
end

--- Ends the trial with an error that its steps have not caught themselves.
---@param message string
function Trial:blame(message)
  local at_end = self.stage == "finish" or self.stage == "done"
  self:_fail(message)
  if at_end then self.stage = "done" end
end

-- Calls 'run' with the collector as the bench wants it; raises nothing, and
-- leaves it as it was even where memory is out.
function Trial:_collected(run, iters)
  local collector, options = self.context.collector, self.options
  local ready, wrong = collector:apply(options)
  if not ready then return nil, wrong end
  local ok, done, message = core.guard(function()
    collector:enter(options)
    return run(iters)
  end)
  if not ok then return nil, done end
  return done, message
end

-- Runs 'run' as a batch under the cell's collector settings and charges all
-- the time it took, less 'counted', to the quota.
function Trial:_charged(iters, run)
  local began = self.meter:now()
  local ok, message = self.fixture:around(iters, function(n)
    return self:_collected(run, n)
  end)
  if not ok then self:_fail(message) end
  return ok, self.meter:now() - began
end

-- One timed batch of the wall clock.
function Trial:_batch(iters)
  local watch = self.context.events
  local events = watch:count()
  local again
  local ok, spent_ns = self:_charged(iters, function(n)
    local done, message = memory.time(self, n)
    again = message == "again"
    return done, message
  end)
  if not ok then return false end
  if again then
    self.policy:spend(spent_ns)
    return true
  end
  events = watch:count() - events
  local wall_ns = self.samples:get(-1, "wall_ns")
  local keep = self.policy:observe(iters, wall_ns, events)
  self.beside_ns = math.max(0, spent_ns - wall_ns)
  self.policy:spend(self.beside_ns)
  if self:_exceeds(iters, wall_ns) then keep = true end
  if not keep then
    self.samples:drop()
  else
    self.samples:set(-1, "round", self.round)
    if watch.available then self.samples:set(-1, "jit_events", events) end
  end
  return true
end

-- Whether one call is longer than the host's step, so long as that is so.
function Trial:_exceeds(iters, wall_ns)
  local exceeds = iters == 1 and wall_ns > (self.context.step_ns or math.huge)
  self.too_long = exceeds and self.too_long + 1 or 0
  return exceeds
end

function Trial:_prepare()
  local ok, message = self.fixture:prepare()
  if not ok then return self:_fail(message) end
  self.stage = "warmup"
end

function Trial:_warm_up()
  if not self:_batch(self.policy:next()) then return end
  local is_ready = self.policy.state == "ready"
  if self.too_long >= (is_ready and 1 or TOO_LONG) then
    self.warnings.budget_exceeded = true
    self.stage = "finish"
    return
  end
  if not is_ready then return end
  self.warmup = { calls = self.policy.calls, ns = self.policy.spent_ns }
  if not self.policy.settled then self.warnings.not_settled = true end
  self.stage = "probe"
end

-- Exact figures of a few calls, under the same hooks as a batch.
function Trial:_probe()
  self.stage = "planned"
  if self.context.is_manual then return end
  local call_ns = math.max(self.policy.call_ns, 1)
  local iters = probe.census_calls(call_ns, self.options.quota.ns or 1e9,
    self.context.batch_ns)
  self:_probed("census", iters, probe.census)
  if self.stage == "planned" and self:_counts_instructions(call_ns) then
    self:_probed("instructions", 1, probe.instructions)
  end
end

function Trial:_probed(pass, iters, take)
  local _, spent_ns = self:_charged(iters, function(n)
    local figures, message = take(self.fixture, n, self.context.batch_ns)
    self.passes[pass] = figures
    return figures ~= nil or message == nil, message
  end)
  self.policy:spend(spent_ns)
end

function Trial:_counts_instructions(call_ns)
  local needs_ns = probe.instructions_ns(call_ns)
  if needs_ns > (self.context.batch_ns or math.huge) then return false end
  if self.options.instructions ~= nil then return self.options.instructions end
  return needs_ns < (self.options.quota.ns or 1e9) * HOOK_SHARE
end

-- Only what allocates has a collector's part to tell apart.
function Trial:_wants_pacing()
  local census = self.passes.census
  local asked = self.options.split or self.options.gc == "paced"
  return asked and PACED_SHARE[self.options.gc] ~= nil
    and census ~= nil and census.allocs > 0
end

--- Plans the timed rounds; may be asked again until start().
---@param call_ns number? estimate to plan with, shared by what is compared
---@param most_rows integer? shorten the plan to so many batches
---@return integer rows
function Trial:plan(call_ns, most_rows)
  self.paced_share = self:_wants_pacing() and PACED_SHARE[self.options.gc] or 0
  self.rows = self.policy:plan(1 - self.paced_share, call_ns, most_rows)
  return self.rows
end

--- Leaves 'planned': the rounds begin.
function Trial:start()
  local left_ns = self.policy.quota_ns - self.policy.spent_ns
  self.samples = core.samples(math.max(2, self.rows))
  if self.paced_share > 0 then self:_plan_pacing(left_ns * self.paced_share) end
  self.stage = "measure"
end

function Trial:_plan_pacing(budget_ns)
  local call_ns = math.max(self.policy.call_ns, 1e-3)
  local calls = math.floor(budget_ns / call_ns)
  if calls < 1 or budget_ns == math.huge then return end
  self.paced_iters = math.max(1, math.min(math.floor(calls / PACED_ROWS),
    math.floor(self.policy:batch_max() / PACED_DEARER)))
  self.paced_rows = math.min(MOST_PACED_ROWS,
    math.floor(calls / self.paced_iters))
  self.paced_samples = core.samples(math.max(2, self.paced_rows))
  self.pacer = core.pacer()
end

-- One paced batch: tare drives the collector, and times it apart.
function Trial:_paced_batch()
  local ok, spent_ns = self:_charged(self.paced_iters, function(n)
    return self.pacer:run(self.paced_samples, self.meter,
      self.fixture:repeater(), n, self.fixture:idler())
  end)
  self.policy:spend(spent_ns)
  if ok then self.paced_samples:set(-1, "round", self.round) end
  return true
end

-- Whether a paced batch is due: they are spread evenly over the timed ones.
function Trial:_paced_is_due()
  if not self.paced_samples then return false end
  local due = self.policy.rows * self.paced_rows / math.max(1, self.rows)
  if self.policy.state == "done" then
    due = math.max(due, math.min(FEWEST_PACED, self.paced_rows))
  end
  return #self.paced_samples < math.floor(due)
end

-- One batch; true when it was a paced one, which is no turn of a round.
function Trial:_measure()
  if self:_paced_is_due() then return self:_paced_batch() end
  local iters = self.policy:next()
  if not iters then
    self.stage = "finish"
  elseif self:_batch(iters) and self:_is_precise() then
    self.policy:stop()
  end
end

-- Whether the interval is as narrow as was asked for.
function Trial:_is_precise()
  if not self.options.precision or not looks.due(#self.samples) then
    return false
  end
  local began = self.meter:now()
  local is_narrow = looks.narrow(self.samples:columns(), self.options)
  self.policy:spend(self.meter:now() - began)
  return is_narrow
end

function Trial:_finish()
  self.throughput = self.fixture:throughput()
  local ok, message = self.fixture:teardown()
  if not ok then self.error = self.error or message end
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

--- What the next unit of work is expected to take.
---@return number? due_ns nil where nothing is known
function Trial:due_ns()
  local policy, iters = self.policy, nil
  if self.stage == "measure" then
    if self:_paced_is_due() then
      iters = self.paced_iters * PACED_DEARER
    else
      iters = policy:next() or 0
    end
  elseif self.stage == "warmup" and policy.calls > 1 then
    iters = policy:next()
  elseif self.stage == "finish" and not self.cell.spec.teardown then
    iters = 0
  end
  return iters and (iters * (policy.call_ns or 0) + self.beside_ns) * MARGIN
end

--- Ends the measuring early; teardown is still to come.
function Trial:stop()
  if self.stage == "done" or self.stage == "finish" then return end
  self.warnings.interrupted = true
  self.stage = "finish"
end

--- Share of the quota that is spent, in [0, 1].
---@return number
function Trial:progress()
  if self.stage == "done" or self.stage == "finish" then return 1 end
  return math.min(1, math.max(self.policy.spent_ns / self.policy.quota_ns,
    self.policy.calls / self.policy.quota_calls))
end

return Trial
