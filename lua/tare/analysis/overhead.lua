-- What the loop costs without the function: shown, and subtracted only when
-- asked, with its error carried through.
local overhead = {}

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

-- Errors of a difference add in quadrature.
local function subtract(time, cost)
  local error_ns = math.sqrt(half_width(time) ^ 2 + half_width(cost) ^ 2)
  local value = time.value - cost.value
  return { value = value, low = value - error_ns, high = value + error_ns,
    unit = time.unit }
end

--- Adds the loop's cost to a result that has a time and 'loop_cost'.
---@param result table
---@param settings table net_of_loop?
function overhead.add(result, settings)
  local cost = result.loop_cost
  result.overhead = cost.value
  if is_empty(result.time, cost) then
    table.insert(result.warnings, "optimized_away")
  end
  if settings.net_of_loop then
    result.time = subtract(result.time, cost)
    result.is_net_of_loop = true
  end
end

return overhead
