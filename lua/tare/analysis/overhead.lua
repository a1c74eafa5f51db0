-- The cost of the loop without the function: measured by an empty loop, shown,
-- and subtracted only if asked for, with its error propagated.
local estimate = require "tare.analysis.estimate"
local headline = require "tare.analysis.headline"
local interval = require "tare.base.interval"

local overhead = {}

local MOST_ERROR = 0.25 -- of the loop's cost: above it, the cost is not known
local CLOSE = 0.1 -- of the empty loop's cost: a time within it is no real work
local FEWEST_CYCLES = 1.5 -- an empty compiled loop takes one for each call

local function half_width(found)
  if not found.low or not found.high then return 0 end
  return (found.high - found.low) / 2
end

--- What a call costs in the empty loop, where that is known well enough.
---@param samples table? of the pass 'empty', at the reference clock
---@param settings table confidence
---@param best_width number?
---@return { value: number, low: number, high: number, unseen: number }?
function overhead.cost(samples, settings, best_width)
  if not (samples and samples.iters and samples.iters[1]) then return nil end
  local found = estimate.per_call(samples, "time_ns",
    { confidence = settings.confidence }, best_width)
  if not found or not found.low or found.value <= 0
    or half_width(found) >= MOST_ERROR * found.value then
    return nil
  end
  return { value = found.value, low = found.low, high = found.high,
    unseen = found.unseen }
end

--- Adds the loop's cost to a result that has a time. Adds a warning where the
--- time and the loop's cost can't be distinguished, or where a cost to subtract
--- is not known.
---@param result table with 'loop_cost', where it is known
---@param settings table net_of_loop?
function overhead.add(result, settings)
  local cost, time = result.loop_cost, result.time
  local cycles = result.loop == "inline" and result.cycles
  local is_empty = cycles and cycles.value < FEWEST_CYCLES
  if not cost then
    if settings.net_of_loop then
      table.insert(result.warnings, "loop_unknown")
    end
    if is_empty then table.insert(result.warnings, "optimized_away") end
    return
  end
  result.overhead = cost.value
  -- Narrow intervals of two loops that do nothing may lie apart: then the
  -- cycles show that the loop is empty.
  if ((time.low or time.value) <= (cost.high or cost.value) or is_empty)
    and time.value - cost.value < CLOSE * cost.value then
    table.insert(result.warnings, "optimized_away")
  end
end

-- Nothing costs less than nothing: where the loop explains all, 0 is left.
local function at_least_0(x) return x and math.max(0, x) end

--- An estimate less the loop's cost, at least 0; the estimate itself where no
--- cost is given.
---@param found { value: number, low: number?, high: number?, unseen: number?,
---  unit: string? }
---@param cost { value: number, low: number?, high: number?, unseen: number? }?
---@param factor number? units of the estimate per nanosecond
---@return table
function overhead.less(found, cost, factor)
  if not cost then return found end
  factor = factor or 1
  local left = interval.difference(found, { value = cost.value * factor,
    low = (cost.low or cost.value) * factor,
    high = (cost.high or cost.value) * factor })
  local has_interval = found.low ~= nil and found.high ~= nil
  return { value = at_least_0(left.value), unit = found.unit,
    low = at_least_0(has_interval and left.low or nil),
    high = at_least_0(has_interval and left.high or nil),
    unseen = found.unseen and interval.quadrature(found.unseen,
      (cost.unseen or 0) * factor) }
end

-- The collector's share of what is left without the loop.
local function share_of(collector, time)
  if time.value <= 0 then return nil end
  local function share(ns) return ns and math.min(1, ns / time.value) end
  return { value = share(collector.value), low = share(collector.low),
    high = share(collector.high) }
end

--- Subtracts the loop's cost from the figures that include it, where that is
--- asked for. The collector's time does not include it.
---@param result table with 'loop_cost', and net and collector
---@param settings table net_of_loop?
function overhead.subtract(result, settings)
  local cost = result.loop_cost
  if not settings.net_of_loop or not cost or not result.time then return end
  headline.change(result, function(found, factor)
    return overhead.less(found, cost, factor)
  end, function(ns) return at_least_0(ns - cost.value) end)
  for _, name in ipairs { "net", "cpu_time" } do
    result[name] = result[name] and overhead.less(result[name], cost)
  end
  if result.collector then
    result.collector_share = share_of(result.collector, result.time)
  end
end

return overhead
