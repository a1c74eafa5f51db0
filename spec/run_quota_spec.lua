local tare = require "tare"

-- What is called at a quota, in whichever pass, and the result.
local function calls_at(quota, gc)
  local calls = 0
  local result = tare.measure(function()
    calls = calls + 1
    return {}
  end, { quota = quota .. "x", gc = gc })
  return calls, result
end

describe("a quota of calls", function()
  for _, gc in ipairs { "natural", "paced", "stopped", "collect", "arms" } do
    it("counts every call, with the collector " .. gc, function()
      for _, quota in ipairs { 1, 2, 3, 5, 10, 20, 100, 1000 } do
        local calls, result = calls_at(quota, gc)
        assert.is_true(calls <= quota, calls .. " of " .. quota)
        assert.is_nil(result.error)
        assert.is_true(result.time.value >= 0)
      end
    end)
  end

  it("has its share of paced rounds", function()
    local result = select(2, calls_at(1e4, "paced"))
    local sum = { timed = 0, paced = 0 }
    for _, n in ipairs(result.samples.iters) do sum.timed = sum.timed + n end
    for _, n in ipairs(result.passes.paced.samples.iters) do
      sum.paced = sum.paced + n
    end
    assert.is_true(sum.paced > 2 * sum.timed)
    assert.near_relative(result.time.value,
      result.net.value + result.collector.value, 1e-9)
  end)

  it("is spent on batches that are as long as may be", function()
    local result = select(2, calls_at(1e4, "natural"))
    table.sort(result.samples.iters)
    assert.is_true(#result.samples.iters <= 24)
    assert.is_true(result.samples.iters[1] > 50)
  end)
end)
