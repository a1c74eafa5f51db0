-- The paced rounds of a trial, spread over its timed ones: batches in which
-- tare drives the collector, and times it apart from the mutator. In mode
-- 'arms' they are batches with the collector stopped.
local Arm = require "tare.run.arm"
local compat = require "tare.base.compat"
local core = require "tare.core"
local timing = require "tare.run.timing"

local Pacing = {}
Pacing.__index = Pacing

-- Of the rounds' time, by mode of the collector.
local SHARE = { natural = 0.2, paced = 0.8, arms = 0.4 }
-- Rows: more where batches must be short, and where they can still be long.
local ROWS, BATCH_NS, LONG_ROWS = 20, 3e6, 60
local FEWEST_ROWS = 10 -- also where a bench is ended early
local MOST_ROWS = 200
local DEARER = 2 -- a paced call takes up to so much longer

-- Where a call has so many collections, every other batch has its steps in the
-- midst of calls, from a hook: afterwards they find dead what the call held.
-- The others tell the mutator's time.
local MIDST = 0.1
local FEWEST_SEEN = 3 -- collections, to know how many a call has
local HOOKED = 6 -- a call with such a hook takes up to so much longer
local FEWEST_HOOKED = 4 -- batches of them, to be worth it
local A_BATCH = 4 -- collections at least

--- Share of the rounds' time that pacing gets: only what allocates has a
--- collector's part to tell apart.
---@param options table of the cell
---@param census table? of a few calls
---@return number share in [0, 1)
function Pacing.share(options, census)
  local asked = options.split or options.gc ~= "natural"
  if not asked or not census or census.allocs == 0 then return 0 end
  return SHARE[options.gc] or 0
end

--- Plans paced rounds.
---@param trial table
---@param budget_ns number
---@param budget_calls number? no limit unless given
---@return table? pacing nil where the budget holds no call, if pacing is not
---  what was asked for
function Pacing.new(trial, budget_ns, budget_calls)
  local policy = trial.policy
  local call_ns = policy.call_ns
  local calls = math.floor(math.min(budget_calls or math.huge,
    call_ns > 0 and budget_ns / call_ns or 0))
  if trial.options.gc == "paced" and policy:has_room(1) then
    calls = math.max(calls, 1)
  end
  if calls < 1 or calls == math.huge then return nil end
  local rows = math.max(ROWS,
    math.min(LONG_ROWS, calls * call_ns / BATCH_NS))
  local iters = math.max(1, math.min(math.floor(calls / rows),
    math.floor(policy:batch_max() / DEARER)))
  local self = setmetatable({ iters = iters }, Pacing)
  if trial.options.gc == "arms" then
    self.arm = Arm.new(trial)
    self.iters = math.min(iters, self.arm.most_calls)
    calls = calls / Arm.DEARER
  else
    self.pacer = core.pacer(trial.meter)
  end
  self.rows = math.min(MOST_ROWS, math.max(1, math.floor(calls / self.iters)))
  self.left_ns, self.dearer = budget_ns, DEARER
  self.samples = core.samples(math.max(2, self.rows))
  return self
end

--- Whether a paced batch is due: they are spread evenly over the timed ones.
---@param trial table
---@return boolean
function Pacing:is_due(trial)
  local policy = trial.policy
  local due = self.rows * policy.rows / math.max(1, trial.rows)
  if policy.state == "done" then
    due = math.max(due, math.min(FEWEST_ROWS, self.rows))
  end
  return #self.samples < math.floor(due) and policy:has_room(self:_calls() - 1)
end

-- Calls that a batch makes.
function Pacing:_calls() return self.iters * (self.arm and Arm.DEARER or 1) end

--- The calls of the timed rounds that take as long as a paced batch.
---@return number
function Pacing:weight() return self.iters * self.dearer end

-- Collections a call in the timed rows so far; nil where too few were seen.
local function collections_a_call(samples)
  local calls, seen = 0, 0
  for row = 1, #samples do
    calls = calls + samples:get(row, "iters")
    seen = seen + samples:get(row, "gc_minor") + samples:get(row, "gc_major")
  end
  return seen >= FEWEST_SEEN and seen / calls or nil
end

-- From now on with steps in the midst of calls too, if that is called for and
-- can be: LuaJIT's compiled code calls no hooks. Batches have collections then.
function Pacing:_go_inside(trial)
  if self.arm or self.inner or compat.jit() then return end
  local rate = collections_a_call(trial.samples) or 0
  if rate < MIDST then return end
  local iters = math.max(self.iters, math.ceil(A_BATCH / rate))
  local call_ns = math.max(trial.policy.call_ns, 1e-3)
  local rows = math.floor(self.left_ns / (HOOKED * iters * call_ns))
  if rows < FEWEST_HOOKED or HOOKED * iters > trial.policy:batch_max() then
    return
  end
  self.inner, self.dearer, self.iters = core.pacer(trial.meter), HOOKED, iters
  self.rows = math.min(LONG_ROWS, rows)
  self.samples = core.samples(LONG_ROWS)
end

-- Whether the next batch has its steps in the midst of calls.
function Pacing:_is_inside() return self.inner and #self.samples % 2 == 0 end

-- A batch took so long: what is left of the time is for more of them.
function Pacing:_spend(trial, spent_ns, is_inside)
  trial.policy:observe_extra(self:_calls(), spent_ns)
  self.left_ns = self.left_ns - spent_ns
  if not is_inside then return end
  local call_ns = math.max(trial.policy.call_ns, 1e-3)
  local more = math.floor(self.left_ns / math.max(spent_ns, 1))
  self.dearer = spent_ns / (self.iters * call_ns)
  self.rows = math.min(LONG_ROWS, #self.samples + math.max(0, more))
end

-- The calls of a paced batch: true, or nil and an error value.
function Pacing:_run(fixture, meter, iters, is_inside)
  if self.arm then return self.arm:run(fixture, meter, self.samples, iters) end
  local pacer = is_inside and self.inner or self.pacer
  return fixture.calls:within(pacer.run, pacer, self.samples, meter,
    fixture:repeater(), iters, fixture:idler(), is_inside)
end

--- One paced batch, which is no turn of a round.
---@param trial table
function Pacing:batch(trial)
  self:_go_inside(trial)
  local is_inside = self:_is_inside()
  local ok, spent_ns = timing.charged(trial, self.iters, function(n)
    return self:_run(trial.fixture, trial.meter, n, is_inside)
  end)
  self:_spend(trial, spent_ns, is_inside)
  if ok then self.samples:set(-1, "round", trial.round) end
end

--- What was measured, by the name of the pass: 'paced' or 'stopped'.
---@param passes table
function Pacing:add_to(passes)
  if #self.samples == 0 then return end
  local samples = self.samples:columns()
  if self.arm then
    passes.stopped = { samples = samples }
  else
    local pacer = self.inner or self.pacer
    passes.paced = { samples = samples, pauses = pacer:pauses() }
  end
end

return Pacing
