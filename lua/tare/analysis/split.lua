-- Mutator and collector apart: what of a call's time is its own, and what is
-- the collector's.
local columns = require "tare.base.columns"
local estimate = require "tare.analysis.estimate"
local shares = require "tare.analysis.shares"

local split = {}

local LEAST_NS = 1e-3 -- a call: less, and the clock stood still
local SURE = 2 -- half-widths of an interval

-- A share of the whole, whose lower end may be below zero.
local function scaled(whole, share)
  local least = whole.low and whole.low < 0 and share.high or share.low
  return { value = whole.value * share.value, unit = whole.unit,
    low = whole.low and least and whole.low * least,
    high = whole.high and share.high and whole.high * share.high }
end

local function complement(share)
  return { value = 1 - share.value, low = 1 - (share.high or share.value),
    high = 1 - (share.low or share.value) }
end

local function has(paced, name)
  return paced and columns.complete(paced[name], #paced.iters)
end

-- Both parts, where the share of the collector is known.
local function by_share(time, share)
  return { net = scaled(time, complement(share)), share = share,
    collector = scaled(time, share) }
end

-- An estimate that is not negative; with 'whole', the part of it that it is.
local function around(value, half, whole)
  local most = whole and 1 or math.huge
  local unit = whole or 1
  return { value = value / unit, unit = not whole and "ns" or nil,
    low = half and math.min(most, math.max(0, value - half) / unit),
    high = half and math.min(most, (value + half) / unit) }
end

-- Both parts, where the mutator's is known: the collector has the rest. What
-- no process sees of itself is the same in the whole and in its part.
local function by_rest(time, mutator)
  local rest = math.max(0, time.value - mutator.value)
  local half = time.within and mutator.within
    and math.sqrt(time.within ^ 2 + mutator.within ^ 2)
  local net = { value = time.value - rest, unit = "ns" }
  net.low = mutator.low and math.min(mutator.low, net.value)
  net.high = mutator.high and math.max(net.value,
    math.min(mutator.high, time.high or mutator.high))
  return { net = net, collector = around(rest, half),
    share = around(rest, half, time.value) }
end

-- The one and the other, which weighs so much.
local function blended(one, other, weight)
  local blend = {}
  for name, a in pairs(one) do
    local b = other[name]
    blend[name] = { unit = a.unit }
    for _, bound in ipairs { "value", "low", "high" } do
      blend[name][bound] = a[bound] and b[bound]
        and (1 - weight) * a[bound] + weight * b[bound]
    end
  end
  return blend
end

-- What one side takes a call in paced batches. Without columns of collections:
-- the mutator has none, and where steps come inside calls each batch has some.
local function per_paced_call(paced, column, settings)
  local plain = { wall_ns = paced.wall_ns or paced[column] }
  for _, name in ipairs { "iters", "start_ns", "launch", "width", "cpu_ns",
    "preemptions", "waits", column } do
    plain[name] = paced[name]
  end
  return estimate.per_call(plain, column, settings)
end

-- By the collector's time, where its steps came in the midst of calls: the
-- mutator has what the whole takes longer.
local function by_steps(time, collector)
  local value = math.min(time.value, collector.value)
  local half = collector.within and time.within and math.sqrt(
    collector.within ^ 2 + (value / time.value * time.within) ^ 2)
  return by_share(time, around(value, half, time.value))
end

-- Whether what is left of the whole for the mutator can be what it took: not
-- surely something else.
local function agree(time, collector, mutator)
  local error_ns = time.within and collector.within and mutator.within
    and math.sqrt(time.within ^ 2 + collector.within ^ 2 + mutator.within ^ 2)
  local left_ns = time.value - collector.value
  return error_ns and math.abs(left_ns - mutator.value) <= SURE * error_ns
end

-- Paced batches of both kinds, for calls that have collections themselves. The
-- mutator's time is the surer of the two where they agree. It is too long where
-- a call without collections goes through much memory that is not in the cache.
local function of_both(result, between, inside, settings)
  local time = result.time
  local collector = per_paced_call(inside, "collector_ns",
    { estimator = "median", confidence = settings.confidence })
  if not collector or time.value < LEAST_NS then return nil end
  local mutator = #between.iters > 0
    and per_paced_call(between, "mutator_ns", settings)
  if mutator and (result.discarded or agree(time, collector, mutator)) then
    return by_rest(time, mutator)
  end
  return by_steps(time, collector)
end

-- Paced batches with the steps between calls. One that would come in the midst
-- of a call comes after it, where it finds dead what the call held: too cheap.
-- So as far as calls have collections in their midst, the collector's part is
-- what the whole takes longer than the mutator; and where batches with
-- collections were dropped, for these had more of that part than the others.
local function of_paced(result, paced, settings)
  local time = result.time
  local collections = columns.sum(paced.gc_minor) + columns.sum(paced.gc_major)
  local parts = by_share(time, shares.of(paced, collections, settings))
  local late = result.discarded and 1
    or math.min(1, collections / columns.sum(paced.iters))
  local mutator = late > 0 and time.value >= LEAST_NS
    and per_paced_call(paced, "mutator_ns", settings)
  if not mutator then return parts end
  return blended(parts, by_rest(time, mutator), late)
end

-- The two arms: what the batches with the collector stopped save, in the time
-- of the processor where that is known. Those with the collector are longer, so
-- that more of them lose the processor for a while: elapsed time would take
-- that for the collector's. A coarse clock of the processor may stand still.
local function of_arms(result, stopped, settings)
  local whole, column = result.cpu_time, "cpu_ns"
  if not whole or whole.value < LEAST_NS
    or not columns.complete(stopped.cpu_ns, #stopped.iters) then
    whole, column = result.time, "wall_ns"
  end
  local mutator = estimate.per_call(stopped, column, settings)
  if not mutator or whole.value < LEAST_NS then return nil end
  return by_share(result.time, by_rest(whole, mutator).share)
end

local function parts_of(result, samples, settings)
  local passes = result.passes or {}
  local paced = passes.paced and passes.paced.samples
    or result.gc == "paced" and samples
  if has(paced, "mutator_ns") then
    return of_paced(result, paced, settings)
  elseif has(paced, "collector_ns") then
    local between, inside = columns.parted(paced, "mutator_ns")
    return of_both(result, between, inside, settings)
  end
  if passes.stopped then
    return of_arms(result, passes.stopped.samples, settings)
  end
  if passes.census and passes.census.allocs == 0 then
    return by_share(result.time, { value = 0, low = 0, high = 0 })
  end
end

--- Adds net, collector and collector_share to a result: from the paced rounds,
--- from two arms, or from the census, which knows of calls that allocate
--- nothing.
---@param result table
---@param samples table timed samples (paced ones, in mode 'paced')
---@param settings table
function split.add(result, samples, settings)
  local parts = result.time and parts_of(result, samples, settings)
  if not parts then return end
  result.net, result.collector = parts.net, parts.collector
  result.collector_share = parts.share
end

return split
