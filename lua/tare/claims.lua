-- What a test may claim about the cost of a function, and whether it holds:
-- true, false, or nil where that is not sure. A claim about time is measured
-- in rounds, each longer than the one before, until it is sure or its budget is
-- spent; against it must speak two rounds in a row.
local compat = require "tare.base.compat"
local core = require "tare.core"
local Direct = require "tare.conductor.direct"
local Fixture = require "tare.bench.fixture"
local lists = require "tare.base.lists"
local sweeps = require "tare.analysis.sweeps"
local numerals = require "tare.base.numerals"
local options = require "tare.base.options"
local probe = require "tare.worker.probe"
local profiler = require "tare.worker.profiler"
local profiles = require "tare.report.profiles"
local Suite = require "tare.bench.suite"
local units = require "tare.base.units"

local claims = {}

local FIRST_ROUND_NS = 1e8 -- of each function
local AGAINST = 2 -- rounds that a claim is dropped after
local CONFIDENCE = 0.99 -- of the interval of one round

-- COUNTS

-- Calls before the count: on LuaJIT as many as make the compiler finish.
local WARMUP_CALLS = compat.jit() and 200 or 2
local CENSUS_CALLS = require("tare.base.passes").COUNTED_CALLS

local function prepared(fn, warmup)
  local suite = Suite.new("exact")
  suite:bench("fn", fn)
  local fixture = Fixture.new(suite:cells(assert(options.resolve({}, "")))[1])
  assert(fixture:prepare())
  fixture:repeater()(warmup)
  return fixture
end

-- A count, or the error that the function raised.
local function counted(figures, message)
  if figures then return figures end
  error(message, 0)
end

--- What some calls allocate, in all. The collector waits
--- meanwhile, and is then as it was.
---@param fn function called without arguments
---@param calls integer? 16 by default
---@param warmup integer? calls before them: 2, or 200 on LuaJIT
---@return table census totals over census.iters calls
function claims.census(fn, calls, warmup)
  local _, _, was_running = core.gc_settings()
  local fixture = prepared(fn, warmup or WARMUP_CALLS)
  local census, message = probe.census(fixture, calls or CENSUS_CALLS)
  core.gc_run(was_running)
  return counted(census, message)
end

-- Calls take() with LuaJIT's compiler off and nothing compiled; the second
-- result says whether it was on.
local function interpreted(take)
  local jit = compat.jit()
  local was_on = jit ~= nil and (jit.status())
  if was_on then jit.flush() end
  local ok, value = compat.interpreted(take)
  if not ok then error(value, 0) end
  return value, was_on
end

--- Instructions of the virtual machine over some calls. LuaJIT's compiler
--- is off for the count: what it compiles has no such instructions.
---@param fn function called without arguments
---@param calls integer? 1 by default
---@param warmup integer? calls before them: 2
---@return { iters: integer, instructions: integer } counts
---@return boolean compiler_was_on
function claims.count_instructions(fn, calls, warmup)
  return interpreted(function()
    local fixture = prepared(fn, warmup or 2)
    local counts, message = fixture:apply(core.instructions, calls or 1)
    return { iters = calls or 1, instructions = counted(counts, message) }
  end)
end

local MOST_BLAMED = 3 -- lines that a failed claim names

-- The lines that do most of what there is too much of: "; most of it at
-- a.lua:3 (2 allocations, 80 B)". On LuaJIT those of interpreted code.
local function blamed(fn, weight, warmup)
  local _, _, was_running = core.gc_settings()
  local ok, profile = pcall(interpreted, function()
    local fixture = prepared(fn, warmup or 2)
    return assert(profiler.take(fixture, CENSUS_CALLS))
  end)
  core.gc_run(was_running) -- after full collections LuaJIT's is
  local lines = ok and profiles.blame(profile, weight, MOST_BLAMED)
  return lines and ("; by line: %s"):format(lines) or ""
end

local function count(value) return numerals.format("%.6g", value) end

local function amount(value, noun) return count(value) .. " " .. noun end

-- "3.5 allocations (limit 2)", and whether it is within the limit.
local function within(total, calls, limit, noun, said)
  local value = total / calls
  said[#said + 1] = ("%s (limit %s)"):format(amount(value, noun), count(limit))
  return value <= limit
end

--- Whether a call allocates at most so much; exact.
---@param fn function
---@param limits table bytes?, allocs? a call; calls?, warmup?
---@return boolean holds
---@return string said what was measured
---@return table census totals over 'iters' calls
function claims.allocations(fn, limits)
  local census = claims.census(fn, limits.calls, limits.warmup)
  local said, holds = {}, true
  if limits.allocs then
    holds = within(census.allocs, census.iters, limits.allocs,
      "allocations", said)
  end
  if limits.bytes then
    holds = within(census.bytes, census.iters, limits.bytes, "bytes", said)
      and holds
  end
  local kinds = {}
  for name, kind in pairs(census.by_type) do
    kinds[#kinds + 1] = ("%s %s (%s)"):format(
      count(kind.allocs / census.iters), name,
      amount(kind.bytes / census.iters, "bytes"))
  end
  table.sort(kinds)
  return holds, ("a call makes %s, over %d calls: %s%s"):format(
    table.concat(said, " and "), census.iters,
    kinds[1] and table.concat(kinds, ", ") or "nothing",
    not holds and blamed(fn, "bytes", limits.warmup) or ""), census
end

--- Whether a call executes at most so many instructions of the virtual
--- machine; exact. On LuaJIT, of its interpreter.
---@param fn function
---@param limits table instructions per call; calls?, warmup?
---@return boolean holds
---@return string said what was measured
---@return table counts totals over 'iters' calls
function claims.instructions(fn, limits)
  local counts, compiler_was_on = claims.count_instructions(fn, limits.calls,
    limits.warmup)
  local said = {}
  local holds = within(counts.instructions, counts.iters, limits.instructions,
    "instructions", said)
  return holds, ("a call executes %s%s%s"):format(said[1], compiler_was_on
    and ", counted with the JIT compiler off" or "",
    not holds and blamed(fn, "instructions", limits.warmup) or ""), counts
end

-- A suite measured with some options; what a bench raises is raised.
local function report_of(suite, quota_ns, given, every)
  given.split, given.quota = false, quota_ns / 1e9
  local settings = assert(options.resolve(given, "tare.assert"))
  local report = Direct.report(suite:cells(settings), settings,
    { every = every })
  for _, result in ipairs(report.results) do
    if result.error then error(result.error, 0) end
  end
  return report
end

--- Asks in rounds until the answer is sure or the budget is spent.
---@param budget string|number as an option: "3s", or seconds
---@param functions integer measured in a round
---@param ask fun(quota_ns: number): boolean?, string, table
---@return boolean? holds nil where that is not sure
---@return string said
---@return table figures
function claims.in_rounds(budget, functions, ask)
  local budget_ns = assert(units.parse_duration(budget))
  local began, quota_ns, against = core.now_ns(), FIRST_ROUND_NS, 0
  local rounds = 0
  while true do
    local left_ns = budget_ns - (core.now_ns() - began)
    local holds, said, figures = ask(math.max(1e6,
      math.min(quota_ns, left_ns / functions)))
    rounds, quota_ns = rounds + 1, quota_ns * 2
    against = holds == false and against + 1 or 0
    left_ns = budget_ns - (core.now_ns() - began)
    if against >= AGAINST or holds or left_ns < FIRST_ROUND_NS then
      if against < AGAINST then holds = holds or nil end
      return holds, ("%s (round %d, %s)"):format(said, rounds,
        units.duration(core.now_ns() - began)), figures
    end
  end
end

local function interval(of, digits)
  if not of.low or not of.high then return "" end
  return (" [%s, %s]"):format(units.number(of.low, digits),
    units.number(of.high, digits))
end

local function time_of(result)
  if not result.time then return "too little measured" end
  return units.duration(result.time.value)
end

-- Of a comparison: true, false or nil, for ratios up to 'most' with a margin;
-- with 'negated', for ratios from there on.
local function judged(ratio, most, margin, negated)
  if not ratio.low or not ratio.high then return nil end
  local low, high = ratio.low / most, ratio.high / most
  if negated then low, high = 1 / high, 1 / low end
  if high <= 1 + margin then return true end
  if low > 1 + margin then return false end
  return nil
end

--- Whether a function is as fast as another, or so many times as fast; false
--- only where it is surely slower than that by more than the margin.
---@param fn function
---@param other function
---@param given table times?, margin?, budget?; negated? turns it round
---@return boolean? holds
---@return string said
---@return table comparison
function claims.faster(fn, other, given)
  local suite = Suite.new("assert")
  suite:bench("fn", fn):bench("other", { run = other, baseline = true })
  local most, margin = 1 / given.times, units.parse_percent(given.margin)
  return claims.in_rounds(given.budget, 2, function(quota_ns)
    local report = report_of(suite, quota_ns, { resamples = 1000,
      confidence = CONFIDENCE }, true)
    local found = report.comparisons[1] or { ratio = {} }
    local a, b = report.results[1], report.results[2]
    local text = found.ratio.value and units.number(found.ratio.value)
      .. interval(found.ratio) or "an unknown part"
    return judged(found.ratio, most, margin, given.negated),
      ("it took %s of the other's time: %s against %s a call"):format(text,
        time_of(a), time_of(b)), found
  end)
end

-- GROWTH

-- In ascending order: the laws of stats.growth, as functions of n.
claims.LAWS = { "1", "log n", "n", "n log n", "n^2", "n^3" }
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

claims.METRICS = {
  time = "ns",
  instructions = function(call, given)
    return claims.count_instructions(call, 1, given.warmup).instructions
  end,
  allocs = function(call, given)
    return claims.census(call, 1, given.warmup or 2).allocs
  end,
  bytes = function(call, given)
    return claims.census(call, 1, given.warmup or 2).bytes
  end,
}

--- Sizes that suit a function: powers of 2 up to where a call takes a
--- millisecond, the largest of them.
---@param fn fun(n: integer)
---@return integer[]
function claims.sizes(fn)
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
function claims.rank(name)
  for rank, law in ipairs(claims.LAWS) do
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
function claims.judge(points, name, slack)
  local found = sweeps.law(points)
  if not found then return nil end
  for _, law in ipairs { found.name, compat.unpack(found.also) } do
    if claims.rank(law) <= claims.rank(name) then return true, found end
  end
  local exponent = found.exponent or {}
  local low = exponent.low or exponent.value
  local is_steeper = low and low > exponent_of(name, points) + slack
  if is_steeper then return false, found end
  return nil, found
end

--- The same of counts, which may be zero. Small sizes that need nothing say
--- nothing of how the others grow, so these are judged by themselves. Where
--- they are too few for a law, one thing is sure: what was zero and then grows
--- is not constant.
---@param points { x: number, value: number }[]
---@param name string a law
---@return boolean? holds
---@return table? law found
function claims.judge_counts(points, name)
  local sorted, rest = lists.copy(points), {}
  table.sort(sorted, function(a, b) return a.x < b.x end)
  for _, point in ipairs(sorted) do
    if point.value ~= 0 or rest[1] then rest[#rest + 1] = point end
  end
  if not rest[1] then return true, { name = "1" } end
  local holds, found = claims.judge(rest, name, SLACK.counts)
  if not found and name == "1" and #rest < #points
    and rest[#rest].value > rest[1].value then
    return false
  end
  return holds, found
end

local function in_words(metric, found, points)
  local values = {}
  for i, point in ipairs(points) do
    values[i] = ("%s at %d"):format(metric == "time"
      and units.duration(point.value) or ("%d"):format(point.value), point.x)
  end
  local law = found and found.name or "unknown"
  local exponent = found and found.exponent
  if exponent and exponent.value then
    law = ("%s (exponent %s%s)"):format(law, units.number(exponent.value, 3),
      interval(exponent, 3))
  end
  return ("the growth of its %s is %s: %s"):format(metric, law,
    table.concat(values, ", "))
end

local function count_points(fn, given, sizes)
  local points = {}
  for i, n in ipairs(sizes) do
    points[i] = { x = n, value = claims.METRICS[given.metric](function()
      return fn(n)
    end, given) }
  end
  return points
end

local function timed(fn, sizes, quota_ns)
  local suite, points = Suite.new("assert"), {}
  suite:bench("fn", { params = { n = sizes }, run = fn,
    args = function(p) return p.n end })
  local report = report_of(suite, quota_ns, { resamples = 200 })
  for _, result in ipairs(report.results) do
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
function claims.grows(fn, name, given)
  local sizes = given.sizes or claims.sizes(fn)
  local function answer(points, holds, found)
    return holds, in_words(given.metric, found, points), points
  end
  if given.metric ~= "time" then
    local points = count_points(fn, given, sizes)
    return answer(points, claims.judge_counts(points, name))
  end
  return claims.in_rounds(given.budget, #sizes, function(quota_ns)
    local points = timed(fn, sizes, quota_ns)
    return answer(points, claims.judge(points, name, SLACK.time))
  end)
end

return claims
