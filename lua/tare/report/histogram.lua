-- A small histogram of a result's samples: where the time of a call lies.
local metrics = require "tare.base.metrics"

local histogram = {}

-- Small batches carry mostly the cost of starting them; only those of at
-- least this share of the largest are counted.
local LARGE = 1 / 8
-- So many MADs on either side of the median are shown.
local REACH = 6

local function largest(values)
  local top = 0
  for i = 1, #values do
    if values[i] > top then top = values[i] end
  end
  return top
end

--- Time a call of each large batch, in ns; empty where there are no samples.
---@param result table
---@return number[]
function histogram.per_call(result)
  local samples, list = result.samples or {}, {}
  local iters, wall_ns = samples.iters or {}, samples.wall_ns or {}
  local least = largest(iters) * LARGE
  for i = 1, #iters do
    local value = (wall_ns[i] or 0/0) / iters[i]
    if iters[i] >= least and value == value and value < 1/0 then
      list[#list + 1] = value
    end
  end
  return list
end

local function ends(values, result)
  local low, high = values[1], values[1]
  for i = 2, #values do
    local value = values[i]
    if value < low then low = value elseif value > high then high = value end
  end
  local median = metrics.get(result, "median")
  local mad = metrics.get(result, "mad")
  if median and mad and mad.value > 0 then
    low = math.max(low, median.value - REACH * mad.value)
    high = math.min(high, median.value + REACH * mad.value)
  end
  return low, high
end

--- Counts of the time a call in bins of equal width around the median; what
--- lies beyond is counted in the outermost bins.
---@param result table
---@param bins integer
---@return integer[]? counts nil where there are too few samples
---@return number? low lower end of the first bin, in ns
---@return number? high upper end of the last bin, in ns
function histogram.of(result, bins)
  local values = histogram.per_call(result)
  if #values < 3 then return nil end
  local low, high = ends(values, result)
  if low >= high then return nil end
  local counts, factor = {}, bins / (high - low)
  for bin = 1, bins do counts[bin] = 0 end
  for i = 1, #values do
    local bin = math.floor((values[i] - low) * factor) + 1
    bin = bin < 1 and 1 or bin > bins and bins or bin
    counts[bin] = counts[bin] + 1
  end
  return counts, low, high
end

return histogram
