-- A short look at how steadily the machine runs: what 'tare env' shows.
local jitter = {}

-- A part of the time is slow where the core needs this much longer for the
-- same work than when it was quick.
local SLOW = 1.15
-- Readings of the chain beyond which no more are kept.
local MAX_READINGS = 1e5
-- Readings that don't move in so many looks: the clock stands still.
local MAX_LOOKS = 1e7

local function quantile(sorted, p)
  return sorted[1 + math.floor(p * (#sorted - 1) + 0.5)]
end

--- Sums up readings of the chain: how long a core cycle was.
---@param cycle_ns number[] at least one
---@param spreads number[] slowest over quickest part of each reading
---@return table { cycle_ns =, frequency_ghz =, slow_share =, swing =,
---  interrupted_share = }; swing is p95 over p5
function jitter.summary(cycle_ns, spreads)
  local sorted, slow, interrupted = {}, 0, 0
  for i = 1, #cycle_ns do sorted[i] = cycle_ns[i] end
  table.sort(sorted)
  local quick = quantile(sorted, 0.05)
  for i = 1, #cycle_ns do
    if cycle_ns[i] > SLOW * quick then slow = slow + 1 end
    if spreads[i] > SLOW then interrupted = interrupted + 1 end
  end
  return { cycle_ns = quantile(sorted, 0.5), frequency_ghz = 1 / quick,
    slow_share = slow / #cycle_ns, interrupted_share = interrupted / #cycle_ns,
    swing = quantile(sorted, 0.95) / quick }
end

local function read_chain(core, deadline_ns)
  local cycle_ns, spreads, n = {}, {}, 0
  repeat
    local reading, spread = core.chain_cycle_ns()
    if not reading then break end
    n = n + 1
    cycle_ns[n], spreads[n] = reading, spread
  until n >= MAX_READINGS or core.now_ns() >= deadline_ns
  return cycle_ns, spreads
end

-- Largest gap between looks at the clock that follow each other: for so long
-- at a stretch something else had the core.
local function largest_gap_ns(core, deadline_ns)
  local now_ns, largest, looks = core.now_ns, 0, 0
  local before = now_ns()
  repeat
    local after = now_ns()
    if after - before > largest then largest = after - before end
    before, looks = after, looks + 1
  until before >= deadline_ns or looks >= MAX_LOOKS
  return largest
end

--- Watches the machine for a while (0.2 s unless told): half of it the
--- length of a core cycle, half of it gaps between looks at the clock.
---@param core table tare.core
---@param seconds number?
---@return table? sample of jitter.summary, with largest_gap_ns and seconds
---@return string? message why there is none
function jitter.sample(core, seconds)
  local half_ns = (seconds or 0.2) * 1e9 / 2
  local cycle_ns, spreads = read_chain(core, core.now_ns() + half_ns)
  if #cycle_ns == 0 then return nil, "the clock is too coarse to watch" end
  local sample = jitter.summary(cycle_ns, spreads)
  sample.largest_gap_ns = largest_gap_ns(core, core.now_ns() + half_ns)
  sample.seconds = seconds or 0.2
  return sample
end

return jitter
