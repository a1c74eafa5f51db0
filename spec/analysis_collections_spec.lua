local collections = require "tare.analysis.collections"

local SETTINGS = { confidence = 0.95, resamples = 300, seed = 1 }

-- Paced rounds: 2 us a minor collection, 30 us a major one.
local function paced()
  local samples = { iters = {}, gc_minor = {}, gc_major = {},
    collector_ns = {}, minor_ns = {}, nursery_bytes = {},
    promoted_bytes = {} }
  for i = 1, 20 do
    local minor, major = 5 + i % 3, i % 4
    samples.iters[i] = 1000
    samples.gc_minor[i], samples.gc_major[i] = minor, major
    samples.minor_ns[i] = 2000 * minor
    samples.collector_ns[i] = 2000 * minor + 30000 * major
    samples.nursery_bytes[i] = 4000 * minor
    samples.promoted_bytes[i] = 1000 * minor
  end
  return samples
end

local function added(result)
  collections.add(result, SETTINGS)
  return result
end

describe("what collections cost", function()
  it("is told by the paced rounds, which time each", function()
    local result = added { passes = { paced = { samples = paced() } } }
    assert.near_relative(2000, result.minor_time.value, 1e-9)
    assert.near_relative(30000, result.major_time.value, 1e-9)
    assert.equal("ns", result.major_time.unit)
  end)

  it("includes all steps of an incremental cycle", function()
    local samples = paced()
    for i = 1, 20 do samples.gc_minor[i], samples.minor_ns[i] = 0, 0 end
    for i = 1, 20 do samples.collector_ns[i] = 5e4 * samples.gc_major[i] end
    local result = added { passes = { paced = { samples = samples } } }
    assert.is_nil(result.minor_time)
    assert.near_relative(5e4, result.major_time.value, 1e-9)
  end)

  it("is told by the regression on counts where nothing was paced", function()
    local fit = { pass = "counts", coefficients = {
      iters = { value = 10 }, gc_minor = { value = 700, low = 600, high = 800 },
      gc_major = { value = -5, low = -9, high = 2 } } }
    local result = added { fits = { fit } }
    assert.same({ value = 700, low = 600, high = 800, unit = "ns" },
      result.minor_time)
    assert.is_nil(result.major_time)
    fit.collinear = true
    assert.is_nil(added { fits = { fit } }.minor_time)
  end)

  it("is not told from a single collection", function()
    local samples = paced()
    for i = 1, 20 do samples.gc_major[i] = i == 1 and 1 or 0 end
    local result = added { passes = { paced = { samples = samples } } }
    assert.is_nil(result.major_time)
  end)
end)

describe("what collections leave", function()
  it("is promoted: the share of a call's bytes that grows old", function()
    local result = added { bytes = { value = 88 },
      passes = { paced = { samples = paced() } } }
    assert.same({ value = 22, unit = "bytes" }, result.promoted)
  end)

  it("is retained, after a full collection that has its cost", function()
    local result = added { passes = { census = { iters = 16,
      retained = { iters = 1024, bytes = 2048 },
      full_collection = { ns = 7e5, heap_bytes = 1e6, freed_bytes = 3 } } } }
    assert.same({ value = 2, unit = "bytes" }, result.retained)
    assert.same({ value = 7e5, unit = "ns" }, result.full_time)
  end)

  it("is unknown where it was not looked at", function()
    assert.same({}, added {})
  end)
end)
