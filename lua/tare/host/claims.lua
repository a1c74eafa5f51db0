-- What a test may claim about the cost of a function, and whether it holds:
-- true, false, or nil where that is not sure. A claim about time is measured
-- in rounds, each longer than the one before, until it is sure or its budget is
-- spent; against it must speak two rounds in a row.
local core = require "tare.core"
local exact = require "tare.run.exact"
local measure = require "tare.run.measure"
local options = require "tare.base.options"
local Suite = require "tare.bench.suite"
local units = require "tare.base.units"

local claims = {}

local FIRST_ROUND_NS = 1e8 -- of each function
local AGAINST = 2 -- rounds that a claim is dropped after
local CONFIDENCE = 0.99 -- of the interval of one round

local function count(value) return ("%.6g"):format(value) end

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
  local census = exact.census(fn, limits.calls, limits.warmup)
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
  return holds, ("a call makes %s, over %d calls: %s"):format(
    table.concat(said, " and "), census.iters,
    kinds[1] and table.concat(kinds, ", ") or "nothing"), census
end

--- Whether a call executes at most so many instructions of the virtual
--- machine; exact. On LuaJIT, of its interpreter.
---@param fn function
---@param limits table instructions a call; calls?, warmup?
---@return boolean holds
---@return string said what was measured
---@return table counts totals over 'iters' calls
function claims.instructions(fn, limits)
  local counts, compiler_was_on = exact.instructions(fn, limits.calls,
    limits.warmup)
  local said = {}
  local holds = within(counts.instructions, counts.iters, limits.instructions,
    "instructions", said)
  return holds, ("a call executes %s%s"):format(said[1], compiler_was_on
    and ", counted with the JIT compiler off" or ""), counts
end

local function report_of(suite, quota_ns)
  local settings = assert(options.resolve({ split = false, resamples = 1000,
    confidence = CONFIDENCE, quota = quota_ns / 1e9 }, "tare.assert"))
  local report = measure.cells(suite:cells(), settings, { every = true })
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
    if holds or against >= AGAINST or left_ns < FIRST_ROUND_NS then
      if against < AGAINST then holds = holds or nil end
      return holds, ("%s (round %d, %s)"):format(said, rounds,
        units.duration(core.now_ns() - began)), figures
    end
  end
end

local function interval(of)
  if not of.low or not of.high then return "" end
  return (" [%s, %s]"):format(units.number(of.low), units.number(of.high))
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
    local report = report_of(suite, quota_ns)
    local found = report.comparisons[1] or { ratio = {} }
    local a, b = report.results[1], report.results[2]
    local text = found.ratio.value and units.number(found.ratio.value)
      .. interval(found.ratio) or "an unknown part"
    return judged(found.ratio, most, margin, given.negated),
      ("it took %s of the other's time: %s against %s a call"):format(text,
        time_of(a), time_of(b)), found
  end)
end

return claims
