-- Made-up samples with a fixed seed: the same on every Lua.
local made = {}

--- A generator of numbers in (0, 1): two combined congruential ones (L'Ecuyer
--- 1988, CACM 31(6)), whose products stay exact in a double.
---@param seed integer 1 to 2147483398
---@return fun(): number
function made.uniform(seed)
  local a, b = seed, seed
  return function()
    a = a * 40014 % 2147483563
    b = b * 40692 % 2147483399
    return (a - b) % 2147483562 / 2147483563 + 2 ^ -32
  end
end

--- A generator of standard normal numbers (Box and Muller 1958).
---@param seed integer
---@return fun(): number
function made.normal(seed)
  local uniform = made.uniform(seed)
  return function()
    local radius = math.sqrt(-2 * math.log(uniform()))
    return radius * math.cos(2 * math.pi * uniform())
  end
end

--- n numbers of a generator.
---@param n integer
---@param generator fun(): number
---@return number[]
function made.list(n, generator)
  local list = {}
  for i = 1, n do list[i] = generator() end
  return list
end

return made
