-- Whether a sample comes from one state or from two.
local bimodal = {}

-- Shares of the sample that are left out at either end, as spikes.
local TRIMMED_LOW, TRIMMED_HIGH = 0.01, 0.03
local MIN_VALUES = 16
local MIN_SHARE = 0.1
-- Probability, were there one mode only, of a valley as empty as the one seen.
-- Strict, since the place to look at was chosen after seeing the values.
local CHANCE = 0.01

local function trimmed(values)
  local sorted = {}
  for i = 1, #values do sorted[i] = values[i] end
  table.sort(sorted)
  local first = 1 + math.floor(TRIMMED_LOW * #sorted)
  local last = #sorted - math.floor(TRIMMED_HIGH * #sorted)
  local kept = {}
  for i = first, last do kept[#kept + 1] = sorted[i] end
  return kept
end

--- Cuts ascending values in two so that the groups lie farthest apart for
--- their size (N. Otsu, "A threshold selection method from gray-level
--- histograms", 1979).
---@param sorted number[] at least two
---@return integer count of values in the lower group
function bimodal.cut(sorted)
  local n, total = #sorted, 0
  for i = 1, n do total = total + sorted[i] end
  local best, best_at, below = -1, 1, 0
  for i = 1, n - 1 do
    below = below + sorted[i]
    local distance = below / i - (total - below) / (n - i)
    local between = i * (n - i) * distance * distance
    if between > best then best, best_at = between, i end
  end
  return best_at
end

local function count_within(sorted, low, high)
  local count = 0
  for i = 1, #sorted do
    if sorted[i] >= low and sorted[i] < high then count = count + 1 end
  end
  return count
end

-- P(X <= k) for X binomial of n fair coins.
local function fair_coins(k, n)
  local term, sum = 0.5 ^ n, 0
  for i = 0, k do
    sum = sum + term
    term = term * (n - i) / (i + 1)
  end
  return sum
end

-- With one mode, the values between two places are no rarer than those at the
-- rarer of the places: so of the two groups of equal width, at least half of
-- the values are expected between.
local function has_valley(sorted, low, high)
  local third = (high - low) / 3
  local at_low = count_within(sorted, low - third / 2, low + third / 2)
  local at_high = count_within(sorted, high - third / 2, high + third / 2)
  local between = count_within(sorted, low + third, high - third)
  local rarer = math.min(at_low, at_high)
  local coins = math.min(between + rarer, 1000) -- beyond, 0.5^n underflows
  local heads = math.floor(between / (between + rarer) * coins + 0.5)
  return rarer > 0 and fair_coins(heads, coins) < CHANCE
end

local function median_of(sorted, first, last)
  local middle = (first + last) / 2
  return (sorted[math.floor(middle)] + sorted[math.ceil(middle)]) / 2
end

--- The two states that positive values fall into: their ratio and the share of
--- the upper one; nil where one state explains them as well.
---@param values number[] positive
---@param min_ratio number? least ratio to speak of (1.05 unless told)
---@return { ratio: number, share: number }?
function bimodal.states(values, min_ratio)
  if #values < MIN_VALUES then return nil end
  local sorted = trimmed(values)
  for i = 1, #sorted do sorted[i] = math.log(sorted[i]) end
  local n, below = #sorted, bimodal.cut(sorted)
  local low = median_of(sorted, 1, below)
  local high = median_of(sorted, below + 1, n)
  local share = (n - below) / n
  local ratio = math.exp(high - low)
  if ratio < (min_ratio or 1.05) then return nil end
  if math.min(share, 1 - share) < MIN_SHARE then return nil end
  if not has_valley(sorted, low, high) then return nil end
  return { ratio = ratio, share = share }
end

return bimodal
