-- How steadily the machine runs at this moment, for 'tare env'.
local core = require "tare.core"

local stats = core.stats

local noise = {}

-- A part of the time is slow where the core needs this much longer for the
-- same work than when it was quick.
local SLOW = 1.15
-- The core was crowded where it got this much less done at once than when it
-- had itself to itself.
local CROWDED = 0.92
-- Readings of the chain beyond which no more are kept.
local MAX_READINGS = 1e5
-- Readings that don't move in so many looks: the clock stands still.
local MAX_LOOKS = 1e7

local function share_below(values, limit)
  local count = 0
  for i = 1, #values do if values[i] < limit then count = count + 1 end end
  return count / #values
end

--- Sums up readings of the chain: how long a core cycle was.
---@param cycle_ns number[] at least one
---@param widths number[] operations a core cycle, of each reading
---@param ratios number[] slowest over quickest part, of each reading
---@return table { cycle_ns =, frequency_ghz =, slow_share =, crowded_share =,
---  interrupted_share =, swing = }; swing is p95 over p5 of cycle_ns
function noise.summary(cycle_ns, widths, ratios)
  local quick = stats.quantile(cycle_ns, 0.05)
  local wide = stats.quantile(widths, 0.9)
  return {
    cycle_ns = stats.median(cycle_ns), frequency_ghz = 1 / quick,
    swing = stats.quantile(cycle_ns, 0.95) / quick,
    slow_share = 1 - share_below(cycle_ns, SLOW * quick),
    crowded_share = share_below(widths, CROWDED * wide),
    interrupted_share = 1 - share_below(ratios, SLOW),
  }
end

local function read_chain(machine, deadline_ns)
  local cycle_ns, widths, ratios, n = {}, {}, {}, 0
  repeat
    local reading, width, ratio = machine.chain_read()
    if not reading then break end
    n = n + 1
    cycle_ns[n], widths[n], ratios[n] = reading, width, ratio
  until n >= MAX_READINGS or machine.now_ns() >= deadline_ns
  return cycle_ns, widths, ratios
end

-- Largest gap between looks at the clock that follow each other: for so long
-- at a stretch something else had the core.
local function largest_gap_ns(machine, deadline_ns)
  local now_ns, largest, looks = machine.now_ns, 0, 0
  local before = now_ns()
  repeat
    local after = now_ns()
    if after - before > largest then largest = after - before end
    before, looks = after, looks + 1
  until before >= deadline_ns or looks >= MAX_LOOKS
  return largest
end

--- Watches the machine for a while (0.2 s by default): half of it the
--- length of a core cycle, half of it gaps between looks at the clock.
---@param seconds number?
---@param machine table? another clock and chain than those of the core
---@return table? sample of noise.summary, with largest_gap_ns and seconds
---@return string? message why there is none
function noise.sample(seconds, machine)
  machine = machine or core
  local half_ns = (seconds or 0.2) * 1e9 / 2
  local cycle_ns, widths, ratios = read_chain(machine,
    machine.now_ns() + half_ns)
  if #cycle_ns == 0 then return nil, "the clock is too coarse to watch" end
  local sample = noise.summary(cycle_ns, widths, ratios)
  sample.largest_gap_ns = largest_gap_ns(machine, machine.now_ns() + half_ns)
  sample.seconds = seconds or 0.2
  return sample
end

return noise
