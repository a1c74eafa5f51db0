-- What the loop costs without the function: shown, and subtracted only when
-- asked, with its error carried through.
local overhead = {}

local MOST_ERROR = 0.25 -- of its cost, to be known
local CLOSE = 0.1 -- of the empty loop's cost: no closer than this to be real

local function half_width(estimate)
  if not estimate.low or not estimate.high then return 0 end
  return (estimate.high - estimate.low) / 2
end

-- Whether a slope can be told from the empty loop's.
local function is_empty(time, cost)
  return (time.low or time.value) <= (cost.high or cost.value)
    and time.value - cost.value < CLOSE * cost.value
end

-- An estimate less the loop's cost, times a factor; errors of a difference add
-- in quadrature.
local function less(estimate, cost, factor)
  if not estimate then return nil end
  local error_ns = math.sqrt(half_width(estimate) ^ 2
    + (half_width(cost) * factor) ^ 2)
  local value = estimate.value - cost.value * factor
  local has_interval = estimate.low ~= nil and estimate.high ~= nil
  return { value = value, low = has_interval and value - error_ns or nil,
    high = has_interval and value + error_ns or nil, unit = estimate.unit }
end

--- Whether the cost of an empty loop is known well enough to speak of it.
---@param cost { value: number, low: number?, high: number? }
---@return boolean
function overhead.is_known(cost)
  return cost.low ~= nil and cost.value > 0
    and half_width(cost) < MOST_ERROR * cost.value
end

--- Adds the loop's cost to a result that has a time and 'loop_cost'; without
--- one, where it was to be subtracted, a warning.
---@param result table
---@param settings table net_of_loop?
function overhead.add(result, settings)
  local cost = result.loop_cost
  if not cost then
    if settings.net_of_loop then
      table.insert(result.warnings, "loop_unknown")
    end
    return
  end
  result.overhead = cost.value
  if is_empty(result.time, cost) then
    table.insert(result.warnings, "optimized_away")
  end
end

-- The collector's share of what is left without the loop.
local function share_of(collector, time)
  if time.value <= 0 then return nil end
  local function share(ns) return ns and math.min(1, ns / time.value) end
  return { value = share(collector.value), low = share(collector.low),
    high = share(collector.high) }
end

--- Subtracts the loop's cost from what it is in, where that is asked for: the
--- collector has no part in it.
---@param result table with 'loop_cost', and mutator and collector told apart
---@param settings table net_of_loop?
function overhead.subtract(result, settings)
  local cost, time = result.loop_cost, result.time
  if not settings.net_of_loop or not cost or not time then return end
  local cycle = result.cycles and time.value > 0
    and result.cycles.value / time.value
  result.time = less(time, cost, 1)
  result.net = less(result.net, cost, 1)
  result.cpu_time = less(result.cpu_time, cost, 1)
  if cycle then result.cycles = less(result.cycles, cost, cycle) end
  if result.collector then
    result.collector_share = share_of(result.collector, result.time)
  end
  result.is_net_of_loop = true
end

return overhead
