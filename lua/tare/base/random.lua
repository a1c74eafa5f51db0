-- Random numbers of tare's own, so that the host's math.random is left alone:
-- the same everywhere for a seed (Park and Miller 1988, "minimal standard";
-- exact in doubles).
local random = {}

local MODULUS = 2147483647
local DISCARDED = 10 -- draws: small seeds begin alike

--- A generator that is called like math.random.
---@param seed integer
---@return fun(m: integer?, n: integer?): number in [0, 1); with m: whole, in
---  1 .. m; with m and n: whole, in m .. n
function random.generator(seed)
  local state = seed % (MODULUS - 1) + 1 -- in 1 .. 2^31 - 2
  local function next_one()
    state = state * 16807 % MODULUS
    return state
  end
  for _ = 1, DISCARDED do next_one() end
  return function(m, n)
    local share = (next_one() - 1) / (MODULUS - 1)
    if not m then return share end
    if not n then m, n = 1, m end
    return m + math.floor(share * (n - m + 1))
  end
end

return random
