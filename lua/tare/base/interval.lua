-- Estimates with an interval, { value, low, high }: what follows for their
-- quotient and their difference.
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

-- An interval of a half of the value on either side is as wide as the value,
-- which makes a time too noisy; its ends are a factor of 3 apart. And a shared
-- core makes a time nearly twice too high at most. One that is open says all
-- that it can.
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
