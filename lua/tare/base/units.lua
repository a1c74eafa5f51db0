-- Quantities as people write them: read, and printed. Inside tare a time is
-- nanoseconds, a share is a fraction, a size is bytes.
local numerals = require "tare.base.numerals"

local units = {}

local function is_finite(x) return x == x and x ~= 1/0 and x ~= -1/0 end

-- READING

-- Ascending; 'factor' in the base unit of the kind. The first name is the one
-- that is printed.
local TIME = {
  { factor = 1e-3, "ps" }, { factor = 1, "ns" },
  { factor = 1e3, "us", "\194\181s", "\206\188s" }, { factor = 1e6, "ms" },
  { factor = 1e9, "s" }, { factor = 60e9, "min", "m" },
  { factor = 3600e9, "h" },
}
local BYTES = {
  { factor = 1, "B" }, { factor = 2^10, "KiB", "K" },
  { factor = 2^20, "MiB", "M" }, { factor = 2^30, "GiB", "G" },
}
local DECIMAL_BYTES = {
  { factor = 1e3, "kB", "KB" }, { factor = 1e6, "MB" }, { factor = 1e9, "GB" },
}

local function find_factor(steps, name)
  for _, step in ipairs(steps) do
    for _, known in ipairs(step) do
      if known == name then return step.factor end
    end
  end
end

-- Splits "1.5e3ms" into 1500 and "ms"; nil where no plain number leads.
-- (Not tonumber alone: it takes hexadecimal, and in places "inf" and "nan".)
local function split(text)
  local mantissa, rest = text:match("^%s*(%d*%.?%d*)(.-)%s*$")
  if not mantissa:find("%d") then return nil end
  local exponent, suffix = rest:match("^([eE][-+]?%d+)(.*)$")
  local number = numerals.read(mantissa .. (exponent or ""))
  if not number or not is_finite(number) then return nil end
  return number, (suffix or rest):match("^%s*(.*)$")
end

-- Reads a quantity. A plain number (or one without a suffix) counts in
-- 'default' base units.
local function parse(value, steps, default)
  if type(value) == "number" then
    if value >= 0 and is_finite(value) then return value * default end
    return nil
  end
  if type(value) ~= "string" then return nil end
  local number, suffix = split(value)
  if not number then return nil end
  if suffix == "" then return number * default end
  local factor = find_factor(steps, suffix)
  return factor and number * factor
end

local function refusal(value, what)
  return nil, ("'%s' is not %s"):format(tostring(value), what)
end

--- Reads a duration: "500ms", "2s", "1.5 min", or plain seconds.
---@param value string|number
---@return number? ns
---@return string? message why it was refused
function units.parse_duration(value)
  local ns = parse(value, TIME, 1e9)
  if ns and is_finite(ns) then return ns end
  return refusal(value, "a duration (like 2s or 500ms)")
end

--- Reads a number of calls: "1e6x", "100", or a plain number; whole and >= 1.
---@param value string|number
---@return number? calls
---@return string? message
function units.parse_calls(value)
  local calls = parse(value, { { factor = 1, "x" } }, 1)
  if calls and calls >= 1 and calls % 1 == 0 then return calls end
  return refusal(value, "a number of calls (like 1000 or 1e6x)")
end

--- Reads a quota: a duration, or calls with their "x" ("1e6x"). A plain number
--- is seconds.
---@param value string|number
---@return { ns: number }|{ calls: number }|nil quota
---@return string? message
function units.parse_quota(value)
  local is_calls = type(value) == "string" and value:find("x%s*$")
  local parse_amount = is_calls and units.parse_calls
    or units.parse_duration
  local amount = parse_amount(value)
  if amount and amount > 0 then
    return is_calls and { calls = amount } or { ns = amount }
  end
  return refusal(value,
    "a duration (like 2s or 500ms) or a number of calls (like 1e6x)")
end

--- Reads what may be none: a quota, or 0.
---@param value string|number
---@return { ns: number }|{ calls: number }|nil quota
---@return string? message
function units.parse_warmup(value)
  if units.parse_duration(value) == 0 then return { ns = 0 } end
  return units.parse_quota(value)
end

--- Reads a size: "64MiB", "10 kB", or plain bytes. K, M and G are binary.
---@param value string|number
---@return number? bytes
---@return string? message
function units.parse_bytes(value)
  local bytes = parse(value, BYTES, 1) or parse(value, DECIMAL_BYTES, 1)
  if bytes and is_finite(bytes) then return bytes end
  return refusal(value, "a size (like 64MiB or 10kB)")
end

--- Reads a share: "1%" or the fraction 0.01.
---@param value string|number
---@return number? fraction
---@return string? message
function units.parse_percent(value)
  local fraction = parse(value, { { factor = 0.01, "%" } }, 1)
  if fraction then return fraction end
  return refusal(value, "a percentage (like 1% or 0.01)")
end

-- PRINTING

local COUNT = {
  { factor = 1, "" }, { factor = 1e3, "k" }, { factor = 1e6, "M" },
  { factor = 1e9, "G" }, { factor = 1e12, "T" },
}
local PRINTED = { -- what a column of the unit is printed in
  ns = { TIME[1], TIME[2], TIME[3], TIME[4], TIME[5] },
  bytes = BYTES,
}

-- Up to this quotient of largest to smallest, a column shares one unit.
local SHARED_SPAN = 1e5

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

--- The same as one would say it: "300 ms", "1.5 s", without zeros at the end.
---@param ns number
---@param digits integer? 3 by default
---@return string
function units.brief(ns, digits)
  return (units.duration(ns, digits or 3):gsub("(%.%d-)0+ ", "%1 ")
    :gsub("%. ", " "))
end

--- A quota: "300 ms", "1,000 calls"; nil for what is none.
---@param quota any { ns: number } or { calls: number }, as in stored reports
---@return string?
function units.quota(quota)
  if type(quota) ~= "table" then return nil end
  local ns, calls = tonumber(quota.ns), tonumber(quota.calls)
  return ns and units.brief(ns)
    or calls and units.thousands(calls) .. (calls == 1 and " call" or " calls")
    or nil
end

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
  local text = numerals.format(math.abs(x) < 1e5 and "%.6g" or "%.0f", x)
  local sign, whole, rest = text:match("^(-?)(%d+)(.*)$")
  if not whole then return text end
  whole = whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return sign .. whole .. rest
end

--- What was counted exactly: "12.1 KiB", "20,002".
---@param x number
---@param unit string? "bytes", or what is counted
---@param digits integer? of bytes; 3 by default
---@return string
function units.exact(x, unit, digits)
  if unit == "bytes" then return units.value(x, unit, digits or 3) end
  return units.thousands(x)
end

local MOST_DIGITS = 10

--- Two exact figures, with so many digits that they differ where they do: "7"
--- and "25", "12.05 KiB" and "12.06 KiB".
---@param a number
---@param b number
---@param unit string?
---@param show (fun(x: number, unit: string?, digits: integer): string)?
---  units.exact by default
---@return string
---@return string
function units.apart(a, b, unit, show)
  show = show or units.exact
  for digits = 3, MOST_DIGITS do
    local x, y = show(a, unit, digits), show(b, unit, digits)
    if a == b or x ~= y or digits == MOST_DIGITS then return x, y end
  end
end

--- "1.3%" for 0.013; two significant digits by default.
---@param fraction number?
---@param digits integer?
---@return string
function units.percent(fraction, digits)
  if type(fraction) ~= "number" or fraction ~= fraction then return "-" end
  return units.number(fraction * 100, digits or 2) .. "%"
end

-- Changes ---------------------------------------------------------------------

-- Ratios are factors ("1.20 times as slow"); a range that allows less and more
-- is in percent ("23% less to 7.0% more"), but for several times as much.

local function factor_text(x, digits)
  if x ~= x or x == 1/0 then return "-" end -- of nothing
  local rounded = numerals.rounded(x, digits)
  return rounded < 1000 and units.number(x, digits) or units.thousands(rounded)
end

local LARGE = 2 -- a ratio from here on is a factor: nobody pictures 900% more

-- The number of a change, and the word for its direction: "3.0%", "less";
-- "2.5", "times as much".
local function changed_by(ratio)
  if ratio >= LARGE then return factor_text(ratio, 2), "times as much" end
  return units.percent(math.abs(ratio - 1)), ratio < 1 and "less" or "more"
end

--- A range of ratios in words, for one that may be less or more: "23% less to
--- 7.0% more", "1.0% to 4.0% more", "23% less to 2.5 times as much".
---@param low number
---@param high number
---@return string
function units.less_or_more(low, high)
  local first, word = changed_by(low)
  local last, other = changed_by(high)
  if word == other and word == "less" then first, last = last, first end
  return word == other and ("%s to %s %s"):format(first, last, word)
    or ("%s %s to %s %s"):format(first, word, last, other)
end

local MOST_OF_RATIO = 5 -- digits

-- A factor with the digits that show on which side of 1 it is.
local function beside_one(x, digits)
  for more = digits, MOST_OF_RATIO do
    local text = factor_text(x, more)
    if x == 1 or tonumber(text) ~= 1 then return text end
  end
  return factor_text(x, digits)
end

-- The number of a ratio with so many digits that it looks different from its
-- ends, and from no change; and these ends.
local function apart_from_ends(ratio)
  for digits = 3, MOST_OF_RATIO do
    local text = factor_text(ratio.value, digits)
    local low = ratio.low and beside_one(ratio.low, digits)
    local high = ratio.high and beside_one(ratio.high, digits)
    local is_one = ratio.value ~= 1 and text == factor_text(1, digits)
    if digits == MOST_OF_RATIO or not is_one
      and (ratio.low == ratio.value or low ~= text)
      and (ratio.high == ratio.value or high ~= text) then
      return text, low, high
    end
  end
end

--- A ratio in words, and shorter, without its interval: "2.70 times as fast
--- (2.63 to 2.78)", "1.20 times as slow (1.18 to 1.22)"; where it is not of
--- times "1.20 times as much".
---@param ratio { value: number, low: number?, high: number? } below 1 for less
---@param is_of_time boolean
---@return string words
---@return string short
---@return boolean has_interval
function units.change(ratio, is_of_time)
  local first, last = ratio.low, ratio.high
  if not (first and last and first > 0 and last < 1/0) then
    first, last = nil, nil -- an open end
  end
  local shown = { value = ratio.value, low = first, high = last }
  local word = is_of_time and " times as slow" or " times as much"
  if ratio.value < 1 and is_of_time then
    shown = { value = 1 / ratio.value, low = last and 1 / last,
      high = first and 1 / first }
    word = " times as fast"
  end
  local text, low, high = apart_from_ends(shown)
  local short = text .. word
  if not low then return short, short, false end
  return ("%s (%s to %s)"):format(short, low, high), short, true
end

local function change_parts(ratio)
  if ratio < 1 then return factor_text(1 / ratio, 3), "times as fast" end
  return factor_text(ratio, 3), "times as slow"
end

--- Ratios of times over several sizes in words, the costly end first: "1.03
--- times as slow to 1.08 times as fast", "1.1 to 1.3 times as fast".
---@param low number above zero
---@param high number the larger, as all ratios new / old
---@return string
function units.change_range(low, high)
  local first, word = change_parts(high)
  local last, other = change_parts(low)
  if tonumber(last) == 1 then other = word end
  if tonumber(first) == 1 then word = other end
  if word ~= other then
    return ("%s %s to %s %s"):format(first, word, last, other)
  end
  if word == "times as slow" then first, last = last, first end -- ascending
  return first == last and first .. " " .. word
    or ("%s to %s %s"):format(first, last, word)
end

return units
