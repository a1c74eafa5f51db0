-- The estimate of the cost per call: from the clean rows to units, from units
-- to the slope of each launch, from the launches to value and interval.
-- docs/accuracy.md has the reasons and the measured coverage.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local interval = require "tare.base.interval"
local levelled = require "tare.analysis.levelled"
local lists = require "tare.base.lists"
local passes = require "tare.base.passes"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"

local estimate = {}

-- SLOPE. The line below which a quarter of the batches lies: a machine disturbs
-- a batch by making it slower, so the low side repeats, and a quarter is low
-- enough to be undisturbed and high enough to have its share of what a call
-- does now and then.
local TAU = { quantile = 0.25, median = 0.5 }
-- A span is already a mean: its low quarter is chance, not lack of disturbance.
local TAU_OF_SPANS = 0.5

-- CALLS THAT DIFFER. Where a batch has many calls, it is a mean of them, and
-- what lifts a batch above the line is the machine. A batch of few calls is
-- lifted also by a dear call, which is part of the cost. So with fewer calls a
-- batch than this, in the mean, it counts how far the mean is above the line,
-- in pieces of so many neighbours: what disturbs spares some of these, but
-- calls differ in nearly all. From one excess to the other the slope goes over
-- from the line to the mean; where it has not gone over to it all the way, the
-- upper end of the interval reaches to the mean that half of the pieces exceed.
local FEW_CALLS, PIECE, QUIETER = rows.FEW_CALLS, 8, 0.25
local ALIKE, DIFFERENT = 0.07, 0.14

-- SPANS. From so many collections per batch on, each is a span by itself.
local PLENTY = passes.PLENTY_OF_CYCLES
-- Number of spans, if each then has LEAST_COLLECTIONS, or MOST_STEPS ticks of a
-- coarse clock. A launch with fewer than FEWEST_SPANS has the mean, not a
-- median.
local SPANS, LEAST_COLLECTIONS, MOST_STEPS = 16, 4, 30
local FEWEST_SPANS = 8

-- ERROR. Each process is one draw of addresses, hash seed and traces. Prior
-- relative standard deviation between processes (most functions: 0.3 to 2 %),
-- and its weight in launches.
local PRIOR_SD, PRIOR_WEIGHT = 0.01, 0.5
-- The same for compiled code: launches may differ by 10 to 30 % in their
-- traces, so a few launches that agree prove little; ten are enough.
local COMPILED_SD = 0.03
-- The same where one process is all there is: wide enough for nine of ten
-- functions (docs/accuracy.md).
local PROCESS_SD = 0.015
-- From this number of launches on, this share is trimmed at either end.
local FEWEST_TO_TRIM, TRIMMED = 8, 0.2
-- Correlation of neighbouring launches: beyond so many of its standard errors
-- it is more than chance, and the most that so few launches can tell.
local BY_CHANCE, MOST_ALIKE = 1.64, 0.8
-- What all launches of a run share and another run, minutes later, does not:
-- relative standard deviation, on a quiet machine, and beside that for the
-- share of the time that others had: what they do to some batches they do a
-- little to the others, too (docs/accuracy.md).
local RUN_SD, DISTURBED_SD = 0.0035, 0.04
-- The same of compiled code that allocates: it takes as long as memory and
-- caches do, which neighbours use also while the core itself is free.
local MEMORY_SD, DISTURBED_MEMORY_SD = 0.01, 0.18
-- The fixed cost of a batch is used if its standard error is below this share
-- of a batch, or if it is this many standard errors above zero.
local KNOWN_INTERCEPT, SURE = 0.01, 4
-- Number of blocks of neighbouring batches for the error within a process.
local BLOCKS = 5

local KINDS = { "gc_minor", "gc_major" }

---------------------------------------------------------------------- units --

-- How many collections of a kind a span has at least; nil where batches can
-- stay as they are. By all rows: those that are left may have none by chance.
local function least_collections(counts)
  local total = columns.sum(counts)
  if total < LEAST_COLLECTIONS or total >= PLENTY * #counts then return nil end
  return math.max(LEAST_COLLECTIONS, math.floor(total / SPANS))
end

-- The least length of a span if the clock stood still in some batch: its step
-- is that of the shortest other batch. Nil if it moved in all batches, or in
-- none.
local function least_value(values, list)
  local total, step, is_coarse = 0, math.huge, false
  for _, row in ipairs(list) do
    local value = values[row]
    total, is_coarse = total + value, is_coarse or value <= 0
    if value > 0 then step = math.min(step, value) end
  end
  if not is_coarse or total <= 0 then return nil end
  return math.max(LEAST_COLLECTIONS * step,
    math.min(MOST_STEPS * step, total / SPANS))
end

-- What spans have at least: collections of each kind, and time; nil where
-- batches are units of their own.
local function span_of(samples, column, list)
  local least = { value = least_value(samples[column], list) }
  for _, kind in ipairs(KINDS) do
    if columns.complete(samples[kind], #samples.iters) then
      least[kind] = least_collections(samples[kind])
    end
  end
  return next(least) and least or nil
end

local function unit_of(samples, column, row)
  local unit = { iters = samples.iters[row], value = samples[column][row] }
  for _, kind in ipairs(KINDS) do
    unit[kind] = samples[kind] and samples[kind][row] or 0
  end
  return unit
end

local function join(span, unit)
  for name, amount in pairs(unit) do span[name] = (span[name] or 0) + amount end
end

local function has(span, least)
  for name, amount in pairs(least) do
    if (span[name] or 0) < amount then return false end
  end
  return true
end

-- Neighbouring units joined into spans; what is left after the last whole one
-- joins that, or is the only one.
local function joined(units, least)
  local spans, open = {}, nil
  for _, unit in ipairs(units) do
    open = open or {}
    join(open, unit)
    if has(open, least) then
      spans[#spans + 1], open = open, nil
    end
  end
  if open and #spans > 0 then
    join(spans[#spans], open)
  elseif open then
    spans[1] = open
  end
  return spans
end

--- Whether there are collections that many batches lack, be they ever so few:
--- then a quantile over batches would pass over what they cost.
---@param samples table columns
---@return boolean
function estimate.has_rare_collections(samples)
  local count = #samples.iters
  for _, kind in ipairs(KINDS) do
    if columns.complete(samples[kind], count) then
      local total = columns.sum(samples[kind])
      if total > 0 and total < PLENTY * count then return true end
    end
  end
  return false
end

-- The units of each launch, or draw: batches, or spans of them, where a
-- collection or a step of the clock is rarer than a batch: { iters, value }.
local function launches_of(samples, column, list)
  local least = span_of(samples, column, list)
  local launches = lists.grouped(list, function(row)
    return rows.draw(samples, row)
  end)
  for i, members in ipairs(launches) do
    local units = {}
    for j, row in ipairs(members) do
      units[j] = unit_of(samples, column, row)
    end
    launches[i] = { batches = units, is_joined = least ~= nil,
      units = least and joined(units, least) or units,
      draw = rows.draw(samples, members[1]) }
  end
  return launches, least ~= nil
end

-- The share of each launch's batches that are clean. Not their number: a launch
-- of few batches shows as much of what processes draw as one of many. Also the
-- values of those launches that say something by themselves.
local function clean_shares(samples, launches, values)
  local planned, shares, telling = {}, {}, {}
  for row = 1, #samples.iters do
    local draw = rows.draw(samples, row)
    planned[draw] = (planned[draw] or 0) + 1
  end
  for i, launch in ipairs(launches) do
    local all = planned[launch.draw]
    shares[i] = #launch.batches / all
    if rows.is_telling(#launch.batches, all) then
      telling[#telling + 1] = values[i]
    end
  end
  return shares, telling
end

---------------------------------------------------------------------- slope --

local function lists_of(units, fixed)
  local x, y = {}, {}
  for i, unit in ipairs(units) do
    x[i], y[i] = unit.iters, unit.value - (fixed or 0)
  end
  return x, y
end

local function mean_slope(units, fixed)
  local iters, value = 0, 0
  for _, unit in ipairs(units) do
    iters, value = iters + unit.iters, value + unit.value - (fixed or 0)
  end
  return value / iters
end

-- The fixed cost of a batch and its standard error, from the intercepts of
-- launches, or of stretches of one launch. It is shrunk towards zero by its
-- error (James and Stein's rule): most benches have no fixed cost, and a slope
-- through the origin has a far smaller error.
local function fixed_cost(launches, tau)
  local parts = {}
  for i, launch in ipairs(launches) do parts[i] = launch.batches end
  if #parts < BLOCKS then
    local all = {}
    for _, units in ipairs(parts) do
      lists.append(all, units)
    end
    parts = lists.blocks(all, BLOCKS)
  end
  local intercepts, value, count = {}, 0, 0
  for _, units in ipairs(parts) do
    rest.here()
    local x, y = lists_of(units)
    value, count = value + columns.sum(y), count + #y
    if #x >= 4 and columns.varies(x) then
      local _, intercept = core.stats.quantile_line(x, y, tau)
      intercepts[#intercepts + 1] = intercept
    end
  end
  if #intercepts < BLOCKS then return 0, 0 end
  local mean = core.stats.mean(intercepts)
  local error_ns = core.stats.stddev(intercepts) / math.sqrt(#intercepts)
  local is_known = error_ns <= KNOWN_INTERCEPT * value / count
  if mean <= (is_known and math.sqrt(2) or SURE) * error_ns then return 0, 0 end
  return mean - 2 * error_ns ^ 2 / mean, error_ns
end

-- The slope of some units, less a fixed cost per batch.
local function quantile_slope(units, tau, fixed)
  local x, y = lists_of(units, fixed)
  return (core.stats.quantile_line(x, y, tau, true))
end

local function ols_slope(units)
  local x, y = lists_of(units)
  local fit = core.stats.ols(y, { x }, { intercept = columns.varies(x) })
  return fit and fit.coefficients[1] or mean_slope(units)
end

-- How far the slope is the mean and not the line: from 0, where calls are
-- alike, to 1, where they differ; the doubt in between, a relative error; and
-- the mean of a call that half of the pieces exceed, 0 where calls are alike.
local function share_of_mean(launches, tau, fixed)
  local all, excesses, means, calls = {}, {}, {}, 0
  for _, launch in ipairs(launches) do
    for _, unit in ipairs(launch.batches) do
      all[#all + 1], calls = unit, calls + unit.iters
    end
  end
  if calls >= FEW_CALLS * #all then return 0, 0, 0 end
  for i, piece in ipairs(lists.blocks(all, math.floor(#all / PIECE))) do
    rest.here()
    local line = quantile_slope(piece, tau, fixed)
    means[i] = mean_slope(piece, fixed)
    excesses[i] = line > 0 and means[i] / line - 1 or 0
  end
  if #excesses == 0 then return 0, 0, 0 end
  local excess = core.stats.quantile(excesses, QUIETER)
  local share = math.max(0, math.min(1,
    (excess - ALIKE) / (DIFFERENT - ALIKE)))
  if share == 0 then return 0, 0, 0 end
  return share, excess * (1 - share),
    share < 1 and core.stats.median(means) or 0
end

-- How a slope is taken, for an estimator and kind of units:
--   of          the function that takes it, of a launch's units
--   tau         its quantile, if it is one
--   fixed, fixed_error   the fixed cost of a batch
--   mean_share, doubt    how far it is the mean, and the doubt of that
--   mean                 what a call may take on average, where that is unsure
local function slope_for(launches, is_joined, estimator)
  local rule = { of = ols_slope, fixed = 0, fixed_error = 0, mean_share = 0,
    doubt = 0, mean = 0 }
  if estimator == "ols" then return rule end
  local tau = is_joined and TAU_OF_SPANS or TAU[estimator or "quantile"]
  rule.tau = tau
  if is_joined then
    function rule.of(units)
      if #units < FEWEST_SPANS then return mean_slope(units) end
      return quantile_slope(units, tau, 0)
    end
    return rule
  end
  local fixed, share
  fixed, rule.fixed_error = fixed_cost(launches, tau)
  share = 0
  if tau == TAU.quantile then
    share, rule.doubt, rule.mean = share_of_mean(launches, tau, fixed)
  end
  function rule.of(units)
    local slope = quantile_slope(units, tau, fixed)
    if slope <= 0 then return mean_slope(units) end
    return slope + share * (mean_slope(units, fixed) - slope)
  end
  rule.fixed, rule.mean_share = fixed, share
  if share > 0.5 then rule.tau = nil end
  return rule
end

---------------------------------------------------------------------- error --

-- Values in ascending order with their weights, the sum of these, and how many
-- equal weights would give a mean of the same variance (Kish, 'Survey
-- Sampling', 1965, 11.7).
local function weighed(values, weights)
  local list, total, squared = {}, 0, 0
  for i, value in ipairs(values) do
    local weight = weights and weights[i] or 1
    list[i] = { value = value, weight = weight }
    total, squared = total + weight, squared + weight * weight
  end
  table.sort(list, function(a, b) return a.value < b.value end)
  return list, total, total * total / squared
end

-- The mean of what is left if so much weight goes at either end, and the least
-- and greatest value that are left.
local function trimmed(list, total, cut)
  local sum, kept, before, low, high = 0, 0, 0, nil, nil
  for _, one in ipairs(list) do
    local after = before + one.weight
    local left = math.min(after, total - cut) - math.max(before, cut)
    if left > 0 then
      sum, kept = sum + left * one.value, kept + left
      low, high = low or one.value, one.value
    end
    before = after
  end
  return sum / kept, low, high
end

-- By how much the variance of a mean over launches is larger since neighbours
-- are alike: the machine had slow states that lasted longer than a launch. By
-- the correlation r of neighbours, (1 + r) / (1 - r), where it is more than
-- chance would make it (Priestley, 'Spectral analysis and time series', 1981,
-- 5.3); winsorized as the variance is.
local function alike(values, low, high)
  local count = #values
  if count < FEWEST_TO_TRIM then return 1 end
  local list = {}
  for i, value in ipairs(values) do
    list[i] = math.max(low, math.min(high, value))
  end
  local r = core.stats.autocorrelation(list, 1)
  if r <= BY_CHANCE / math.sqrt(count) then return 1 end
  r = math.min(r, MOST_ALIKE)
  return (1 + r) / (1 - r)
end

--- The mean over launches, with the half-width of its interval by Student's t.
--- A launch counts by the share of its batches that are clean: where few were,
--- what disturbed the others has left its mark on these, too. From eight
--- launches on a fifth of the weight is trimmed at either end, so that one
--- process in ten with other traces has no effect (Yuen's trimmed mean; its
--- error is from the winsorized deviation, 'The two-sample trimmed t for
--- unequal population variances', Biometrika 61, 1974), and neighbours that are
--- alike count as fewer. The prior deviation counts as half a launch.
---@param values number[] of two launches or more, in the order of measuring
---@param scale number what the prior deviation is relative to
---@param confidence number
---@param given { weights: number[]?, is_sum: boolean?, is_compiled: boolean? }?
---  weights: the clean share of each launch; values that are means of what is
---  rare, of which none goes; values of a compiler's code
---@return number middle
---@return number half
function estimate.over_launches(values, scale, confidence, given)
  given = given or {}
  local list, total, count = weighed(values, given.weights)
  local is_few = #values < FEWEST_TO_TRIM
  local share = (is_few or given.is_sum) and 0 or TRIMMED
  local middle, low, high = trimmed(list, total, share * total)
  local mean, variance = 0, 0 -- winsorized
  for _, one in ipairs(list) do
    one.value = math.max(low, math.min(high, one.value))
    mean = mean + one.value * one.weight / total
  end
  for _, one in ipairs(list) do
    variance = variance + (one.value - mean) ^ 2 * one.weight / total
  end
  local left = count * (1 - 2 * share)
  variance = variance * alike(values, low, high)
  local prior_sd = is_few and given.is_compiled and COMPILED_SD or PRIOR_SD
  local prior = PRIOR_WEIGHT * (prior_sd * scale) ^ 2
  -- Trimmed values show less of their spread than they have: no freedom is
  -- gained from the prior.
  if share > 0 then prior = prior * math.max(0, left - 1) / (count - 1) end
  local freedom = math.max(1, left - 1 + (share > 0 and 0 or PRIOR_WEIGHT))
  return middle, math.sqrt((variance * count + prior) / freedom / left)
    * core.stats.t_quantile((1 + confidence) / 2, freedom)
end

--- The ends of a quantile's interval within a process: quantiles of what the
--- units cost a call, as far from 'tau' as the share of units below the line
--- differs between stretches of neighbours (the scores of the quantile
--- regression, added up by blocks: Koenker 2005, 'Quantile regression', 3.5).
---@param units { iters: number, value: number }[] in the order of measuring
---@param tau number
---@param value number the quantile of value / iters
---@param fixed number what each value has beside
---@param confidence number
---@return number? low nil where there are too few units
---@return number? high
function estimate.score_interval(units, tau, value, fixed, confidence)
  local blocks = lists.blocks(units, BLOCKS)
  local scores, total = {}, 0
  for i, block in ipairs(blocks) do
    scores[i] = 0
    for _, unit in ipairs(block) do
      local is_below = unit.value - fixed < value * unit.iters
      scores[i] = scores[i] + unit.iters * ((is_below and 1 or 0) - tau)
      total = total + unit.iters
    end
  end
  if #blocks < 2 then return nil end
  rest.here()
  local away = core.stats.t_quantile((1 + confidence) / 2, #blocks - 1)
    * core.stats.stddev(scores) * math.sqrt(#blocks) / total
  local x, y = lists_of(units, fixed)
  local function at(share)
    return (core.stats.quantile_line(x, y,
      math.max(1e-9, math.min(1 - 1e-9, share)), true))
  end
  local low = at(tau - away)
  rest.here()
  return low, at(tau + away)
end

-- The ends where the slope is no quantile: t over the slopes of blocks.
local function block_interval(units, slope, value, confidence)
  local blocks, logs = lists.blocks(units, BLOCKS), {}
  for _, block in ipairs(blocks) do
    rest.here()
    local found = slope(block)
    if found > 0 then logs[#logs + 1] = math.log(found) end
  end
  if #logs < 2 then return nil end
  local half = core.stats.t_quantile((1 + confidence) / 2, #logs - 1)
    * core.stats.stddev(logs) / math.sqrt(#logs)
  return value * math.exp(-half), value * math.exp(half)
end

-- The ends of the interval within one process, as logarithmic distances.
local function within_process(launch, rule, value, confidence)
  local low, high
  local tau = rule.tau
  if tau and (not launch.is_joined or #launch.units >= FEWEST_SPANS) then
    low, high = estimate.score_interval(launch.units, tau, value, rule.fixed,
      confidence)
  else
    low, high = block_interval(launch.batches, tau and mean_slope or rule.of,
      value, confidence)
  end
  if not low then return nil end
  return math.log(math.max(1, low > 0 and value / low or 1)),
    math.log(math.max(1, high / value))
end

-- Half-width, relative to the value, of the errors that all launches share: of
-- the fixed cost of a batch and of the collections' cost.
local function common_error(launches, value, fixed_error, error_of_collections,
  confidence)
  local calls, batches = 0, 0
  for _, launch in ipairs(launches) do
    for _, unit in ipairs(launch.batches) do calls = calls + unit.iters end
    batches = batches + #launch.batches
  end
  return interval.quadrature(fixed_error * batches / calls,
    error_of_collections) / value
    * core.stats.t_quantile((1 + confidence) / 2, BLOCKS - 1)
end

--- Whether these are batches of compiled code that allocates, which takes as
--- long as memory and caches do.
---@param samples table columns
---@return boolean
function estimate.follows_memory(samples)
  return samples.jit_events ~= nil and samples.gc_major ~= nil
    and columns.sum(samples.gc_major) > 0
end

-- The relative deviation of what all launches of a run share. Here 'samples'
-- have all batches.
local function run_sd(samples, clean)
  local disturbed = clean.disturbed
  if estimate.follows_memory(samples) then
    return interval.quadrature(MEMORY_SD, DISTURBED_MEMORY_SD * disturbed)
  end
  return interval.quadrature(RUN_SD, DISTURBED_SD * disturbed)
end

--- The cost per call in some rows, without an interval: each row has its share
--- of the collections, and each launch is a unit or several.
---@param samples table columns of equal length
---@param column string
---@param list integer[] the rows
---@param whole table? all samples, if these are a part of them
---@param settings { confidence: number, estimator: string? }
---@return table prepared samples = levelled, launches, rule, value, half = of
---  the interval by launches, if there are several; fixed, mean_share,
---  launch_values and common as in per_call
function estimate.prepare(samples, column, list, whole, settings)
  local error_of_collections
  samples, error_of_collections = levelled.samples(samples, column, list, whole)
  local launches, is_joined = launches_of(samples, column, list)
  local rule = slope_for(launches, is_joined, settings.estimator)
  local values, is_sum = {}, is_joined
  for i, launch in ipairs(launches) do
    rest.here()
    values[i] = rule.of(launch.units)
    is_sum = is_sum and #launch.units < FEWEST_SPANS
  end
  is_sum = is_sum or rule.mean_share > 0.5
  local value, half = values[1], nil
  local shares, telling = clean_shares(samples, launches, values)
  if #launches > 1 then
    value, half = estimate.over_launches(values, core.stats.mean(values),
      settings.confidence, { weights = shares, is_sum = is_sum,
        is_compiled = samples.jit_events ~= nil })
  end
  return { samples = samples, launches = launches, rule = rule, value = value,
    half = half, fixed = rule.fixed, mean_share = rule.mean_share,
    launch_values = telling, common = value > 0 and interval.quadrature(
      rule.doubt, common_error(launches, value, rule.fixed_error,
        error_of_collections, settings.confidence)) or nil }
end

-- The error of a cost has parts, each relative to it and added in quadrature:
--
--   seen     what launches differ by (over_launches); of one process, what
--            stretches of its batches differ by (within_process)
--   common   what all launches are off by alike, for the same was taken from
--            their batches, or put in: the fixed cost of a batch and the cost
--            of collections (common_error), and the doubt whether the line or
--            the mean is meant (share_of_mean)
--   unseen   what no batch here can show: what another run would find
--            (run_sd), or another process (PROCESS_SD)
--   upwards  what calls that differ may take on average, where that is unsure
--            (share_of_mean)

--- The cost per call in a column of the samples.
---@param samples table columns of equal length
---@param column string like "time_ns" or "cycles"
---@param settings { confidence: number, estimator: string? }
---@param best_width number? of the machine
---@param clean table? of rows.clean, where that is known already
---@return { value: number, low: number?, high: number?, within: number?,
---  fixed: number, common: number?, mean_share: number,
---  launch_values: number[] }? found  'launch_values': of those launches that
---  say something by themselves (rows.is_telling)
---  'within': with one launch, the half-width from its batches alone, without
---  the variation between processes; with several, the half-width of the whole
---  interval. 'fixed': the fixed cost of a batch; 'common': relative error that
---  all launches share; 'mean_share': how far it is a mean, 0 to 1, since calls
---  differ. No interval if there are too few batches, or none that can be
---  trusted
function estimate.per_call(samples, column, settings, best_width, clean)
  if not columns.complete(samples[column], #samples.iters) then return nil end
  clean = clean or rows.clean(samples, best_width)
  local prepared = estimate.prepare(clean.samples, column, clean.list, nil,
    settings)
  local rule, value, half = prepared.rule, prepared.value, prepared.half
  samples = prepared.samples
  local found = { value = value, fixed = prepared.fixed,
    mean_share = prepared.mean_share, launch_values = prepared.launch_values }
  if not clean.trusted or value <= 0 then return found end

  local seen_below, seen_above
  if half then
    seen_below, seen_above = half / value, half / value
  else
    seen_below, seen_above = within_process(prepared.launches[1], rule, value,
      settings.confidence)
  end
  local common, has_launches = prepared.common, rows.has_launches(samples)
  found.common = common
  if not seen_below then return found end
  local unseen = (has_launches and run_sd(samples, clean) or PROCESS_SD)
    * core.stats.normal_quantile((1 + settings.confidence) / 2)
  local upwards = math.log(math.max(1, rule.mean / value))
  local below = interval.quadrature(seen_below, common, unseen)
  local above = interval.quadrature(seen_above, common, unseen, upwards)
  found.within = value * (has_launches and below
    or (math.exp(seen_above) - math.exp(-seen_below)) / 2)
  found.low, found.high = value * math.exp(-below), value * math.exp(above)
  return found
end

-- Every second one of some units, from the first or the second on.
local function half_of(units, first)
  local half = {}
  for i = first, #units, 2 do half[#half + 1] = units[i] end
  return half
end

--- How far launches differ, and how much of that is due to their own batches:
--- each launch's estimate of one half of its batches against that of the other.
---@param samples table columns, of two launches or more
---@param column string
---@param settings { estimator: string? }
---@param best_width number? of the machine
---@return { between: number, within: number }? spread relative standard
---  deviations: between launches, without what their batches explain, and of
---  one launch's estimate by its batches; nil where they are too few
function estimate.spread(samples, column, settings, best_width)
  if not columns.complete(samples[column], #samples.iters) then return nil end
  local clean = rows.clean(samples, best_width)
  samples = levelled.samples(clean.samples, column, clean.list)
  local launches, is_joined = launches_of(samples, column, clean.list)
  local rule = slope_for(launches, is_joined, settings.estimator)
  local values, errors = {}, {}
  for _, launch in ipairs(launches) do
    rest.here()
    local units = launch.units
    if #units >= 4 then
      values[#values + 1] = rule.of(units)
      errors[#errors + 1] = math.abs(rule.of(half_of(units, 1))
        - rule.of(half_of(units, 2))) / 2
    end
  end
  if #values < 3 then return nil end
  local mean = core.stats.mean(values)
  if mean <= 0 then return nil end
  -- The median of a normal deviate's distance from zero is 0.6745.
  local within = core.stats.median(errors) / 0.6745 / mean
  local all = core.stats.stddev(values) / mean
  return { between = math.sqrt(math.max(0, all ^ 2 - within ^ 2)),
    within = within }
end

return estimate
