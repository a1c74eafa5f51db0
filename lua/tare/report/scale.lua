-- Axes as data: where a value lies between the ends (0 to 1), and the round
-- values to label on the way. Pure numbers; what draws them is elsewhere.
local scale = {}

local LARGEST = 1e100 -- so that what is computed from it stays finite

--- Whether x is a number that can be drawn: no NaN, no infinity, not absurd.
---@return boolean
function scale.is_drawable(x)
  return type(x) == "number" and x > -LARGEST and x < LARGEST
end

--- Smallest and largest finite value of a list; nil where there is none.
---@param values number[]
---@return number? low
---@return number? high
function scale.extent(values)
  local low, high
  for i = 1, #values do
    local v = values[i]
    if scale.is_drawable(v) then
      if not low or v < low then low = v end
      if not high or v > high then high = v end
    end
  end
  return low, high
end

-- The round number (1, 2 or 5 times a power of ten) nearest to 'x' > 0.
-- Heckbert, "Nice numbers for graph labels", Graphics Gems, 1990.
local function nice(x)
  local power = 10 ^ math.floor(math.log(x) / math.log(10) + 1e-9)
  local fraction = x / power
  if fraction < 1.5 then return power end
  if fraction < 3 then return 2 * power end
  return fraction < 7 and 5 * power or 10 * power
end

-- Multiples of 'step' within [low, high], free of accumulated error. None
-- where the ends lie too close together for doubles to tell steps apart.
local function multiples(low, high, step)
  local ticks = {}
  local first, last = math.ceil(low / step - 1e-9),
    math.floor(high / step + 1e-9)
  if math.abs(first) > 1e12 or math.abs(last) > 1e12 then return ticks end
  for k = first, last do
    ticks[#ticks + 1] = k * step + 0 -- no negative zero
  end
  return ticks
end

-- Ends of an axis: room is left to go beyond them without leaving the doubles.
local MOST, LEAST = 1e300, 1e-300

local function bounded(v) return math.max(-MOST, math.min(MOST, v)) end
local function positive(v) return math.max(LEAST, math.min(MOST, v)) end

--- A linear axis from 'low' to 'high' with about 'count' ticks. Ends that
--- coincide are moved apart.
---@param low number
---@param high number
---@param count integer? 5 by default
---@return table axis { low, high, ticks, at = function(v) -> 0..1 }
function scale.linear(low, high, count)
  low, high = bounded(low), bounded(high)
  if high <= low then
    local room = low == 0 and 1 or math.abs(low) * 0.05
    low, high = low - room, high + room
  end
  local span = high - low
  return { kind = "linear", low = low, high = high,
    ticks = multiples(low, high, nice(span / (count or 5))),
    at = function(v) return (bounded(v) - low) / span end }
end

local function log10(x) return math.log(x) / math.log(10) end

-- 1, 2 and 5 times each power of ten, or only the powers, or every k-th of
-- them: the densest that has no more than 'count' ticks.
local function log_ticks(low, high, count)
  local first, last = math.floor(log10(low)), math.ceil(log10(high))
  local function collect(stride, factors)
    local ticks = {}
    for power = first - first % stride, last, stride do
      for _, factor in ipairs(factors) do
        local v = factor * 10 ^ power
        if v >= low * (1 - 1e-9) and v <= high * (1 + 1e-9) then
          ticks[#ticks + 1] = v
        end
      end
    end
    return ticks
  end
  for _, factors in ipairs { { 1, 2, 5 }, { 1, 3 } } do
    local ticks = collect(1, factors)
    if #ticks <= count and #ticks >= 2 then return ticks end
  end
  local stride = 1
  while #collect(stride, { 1 }) > count do stride = stride + 1 end
  return collect(stride, { 1 })
end

--- A logarithmic axis from 'low' to 'high', both above 0. Where less than two
--- round values fit, the ticks are those of a linear axis.
---@param low number
---@param high number
---@param count integer? at most so many ticks; 6 by default
---@return table axis as scale.linear
function scale.log(low, high, count)
  low, high = positive(low), positive(high)
  if high <= low * (1 + 1e-9) then low, high = low / 1.5, high * 1.5 end
  local from, span = math.log(low), math.log(high) - math.log(low)
  local ticks = log_ticks(low, high, count or 6)
  if #ticks < 2 or high / low < 3 then
    ticks = scale.linear(low, high, count).ticks
  end
  return { kind = "log", low = low, high = high, ticks = ticks,
    at = function(v) return (math.log(positive(v)) - from) / span end }
end

--- Ends with a margin: 'share' of the span on either side.
---@param low number
---@param high number
---@param share number? 0.04 by default
---@return number low
---@return number high
function scale.padded(low, high, share)
  local room = (high - low) * (share or 0.04)
  return low - room, high + room
end

--- The same for a logarithmic axis.
function scale.log_padded(low, high, share)
  local factor = (high / low) ^ (share or 0.04)
  return low / factor, high * factor
end

local LOG_FROM = 10 -- a larger span is drawn on a logarithmic axis

--- An axis that suits the values: logarithmic where they span much.
---@param values number[]
---@param count integer? of ticks
---@return table? axis nil without values
function scale.suited(values, count)
  local low, high = scale.extent(values)
  if not low then return nil end
  if low > 0 and high > low * LOG_FROM then
    return scale.log(low, high, count)
  end
  return scale.linear(low, high, count)
end

return scale
