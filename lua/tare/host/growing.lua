-- The claim that a cost grows with a size at most as a law says. By time it is
-- measured in rounds (see tare.host.claims); counts are exact.
local claims = require "tare.host.claims"
local core = require "tare.core"
local exact = require "tare.run.exact"
local growthlaw = require "tare.analysis.law"
local measure = require "tare.run.measure"
local options = require "tare.base.options"
local Suite = require "tare.bench.suite"
local units = require "tare.base.units"

local growing = {}

-- In ascending order: the laws of stats.growth, as functions of n.
growing.LAWS = { "1", "log n", "n", "n log n", "n^2", "n^3" }
local SHAPE = {
  ["1"] = function() return 1 end,
  ["log n"] = function(n) return math.log(n) end,
  ["n"] = function(n) return n end,
  ["n log n"] = function(n) return n * math.log(n) end,
  ["n^2"] = function(n) return n * n end,
  ["n^3"] = function(n) return n * n * n end,
}

local FIRST_SIZE, LAST_SIZE, MOST_SIZES = 16, 2^20, 8
local FEWEST_SIZES = 6
local LONG_CALL_NS = 1e6 -- sizes end at a call that takes so long
-- How far above the law's an exponent must surely be. Times of larger sizes
-- grow by the caches too.
local SLACK = { time = 0.2, counts = 0.05 }

growing.METRICS = {
  time = "ns",
  instructions = function(call, given)
    local counts = exact.instructions(call, 1, given.warmup)
    return counts.instructions
  end,
  allocs = function(call, given)
    return exact.census(call, 1, given.warmup or 2).allocs
  end,
  bytes = function(call, given)
    return exact.census(call, 1, given.warmup or 2).bytes
  end,
}

--- Sizes that suit a function: powers of 2 up to where a call takes a
--- millisecond, the largest of them.
---@param fn fun(n: integer)
---@return integer[]
function growing.sizes(fn)
  local sizes, n = {}, FIRST_SIZE
  repeat
    local began = core.now_ns()
    fn(n)
    local took_ns = core.now_ns() - began
    sizes[#sizes + 1], n = n, n * 2
    local is_long = took_ns > LONG_CALL_NS and #sizes >= FEWEST_SIZES
  until is_long or n > LAST_SIZE
  while #sizes > MOST_SIZES do table.remove(sizes, 1) end
  return sizes
end

--- The place of a law among LAWS; nil for what is none.
---@param name string
---@return integer?
function growing.rank(name)
  for rank, law in ipairs(growing.LAWS) do
    if law == name then return rank end
  end
end

-- The mean exponent of a law between the first and the last size.
local function exponent_of(name, points)
  local first, last = points[1].x, points[#points].x
  local shape = SHAPE[name]
  return (math.log(shape(last)) - math.log(shape(first)))
    / (math.log(last) - math.log(first))
end

--- Whether points grow at most as a law; nil where that is not sure.
---@param points { x: number, value: number }[]
---@param name string a law
---@param slack number how far above the law's the exponent must surely be
---@return boolean? holds
---@return table? law found
function growing.judge(points, name, slack)
  local found = growthlaw.of(points)
  if not found then return nil end
  local possible = { found.name }
  for _, other in ipairs(found.also or {}) do
    possible[#possible + 1] = other
  end
  for _, law in ipairs(possible) do
    if growing.rank(law) <= growing.rank(name) then return true, found end
  end
  local exponent = found.exponent or {}
  local low = exponent.low or exponent.value
  local is_steeper = low and low > exponent_of(name, points) + slack
  if is_steeper then return false, found end
  return nil, found
end

local function in_words(metric, found, points)
  local values = {}
  for i, point in ipairs(points) do
    values[i] = ("%s at %d"):format(metric == "time"
      and units.duration(point.value) or ("%d"):format(point.value), point.x)
  end
  local law = "unknown"
  if found then
    local exponent = found.exponent or {}
    law = found.name
    if exponent.value then
      law = ("%s (exponent %s%s)"):format(law, units.number(exponent.value, 3),
        exponent.low and exponent.high and (" [%s, %s]"):format(
          units.number(exponent.low, 3), units.number(exponent.high, 3)) or "")
    end
  end
  return ("the growth of its %s is %s: %s"):format(metric, law,
    table.concat(values, ", "))
end

local function counted(fn, given, sizes)
  local points = {}
  for i, n in ipairs(sizes) do
    points[i] = { x = n, value = growing.METRICS[given.metric](function()
      return fn(n)
    end, given) }
  end
  return points
end

local function timed(fn, sizes, quota_ns)
  local settings = assert(options.resolve({ split = false, resamples = 200,
    quota = quota_ns / 1e9 }, "tare.assert"))
  local suite = Suite.new("assert")
  suite:bench("fn", { params = { n = sizes }, run = fn,
    args = function(p) return p.n end })
  local report = measure.cells(suite:cells(), settings)
  local points = {}
  for _, result in ipairs(report.results) do
    if result.error then error(result.error, 0) end
    if result.time and result.time.value > 0 then
      points[#points + 1] = { x = result.params.n, value = result.time.value }
    end
  end
  return points
end

--- Whether a cost grows at most as a law.
---@param fn fun(n: integer)
---@param name string a law
---@param given table metric, sizes?, budget?, warmup?
---@return boolean? holds nil where that is not sure
---@return string said
---@return table points of the sizes
function growing.claim(fn, name, given)
  local sizes = given.sizes or growing.sizes(fn)
  local function answer(points, slack)
    local holds, found = growing.judge(points, name, slack)
    return holds, in_words(given.metric, found, points), points
  end
  if given.metric ~= "time" then
    return answer(counted(fn, given, sizes), SLACK.counts)
  end
  return claims.in_rounds(given.budget, #sizes, function(quota_ns)
    return answer(timed(fn, sizes, quota_ns), SLACK.time)
  end)
end

return growing
