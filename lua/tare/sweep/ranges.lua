-- Runs of numbers for the axes of a sweep.
local ranges = {}

-- A run with more numbers is refused, not built.
ranges.MOST = 100000

local function is_whole(x) return x % 1 == 0 and math.abs(x) < 2^53 end

--- An integer where Lua has them, so that a loop up to it counts in integers.
function ranges.whole(x) return is_whole(x) and math.floor(x) or x end

local function check_number(where, name, x)
  if type(x) ~= "number" or x ~= x or x == 1/0 or x == -1/0 then
    error(("%s: '%s' must be a number, got %s"):format(where, name,
      tostring(x)), 3)
  end
end

--- The numbers from lo to hi, both included where the steps meet hi.
---@param lo number
---@param hi number
---@param step number? 1 by default; negative to descend
---@return number[]
function ranges.range(lo, hi, step)
  step = step or 1
  check_number("tare.range", "lo", lo)
  check_number("tare.range", "hi", hi)
  check_number("tare.range", "step", step)
  local last = math.floor((hi - lo) / step + 1e-9) -- 0.1 is no exact step
  if step == 0 or last < 0 then
    error("tare.range: 'step' must lead from 'lo' to 'hi'", 2)
  end
  if last >= ranges.MOST then
    error(("tare.range: %.0f values, of at most %d"):format(last + 1,
      ranges.MOST), 2)
  end
  local values = {}
  for i = 0, last do
    values[i + 1] = ranges.whole(tonumber(("%.12g"):format(lo + i * step)))
  end
  return values
end

--- The numbers lo, lo * factor, ... and hi: rounded to whole numbers where lo
--- and hi are whole, each once. A last step shorter than the root of the factor
--- is joined to the one before, so that hi is always there.
---@param lo number above 0
---@param hi number
---@param factor number? 2 by default; above 1
---@return number[]
function ranges.geometric(lo, hi, factor)
  factor = factor or 2
  check_number("tare.geometric", "lo", lo)
  check_number("tare.geometric", "hi", hi)
  check_number("tare.geometric", "factor", factor)
  if lo <= 0 or hi < lo or factor <= 1 then
    error("tare.geometric: needs 0 < lo <= hi and a factor above 1", 2)
  end
  local steps = math.log(hi / lo) / math.log(factor)
  if steps >= ranges.MOST then
    error(("tare.geometric: about %.0f values, of at most %d"):format(steps,
      ranges.MOST), 2)
  end
  local rounded = is_whole(lo) and is_whole(hi)
  local values = { ranges.whole(lo) }
  for i = 1, math.floor(steps - 0.5 + 1e-9) do
    local x = lo * factor^i
    x = ranges.whole(rounded and math.floor(x + 0.5) or x)
    if x > values[#values] and x < hi then values[#values + 1] = x end
  end
  if hi > lo then values[#values + 1] = ranges.whole(hi) end
  return values
end

return ranges
