-- The ratio of two cells, from their batches in the same rounds, so that
-- whatever slows the machine slows both. A ratio for each launch, then the mean
-- over launches.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local interval = require "tare.base.interval"
local launch_mean = require "tare.analysis.launch_mean"
local lists = require "tare.base.lists"
local precision = require "tare.analysis.precision"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"
local spans = require "tare.analysis.spans"
local uncertainty = require "tare.analysis.uncertainty"
local unpack = require("tare.base.compat").unpack

local ratio = {}

-- An interval of a median needs six values at 95 %.
local FEWEST_ROUNDS = 6
-- The variation between processes, where the ratio is of one process. What a
-- process draws (addresses, hash seed) slows or speeds up a kind of work. This
-- cancels in work that both functions do, and stays in work that only one of
-- them does, which at a ratio of 2 is half. ALIKE_SD and UNLIKE_SD are the
-- relative standard deviations of these two parts, chosen on half of the
-- functions and judged on the others (docs/accuracy.md). On LuaJIT two equal
-- functions have traces of their own, too.
local ALIKE_SD, COMPILED_ALIKE_SD, UNLIKE_SD = 0.004, 0.01, 0.028
-- Relative standard deviation that all launches of a run share, of a ratio of
-- compiled code that allocates: where each function's memory lies in the
-- caches.
local MEMORY_SD = 0.004
-- With rare collections, single rounds give no ratio, but this many stretches
-- of rounds do.
local BLOCKS = 8

--------------------------------------------------------------------- rounds --

-- The start of each launch's first and last batch, and its number of batches.
local function bounds(samples)
  local by_launch = {}
  for row, start_ns in ipairs(samples.start_ns or {}) do
    local launch = rows.launch(samples, row)
    local found = by_launch[launch]
      or { first = start_ns, last = start_ns, count = 0 }
    by_launch[launch] = found
    found.first = math.min(found.first, start_ns)
    found.last = math.max(found.last, start_ns)
    found.count = found.count + 1
  end
  return by_launch
end

-- Whether two were measured in turn, and not one after the other: whether their
-- batches cover the same time in the first launch that shows it. A launch with
-- one batch of each does not show it, since one is always after the other. If
-- no launch shows it, they count as not in turn.
local function are_in_turn(a, b)
  local of_a, of_b = bounds(a), bounds(b)
  if #a.iters < 2 or #b.iters < 2 or not (next(of_a) and next(of_b)) then
    return true
  end
  local launches = {}
  for launch in pairs(of_a) do launches[#launches + 1] = launch end
  table.sort(launches)
  for _, launch in ipairs(launches) do
    local x, y = of_a[launch], of_b[launch]
    if y and x.count + y.count > 2 then
      if x.first <= y.last and y.first <= x.last then return true end
      if x.count > 1 and y.count > 1 then return false end
    end
  end
  return false
end

-- Rows by launch and round.
local function by_round(samples)
  local at = {}
  for row = 1, #samples.iters do
    local round = (samples.round or {})[row]
    if round and round == round then
      local launch = rows.launch(samples, row)
      at[launch] = at[launch] or {}
      at[launch][round] = row
    end
  end
  return at
end

local function set_of(list)
  local set = {}
  for _, row in ipairs(list) do set[row] = true end
  return set
end

-- The rounds that both took part in, without those in which one was disturbed:
-- { launch, draw, a = row, b = row } each, in the order of a's rows. Also
-- whether they can be trusted. They can't if nearly all were disturbed, or if
-- those left are of one launch of several, which says nothing of how launches
-- differ. Then all rounds are given.
local function paired(clean_a, clean_b)
  local a, b = clean_a.samples, clean_b.samples
  local free_a, free_b = set_of(clean_a.list), set_of(clean_b.list)
  local of_b, all, free = by_round(b), {}, {}
  for _, row in ipairs(rows.all(a)) do
    local launch, round = rows.launch(a, row), (a.round or {})[row]
    local other = round and (of_b[launch] or {})[round]
    if other then
      local pair = { launch = launch, draw = rows.draw(a, row), a = row,
        b = other }
      all[#all + 1] = pair
      if free_a[row] and free_b[other] then free[#free + 1] = pair end
    end
  end
  local has_launches = rows.has_launches(a) or rows.has_launches(b)
  local are_enough = #free >= math.min(FEWEST_ROUNDS, #all)
    and clean_a.trusted and clean_b.trusted
    and (not has_launches or lists.first(free, function(pair)
      return pair.launch ~= free[1].launch
    end) ~= nil)
  return are_enough and free or all, are_enough
end

---------------------------------------------------------------------- value --

-- One side of the rounds: 'samples', whose row i is that of pair i, each with
-- its share of the collections; 'measured', the times as they were
-- measured; 'fixed', the fixed cost of a batch; 'common', the relative error
-- that all launches share; 'mean_share' (tare.analysis.slope); 'batch', the
-- mean time of a batch.
local function side_of(samples, pairs_list, name, column, confidence)
  local part, list = {}, {}
  for key, values in pairs(samples) do
    part[key] = {}
    for i, pair in ipairs(pairs_list) do part[key][i] = values[pair[name]] end
  end
  for i in ipairs(pairs_list) do list[i] = i end
  local cost = estimate.of_rows(part, column, list, samples,
    { confidence = confidence })
  return { samples = cost.samples, measured = part[column],
    fixed = cost.rule.fixed, common = cost.common or 0,
    mean_share = cost.rule.mean_share,
    batch = columns.sum(part[column]) / #list }
end

-- The fixed cost of a batch is subtracted on both sides or on neither. Where it
-- is known for one side alone, it becomes an error of that side.
local function settle_fixed(a, b)
  if a.fixed > 0 and b.fixed > 0 then return end
  for _, side in ipairs { a, b } do
    side.common = interval.quadrature(side.common, side.fixed / side.batch)
    side.fixed = 0
  end
end

-- The ratio of each round: without the fixed cost of a batch, and with its
-- share of the collections; or as measured, where no time would be left.
local function ratios_of(a, b, column)
  local function per_call(side, i)
    local time = side.samples[column][i] - side.fixed
    return (time > 0 and time or side.measured[i]) / side.samples.iters[i]
  end
  local list = {}
  for i = 1, #a.samples.iters do
    list[i] = per_call(a, i) / per_call(b, i)
  end
  return list
end

-- All time over all calls of some rounds, of one side divided by the other,
-- without the fixed cost of batches. Where there are few rounds, the cost of a
-- collection is vague. If no time is left with it, the rounds count as they
-- were measured.
local function ratio_of_sums(members, a, b, column)
  local function mean(side, times, fixed)
    local time, calls = 0, 0
    for _, i in ipairs(members) do
      time, calls = time + times[i] - fixed, calls + side.samples.iters[i]
    end
    return time / calls
  end
  local of_a = mean(a, a.samples[column], a.fixed)
  local of_b = mean(b, b.samples[column], b.fixed)
  if of_a > 0 and of_b > 0 then return of_a / of_b end
  return mean(a, a.measured, 0) / mean(b, b.measured, 0)
end

local function is_no_ratio(x) return not (x > 0 and x < 1/0) end

local function logarithms(list)
  local logs = {}
  for _, value in ipairs(list) do
    if value > 0 then logs[#logs + 1] = math.log(value) end
  end
  return logs
end

-- The median on the logarithmic scale: so the median of the inverse ratios is
-- the inverse of the median, also where their number is even.
local function median_of(ratios)
  return math.exp(core.stats.median(logarithms(ratios)))
end

--- The ratio over launches, from that of each: the mean of the logarithms with
--- Student's t, as for a cost.
---@param ratios number[] of two launches or more
---@param confidence number
---@param given { weights: number[]?, is_sum: boolean?, is_compiled: boolean? }?
---  'weights': rounds of each launch; 'is_sum': the ratios are of sums, so none
---  is trimmed; 'is_compiled': compiled code was measured
---@return { value: number, low: number, high: number }
function ratio.over_launches(ratios, confidence, given)
  local mean, half = launch_mean.of(logarithms(ratios), 1, confidence,
    given)
  return { value = math.exp(mean), low = math.exp(mean - half),
    high = math.exp(mean + half) }
end

-- A ratio with its interval widened by another relative error.
local function widened(found, by)
  if not found.low then return found end
  local value = found.value
  return { value = value,
    low = value * math.exp(-interval.quadrature(math.log(value / found.low),
      by)),
    high = value * math.exp(interval.quadrature(math.log(found.high / value),
      by)) }
end

-- How little two results have in common, from 0 (all) to 1: by their times, and
-- by their instructions or else allocations, since functions that do different
-- work may take the same time.
local function difference(a, b, value)
  local common = math.min(value, 1 / value)
  local name = a.instructions and b.instructions and "instructions" or "allocs"
  if a[name] and b[name] then
    local least = math.min(a[name].value, b[name].value)
    local most = math.max(a[name].value, b[name].value)
    common = math.min(common, most > 0 and least / most or 1)
  end
  return 1 - common
end

-- Standard deviation of a ratio between processes, where one was measured.
local function unseen_sd(a, b, value)
  local is_compiled = (a.samples.jit_events or b.samples.jit_events) ~= nil
  return interval.quadrature(is_compiled and COMPILED_ALIKE_SD or ALIKE_SD,
    difference(a, b, value) * UNLIKE_SD)
end

-- Standard deviation of a ratio that all launches of a run share, and that
-- differs from another run's.
local function shared_sd(a, b)
  return (uncertainty.follows_memory(a) or uncertainty.follows_memory(b))
    and MEMORY_SD or 0
end

-- The ratio in one process: the median of its rounds; or, where 'sum' is given,
-- that, with an interval from how the ratios of stretches of rounds differ.
local function of_one_process(ratios, sum, confidence)
  local stats = core.stats
  local value, below, above
  if sum then
    local logs = logarithms(ratios)
    value = sum
    if #logs > 1 then
      below = stats.stddev(logs) / math.sqrt(#logs)
        * stats.t_quantile((1 + confidence) / 2, #logs - 1)
      above = below
    end
  else
    value = median_of(ratios)
    local units = {}
    for i, one in ipairs(ratios) do units[i] = { iters = 1, value = one } end
    local low, high = uncertainty.score_interval(units, 0.5, value, 0,
      confidence)
    if low and #ratios >= FEWEST_ROUNDS then
      below, above = math.log(value / low), math.log(high / value)
    end
  end
  if not below then return { value = value } end
  return { value = value, low = value * math.exp(-below),
    high = value * math.exp(above) }
end

-- The ratio that these rounds show.
local function ratio_of(pairs_list, of_a, of_b, column, confidence)
  local a = side_of(of_a, pairs_list, "a", column, confidence)
  rest.here()
  local b = side_of(of_b, pairs_list, "b", column, confidence)
  rest.here()
  settle_fixed(a, b)
  local is_rare = spans.has_rare_collections(a.samples)
    or spans.has_rare_collections(b.samples)
  -- Where calls differ, or the clock is coarse, the ratio of one round is
  -- chance, but that of the sums of many is not. So the ratio is one of sums as
  -- far as the time is a mean (tare.analysis.slope).
  local is_coarse = (spans.tick_of(a.measured) or spans.tick_of(b.measured))
    ~= nil
  local mean_share = (is_rare or is_coarse) and 1
    or math.max(a.mean_share, b.mean_share)
  local is_sum = mean_share > 0.5
  local ratios = ratios_of(a, b, column)
  local function found_in(members)
    local of_sums = ratio_of_sums(members, a, b, column)
    if mean_share == 1 then return of_sums end
    local some = {}
    for k, i in ipairs(members) do some[k] = ratios[i] end
    local median = median_of(some)
    return median * (of_sums / median) ^ mean_share
  end
  local list, parts = {}, {}
  for i in ipairs(pairs_list) do list[i] = i end
  local launches = lists.grouped(list, function(i)
    return pairs_list[i].draw
  end)
  local found
  if #launches > 1 then
    local weights = {}
    for k, members in ipairs(launches) do
      parts[k], weights[k] = found_in(members), #members
    end
    found = not lists.first(parts, is_no_ratio)
      and ratio.over_launches(parts, confidence, { weights = weights,
        is_sum = is_sum and (is_coarse or not is_rare),
        is_compiled = (of_a.jit_events or of_b.jit_events) ~= nil })
  elseif not is_sum then
    found = of_one_process(ratios, nil, confidence)
  else
    for k, members in ipairs(lists.blocks(list, BLOCKS)) do
      parts[k] = found_in(members)
    end
    found = not lists.first(parts, is_no_ratio)
      and of_one_process(parts, found_in(list), confidence)
  end
  found = found or { value = found_in(list) } -- a side without any time
  return widened(found, interval.quadrature(a.common, b.common))
end

-- The column that both are timed by: core cycles, if both have them.
local function column_of(a, b)
  if columns.complete(a.cycles, #a.iters)
    and columns.complete(b.cycles, #b.iters) then
    return "cycles"
  end
  return "wall_ns"
end

-- The ratio of two times, one of which is of paced rows and so includes
-- collections that the rounds lack (tare.analysis.collector). So the ratio and
-- the times are of the same cost.
local function of_times(a, b, settings)
  local function normal(confidence)
    return core.stats.normal_quantile((1 + confidence) / 2)
  end
  -- The time with an interval of the confidence that is asked for here. Its own
  -- interval has the confidence of the results, or that of a look
  -- (tare.analysis.precision).
  local function time_of(result)
    local time = result.time
    if not time.low or time.low <= 0 then return time end
    local by = normal(settings.confidence) / normal(precision.of_time(result,
      { confidence = settings.of_times or settings.confidence }).confidence)
    local value = time.value
    return { value = value, low = value * (time.low / value) ^ by,
      high = value * (time.high / value) ^ by }
  end
  local found = interval.ratio(time_of(a), time_of(b))
  if not found or found.low <= 0 or found.high == 1/0 then
    return { value = a.time.value / b.time.value }
  end
  return found
end

-- Whether the collector's part of a time is too vague for an interval.
local function is_vague(result)
  return lists.has(result.warnings, "few_cycles")
end

-- The comparison where no round has a batch of both: no more than a ratio of
-- the times, without an interval.
local function unpaired(a, b)
  local in_rounds = a.samples.round and b.samples.round
  if not (in_rounds and a.time and b.time) then return nil end
  return { a = a.id, b = b.id, metric = "time", rounds = 0, crowded = true,
    ratio = { value = a.time.value / b.time.value }, verdict = "unclear" }
end

local function has_rows(result)
  local samples = result.samples
  return samples ~= nil and samples.iters ~= nil and samples.wall_ns ~= nil
end

--- Compares two results of one run.
---@param a table result
---@param b table result
---@param settings table confidence, tolerance; of_times: the confidence of the
---  results' intervals, if that is another
---@param best_width number? of the machine
---@return table? comparison nil where either failed or has no samples, or they
---  were not measured in turn: one after the other, or in different sittings
function ratio.compare(a, b, settings, best_width)
  if a.error or b.error or a.sitting ~= b.sitting then return nil end
  if not (has_rows(a) and has_rows(b)) then return nil end
  if not are_in_turn(a.samples, b.samples) then return nil end
  local column = column_of(a.samples, b.samples)
  -- Batches that were left out of either's time count here neither.
  local clean_a = rows.clean((rows.discard(a.samples, a.discard)), best_width)
  local clean_b = rows.clean((rows.discard(b.samples, b.discard)), best_width)
  local pairs_list, trusted = paired(clean_a, clean_b)
  if #pairs_list == 0 or columns.sum(clean_a.samples[column]) == 0
    or columns.sum(clean_b.samples[column]) == 0 then
    return unpaired(a, b)
  end
  rest.here()
  local found
  if a.time_pass or b.time_pass then
    found = of_times(a, b, settings)
  else
    found = ratio_of(pairs_list, clean_a.samples, clean_b.samples, column,
      settings.confidence)
    local sd = rows.has_launches(a.samples)
      and shared_sd(clean_a.samples, clean_b.samples)
      or unseen_sd(a, b, found.value)
    found = widened(found, sd
      * core.stats.normal_quantile((1 + settings.confidence) / 2))
  end
  if not trusted or is_vague(a) or is_vague(b) then
    found = { value = found.value }
  end
  return { a = a.id, b = b.id, metric = "time", rounds = #pairs_list,
    ratio = found, crowded = not trusted or nil,
    verdict = found.low and interval.verdict(found, settings.tolerance)
      or "unclear" }
end

-- The pairs of a group: each cell with the baseline, or with each of several
-- baselines (with --ref, the revisions); without a baseline, and with 'every',
-- each cell with each other.
local function wanted_of(group, every)
  local baselines = lists.those(group, function(one) return one.baseline end)
  local wanted = {}
  for i, one in ipairs(group) do
    local others = not one.baseline and baselines or {}
    if not baselines[1] and every then others = { unpack(group, i + 1) } end
    for _, other in ipairs(others) do wanted[#wanted + 1] = { one, other } end
  end
  return wanted
end

--- Comparisons of a run: each group is compared with its baselines; with
--- 'every', groups without one are compared pair by pair. With several pairs
--- each interval is made wider, so that all hold together with the confidence
--- asked for (Bonferroni; Holm orders p-values, which intervals do not have).
---@param results table[]
---@param settings table confidence, tolerance
---@param every boolean?
---@param clock_of (fun(result: table): { best_width: number? }?)? the clock of
---  a result's machine
---@return table[] comparisons
function ratio.all(results, settings, every, clock_of)
  local comparisons = {}
  for _, group in ipairs(lists.grouped(results, function(result)
    return result.compared
  end)) do
    local wanted = wanted_of(group, every)
    local strict = { tolerance = settings.tolerance,
      of_times = settings.confidence,
      confidence = 1 - (1 - settings.confidence) / math.max(1, #wanted) }
    for _, pair in ipairs(wanted) do
      local clock = clock_of and clock_of(pair[1])
      comparisons[#comparisons + 1] = ratio.compare(pair[1], pair[2], strict,
        clock and clock.best_width)
      rest.here()
    end
  end
  return comparisons
end

return ratio
