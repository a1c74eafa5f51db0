local overhead = require "tare.analysis.overhead"

local function result_of(time)
  return { time = time, warnings = {} }
end

describe("the cost of the loop", function()
  it("is known if its error is small against it", function()
    assert.is_true(overhead.is_known { value = 10, low = 8, high = 12 })
    assert.is_false(overhead.is_known { value = 10, low = 7, high = 13 })
    assert.is_false(overhead.is_known { value = 10 })
    assert.is_false(overhead.is_known { value = 0, low = 0, high = 0 })
    assert.is_false(overhead.is_known { value = -1, low = -1, high = -1 })
  end)

  it("is said to be missing where it was to be subtracted", function()
    local result = result_of { value = 100, low = 99, high = 101 }
    overhead.add(result, { net_of_loop = true })
    overhead.subtract(result, { net_of_loop = true })
    assert.same({ "loop_unknown" }, result.warnings)
    assert.equal(100, result.time.value)
    assert.is_nil(result.is_net_of_loop)
  end)

  it("is not missed where nobody asked", function()
    local result = result_of { value = 100, low = 99, high = 101 }
    overhead.add(result, {})
    assert.same({}, result.warnings)
  end)

  it("leaves no share of the collector where nothing is left", function()
    local result = result_of { value = 10, low = 9, high = 11, unit = "ns" }
    result.loop_cost = { value = 10, low = 9, high = 11 }
    result.net, result.collector = result.time, { value = 0 }
    result.collector_share = { value = 0 }
    overhead.subtract(result, { net_of_loop = true })
    assert.near_relative(2 ^ 0.5, result.time.high, 1e-12)
    assert.equal(0, result.collector.value)
    assert.is_nil(result.collector_share)
  end)
end)
