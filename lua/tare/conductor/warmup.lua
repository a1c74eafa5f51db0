-- The warm-up of a bench: batches that grow until they are long enough, the
-- compiler is quiet and two estimates of a call in a row agree, or until a cap.
-- It reads no clock.
local batch_sizes = require "tare.conductor.sizes"

local Warmup = {}
Warmup.__index = Warmup

local SHARE = 0.05 -- of the quota, at least
local CAP = 0.2 -- of the quota, at most
-- If the clock stands still (an empty function): most calls of the warm-up, for
-- batches of FINE_BATCH_NS; in proportion for longer batches.
local MOST_STILL_CALLS, FINE_BATCH_NS = 1e6, 1e5
local SETTLED_RATIO = 1.15 -- of the last two estimates of a call
local FIRST = 0.25 -- of a batch, that a warm-up begins with
local QUICKEST_NS = 0.01 -- that a call in a loop can take on any processor
local FEW_TICKS = 2 -- of the clock; a shorter batch gives no estimate

--- A new warm-up.
---@param quota table {ns=}|{calls=}
---@param asked table? the longest warm-up, like a quota
---@param tick_ns number? of the clock
---@param first integer? calls of the first batch, by default one
---@return table warmup 'iters' is the size of the next batch
function Warmup.new(quota, asked, tick_ns, first)
  local most, quota_ns = asked or {}, quota.ns or 1e9
  local quota_calls = quota.calls or math.huge
  return setmetatable({
    cap_ns = most.ns or quota_ns * CAP,
    min_ns = math.min(most.ns or math.huge, quota_ns * SHARE),
    cap_calls = most.calls and math.min(most.calls, quota_calls / 2)
      or quota_calls / 4,
    iters = first or 1, quiet = 0, settled = false,
    tick_ns = tick_ns or 0, ns = 0, calls = 0,
  }, Warmup)
end

-- Whether the warm-up has settled, or has reached a cap.
function Warmup:_is_over(spent_ns, calls, min_batch_ns)
  local stands_still = spent_ns == 0 and calls >= MOST_STILL_CALLS
    * math.max(1, min_batch_ns / FINE_BATCH_NS)
  return stands_still or self.settled and spent_ns >= self.min_ns
    or spent_ns >= self.cap_ns or calls >= self.cap_calls
end

--- Estimates the time per call from the best batch so far: this one, unless it
--- was much shorter (a coarse clock stands still in short batches). If it is
--- shorter than FEW_TICKS: the mean of all batches, plus one tick, as an upper
--- bound.
---@param iters integer
---@param ns number
---@param min_batch_ns number from which on a batch is long enough by itself
---@param is_longest boolean? whether no batch may have more calls: none will be
---  better then
---@return number call_ns
function Warmup:estimate(iters, ns, min_batch_ns, is_longest)
  local best = self.best
  self.ns, self.calls = self.ns + ns, self.calls + iters
  if ns < FEW_TICKS * self.tick_ns then
    return (self.ns + self.tick_ns) / self.calls
  end
  if not best or ns >= min_batch_ns or is_longest
    or (2 * iters >= best.iters or 2 * ns >= best.ns)
      and (ns > 0 or best.ns == 0) then
    best = { iters = iters, ns = ns }
    self.best = best
  end
  return best.ns / best.iters
end

--- Accounts for a batch.
---@param batch { iters: integer, ns: number, events: integer }
---@param before_ns number? what a call was thought to take
---@param spent { ns: number, calls: integer } until now, this batch included
---@param room table min_batch_ns: how long a batch is at least; most_calls:
---  that any may have; calls: that the next may have
---@return boolean over
function Warmup:observe(batch, before_ns, spent, room)
  local call_ns = batch.ns / batch.iters
  local ratio = before_ns and call_ns / before_ns or math.huge
  local long_enough = batch.ns >= room.min_batch_ns
    or batch.iters >= room.most_calls
  self.quiet = batch.events == 0 and self.quiet + 1 or 0
  self.settled = self.quiet >= 2 and long_enough
    and ratio < SETTLED_RATIO and ratio > 1 / SETTLED_RATIO
  if self:_is_over(spent.ns, spent.calls, room.min_batch_ns) then
    return true
  end
  if not long_enough then
    local left_ns = self.cap_ns - spent.ns
    self.iters = math.max(1, math.floor(math.min(self.iters * 2,
      left_ns / math.max(call_ns, 1e-3), self.cap_calls - spent.calls,
      room.calls)))
  end
  return false
end

--- Whether a bench's own batch() does the same whatever it is asked for: it has
--- failed then. A warm-up may end before that is seen.
---@param bench table
---@param row table
---@param iters integer
---@return boolean
function Warmup.lacks_loop(bench, row, iters)
  if bench.info.loop ~= "batch" or row.wall_ns <= 0
    or row.wall_ns / iters >= QUICKEST_NS then
    return false
  end
  bench:fail(("batch(n) took %.0f ns with n = %.0f: it must make n calls "
    .. "(for _ = 1, n do ... end)"):format(row.wall_ns, iters))
  return true
end

--- Warms a bench up. Where the quota has no room for more, or calls are longer
--- than a host's step, the last batches of one call are its samples.
---@param bench table of tare.conductor.bench, that is prepared
function Warmup.run(bench)
  local limits = bench.limits
  local quota = { ns = bench.quota_ns < math.huge and bench.quota_ns or nil,
    calls = bench.quota_calls < math.huge and bench.quota_calls or nil }
  bench:enter "warm up"
  -- The first batch has one call, unless an earlier launch has shown how long
  -- a call takes.
  local expected_ns, first = bench.expected_ns or 0, 1
  if expected_ns > 0 then
    first = math.max(1, math.floor(math.min(bench:room(),
      FIRST * batch_sizes.min_ns(limits) / expected_ns)))
  end
  local warmup = Warmup.new(quota, bench.warmup_most, bench.tick_ns, first)
  local is_over, before_first_ns
  repeat
    local iters = math.min(warmup.iters, bench:batch_max())
    local row = bench:run("warm", iters)
    if not row then return end
    if bench:read_flags(row, iters) then
      local before_ns, min_ns = bench.call_ns, batch_sizes.min_ns(limits)
      local ran_ns = bench.ran_ns(row)
      -- The first request sets the collector up, too, which is long beside a
      -- large heap: that is no part of a warm-up.
      before_first_ns = before_first_ns
        or math.max(0, (row.spent_ns or 0) - row.wall_ns)
      bench:keep_cost(row)
      bench:keep_warm(row, iters, warmup:estimate(iters, ran_ns, min_ns,
        iters >= bench:batch_max()))
      is_over = warmup:observe({ iters = iters, ns = ran_ns,
          events = row.jit_events or 0 }, before_ns,
        { ns = bench.spent_ns - before_first_ns, calls = bench.calls },
        { min_batch_ns = min_ns, most_calls = bench:batch_max(),
          calls = math.min(bench:room(), bench:batch_max()) })
      if Warmup.lacks_loop(bench, row, iters) then return end
      if bench:exceeds_steps(row, iters, is_over)
        or not bench:has_room(0) then
        return bench:take_singles(row)
      end
    end
  until is_over or limits.stop
  bench:end_warmup()
  if not warmup.settled then bench:warn "not_settled" end
end

return Warmup
