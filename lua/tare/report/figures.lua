-- How figures are written in reports for people: each with a unit of its own
-- and three digits, intervals that never go below zero, ratios in words.
local interval = require "tare.base.interval"
local metrics = require "tare.base.metrics"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local figures = {}

local DIGITS = 3

-- What three digits round away of either side of a quotient; by how much it is
-- outside of a range before a reader would notice.
local ROUNDING, NOTICED = 0.005, 0.02

-- An interval is written "±1.2%" where its larger side is at most this much of
-- the value and this many times the smaller side; else by its two ends.
local NARROW, ALIKE = 0.5, 1.5

-- Counts up to this one are written in full.
local LONGEST_COUNT = 1e5

local function is_finite(x)
  return type(x) == "number" and x == x and math.abs(x) < 1/0
end

--- A quantity: "1.14 us", "710 ns", "1.57 KiB", "12", "4,812", "1.25 M".
---@param x number?
---@param unit string "ns", "bytes", or what is counted
---@param digits integer? 3 by default
---@return string
function figures.quantity(x, unit, digits)
  digits = digits or DIGITS
  if not is_finite(x) then return "-" end
  if unit == "ns" then
    -- Nobody thinks in picoseconds.
    if math.abs(x) < 1 then
      return (x == 0 and "0" or units.number(x, digits)) .. " ns"
    end
    return units.duration(x, digits)
  elseif unit == "bytes" then
    return units.value(x, unit, digits)
  elseif math.abs(x) < LONGEST_COUNT and x % 1 == 0 then
    return units.thousands(x)
  elseif math.abs(x) < 1e4 then
    return units.number(x, digits)
  end
  return units.count(x, digits)
end
local quantity = figures.quantity

local UNSURE = 2 -- digits of what is not to be trusted

--- A quantity that is not to be trusted: "1.1 us", "120 ns".
---@param x number?
---@param unit string
---@return string
function figures.unsure(x, unit)
  if not is_finite(x) then return "-" end
  return quantity(numerals.rounded(x, UNSURE), unit, UNSURE)
end

--- A count that was made exactly, in full where that is short: "2.5", "1,236".
---@param x number
---@param unit string
---@param digits integer? 3 by default
---@return string
function figures.exact(x, unit, digits)
  local text = quantity(x, unit, digits)
  if text:find(".", 1, true) and not text:find(" ") then
    text = text:gsub("0+$", ""):gsub("%.$", "")
  end
  return text
end

--- "3%" for 0.031; "0.4%"; "99.9%" for whatever is less than all; "-" for
--- nothing.
---@param share number?
---@return string
function figures.percent(share)
  if type(share) ~= "number" or share ~= share or math.abs(share) >= 1e6 then
    return "-"
  end
  local percent = share * 100
  if percent ~= 0 and math.abs(percent) < 0.95 then
    return units.number(percent, 1) .. "%"
  elseif percent >= 99.5 and percent < 100 then
    return numerals.fixed(math.floor(percent * 10) / 10, 1) .. "%"
  end
  return numerals.fixed(math.floor(percent + 0.5), 0) .. "%"
end

--- R2, cut and never rounded up to 1: "0.9997".
---@param r2 number
---@return string
function figures.r2(r2) return (numerals.fixed(r2, 9):sub(1, -6)) end

--- The interval of a fit's R2; nil where it has none.
---@param fit { r2_low: number?, r2_high: number? }
---@return string?
---@return "range"|nil how it is written
function figures.r2_range(fit)
  local low, high = fit.r2_low, fit.r2_high
  if type(low) ~= "number" or type(high) ~= "number" then return nil end
  return ("(%s to %s)"):format(figures.r2(low), figures.r2(high)), "range"
end

--- Whether an interval is so wide that the value is no figure: wider than
--- the value, or down to zero.
---@param e { value: number, low: number?, high: number? }
---@return boolean
function figures.is_noisy(e)
  return metrics.has_interval(e) and e.value > 0
    and (e.low <= 0 or e.high - e.low > e.value)
end

-- Digits with which two numbers don't look alike.
local function digits_between(low, high)
  local size, span = math.max(math.abs(low), math.abs(high)), high - low
  if not (size > 0 and span > 0) then return DIGITS end
  local needed = math.ceil(math.log(size / span) / math.log(10)) + 1
  return math.max(DIGITS, math.min(8, needed))
end

--- Two ends, each with its unit, and so many digits that they differ: "1.21
--- us", "1.94 us".
---@param unit string
---@return string low
---@return string high
function figures.ends(low, high, unit)
  local digits = digits_between(low, high)
  return quantity(low, unit, digits), quantity(high, unit, digits)
end

--- Two ends in one unit: "1.21 to 1.94 us".
function figures.range(low, high, unit)
  local a, b = figures.ends(low, high, unit)
  local suffix = b:match(" (%S+)$")
  if suffix and a:sub(-#suffix - 1) == " " .. suffix then
    a = a:sub(1, -#suffix - 2)
  end
  return a .. " to " .. b
end

--- The interval of a figure, to stand after it: "±1.2%" where both sides are
--- alike, else its ends, "(1.11 to 1.25 us)"; nil where there is none, or one
--- that says nothing.
---@param e { value: number, low: number?, high: number? }
---@param unit string
---@return string?
---@return "sign"|"range"|nil how it is written
function figures.interval(e, unit)
  if not metrics.has_interval(e) or e.value <= 0 or e.low < 0
    or figures.is_noisy(e) then return nil end
  local down, up = e.value - e.low, e.high - e.value
  local larger, smaller = math.max(down, up), math.min(down, up)
  if larger == 0 then return nil end
  if larger <= NARROW * e.value and smaller >= 0
    and larger <= ALIKE * smaller then
    return "\194\177" .. units.percent(larger / e.value), "sign"
  end
  return ("(%s)"):format(figures.range(e.low, e.high, unit)), "range"
end

--- A figure with its interval, in one text: "1.14 us ±1.2%".
---@param e table?
function figures.estimate(e, unit)
  if not e then return "-" end
  local around = figures.interval(e, unit)
  return quantity(e.value, unit) .. (around and " " .. around or "")
end

--- What a comparison found, in words, and shorter: "2.70 times as fast (2.63 to
--- 2.78)", "1.24 times as slow (1.20 to 1.28)", "same (within 1.8%)", "unclear
--- (7.5% less to 3.0% more time)".
---@param ratio { value: number, low: number?, high: number? } of times: below 1
---  where the first takes less
---@param verdict string?
---@return string words
---@return string short without the interval
---@return "range"|nil interval where the words have it
function figures.comparison(ratio, verdict)
  if verdict == "faster" or verdict == "slower" then
    local words, short, has_interval = units.change(ratio, true)
    return words, short, has_interval and "range" or nil
  end
  local is_vague = metrics.has_interval(ratio) and interval.is_vague(ratio)
    and (ratio.low > 1 or ratio.high < 1)
  if not metrics.has_interval(ratio) or is_vague then
    return "unclear (too noisy)", "unclear"
  elseif verdict == "same" then
    local off = math.max(math.abs(ratio.low - 1), math.abs(ratio.high - 1))
    return ("same (within %s)"):format(units.percent(off)), "same"
  end
  -- A range that allows ten times either way says no more than the word.
  if ratio.low <= 0.1 and ratio.high >= 10 then return "unclear", "unclear" end
  return ("unclear (%s time)"):format(units.less_or_more(ratio.low,
    ratio.high)), "unclear", "range"
end

--- What counts as the same: "within 1%".
---@param tolerance number? of the Report
---@return string
function figures.tolerance(tolerance)
  return "within "
    .. units.percent(tolerance or 0.01):gsub("%.0%%", "%%")
end

--- What a verdict needs, in the words of legends and of --explain.
---@param verdict "same"|"unclear"
---@param tolerance number? of the Report
---@return string
function figures.meaning(verdict, tolerance)
  return verdict == "unclear" and "it may be faster or slower"
    or ("the whole range is %s either way"):format(
      figures.tolerance(tolerance))
end

--- How far the quotient of two times is from what is printed of their ratio,
--- which is of batches in turn or of cycles: "a little" within its interval,
--- "beyond" outside of it; nil where it is the same, or a time is no figure.
---@param ratio { value: number, low: number?, high: number? }
---@param a { value: number }? time of the first
---@param b { value: number }? of the second
---@return "a little"|"beyond"|nil
function figures.apart(ratio, a, b)
  if not (a and b and a.value > 0 and b.value > 0
    and metrics.has_interval(ratio)) or figures.is_noisy(a)
    or figures.is_noisy(b) then return nil end
  local quotient = a.value / b.value
  if quotient > ratio.high * (1 + NOTICED)
    or quotient < ratio.low / (1 + NOTICED) then return "beyond" end
  return (quotient > ratio.value * (1 + ROUNDING)
    or quotient < ratio.value / (1 + ROUNDING)) and "a little" or nil
end

return figures
