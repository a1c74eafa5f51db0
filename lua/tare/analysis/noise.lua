-- Diagnosis of the noise in a result's samples: which of the warnings about
-- noise (see tare.base.warnings) apply. Pure: columns in, codes out.
local core = require "tare.core"
local lists = require "tare.base.lists"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"

local noise = {}

-- Effects below these are not reported.
local LEAST = { drift = 0.02, autocorrelation = 0.25, stddev = 0.1,
  first_launch = 0.03, crowded = 0.05, preempted = 0.05 }
local SURE = 2.58 -- standard deviations: chance in one of a hundred
-- Blocks of neighbours, whose medians show a drift.
local MOST_BLOCKS, ROWS_A_BLOCK, FEWEST_BLOCKS = 12, 3, 8
-- Two states. TRIMMED_LOW, TRIMMED_HIGH: shares of the sample that are left out
-- at either end, as spikes. MIN_VALUES: the fewest for a test. MIN_RATIO,
-- MIN_SHARE: the least ratio and share that are reported.
local TRIMMED_LOW, TRIMMED_HIGH = 0.01, 0.03
local MIN_VALUES, MIN_RATIO, MIN_SHARE = 16, 1.05, 0.1

local function median(list) return core.stats.median(list) end

-- Cost of a call and fixed cost of a batch, computed alternately: the cost of a
-- call from the larger half of the batches, the fixed cost from the smaller.
-- Both are medians, so that single slow batches have no effect. Where the
-- smaller batches take longer than the larger ones (pauses in the middle of
-- short batches), the line goes through the origin.
local function line(iters, column, list)
  local sizes, slope, fixed, alone = {}, 0, 0, nil
  for i, row in ipairs(list) do sizes[i] = iters[row] end
  local middle = median(sizes)
  for _ = 1, 5 do
    local costs, rests = {}, {}
    for _, row in ipairs(list) do
      if iters[row] >= middle then
        costs[#costs + 1] = (column[row] - fixed) / iters[row]
      end
    end
    slope = median(costs)
    alone = alone or slope
    if slope <= 0 then return alone, 0 end
    for _, row in ipairs(list) do
      if iters[row] <= middle then
        rests[#rests + 1] = column[row] - slope * iters[row]
      end
    end
    fixed = math.max(0, median(rests))
  end
  return slope, fixed
end

-- Each row's time divided by the expected time of its calls, in the order of
-- measuring: 1 if there is no noise.
local function relative_times(samples)
  local iters, column = samples.iters, samples.time_ns or samples.wall_ns
  local list, relative = lists.those(rows.all(samples), function(row)
    return column[row] > 0 and iters[row] > 0
  end), {}
  if #list == 0 then return relative, list end
  local slope, fixed = line(iters, column, list)
  for i, row in ipairs(list) do
    relative[i] = column[row] / (fixed + slope * iters[row])
  end
  return relative, list
end

-- The medians of the launches, and each value as a multiple of its launch's
-- median: differences between launches are not noise, the analysis accounts for
-- them.
local function by_launch(relative, list, samples)
  local members, medians, within = {}, {}, {}
  for i, row in ipairs(list) do
    local number = rows.launch(samples, row)
    members[number] = members[number] or {}
    table.insert(members[number], relative[i])
  end
  for number, values in pairs(members) do medians[number] = median(values) end
  for i, row in ipairs(list) do
    within[i] = relative[i] / medians[rows.launch(samples, row)]
  end
  return medians, within
end

--- Change from first to last value by the median of pairwise slopes (Sen
--- 1968), and by how many standard deviations rises outnumber falls (Mann
--- 1945): chance alone exceeds 2.58 in one of a hundred.
---@param values number[] at least two
---@return number change negative where they fall
---@return number z
function noise.trend(values)
  local n, rises, slopes = #values, 0, {}
  for i = 1, n - 1 do
    for j = i + 1, n do
      local step = values[j] - values[i]
      rises = rises + (step > 0 and 1 or step < 0 and -1 or 0)
      slopes[#slopes + 1] = step / (j - i)
    end
  end
  local sd = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
  return median(slopes) * (n - 1), rises / sd
end

-- Tests the medians of blocks: values that are alike over a short time then
-- count once.
local function is_drifting(values)
  local count = math.min(MOST_BLOCKS, math.floor(#values / ROWS_A_BLOCK))
  if count < FEWEST_BLOCKS then return false end
  local medians = {}
  for b, block in ipairs(lists.blocks(values, count)) do
    medians[b] = median(block)
  end
  local change, z = noise.trend(medians)
  return math.abs(z) >= SURE and math.abs(change) >= LEAST.drift
end

--- The two states that positive values fall into (by Hartigan's dip test, see
--- core.stats.bimodality): their ratio and the share of the upper one; nil
--- where one state explains them as well, and where the two are close together
--- or one is rare.
---@param values number[] positive
---@return { ratio: number, share: number }?
function noise.states(values)
  if #values < MIN_VALUES then return nil end
  local sorted, kept = {}, {}
  for i = 1, #values do sorted[i] = math.log(values[i]) end
  table.sort(sorted)
  for i = 1 + math.floor(TRIMMED_LOW * #sorted),
    #sorted - math.floor(TRIMMED_HIGH * #sorted) do
    kept[#kept + 1] = sorted[i]
  end
  local modes = core.stats.bimodality(kept)
  if not modes.bimodal then return nil end
  local ratio, share = math.exp(modes.high - modes.low), 1 - modes.share
  if ratio < MIN_RATIO or math.min(share, 1 - share) < MIN_SHARE then
    return nil
  end
  return { ratio = ratio, share = share }
end

-- Clips spikes, so that a few of them don't hide the rest.
local function clipped(values)
  local middle, far = median(values), 3 * core.stats.mad(values)
  local kept = {}
  for i = 1, #values do
    kept[i] = math.max(middle - far, math.min(middle + far, values[i]))
  end
  return kept
end

local function are_neighbours_alike(values)
  return core.stats.autocorrelation(clipped(values), 1)
    >= math.max(LEAST.autocorrelation, SURE / math.sqrt(#values))
end

-- Whether outliers make most of a large variance.
local function has_high_variance(values)
  return core.stats.outlier_variance(values).fraction >= 0.5
    and core.stats.stddev(values) >= LEAST.stddev * core.stats.mean(values)
end

local function is_first_launch_slow(medians)
  local first, others, at = nil, {}, math.huge
  for number in pairs(medians) do at = math.min(at, number) end
  for number, value in pairs(medians) do
    if number == at then first = value else others[#others + 1] = value end
  end
  if #others < 2 then return false end
  local usual = median(others)
  return first >= core.stats.quantile(others, 1)
    and first - usual >= math.max(LEAST.first_launch * usual,
      3 * core.stats.mad(others))
end

--- What is noisy in a result's samples.
---@param samples table columns of equal length, as Samples:columns gives them
---@param clean table of rows.clean
---@param thinned number? rows that went to keep within the store
---@return string[] codes of warnings
function noise.diagnose(samples, clean, thinned)
  local found = {}
  local function add(code, is_found)
    found[#found + 1] = is_found and code or nil
    rest.here()
  end
  add("thinned", (thinned or 0) > 0)
  local relative, list = relative_times(samples)
  rest.here()
  if #relative < rows.FEWEST then return found end
  local medians, within = by_launch(relative, list, samples)
  add("crowded", (clean.crowded or 0) >= LEAST.crowded)
  add("preempted", (clean.preempted or 0) >= LEAST.preempted)
  add("drift", is_drifting(within))
  add("two_speeds", noise.states(within) ~= nil)
  add("autocorrelated", are_neighbours_alike(within))
  add("high_variance", has_high_variance(relative))
  add("slow_first_launch", is_first_launch_slow(medians))
  return found
end

-- CLUSTERS -------------------------------------------------------------------

-- Launches whose values lie in clusters: a compiler's traces or the layout of
-- memory have a few outcomes, of which each process draws one. Then the values
-- of the clusters are the truth, and their mean is not. A stored report calls
-- them 'groups'; they are no groups of benches.

local FEWEST_TO_CLUSTER = 5 -- launches; fewer show no clusters
-- A gap between the values of launches separates clusters if it is at least
-- LEAST_GAP of the value, and CLEAR times as wide as the widest gap within the
-- clusters that result. By chance this is so in at most 9 % of samples of five
-- normal values (standard deviation 10 %), and in 2 % of 25; with a factor of 3
-- it would be in 16 and 6 %.
local LEAST_GAP, CLEAR = 0.02, 4
-- Clusters of one launch may be accidents where only one cluster has several
-- launches; not if the gaps are all this wide.
local FAR = 0.1

local function mean_of(list, i, j)
  local sum = 0
  for k = i, j do sum = sum + list[k] end
  return sum / (j - i + 1)
end

-- The gaps that separate ascending values into clusters, and the size of the
-- narrowest: the widest gaps, down to the first one that is CLEAR times as wide
-- as the next. Empty where there is no such gap of LEAST_GAP or more.
local function borders_of(sorted)
  local gaps = {}
  for i = 1, #sorted - 1 do
    gaps[i] = { at = i, size = math.log(sorted[i + 1] / sorted[i]) }
  end
  table.sort(gaps, function(a, b) return a.size > b.size end)
  local borders = {}
  for i, gap in ipairs(gaps) do
    if gap.size < LEAST_GAP then break end
    borders[i] = gap.at
    local next_gap = gaps[i + 1] and gaps[i + 1].size or 0
    if gap.size >= CLEAR * next_gap then
      table.sort(borders)
      return borders, gap.size
    end
  end
  return {}
end

--- The clusters that launches fall into, the largest first; nil where they are
--- one.
---@param values number[] what each launch found
---@return { share: number, value: number }[]?
function noise.clusters(values)
  if #values < FEWEST_TO_CLUSTER then return nil end
  local sorted = {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  if sorted[1] <= 0 then return nil end
  local borders, least_gap = borders_of(sorted)
  if #borders == 0 or #borders + 1 > #sorted / 2 then return nil end
  local found, from, of_several = {}, 1, 0
  borders[#borders + 1] = #sorted
  for i, to in ipairs(borders) do
    found[i] = { share = (to - from + 1) / #sorted,
      value = mean_of(sorted, from, to) }
    if to > from then of_several = of_several + 1 end
    from = to + 1
  end
  if of_several < 1 or (of_several < 2 and least_gap < FAR) then return nil end
  table.sort(found, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    return a.value < b.value
  end)
  return found
end

return noise
