-- What the median of paired ratios passes over: collections that fall into few
-- of the rounds are part of what a call costs, but of no typical round. The
-- ratio of sums has them, and every disturbance of the machine as well.
--
-- Both benches share one collector, and what it costs falls on them by what
-- they allocate: where they allocate as much in the same time, it cancels out.
local core = require "tare.core"

local uneven = {}

local MOST_BLOCKS = 8 -- of neighbouring rounds
local ROUNDS_A_BLOCK = 4 -- at least
local ALIKE = 0.05 -- relative difference of what is allocated in a time

-- Of some rounds: the logarithm of the ratio of sums over the median ratio.
local function excess(rounds, from, to)
  local ratios, a, b = {}, { ns = 0, calls = 0 }, { ns = 0, calls = 0 }
  for i = from, to do
    local round = rounds[i]
    ratios[#ratios + 1] = round.ratio
    a.ns, a.calls = a.ns + round.a.ns, a.calls + round.a.calls
    b.ns, b.calls = b.ns + round.b.ns, b.calls + round.b.calls
  end
  return math.log(a.ns / a.calls / (b.ns / b.calls)
    / core.stats.median(ratios))
end

local function excess_of_blocks(rounds)
  local found = {}
  local blocks = math.min(MOST_BLOCKS, math.floor(#rounds / ROUNDS_A_BLOCK))
  for block = 1, blocks do
    local before = math.floor((block - 1) * #rounds / blocks)
    found[block] = excess(rounds, before + 1,
      math.floor(block * #rounds / blocks))
  end
  return found
end

-- Bytes allocated in a call; nil where they were not counted.
local function bytes_of(result)
  local census = (result.passes or {}).census
  return census and census.bytes / census.iters
end

--- How much of what collections cost can differ between two benches: 0 where
--- both allocate equally much in the same time, 1 where only one allocates, or
--- nothing is known of it.
---@param a table result
---@param b table result
---@param ratio number of their times
---@return number
function uneven.difference(a, b, ratio)
  local of_a, of_b = bytes_of(a), bytes_of(b)
  if not (of_a and of_b) then return 1 end
  of_b = of_b * ratio
  local larger = math.max(of_a, of_b)
  return larger > 0 and math.abs(of_a - of_b) / larger or 0
end

--- How far the logarithm of the median ratio is to be moved, and half the width
--- of the interval of that. It is moved only where the difference can be told
--- from noise; where it can't, that is a doubt.
---@param rounds table[] in order: { a = {ns, calls}, b = {ns, calls}, ratio }
---@param difference number of uneven.difference
---@param confidence number
---@return number shift
---@return number? doubt nil where there are too few rounds to know
function uneven.shift(rounds, difference, confidence)
  if difference < ALIKE then return 0, 0 end
  local found = excess_of_blocks(rounds)
  if #found < 2 then return 0, nil end
  local shift = core.stats.mean(found)
  local doubt = core.stats.stddev(found) / math.sqrt(#found)
    * core.stats.t_quantile((1 + confidence) / 2, #found - 1)
  if math.abs(shift) > doubt then return shift, doubt end
  return 0, difference * (math.abs(shift) + doubt)
end

return uneven
