-- What the median of paired ratios passes over: collections that fall into few
-- of the rounds are part of what a call costs, but of no typical round. The
-- ratio of sums has them, and every disturbance of the machine as well; so the
-- median is corrected only where the difference can be told from noise.
local core = require "tare.core"

local uneven = {}

local BLOCKS = 8 -- of neighbouring rounds
local ROUNDS_A_BLOCK = 8

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

--- How far the logarithm of the median ratio is to be moved, and half the width
--- of the interval of that; zeros where it is nothing that can be told.
---@param rounds table[] in order: { a = {ns, calls}, b = {ns, calls}, ratio }
---@param confidence number
---@return number shift
---@return number doubt
function uneven.shift(rounds, confidence)
  if #rounds < BLOCKS * ROUNDS_A_BLOCK then return 0, 0 end
  local found = {}
  for block = 1, BLOCKS do
    local before = math.floor((block - 1) * #rounds / BLOCKS)
    found[block] = excess(rounds, before + 1,
      math.floor(block * #rounds / BLOCKS))
  end
  local shift = core.stats.mean(found)
  local doubt = core.stats.stddev(found) / math.sqrt(BLOCKS)
    * core.stats.t_quantile((1 + confidence) / 2, BLOCKS - 1)
  if math.abs(shift) <= doubt then return 0, 0 end
  return shift, doubt
end

return uneven
