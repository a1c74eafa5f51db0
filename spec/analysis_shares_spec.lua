local analysis = require "tare.analysis"
local shares = require "tare.analysis.shares"

local SETTINGS = { confidence = 0.95, resamples = 1000, seed = 1 }

-- Paced batches of 1,000 ns of mutator time each, and so much of the collector.
local function paced_of(collector_ns)
  local paced = { iters = {}, mutator_ns = {}, collector_ns = {} }
  for i, ns in ipairs(collector_ns) do
    paced.iters[i], paced.mutator_ns[i], paced.collector_ns[i] = 10, 1000, ns
  end
  return paced
end

local function repeated(pattern, times)
  local list = {}
  for _ = 1, times do
    for _, ns in ipairs(pattern) do list[#list + 1] = ns end
  end
  return list
end

describe("the collector's share", function()
  it("is the mean of batches that have a few collections each", function()
    local share = shares.of(paced_of(repeated({ 900, 1100 }, 10)), 60, SETTINGS)
    assert.near_relative((900 / 1900 + 1100 / 2100) / 2, share.value, 1e-9)
    assert.is_true(share.low < share.value and share.value < share.high)
  end)

  it("is that of neighbours where a collection spans batches", function()
    local paced = paced_of(repeated({ 0, 3000 }, 30))
    local share = shares.of(paced, 30, SETTINGS)
    assert.near_relative(0.6, share.value, 1e-9) -- not 3/8, the mean of both
    assert.near_relative(0.6, share.low, 1e-9)
    assert.near_relative(0.6, share.high, 1e-9)
  end)

  it("leaves out no batch at the end of the neighbours", function()
    local list = repeated({ 0, 3000 }, 11)
    list[#list + 1] = 30000
    local share = shares.of(paced_of(list), 12, SETTINGS)
    assert.is_true(share.high > 0.6)
  end)

  it("is all its time over all where there are too few collections", function()
    local list = repeated({ 0 }, 20)
    list[10] = 20000
    local share = shares.of(paced_of(list), 1, SETTINGS)
    assert.near_relative(0.5, share.value, 1e-9)
    assert.is_true(share.low < 0.1 and share.high >= share.value)
  end)

  it("is none without time", function()
    local paced = paced_of { 0, 0 }
    paced.mutator_ns = { 0, 0 }
    assert.equal(0, shares.of(paced, 0, SETTINGS).value)
  end)
end)

describe("mutator and collector", function()
  -- Calls of 100 ns; every other batch has a collection, of 2,000 ns.
  local function record()
    local samples = { iters = {}, wall_ns = {}, start_ns = {}, gc_major = {} }
    local paced = { iters = {}, mutator_ns = {}, collector_ns = {},
      start_ns = {}, gc_major = {}, gc_minor = {} }
    for i = 1, 60 do
      samples.iters[i], samples.start_ns[i] = 20 + i, 1e4 * i
      samples.gc_major[i] = i % 2
      samples.wall_ns[i] = 110 * (20 + i) + 2000 * (i % 2)
      paced.iters[i], paced.mutator_ns[i] = 20, 2000
      paced.gc_major[i], paced.gc_minor[i] = i % 2, 0
      paced.collector_ns[i], paced.start_ns[i] = 1000, 1e4 * i + 5
    end
    return { id = "s/a", name = "a", params = {}, gc = "natural",
      samples = samples, passes = { paced = { samples = paced } } }
  end

  it("have no part of the batches that were dropped", function()
    local settings = { confidence = 0.95, resamples = 1000, seed = 1,
      discard = { "gc" } }
    local result = analysis.analyse(record(), settings)
    assert.equal(30, result.discarded)
    assert.near_relative(110, result.time.value, 1e-9)
    assert.near_relative(100, result.net.value, 1e-6)
    assert.near_relative(10, result.collector.value, 1e-6)
  end)

  it("are in order where the time is hardly known", function()
    local made = record()
    for i = 1, 60 do made.samples.wall_ns[i] = 1e6 * (i * 7919 % 60) end
    local result = analysis.analyse(made, SETTINGS)
    assert.is_true(result.time.low < 0 and result.time.value >= 0)
    for _, name in ipairs { "time", "net", "collector" } do
      local e = result[name]
      assert.is_true(e.low <= e.value and e.value <= e.high, name)
    end
  end)

  it("keep the collector's part when the loop is subtracted", function()
    local made = record()
    made.loop_cost = { value = 10, low = 9, high = 11 }
    made.samples.cycles = {}
    for i, ns in ipairs(made.samples.wall_ns) do
      made.samples.cycles[i] = 3 * ns
    end
    local whole = analysis.analyse(made, SETTINGS)
    local net = analysis.analyse(made, { confidence = 0.95,
      resamples = 1000, seed = 1, net_of_loop = true })
    assert.near_relative(whole.time.value - 10, net.time.value, 1e-9)
    assert.near_relative(whole.net.value - 10, net.net.value, 1e-9)
    assert.same(whole.collector, net.collector)
    assert.near_relative(whole.cycles.value - 30, net.cycles.value, 1e-9)
    assert.is_true(net.net.low < net.net.value)
    assert.near_relative(net.collector.value / net.time.value,
      net.collector_share.value, 1e-9)
  end)
end)
