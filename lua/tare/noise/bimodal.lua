-- Whether a sample comes from one state of the machine or from two.
local core = require "tare.core"

local bimodal = {}

-- Shares of the sample that are left out at either end, as spikes.
local TRIMMED_LOW, TRIMMED_HIGH = 0.01, 0.03
local MIN_VALUES = 16
local MIN_SHARE = 0.1

local function trimmed_logarithms(values)
  local sorted = {}
  for i = 1, #values do sorted[i] = math.log(values[i]) end
  table.sort(sorted)
  local kept = {}
  for i = 1 + math.floor(TRIMMED_LOW * #sorted),
    #sorted - math.floor(TRIMMED_HIGH * #sorted) do
    kept[#kept + 1] = sorted[i]
  end
  return kept
end

--- The two states that positive values fall into (by Hartigan's dip test, see
--- core.stats.bimodality): their ratio and the share of the upper one; nil
--- where one state explains them as well, and where one of the two is rare.
---@param values number[] positive
---@param min_ratio number? least ratio to speak of (1.05 unless told)
---@return { ratio: number, share: number }?
function bimodal.states(values, min_ratio)
  if #values < MIN_VALUES then return nil end
  local modes = core.stats.bimodality(trimmed_logarithms(values))
  if not modes.bimodal then return nil end
  local ratio, share = math.exp(modes.high - modes.low), 1 - modes.share
  if ratio < (min_ratio or 1.05) then return nil end
  if math.min(share, 1 - share) < MIN_SHARE then return nil end
  return { ratio = ratio, share = share }
end

return bimodal
