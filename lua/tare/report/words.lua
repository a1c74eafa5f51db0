-- What comparisons and sweeps say, in sentences, for every renderer that speaks
-- to people. (What warnings mean stands in tare.base.warnings.)
local digits = require "tare.report.digits"
local metrics = require "tare.base.metrics"
local units = require "tare.base.units"

local words = {}

local METRICS = { time = "time", net = "net time", collector = "collector time",
  cpu_time = "CPU time", allocs = "allocations", bytes = "bytes",
  instructions = "instructions", cycles = "cycles" }

--- A metric's name in a sentence.
---@param metric string? time where absent
---@return string
function words.metric(metric)
  return METRICS[metric or "time"] or tostring(metric)
end

local function interval(estimate, text)
  if not metrics.has_interval(estimate) then return "" end
  return (" (%s to %s)"):format(text(estimate.low), text(estimate.high))
end
words.interval = interval

local MOST_DIGITS = 5

-- Whether an end of the interval looks like the value.
local function looks_alike(ratio, text)
  local function is_like(x)
    return x and x ~= ratio.value and text(x) == text(ratio.value)
  end
  return is_like(ratio.low) or is_like(ratio.high)
end

-- "1.32x (1.29 to 1.35)", with digits that tell the three apart.
local function figure_of(ratio)
  local function with(count)
    return function(x) return units.number(x, count) end
  end
  local text = with(digits.fewest(MOST_DIGITS, function(count)
    return not looks_alike(ratio, with(count))
  end))
  return text(ratio.value) .. "x" .. interval(ratio, text)
end

-- What takes half the time is twice as fast.
local function inverse(ratio)
  local function inverted(x) return x and x > 0 and 1 / x or nil end
  return { value = inverted(ratio.value), low = inverted(ratio.high),
    high = inverted(ratio.low) }
end

--- What something is held against, with the metric where it is not time.
---@param other string
---@param metric string?
---@return string
function words.against(other, metric)
  if (metric or "time") == "time" then return other end
  return ("%s in %s"):format(other, words.metric(metric))
end

-- The second of the two, and the metric where it is not time. A bench that is
-- compared with itself stands in another report.
local function against(c)
  local other = tostring(c.b)
  if c.a == c.b then other = "in " .. (c.other or "the other report") end
  return words.against(other, c.metric)
end

--- What a comparison says, as a sentence: "b is 1.32x (1.29 to 1.35) slower
--- than a."
---@param c table a COMPARISON of the Report
---@return string
function words.verdict(c)
  local ratio, a = c.ratio or {}, tostring(c.a)
  if c.verdict == "faster" then ratio = inverse(ratio) end
  local figure = figure_of(ratio)
  if c.verdict == "faster" or c.verdict == "slower" then
    return ("%s is %s %s than %s."):format(a, figure, c.verdict, against(c))
  elseif c.verdict == "same" then
    return ("%s is the same as %s: %s."):format(a, against(c), figure)
  end
  if ratio.value and not (ratio.low or ratio.high) then
    return ("There are too few batches to tell %s from %s: %s."):format(a,
      against(c), figure)
  end
  return ("Whether %s is faster or slower than %s is unclear: %s."):format(a,
    against(c), figure)
end

local thousands = units.thousands
words.thousands = thousands

local function rounded(x)
  return thousands(tonumber(("%.3g"):format(x)))
end

--- Where one series overtakes another, as a sentence.
---@param crossover table { a, b, x, low, high } of a sweep: b takes less above
---@param axis string name of the swept parameter
---@return string
function words.crossover(crossover, axis)
  return ("%s overtakes %s at %s = %s%s."):format(tostring(crossover.b),
    tostring(crossover.a), axis, rounded(crossover.x),
    interval(crossover, rounded))
end

-- An exponent: two decimals are what a sweep can tell.
local function exponent_text(x)
  return (("%.2f"):format(x):gsub("^%-(0%.00)$", "%1"))
end

--- How a series of a sweep grows, as a sentence without its subject.
---@param law table? { name, exponent, also }
---@return string
function words.law(law)
  if not law then return "follows no law that can be told" end
  local text = "grows like " .. tostring(law.name)
  if law.name == "1" then text = "stays constant" end
  if law.also and law.also[1] then
    text = ("%s (%s can't be ruled out)"):format(text,
      table.concat(law.also, ", "))
  end
  local e = law.exponent
  if not (e and e.value) then return text end
  return ("%s, exponent %s%s"):format(text, exponent_text(e.value),
    interval(e, exponent_text))
end

return words
