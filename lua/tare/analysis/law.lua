-- The growth law of a series: what stats.growth says, but that a level series
-- is called level.
local core = require "tare.core"
local unpack = require("tare.base.compat").unpack

local law = {}

local FEWEST_POINTS = 4

-- Costs that differ by less than a quarter over a decade of sizes are level for
-- every practical purpose: the drift of a machine makes such slopes.
local LEVEL_COSTS, LEVEL_SIZES = math.log(1.25), math.log(10)

-- Above 0, as logarithms.
local function logarithms(points)
  local xs, ts = {}, {}
  for i, point in ipairs(points) do
    if point.x <= 0 or point.value <= 0 then return nil end
    xs[i], ts[i] = math.log(point.x), math.log(point.value)
  end
  return xs, ts
end

local function span(list)
  local low, high = math.huge, -math.huge
  for _, x in ipairs(list) do
    low, high = math.min(low, x), math.max(high, x)
  end
  return high - low
end

-- A level series: "1", with the growing laws that can't be ruled out, and the
-- slope of the logarithms as exponent (Theil and Sen's, with its interval).
local function level_law(xs, ts, found)
  local also = {}
  for _, name in ipairs { found.law, unpack(found.also or {}) } do
    if name ~= "1" then also[#also + 1] = name end
  end
  local slope = core.stats.theil_sen(ts, xs).coefficients[1]
  return { name = "1", also = also,
    exponent = { value = slope.value, low = slope.low, high = slope.high } }
end

--- The growth law of a series, or nil where its points allow none.
---@param points { x: number, value: number }[]
---@param fit function? stats.growth unless told
---@return { name: string, exponent: table?, also: string[] }?
function law.of(points, fit)
  local xs, ts = logarithms(points)
  if not xs or #xs < FEWEST_POINTS then return nil end
  local sizes, costs = {}, {}
  for i, point in ipairs(points) do
    sizes[i], costs[i] = point.x, point.value
  end
  local found = (fit or core.stats.growth)(sizes, costs)
  if not (found and found.law) then return nil end -- too few points
  if span(xs) >= LEVEL_SIZES and span(ts) <= LEVEL_COSTS then
    return level_law(xs, ts, found)
  end
  return { name = found.law, exponent = found.exponent, also = found.also }
end

return law
