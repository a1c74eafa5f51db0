-- Which of two is faster, and by how much: ratios of the batches that two
-- benches had in the same rounds, so that what slows the machine slows both.
local core = require "tare.core"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local rounds = require "tare.analysis.rounds"
local spans = require "tare.analysis.spans"
local uneven = require "tare.analysis.uneven"

local compare = {}

local FEWEST_ROUNDS = 6 -- below, no interval of a median is possible
local FEWEST_LAUNCHES = 4 -- from which on they show what one process can't
local MOST_LAGS = 20 -- of the rounds that are looked at for likeness

-- Two compilations of the same function lie apart: addresses, traces. How far,
-- as a standard deviation of the logarithm: docs/accuracy.md.
local LAYOUT_SD = 0.0015

-- Rounds that follow each other are alike, and so tell less than their number
-- says: the factor by which an interval of their median is too narrow.
local function inflation(ratios, median)
  local sides, variance = {}, 1
  for i, ratio in ipairs(ratios) do
    sides[i] = ratio > median and 1 or ratio < median and -1 or 0
  end
  for lag = 1, math.min(MOST_LAGS, #sides - 1) do
    local likeness = core.stats.autocorrelation(sides, lag)
    if likeness <= 0 then break end
    variance = variance + 2 * likeness
  end
  return math.sqrt(variance)
end

local function hypotenuse(...)
  local sum = 0
  for _, side in ipairs { ... } do sum = sum + side * side end
  return math.sqrt(sum)
end

-- How far the median ratio of one process may be off by what its rounds show
-- and by what they can't: distances of both ends, in logarithms.
local function of_one_process(ratios, found, confidence)
  local factor = inflation(ratios, found.value)
  local unseen = core.stats.normal_quantile((1 + confidence) / 2) * LAYOUT_SD
  local function distance(bound)
    return hypotenuse(math.log(bound / found.value) * factor, unseen)
  end
  return distance(found.low), distance(found.high)
end

-- How far it may be off by how launches differ.
local function of_launches(launches, confidence)
  local logs = {}
  for i, list in ipairs(launches) do
    logs[i] = math.log(core.stats.median(rounds.ratios(list)))
  end
  return core.stats.stddev(logs) / math.sqrt(#logs)
    * core.stats.t_quantile((1 + confidence) / 2, #logs - 1)
end

-- The median of paired ratios with its interval, and with the share of rare
-- collections, of which the rounds may leave a doubt: 'difference_at' tells how
-- much that can differ at a ratio.
local function ratio_of(paired, difference_at, confidence)
  local ratios = rounds.ratios(paired)
  local found = core.stats.sign_interval(ratios, confidence)
  if #ratios < FEWEST_ROUNDS or not found.low then
    return { value = found.value }
  end
  local shift, doubt = uneven.shift(paired, difference_at(found.value),
    confidence)
  local value = found.value * math.exp(shift)
  if not doubt then return { value = value } end
  local launches = rounds.by_launch(paired)
  local below, above = of_one_process(ratios, found, confidence)
  if #launches >= FEWEST_LAUNCHES then
    below = of_launches(launches, confidence)
    above = below
  end
  return { value = value, low = value * math.exp(-hypotenuse(below, doubt)),
    high = value * math.exp(hypotenuse(above, doubt)) }
end

--- The verdict over a ratio's interval; unclear where there is none.
---@param ratio { value: number, low: number?, high: number? }
---@param tolerance number ratios this close to 1 are the same
---@return "faster"|"slower"|"same"|"unclear"
function compare.verdict(ratio, tolerance)
  if not ratio.low or not ratio.high then return "unclear" end
  return interval.verdict(ratio, tolerance)
end

--- Compares two results of one run.
---@param a table result
---@param b table result
---@param settings table confidence, tolerance
---@return table? comparison nil where either failed, or they were not measured
---  in turn: one after the other, or in different sittings of a run
function compare.pair(a, b, settings)
  if a.error or b.error or a.sitting ~= b.sitting then return nil end
  local paired = rounds.paired(a.samples, b.samples)
  if #paired == 0 then return nil end
  local has_rare = spans.rare(a.samples) or spans.rare(b.samples)
  local ratio = ratio_of(paired, function(value)
    return has_rare and uneven.difference(a, b, value) or 0
  end, settings.confidence)
  return { a = a.id, b = b.id, metric = "time", rounds = #paired,
    ratio = ratio, verdict = compare.verdict(ratio, settings.tolerance) }
end

local function compared_key(result) return result.compared end

local function baseline_of(group)
  for _, result in ipairs(group) do
    if result.baseline then return result end
  end
end

-- With several pairs each interval is made wider, so that all hold together
-- with the confidence asked for (Bonferroni; Holm orders p-values, which
-- intervals do not have).
local function corrected(settings, pairs_count)
  return { tolerance = settings.tolerance,
    confidence = 1 - (1 - settings.confidence) / math.max(1, pairs_count) }
end

local function compare_group(group, settings, out)
  local baseline = baseline_of(group)
  local wanted = {}
  for i = 1, #group do
    if baseline and group[i] ~= baseline then
      wanted[#wanted + 1] = { group[i], baseline }
    elseif not baseline then
      for j = i + 1, #group do wanted[#wanted + 1] = { group[i], group[j] } end
    end
  end
  local strict = corrected(settings, #wanted)
  for _, pair in ipairs(wanted) do
    out[#out + 1] = compare.pair(pair[1], pair[2], strict)
  end
end

--- Comparisons of a run: each group against its baseline; with 'every', groups
--- without one are compared pair by pair.
---@param results table[]
---@param settings table confidence, tolerance
---@param every boolean?
---@return table[] comparisons
function compare.all(results, settings, every)
  local comparisons = {}
  for _, group in ipairs(lists.grouped(results, compared_key)) do
    if #group > 1 and (every or baseline_of(group)) then
      compare_group(group, settings, comparisons)
    end
  end
  return comparisons
end

return compare
