local tare = require "tare"

describe("a bench in mode 'paced'", function()
  local kept = {}
  local function measured(gc)
    return tare.measure(function() kept[1] = { {} } end,
      { quota = "400ms", gc = gc, resamples = 200 })
  end

  it("has most of its calls in paced rounds, and both parts", function()
    local result = measured "paced"
    assert.is_nil(result.error)
    assert.is_table(kept[1])
    local paced = result.passes.paced.samples
    local calls, timed = 0, 0
    for _, n in ipairs(paced.iters) do calls = calls + n end
    for _, n in ipairs(result.samples.iters) do timed = timed + n end
    assert.is_true(calls > timed)
    assert.is_table(result.net)
    assert.is_table(result.collector)
  end)

  it("has one such batch at least, however little time there is", function()
    local result = tare.measure(function() kept[1] = { {} } end,
      { quota = "1us", gc = "paced", resamples = 200 })
    assert.equal(1, #result.passes.paced.samples.iters)
  end)

  it("has none with the collector stopped", function()
    assert.is_nil(measured("stopped").passes.paced)
  end)
end)
