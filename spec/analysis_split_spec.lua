local split = require "tare.analysis.split"

local NAN = 0/0

-- Paced batches of ten calls each, in turn with the steps inside calls and
-- between them: what a call takes, ns, give or take a percent.
local function paced(collector_ns, mutator_ns)
  local rows = { iters = {}, wall_ns = {}, start_ns = {}, gc_minor = {},
    gc_major = {}, mutator_ns = {}, collector_ns = {} }
  for row = 1, 40 do
    local inside, wobble = row % 2 == 1, 1 + (row * 7 % 5 - 2) / 200
    rows.iters[row], rows.start_ns[row] = 10, row * 1e6
    rows.wall_ns[row] = 10 * (collector_ns + mutator_ns)
    rows.gc_minor[row], rows.gc_major[row] = 20, 0
    rows.mutator_ns[row] = inside and NAN or 10 * mutator_ns * wobble
    rows.collector_ns[row] = 10 * wobble
      * (inside and collector_ns or collector_ns / 3)
  end
  return rows
end

local function parts(collector_ns, mutator_ns, discarded)
  local result = { time = { value = 1e5, low = 0.98e5, high = 1.02e5,
    within = 1e3, unit = "ns" }, gc = "natural", discarded = discarded,
    passes = { paced = { samples = paced(collector_ns, mutator_ns) } } }
  split.add(result, {}, { confidence = 0.95, resamples = 200, seed = 1 })
  return result
end

describe("mutator and collector of calls that have collections", function()
  it("are by the mutator's time, where the collector's agrees", function()
    local result = parts(4e4, 6.1e4)
    assert.near_relative(6.1e4, result.net.value, 0.01)
    assert.near_relative(3.9e4, result.collector.value, 0.02)
  end)

  it("are by the collector's time, where the mutator's is too long", function()
    local result = parts(4e4, 9e4) -- fresh memory all the time
    assert.near_relative(4e4, result.collector.value, 0.01)
    assert.near_relative(6e4, result.net.value, 0.01)
    assert.is_true(result.net.low <= result.net.value
      and result.net.value <= result.net.high)
  end)

  it("go by the mutator's, where batches with collections were dropped",
    function()
      assert.near_relative(9e4, parts(4e4, 9e4, 5).net.value, 0.01)
    end)

  it("are never more than the whole, with their intervals", function()
    local result = parts(2e5, 9e4)
    assert.equal(1, result.collector_share.value)
    assert.is_true(result.collector_share.high <= 1)
    assert.equal(0, result.net.value)
  end)
end)
