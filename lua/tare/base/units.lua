-- Quantities for people: units.parse_* read them (see tare.base.quantity), the
-- others print durations, sizes, counts and shares.
local numerals = require "tare.base.numerals"
local quantity = require "tare.base.quantity"

local units = {
  parse_duration = quantity.parse_duration,
  parse_calls = quantity.parse_calls,
  parse_quota = quantity.parse_quota,
  parse_bytes = quantity.parse_bytes,
  parse_percent = quantity.parse_percent,
}

local TIME = quantity.TIME
local COUNT = {
  { factor = 1, "" }, { factor = 1e3, "k" }, { factor = 1e6, "M" },
  { factor = 1e9, "G" }, { factor = 1e12, "T" },
}
local PRINTED = { -- what a column of the unit is printed in
  ns = { TIME[1], TIME[2], TIME[3], TIME[4], TIME[5] },
  bytes = quantity.BYTES,
}

-- Up to this quotient of largest to smallest, a column shares one unit.
local SHARED_SPAN = 1e5

local function is_finite(x) return x == x and x ~= 1/0 and x ~= -1/0 end

local function decimals_for(x, digits)
  if x == 0 then return 0 end
  return math.max(0, math.min(17, digits - 1 - numerals.exponent(x, digits)))
end

--- A number with so many significant digits (default: 4), never with an
--- exponent between 1e-9 and 1e15; "-" where there is none.
---@param x number?
---@param digits integer?
---@return string
function units.number(x, digits)
  if type(x) ~= "number" or x ~= x then return "-" end
  if not is_finite(x) then return x > 0 and "inf" or "-inf" end
  local size = math.abs(x)
  if size ~= 0 and (size < 1e-9 or size >= 1e15) then
    return numerals.format("%." .. (digits or 4) - 1 .. "e", x)
  end
  return numerals.fixed(x, decimals_for(x, digits or 4))
end

local function best_step(steps, size)
  local best = steps[1]
  for _, step in ipairs(steps) do
    if size >= step.factor then best = step end
  end
  return best
end

local function span(values)
  local smallest, largest = 1/0, 0
  for i = 1, #values do
    local size = math.abs(values[i])
    if size > 0 and size < 1/0 then
      smallest, largest = math.min(smallest, size), math.max(largest, size)
    end
  end
  return smallest, largest
end

-- A unit that suits the smallest value gives the largest no more than this.
local LONGEST = 1e5

--- The unit that a column shares: the one of its smallest value where that
--- leaves the largest readable, else the one in the middle of its
--- (logarithmic) range. nil where the values lie too far apart to share one;
--- zeros and non-finite values don't count.
---@param unit string "ns", "bytes", or what is counted ("calls", "cycles"...)
---@param values number[] in that unit, without holes
---@return { factor: number, suffix: string }? scale
function units.scale(unit, values)
  local smallest, largest = span(values)
  if largest > smallest * SHARED_SPAN then return nil end
  if largest == 0 then smallest, largest = 1, 1 end
  local steps = PRINTED[unit] or COUNT
  local step = best_step(steps, smallest)
  if largest >= step.factor * LONGEST then
    -- a hair of tolerance: the root of 1000 * 1000 may be 999.99...
    step = best_step(steps, math.sqrt(smallest) * math.sqrt(largest)
      * (1 + 1e-9))
  end
  if unit == "ns" and largest >= 1 and step.factor < 1 then step = TIME[2] end
  return { factor = step.factor, suffix = step[1] }
end

--- A quantity in the unit of its scale, without the suffix.
---@param x number? in the unit that the scale was made for
---@param scale { factor: number }
---@param digits integer?
---@return string
function units.scaled(x, scale, digits)
  return units.number(x and x / scale.factor, digits)
end

--- A quantity with the suffix that suits it: "1.234 us", "1.500 KiB", "12 k".
---@param x number?
---@param unit string "ns", "bytes", or what is counted
---@param digits integer?
---@return string
function units.value(x, unit, digits)
  if type(x) ~= "number" or x ~= x then return "-" end
  if not is_finite(x) then return units.number(x) end
  local rounded = numerals.rounded(x, digits or 4)
  local step = best_step(PRINTED[unit] or COUNT, math.abs(rounded))
  if x == 0 and unit == "ns" then step = TIME[2] end
  local whole = step.factor == 1 and unit ~= "ns" and x % 1 == 0
  local text = whole and numerals.fixed(x, 0)
    or units.number(x / step.factor, digits)
  return step[1] == "" and text or text .. " " .. step[1]
end

--- "1.234 us"
---@param ns number?
---@param digits integer?
---@return string
function units.duration(ns, digits) return units.value(ns, "ns", digits) end

--- "1.500 KiB"
---@param bytes number?
---@param digits integer?
---@return string
function units.bytes(bytes, digits)
  return units.value(bytes, "bytes", digits)
end

--- "12.35 k"
---@param count number?
---@param digits integer?
---@return string
function units.count(count, digits)
  return units.value(count, "count", digits)
end

--- "12,345"; up to six significant digits where it is no whole number.
---@param x number
---@return string
function units.thousands(x)
  local text = numerals.format(x % 1 == 0 and "%.0f"
    or math.abs(x) < 1e5 and "%.6g" or "%.0f", x)
  local sign, whole, rest = text:match("^(-?)(%d+)(.*)$")
  if not whole then return text end
  whole = whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return sign .. whole .. rest
end

--- What was counted exactly: "12,345 B", "20,002".
---@param x number
---@param unit string? "bytes", or what is counted
---@return string
function units.exact(x, unit)
  return units.thousands(x) .. (unit == "bytes" and " B" or "")
end

--- "1.3%" for 0.013; two significant digits by default.
---@param fraction number?
---@param digits integer?
---@return string
function units.percent(fraction, digits)
  if type(fraction) ~= "number" or fraction ~= fraction then return "-" end
  return units.number(fraction * 100, digits or 2) .. "%"
end

return units
