-- The mean over launches, with the half-width of its interval. Each process is
-- one draw of addresses, hash seed and traces. So the error of a cost, with the
-- variation between processes, shows in how launches differ.
local core = require "tare.core"
local rows = require "tare.analysis.rows"

local launch_mean = {}

-- Prior relative standard deviation between processes (most functions: 0.3 to
-- 2 %), and its weight in launches.
local PRIOR_SD, PRIOR_WEIGHT = 0.01, 0.5
-- The same for compiled code and fewer than FEWEST_TO_TRIM launches: these may
-- differ by 10 to 30 % in their traces, so a few that agree prove little.
local COMPILED_SD = 0.03
-- From this number of launches on, this share is trimmed at either end, rounded
-- down to whole launches: else eight would have a wider interval than seven.
local FEWEST_TO_TRIM, TRIMMED = 8, 0.2
-- Correlation of neighbouring launches. BY_CHANCE: standard errors from which
-- on it is more than chance. MOST_ALIKE: the most that a few launches can
-- show.
local BY_CHANCE, MOST_ALIKE = 1.64, 0.8

--- The weight of each launch: the share of its batches that are clean. The
--- number of batches does not count: a launch of few batches shows as much of
--- the variation between processes as one of many. Also the values of the
--- launches that say something by themselves (rows.is_telling).
---@param samples table columns, of all batches
---@param launches table[] of tare.analysis.spans, of the clean ones
---@param values number[] of each
---@return number[] weights
---@return number[] telling
function launch_mean.weights(samples, launches, values)
  local all, weights, telling = {}, {}, {}
  for row = 1, #samples.iters do
    local draw = rows.draw(samples, row)
    all[draw] = (all[draw] or 0) + 1
  end
  for i, launch in ipairs(launches) do
    local count = all[launch.draw]
    weights[i] = #launch.batches / count
    if rows.is_telling(#launch.batches, count) then
      telling[#telling + 1] = values[i]
    end
  end
  return weights, telling
end

-- The values in ascending order with their weights; the sum of the weights; and
-- how many equal weights would give a mean of the same variance (Kish, 'Survey
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

-- The mean of the values without the weight 'cut' at either end, and the least
-- and the greatest value that are left.
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

-- The factor by which the variance of a mean over launches is larger because
-- neighbours are alike, as when slow states of the machine lasted longer than a
-- launch: (1 + r) / (1 - r) for the correlation r of neighbours, where r is
-- more than chance (Priestley, 'Spectral analysis and time series', 1981, 5.3).
-- The values are winsorized, as for the variance.
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
--- A launch is weighted by the share of its batches that are clean: where few
--- are, what disturbed the others has affected these, too. From eight launches
--- on, the weight of a fifth of them is trimmed at either end, so that one
--- process in ten with other traces has no effect (Yuen's trimmed mean; its
--- error is from the winsorized deviation, 'The two-sample trimmed t for
--- unequal population variances', Biometrika 61, 1974). Neighbours that are
--- alike widen the interval. The prior deviation counts as half a launch.
---@param values number[] of two launches or more, in the order of measuring
---@param scale number what the prior deviation is relative to
---@param confidence number
---@param given { weights: number[]?, is_sum: boolean?, is_compiled: boolean? }?
---  'weights': the clean share of each launch; 'is_sum': the values are means
---  of what is rare, so none is trimmed; 'is_compiled': of compiled code
---@return number mean
---@return number half
function launch_mean.of(values, scale, confidence, given)
  given = given or {}
  local list, total, count = weighed(values, given.weights)
  local is_few = #values < FEWEST_TO_TRIM
  local share = (is_few or given.is_sum) and 0
    or math.floor(TRIMMED * #values) / #values
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
  -- Trimmed values show less spread than there is, so the prior adds no degrees
  -- of freedom.
  if share > 0 then prior = prior * math.max(0, left - 1) / (count - 1) end
  local freedom = math.max(1, left - 1 + (share > 0 and 0 or PRIOR_WEIGHT))
  return middle, math.sqrt((variance * count + prior) / freedom / left)
    * core.stats.t_quantile((1 + confidence) / 2, freedom)
end

return launch_mean
