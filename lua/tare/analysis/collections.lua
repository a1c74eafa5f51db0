-- What collections cost and what they leave: from the paced rounds, which time
-- each, from the regression on their counts where there are none, and from
-- what was seen around the census.
local columns = require "tare.base.columns"
local core = require "tare.core"

local collections = {}

local FEWEST = 3 -- collections, to speak of what one costs

-- Time of one: the slope of times against counts, through the origin.
local function time_of_one(times_ns, counts, settings)
  if not columns.complete(times_ns, #counts) or columns.sum(counts) < FEWEST
  then
    return nil
  end
  local boot = core.stats.bootstrap(times_ns, { counts }, {
    intercept = false, resamples = settings.resamples,
    confidence = settings.confidence, seed = settings.seed })
  local slope = boot and boot.coefficients[1]
  return slope and slope.value > 0 and { value = slope.value, low = slope.low,
    high = slope.high, unit = "ns" } or nil
end

local function difference(a, b)
  local list = {}
  for row = 1, #a do list[row] = a[row] - (b and b[row] or 0) end
  return list
end

local function add_from_paced(result, paced, settings)
  local rows = #paced.iters
  if not columns.complete(paced.gc_major, rows)
    or not columns.complete(paced.collector_ns, rows) then
    return
  end
  local minor_ns = columns.complete(paced.minor_ns, rows) and paced.minor_ns
  if minor_ns then
    result.minor_time = time_of_one(minor_ns, paced.gc_minor, settings)
  end
  if minor_ns or columns.sum(paced.gc_minor) == 0 then
    result.major_time = time_of_one(
      difference(paced.collector_ns, minor_ns), paced.gc_major, settings)
  end
end

-- The paced batches that tell of collections: those with the steps inside
-- calls, where there are such.
local function telling(paced)
  local _, inside = columns.parted(paced, "mutator_ns")
  return #inside.iters > 0 and inside or paced
end

-- What of the bytes of a call minor collections let grow old.
local function promoted(result, paced)
  local nursery = columns.sum(paced.nursery_bytes)
  if nursery <= 0 or not result.bytes then return nil end
  local share = columns.sum(paced.promoted_bytes) / nursery
  return { value = math.max(0, share) * result.bytes.value, unit = "bytes" }
end

local TIMES = { gc_minor = "minor_time", gc_major = "major_time" }

-- What is not known from paced rounds, from the counts of collections.
local function add_from_fits(result)
  for _, fit in ipairs(result.fits or {}) do
    for predictor, name in pairs(TIMES) do
      local cost = fit.pass == "counts" and fit.coefficients[predictor]
      if cost and not fit.collinear and cost.value > 0 then
        result[name] = result[name] or { value = cost.value, low = cost.low,
          high = cost.high, unit = "ns" }
      end
    end
  end
end

--- Adds minor_time, major_time, promoted, retained and full_time to a result,
--- each where it is known.
---@param result table with fits and bytes
---@param settings table
function collections.add(result, settings)
  local passes = result.passes or {}
  local paced = passes.paced and passes.paced.samples
  if paced then
    paced = telling(paced)
    add_from_paced(result, paced, settings)
    result.promoted = promoted(result, paced)
  end
  add_from_fits(result)
  local census = passes.census or {}
  if census.retained then
    result.retained = { value = census.retained.bytes
      / census.retained.iters, unit = "bytes" }
  end
  if census.full_collection then
    result.full_time = { value = census.full_collection.ns, unit = "ns" }
  end
end

return collections
