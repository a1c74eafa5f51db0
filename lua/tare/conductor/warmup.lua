-- The warm-up of a bench: batches that grow until they are long enough, the
-- compiler is quiet and two estimates of a call in a row agree, or until a cap.
-- It reads no clock.
local batch_sizes = require "tare.conductor.sizes"

local warmup = {}

local SHARE = 0.05 -- of the quota, at least
local CAP = 0.2 -- of the quota, at most
local CAP_CALLS = 0.25 -- of a quota of calls; at most half if asked for
-- If the clock stands still (an empty function), the warm-up has at most so
-- many calls for batches of FINE_BATCH_NS, and more in proportion for longer
-- batches.
local MOST_STILL_CALLS, FINE_BATCH_NS = 1e6, 1e5
local SETTLED_RATIO = 1.15 -- largest ratio of the last two estimates of a call
local FIRST = 0.25 -- of a batch's least length: the first batch of a warm-up
local FEW_TICKS = 2 -- of the clock: a shorter batch gives no estimate

-- The time and the calls that a warm-up takes: least_ns, most_ns, most_calls.
local function bounds_of(bench)
  local asked = bench.warmup_most or {}
  local quota_ns = bench.quota_ns < math.huge and bench.quota_ns or 1e9
  return math.min(asked.ns or math.huge, quota_ns * SHARE),
    asked.ns or quota_ns * CAP,
    asked.calls and math.min(asked.calls, bench.quota_calls / 2)
      or bench.quota_calls * CAP_CALLS
end

-- The time of a call, now that one more batch has run: that of the best batch
-- so far. The best is the new one, unless it was much shorter than the best
-- before (a coarse clock stands still in short batches). If the new one is
-- shorter than FEW_TICKS, the result is the mean of all batches plus one tick,
-- an upper bound.
---@param seen { ns: number, calls: integer, best_ns: number?,
---  best_calls: integer?, min_ns: number } sums over all batches, to which the
---  new one is added; the best batch; how long a batch should be
local function call_ns_after(seen, bench, ran_ns, iters)
  seen.ns, seen.calls = seen.ns + ran_ns, seen.calls + iters
  if ran_ns < FEW_TICKS * bench.tick_ns then
    return (seen.ns + bench.tick_ns) / seen.calls
  end
  local best_ns = seen.best_ns
  if not best_ns or ran_ns >= seen.min_ns or iters >= bench:batch_max()
    or (2 * iters >= seen.best_calls or 2 * ran_ns >= best_ns)
      and (ran_ns > 0 or best_ns == 0) then
    seen.best_ns, seen.best_calls = ran_ns, iters
  end
  return seen.best_ns / seen.best_calls
end

-- Warms a bench up, and returns whether it has settled; nil where there is
-- nothing more to do for it. Then it has failed, or its batches of one call
-- have become its samples, because the quota has no room for more calls, or a
-- call is longer than a host's step.
local function settles(bench)
  local limits, min_ns = bench.limits, batch_sizes.min_ns(bench.limits)
  local least_ns, most_ns, most_calls = bounds_of(bench)
  -- The first batch has one call, unless an earlier launch has shown how long
  -- a call takes.
  local expected_ns, size = bench.expected_ns or 0, 1
  if expected_ns > 0 then
    size = math.max(1, math.floor(math.min(bench:room(),
      FIRST * min_ns / expected_ns)))
  end
  local setting_up_ns -- time to set up the collector, in the first request
  local seen = { ns = 0, calls = 0, min_ns = min_ns }
  local quiet, has_settled, is_over = 0, false, false
  repeat
    local iters = math.min(size, bench:batch_max())
    local row = bench:run("warm", iters)
    if not row then return nil end
    if bench:read_flags(row, iters) then
      local ran_ns, before_ns = bench.ran_ns(row), bench.call_ns
      -- Setting up the collector takes long with a large heap, and does not
      -- count as warm-up.
      setting_up_ns = setting_up_ns
        or math.max(0, (row.spent_ns or 0) - row.wall_ns)
      bench:keep_cost(row)
      bench:keep_warm(row, iters, call_ns_after(seen, bench, ran_ns, iters))

      -- Is it over, and if not, how many calls are next?
      local ratio = before_ns and ran_ns / iters / before_ns or math.huge
      local is_long = ran_ns >= min_ns or iters >= bench:batch_max()
      quiet = (row.jit_events or 0) == 0 and quiet + 1 or 0
      has_settled = quiet >= 2 and is_long
        and ratio < SETTLED_RATIO and ratio > 1 / SETTLED_RATIO
      local spent_ns = bench.spent_ns - setting_up_ns
      local stands_still = spent_ns == 0 and bench.calls
        >= MOST_STILL_CALLS * math.max(1, min_ns / FINE_BATCH_NS)
      is_over = stands_still or has_settled and spent_ns >= least_ns
        or spent_ns >= most_ns or bench.calls >= most_calls
      if not (is_over or is_long) then
        size = math.max(1, math.floor(math.min(2 * size,
          (most_ns - spent_ns) / math.max(ran_ns / iters, 1e-3),
          most_calls - bench.calls, bench:room(), bench:batch_max())))
      end
      if bench:lacks_loop(row, iters) then return nil end
      if bench:exceeds_steps(row, iters, is_over)
        or not bench:has_room(0) then
        bench:take_singles(row)
        return nil
      end
    end
  until is_over or limits.stop
  return has_settled
end

--- Warms up a bench that is prepared.
---@param bench table of tare.conductor.bench
function warmup.run(bench)
  bench:enter "warm up"
  local has_settled = settles(bench)
  if has_settled == nil then return end
  bench:end_warmup()
  if not has_settled then bench:warn "not_settled" end
end

return warmup
