local metrics = require "tare.base.metrics"

describe("metrics", function()
  it("are found by name, and all explain themselves", function()
    for _, metric in ipairs(metrics.all()) do
      assert.equal(metric, metrics.find(metric.name))
      assert.is_string(metric.explain)
      assert.is_string(metric.unit)
    end
    assert.is_nil(metrics.find("nonsense"))
  end)

  it("read a figure whether it is an estimate or a number", function()
    local result = { time = { value = 2, low = 1, high = 3 }, min = 1,
      net = { low = 1 }, mad = 0/0, cycles = "many" }
    assert.equal(result.time, metrics.get(result, "time"))
    assert.same({ value = 1 }, metrics.get(result, "min"))
    assert.is_nil(metrics.get(result, "net"))
    assert.is_nil(metrics.get(result, "mad"))
    assert.is_nil(metrics.get(result, "cycles"))
    assert.is_nil(metrics.get(result, "bytes"))
  end)

  it("know an interval when it has both ends", function()
    assert.is_true(metrics.has_interval { low = 1, high = 2 })
    assert.is_false(metrics.has_interval { low = 1 })
    assert.is_false(metrics.has_interval { low = 1, high = 1/0 })
    assert.is_false(metrics.has_interval(nil))
  end)
end)
