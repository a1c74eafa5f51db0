-- Estimates with an interval, { value, low, high }: what follows for their
-- quotient and their difference. Also how far off a mean or a quantile is of
-- batches that come in launches.
local core = require "tare.core"

local interval = {}

--- How far off a figure may be that has several independent errors: they add
--- in quadrature.
---@param ... number
---@return number
function interval.quadrature(...)
  local sum = 0
  for _, side in ipairs { ... } do sum = sum + side * side end
  return math.sqrt(sum)
end

local function distance(from, to)
  if not (from and to and from > 0 and to > 0) then return 1/0 end
  return math.log(to) - math.log(from)
end

--- The ratio a / b of two estimates that were made apart from each other. Its
--- interval comes from theirs on the logarithmic scale, side by side in
--- quadrature (Zou and Donner, "Construction of confidence limits about effect
--- measures", Statistics in Medicine 27, 2008). An end that is absent, or not
--- above zero, leaves that side open: 0 or infinity.
---@param a { value: number, low: number?, high: number? }
---@param b { value: number, low: number?, high: number? }
---@return { value: number, low: number, high: number }? ratio nil where a value
--- is not above zero
function interval.ratio(a, b)
  if not (a.value > 0 and b.value > 0) then return nil end
  local ratio = a.value / b.value
  local down = interval.quadrature(distance(a.low, a.value),
    distance(b.value, b.high))
  local up = interval.quadrature(distance(a.value, a.high),
    distance(b.low, b.value))
  return { value = ratio, low = ratio * math.exp(-down),
    high = ratio * math.exp(up) }
end

--- The difference a - b of two such estimates, with its interval (Zou and
--- Donner, as above). An end that is absent leaves that side open.
---@param a { value: number, low: number?, high: number? }
---@param b { value: number, low: number?, high: number? }
---@return { value: number, low: number, high: number }
function interval.difference(a, b)
  local function side(x, y) return x and y and x - y or 1/0 end
  local value = a.value - b.value
  return { value = value,
    low = value - interval.quadrature(side(a.value, a.low),
      side(b.high, b.value)),
    high = value + interval.quadrature(side(a.high, a.value),
      side(b.value, b.low)) }
end

--- How far off the mean of values may be that come in launches. Launches are
--- independent, but the values of one are alike. So this is Student's t over
--- each launch's sum of deviations (a ratio of sums over launches: Cochran,
--- 'Sampling techniques', 6.3).
---@param values number[]
---@param launch any[] of each value
---@param confidence number
---@return number? half nil where there is one launch
function interval.half_of_mean(values, launch, confidence)
  local mean, sums, launches, squares = 0, {}, 0, 0
  for _, value in ipairs(values) do mean = mean + value / #values end
  for i, value in ipairs(values) do
    local key = launch[i]
    if key ~= key then key = nil end -- of a file
    key = key or 1
    launches = launches + (sums[key] and 0 or 1)
    sums[key] = (sums[key] or 0) + value - mean
  end
  if launches < 2 then return nil end
  for _, sum in pairs(sums) do squares = squares + sum * sum end
  return core.stats.t_quantile((1 + confidence) / 2, launches - 1)
    * math.sqrt(launches / (launches - 1) * squares) / #values
end

--- How far off the share of values may be that is below their quantile. The
--- quantiles of that many more and less are the ends of its interval (Woodruff,
--- 'Confidence intervals for medians and other position measures', JASA 47,
--- 1952).
---@param values number[]
---@param launch any[] of each value
---@param quantile number
---@param confidence number
---@return number? half nil where there is one launch
function interval.half_of_share(values, launch, quantile, confidence)
  local is_below = {}
  for i, value in ipairs(values) do
    is_below[i] = value < quantile and 1 or value == quantile and 0.5 or 0
  end
  return interval.half_of_mean(is_below, launch, confidence)
end

-- An interval of a half of the value on either side is as wide as the value,
-- which makes a time too noisy; its ends are a factor of 3 apart. And a shared
-- core makes a time nearly twice too high at most. An interval with an open end
-- does not count as vague.
local TOO_WIDE, NOISE = 3, 2

--- Whether a ratio says nothing, on whichever side of 1 its interval lies: as
--- wide as that of a time that is too noisy, and within what noise can do.
---@param ratio { low: number, high: number }
---@return boolean
function interval.is_vague(ratio)
  return ratio.low > 0 and ratio.high < 1/0
    and ratio.high > TOO_WIDE * ratio.low and ratio.low <= NOISE
    and ratio.high >= 1 / NOISE
end

--- What a ratio's interval says: "faster" and "slower" when it lies on one
--- side of 1, "same" when it lies within 'tolerance' of 1, else "unclear";
--- that, too, where it is vague.
---@param ratio { low: number, high: number }
---@param tolerance number? 0.01 by default
---@return "faster"|"slower"|"same"|"unclear"
function interval.verdict(ratio, tolerance)
  local room = 1 + (tolerance or 0.01)
  if ratio.low >= 1 / room and ratio.high <= room then return "same" end
  if interval.is_vague(ratio) then return "unclear" end
  if ratio.high < 1 then return "faster" end
  return ratio.low > 1 and "slower" or "unclear"
end

local OPPOSITE = { faster = "slower", slower = "faster" }

local function inverse(x) return x and x > 0 and 1 / x or nil end

--- A comparison seen from its second side.
---@param c table comparison, as in a Report
---@return table
function interval.reversed(c)
  return { a = c.b, b = c.a, metric = c.metric, between = c.between,
    rounds = c.rounds, verdict = OPPOSITE[c.verdict] or c.verdict,
    ratio = { value = inverse(c.ratio.value), low = inverse(c.ratio.high),
      high = inverse(c.ratio.low) } }
end

return interval
