-- The warm-up of a bench: batches that grow until they are long enough, the
-- compiler is quiet and two estimates of a call in a row agree, or until a cap.
-- Told what each batch took; never looks at a clock.
local Warmup = {}
Warmup.__index = Warmup

local SHARE = 0.05 -- of the quota, at least
local CAP = 0.2 -- of the quota, at most
local MOST_STILL_CALLS = 1e6 -- of a function in whose time the clock stands
local SETTLED_RATIO = 1.15 -- of the last two estimates of a call

--- A new warm-up.
---@param quota table {ns=}|{calls=}
---@param asked table? the longest warm-up, like a quota
---@return table warmup 'iters' is the size of the next batch
function Warmup.new(quota, asked)
  local most, quota_ns = asked or {}, quota.ns or 1e9
  local quota_calls = quota.calls or math.huge
  return setmetatable({
    cap_ns = most.ns or quota_ns * CAP,
    min_ns = math.min(most.ns or math.huge, quota_ns * SHARE),
    cap_calls = most.calls and math.min(most.calls, quota_calls / 2)
      or quota_calls / 4,
    iters = 1, quiet = 0, settled = false,
  }, Warmup)
end

-- Whether there is nothing to wait for, or no room to.
function Warmup:_is_over(spent_ns, calls)
  local stands_still = spent_ns == 0 and calls >= MOST_STILL_CALLS
  return stands_still or self.settled and spent_ns >= self.min_ns
    or spent_ns >= self.cap_ns or calls >= self.cap_calls
end

--- Accounts for a batch.
---@param batch { iters: integer, ns: number, events: integer }
---@param before_ns number? what a call was thought to take
---@param spent { ns: number, calls: integer } until now, this batch included
---@param room { min_batch_ns: number, calls: number } how long a batch is at
---  least, and the most calls that one may have
---@return boolean over
function Warmup:observe(batch, before_ns, spent, room)
  local call_ns = batch.ns / batch.iters
  local ratio = before_ns and call_ns / before_ns or math.huge
  local long_enough = batch.ns >= room.min_batch_ns
  self.quiet = batch.events == 0 and self.quiet + 1 or 0
  self.settled = self.quiet >= 2 and long_enough
    and ratio < SETTLED_RATIO and ratio > 1 / SETTLED_RATIO
  if self:_is_over(spent.ns, spent.calls) then return true end
  if not long_enough then
    local left_ns = self.cap_ns - spent.ns
    self.iters = math.max(1, math.floor(math.min(self.iters * 2,
      left_ns / math.max(call_ns, 1e-3), self.cap_calls - spent.calls,
      room.calls)))
  end
  return false
end

return Warmup
