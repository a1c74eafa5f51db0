-- How a bench is measured: warm-up, then batches of planned sizes in shuffled
-- order, within a quota. A state machine that is told what each batch took and
-- never looks at a clock.
--
--   warmup -> ready -> measure -> done
--
-- In 'ready' the owner has the estimate of a call and decides, with plan(), on
-- the share of the quota that the timed rounds get.
local schedule = require "tare.run.schedule"

local Policy = {}
Policy.__index = Policy

local WARMUP_SHARE = 0.05 -- of the quota, at least
local WARMUP_CAP = 0.2 -- of the quota, at most
local MOST_STILL_CALLS = 1e6 -- of a function in whose time the clock stands
local SETTLED_RATIO = 1.15 -- of the last two estimates of a call
local SHORTEST = 4 -- sizes span this ratio where the longest batch is limited

--- A new policy.
---@param settings table quota {ns=}|{calls=}, schedule, warmup ns?, random
---  (a generator: random(n) in 1..n), min_batch_ns, batch_max calls?
---@return table policy
function Policy.new(settings)
  local quota = settings.quota
  return setmetatable({
    state = "warmup", settings = settings, iters = 1,
    quota_ns = quota.ns or math.huge, quota_calls = quota.calls or math.huge,
    warmup_cap_ns = settings.warmup or (quota.ns or 1e9) * WARMUP_CAP,
    warmup_min_ns = math.min(settings.warmup or math.huge,
      (quota.ns or 1e9) * WARMUP_SHARE),
    spent_ns = 0, calls = 0, quiet = 0, rows = 0, settled = false,
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
  if self.call_ns and self.call_ns > 0 then
    by_time = (self.quota_ns - self.spent_ns) / self.call_ns
  end
  return math.min(by_time, self.quota_calls - self.calls)
end

--- Calls of the next batch, or nil when there is none in this state.
---@return integer?
function Policy:next()
  if self.state == "warmup" then
    return math.min(self.iters, self:batch_max())
  end
  if self.state ~= "measure" then return nil end
  local size = self.sizes[self.position]
  if not size then self.state = "done" return nil end
  if size > self:_room() then size = self:_skip() end
  return size and math.min(size, self:batch_max())
end

-- Passes over sizes that do not fit what is left of the quota.
function Policy:_skip()
  local room = self:_room()
  while self.sizes[self.position] and self.sizes[self.position] > room do
    self.position = self.position + 1
  end
  if not self.sizes[self.position] then
    self.state = "done"
    return nil
  end
  return self.sizes[self.position]
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
    return false
  end
  self.rows = self.rows + 1
  self.position = self.position + 1
  return true
end

--- Accounts for time that went into the bench outside of its batches.
---@param ns number
function Policy:spend(ns) self.spent_ns = self.spent_ns + ns end

-- Follows the estimate of a call until batches are long enough, the compiler
-- is quiet and two estimates in a row agree; or until the cap.
function Policy:_warm_up(iters, ns, events)
  local call_ns = ns / iters
  local ratio = self.call_ns and call_ns / self.call_ns or math.huge
  local long_enough = ns >= self:_min_batch_ns()
  self.quiet = events == 0 and self.quiet + 1 or 0
  self.settled = self.quiet >= 2 and long_enough
    and ratio < SETTLED_RATIO and ratio > 1 / SETTLED_RATIO
  self.call_ns = call_ns
  local stands_still = self.spent_ns == 0 and self.calls >= MOST_STILL_CALLS
  if stands_still or self.settled and self.spent_ns >= self.warmup_min_ns
    or self.spent_ns >= self.warmup_cap_ns
    or self.calls >= self.quota_calls / 4 then
    self.state = "ready"
  elseif not long_enough then
    local left_ns = self.warmup_cap_ns - self.spent_ns
    self.iters = math.max(1, math.floor(
      math.min(iters * 2, left_ns / math.max(call_ns, 1e-3), self:_room(),
        self:batch_max())))
  end
end

--- Plans the timed batches and goes on to measure them.
---@param share number of what is left of the quota
---@param call_ns number? the estimate to plan with
---@param most_rows integer? keep no more than so many of the smallest sizes
---@return integer rows planned
function Policy:plan(share, call_ns, most_rows)
  self.call_ns = call_ns or self.call_ns
  self.sizes = schedule.plan(self.settings.schedule, {
    call_ns = self.call_ns,
    budget_ns = (self.quota_ns - self.spent_ns) * share,
    budget_calls = (self.quota_calls - self.calls) * share,
    min_batch_ns = self:_min_batch_ns(),
    batch_max = self:batch_max(),
  })
  for i = #self.sizes, (most_rows or #self.sizes) + 1, -1 do
    self.sizes[i] = nil
  end
  schedule.shuffle(self.sizes, self.settings.random)
  self.position, self.state = 1, "measure"
  return #self.sizes
end

--- Ends the measuring early.
function Policy:stop() self.state = "done" end

return Policy
