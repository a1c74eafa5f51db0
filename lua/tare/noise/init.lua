-- Diagnosis of the noise in a result's samples: which of the known troubles
-- (see tare.base.warnings) show in them. Pure: columns in, findings out.
local bimodal = require "tare.noise.bimodal"
local core = require "tare.core"
local rows = require "tare.noise.rows"
local trend = require "tare.noise.trend"

local noise = { crowded = rows.crowded, preempted = rows.preempted,
  undisturbed = rows.undisturbed }

local MIN_ROWS = 10
local LEAST = { -- effects that are too small to speak of
  drift = 0.02, autocorrelation = 0.25, stddev = 0.1, first_launch = 0.03,
  crowded = 0.05, preempted = 0.05,
}

local function median(list) return core.stats.median(list) end

local function drift(relative)
  local blocks = trend.blocks(relative)
  if not blocks then return nil end
  local change, z = trend.of(blocks)
  if math.abs(z) < 2.58 or math.abs(change) < LEAST.drift then return nil end
  return { code = "drift", value = change }
end

local function two_speeds(relative)
  local states = bimodal.states(relative)
  return states and { code = "two_speeds", value = states.ratio,
    share = states.share }
end

-- Pulls spikes in, so that a few of them don't hide what the rest does.
local function clipped(values)
  local middle, spread = median(values), 3 * core.stats.mad(values)
  local kept = {}
  for i = 1, #values do
    kept[i] = math.max(middle - spread, math.min(middle + spread, values[i]))
  end
  return kept
end

-- Launches differ, which the analysis knows: only what is alike within them.
local function within_launches(relative, order, launch)
  if not launch then return relative end
  local medians, within = rows.launch_medians(relative, order, launch), {}
  for i, row in ipairs(order) do
    within[i] = relative[i] / medians[launch[row]]
  end
  return within
end

local function autocorrelated(relative, order, samples)
  local within = within_launches(relative, order, samples.launch)
  local r = core.stats.autocorrelation(clipped(within), 1)
  local chance = 2.58 / math.sqrt(#relative)
  if r < math.max(LEAST.autocorrelation, chance) then return nil end
  return { code = "autocorrelated", value = r,
    effective_rows = #relative * (1 - r) / (1 + r) }
end

local function high_variance(relative)
  local spread = core.stats.stddev(relative) / core.stats.mean(relative)
  local share = core.stats.outlier_variance(relative).fraction
  if share < 0.5 or spread < LEAST.stddev then return nil end
  return { code = "high_variance", value = share, stddev = spread }
end

local function crowded(_, _, samples)
  local _, share = rows.crowded(samples)
  if not share or share < LEAST.crowded then return nil end
  return { code = "crowded", value = share }
end

local function preempted(_, _, samples)
  local _, share = rows.preempted(samples)
  if not share or share < LEAST.preempted then return nil end
  return { code = "preempted", value = share }
end

local function slow_first_launch(relative, order, samples)
  if not samples.launch then return nil end
  local first, others, at = nil, {}, math.huge
  local medians = rows.launch_medians(relative, order, samples.launch)
  for number in pairs(medians) do at = math.min(at, number) end
  for number, value in pairs(medians) do
    if number == at then first = value else others[#others + 1] = value end
  end
  if #others < 2 then return nil end
  local usual = median(others)
  local least = math.max(LEAST.first_launch * usual,
    3 * core.stats.mad(others))
  if first < core.stats.quantile(others, 1) or first - usual < least then
    return nil
  end
  return { code = "slow_first_launch", value = first / usual }
end

local CHECKS = { crowded, preempted, drift, two_speeds, autocorrelated,
  high_variance, slow_first_launch }

--- What is noisy in a result's samples.
---@param samples table columns of equal length, as Samples:columns gives them
---@param thinned number? rows that went to keep within the store
---@return { code: string, value: number }[] findings; value: share of the rows
---  (crowded, preempted), relative change over the run (drift), slow over fast
---  (two_speeds), correlation (autocorrelated), share of the variance
---  (high_variance), first launch over the others (slow_first_launch), rows
---  (thinned)
function noise.diagnose(samples, thinned)
  local found = {}
  if (thinned or 0) > 0 then
    found[1] = { code = "thinned", value = thinned }
  end
  if not samples.iters or not samples.wall_ns then return found end
  local relative, order = rows.relative(samples)
  if #relative < MIN_ROWS then return found end
  for _, check in ipairs(CHECKS) do
    found[#found + 1] = check(relative, order, samples)
  end
  return found
end

return noise
