-- How a bench is measured: warm-up, then batches of planned sizes in shuffled
-- order, within a quota. A state machine that is told what each batch took and
-- never looks at a clock.
--
--   warmup -> ready -> measure -> done
--
-- In 'ready' the owner has the estimate of a call and decides, with plan(), on
-- the share of the quota that the timed rounds get.
local schedule = require "tare.run.schedule"
local Warmup = require "tare.run.warmup"

local Policy = {}
Policy.__index = Policy

local SHORTEST = 4 -- sizes span this ratio where the longest batch is limited

--- A new policy.
---@param settings table quota {ns=}|{calls=}, schedule, warmup like a quota?,
---  rehearse?, random (a generator: random(n) in 1..n), min_batch_ns, batch_max
---  calls?
---@return table policy
function Policy.new(settings)
  local quota = settings.quota
  return setmetatable({
    state = "warmup", settings = settings,
    warmup = Warmup.new(quota, settings.warmup, settings.tick_ns),
    quota_ns = quota.ns or math.huge, quota_calls = quota.calls or math.huge,
    spent_ns = 0, calls = 0, rows = 0, settled = false,
    measured_ns = 0, measured_calls = 0, rehearsed = 0,
    batch_ns = math.huge, most_calls = settings.batch_max or math.huge,
  }, Policy)
end

--- From now on no batch is to take longer than this, if one call does not.
---@param batch_ns number
function Policy:limit(batch_ns) self.batch_ns = batch_ns end

--- From now on no batch has more calls than this.
---@param calls integer
function Policy:at_most(calls)
  self.most_calls = math.min(self.most_calls, calls)
end

--- The most calls that fit a batch, whatever the quota says.
---@return integer calls or infinity
function Policy:batch_max()
  local most = self.most_calls
  if self.batch_ns == math.huge or not self.call_ns then return most end
  return math.max(1, math.min(most,
    math.floor(self.batch_ns / math.max(self.call_ns, 1e-3))))
end

-- How long a batch is at least, where calls are short enough for that.
function Policy:_min_batch_ns()
  return math.min(self.settings.min_batch_ns, self.batch_ns / SHORTEST)
end

-- The most calls that a batch may still have.
function Policy:_room()
  local by_time = math.huge
  local call_ns = math.max(self.call_ns or 0, self:measured_call_ns() or 0)
  if call_ns > 0 then
    by_time = (self.quota_ns - self.spent_ns) / call_ns
  end
  return math.min(by_time, self.quota_calls - self.calls)
end

--- Calls of the next batch, or nil when there is none in this state.
---@return integer?
function Policy:next()
  if self.state == "warmup" then
    return math.min(self.warmup.iters, self:batch_max())
  end
  if self.state ~= "measure" then return nil end
  local size = self.sizes[self.position]
  if not size then self.state = "done" return nil end
  if size > self:_room() then size = self:_skip() end
  return size and math.min(size, self:batch_max())
end

-- Passes over sizes that do not fit what is left of the quota. Where none does
-- from the first, one call is measured all the same: without it there would be
-- no result at all.
function Policy:_skip()
  local room = self:_room()
  while self.sizes[self.position] and self.sizes[self.position] > room do
    self.position = self.position + 1
  end
  if self.sizes[self.position] then return self.sizes[self.position] end
  if self.rows == 0 and self.calls < self.quota_calls then
    self.position = #self.sizes
    return 1
  end
  self.state = "done"
  return nil
end

--- Accounts for a finished batch; returns true when its row is to be kept.
---@param iters integer
---@param ns number elapsed time of the batch
---@param events integer? traces that a JIT compiler began, ended or dropped
---@return boolean keep
function Policy:observe(iters, ns, events)
  self.spent_ns = self.spent_ns + ns
  self.calls = self.calls + iters
  if self.state == "warmup" then
    self:_warm_up(iters, ns, events or 0)
    return not self:has_room(0)
  end
  self.measured_ns = self.measured_ns + ns
  self.measured_calls = self.measured_calls + iters
  self.position = self.position + 1
  if self.position <= self.rehearsed + 1 then return false end
  self.rows = self.rows + 1
  return true
end

--- What a call took in the timed batches, on average; at most, if it is coarse.
---@return number? ns nil before the first
function Policy:measured_call_ns()
  if self.measured_calls == 0 then return nil end
  return (self.measured_ns + self.warmup.tick_ns) / self.measured_calls
end

--- Whether a single call takes longer than the whole quota.
---@return boolean
function Policy:call_exceeds_quota()
  return (self:measured_call_ns() or self.call_ns or 0) > self.quota_ns
end

--- Whether a quota of calls has room for so many, and for a timed one.
---@param calls integer
---@return boolean
function Policy:has_room(calls) return self.calls + calls < self.quota_calls end

--- Accounts for a batch that is no part of the plan.
---@param iters integer
---@param ns number
function Policy:observe_extra(iters, ns)
  self.spent_ns = self.spent_ns + ns
  self.calls = self.calls + iters
end

--- Accounts for time that went into the bench outside of its batches.
---@param ns number
function Policy:spend(ns) self.spent_ns = self.spent_ns + ns end

function Policy:_warm_up(iters, ns, events)
  local warmup, before_ns = self.warmup, self.call_ns
  self.call_ns = warmup:estimate(iters, ns, self:_min_batch_ns())
  self.quickest_ns = math.min(self.quickest_ns or math.huge, self.call_ns)
  local is_over = warmup:observe({ iters = iters, ns = ns, events = events },
    before_ns, { ns = self.spent_ns, calls = self.calls },
    { min_batch_ns = self:_min_batch_ns(), most_calls = self:batch_max(),
      calls = math.min(self:_room(), self:batch_max()) })
  self.settled = warmup.settled
  if is_over then self.state = "ready" end
end

-- Where a share of the calls is less than one, one call is measured.
function Policy:_begin(sizes)
  if #sizes == 0 and self.calls < self.quota_calls then sizes = { 1 } end
  local planned = #sizes
  self.rehearsed = self.settings.rehearse and planned or 0
  self.sizes = self.rehearsed > 0 and schedule.doubled(sizes) or sizes
  self.position, self.rows, self.state = 1, 0, "measure"
  self.measured_ns, self.measured_calls = 0, 0
  return planned
end

--- Plans the timed batches and goes on to measure them.
---@param share number of what is left of the quota
---@param call_ns number? the estimate to plan with
---@param most_rows integer? no more batches than so many, longer ones instead
---@return integer rows planned, to be kept
function Policy:plan(share, call_ns, most_rows)
  self.call_ns = call_ns or self.call_ns
  if self.settings.rehearse then share = share / 2 end
  self.planned = schedule.plan(self.settings.schedule, {
    call_ns = self.call_ns,
    budget_ns = (self.quota_ns - self.spent_ns) * share,
    budget_calls = (self.quota_calls - self.calls) * share,
    min_batch_ns = self:_min_batch_ns(), most_rows = most_rows,
    batch_max = self:batch_max(),
  })
  schedule.shuffle(self.planned, self.settings.random)
  return self:_begin(self.planned)
end

--- Measures the same batches, in the same order, as another that is planned.
---@param other table policy
---@return integer rows
function Policy:follow(other)
  self.call_ns, self.planned = other.call_ns, other.planned
  return self:_begin(self.planned)
end

--- Ends the measuring early.
function Policy:stop() self.state = "done" end

return Policy
