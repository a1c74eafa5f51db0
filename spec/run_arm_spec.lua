local clocked = require "spec.support.clocked"
local measure = require "tare.run.measure"

describe("a bench in mode 'arms'", function()
  local kept = {}
  local function measured(options)
    options.quota, options.resamples = options.quota or "150ms", 200
    options.gc = "arms"
    local runner, settings = clocked(function() kept[1] = { {} } end, options)
    return measure.report(runner:run(), settings).results[1]
  end

  it("has batches without the collector among those with it", function()
    local result = measured { quota = "400ms" }
    assert.is_nil(result.error)
    assert.is_table(kept[1])
    local stopped = result.passes.stopped.samples
    assert.is_nil(result.passes.paced)
    assert.is_true(#stopped.iters >= 2) -- a full collection after each
    for row = 1, #stopped.iters do
      assert.equal(0, stopped.gc_minor[row] + stopped.gc_major[row])
    end
    local first, last = stopped.start_ns[1], stopped.start_ns[#stopped.iters]
    local between = 0
    for _, start_ns in ipairs(result.samples.start_ns) do
      if start_ns > first and start_ns < last then between = between + 1 end
    end
    assert.is_true(between >= 1)
  end)

  it("tells both parts from them, and that it is biased", function()
    local result = measured { quota = "400ms" }
    assert.near_relative(result.time.value,
      result.net.value + result.collector.value, 1e-9)
    local codes = table.concat(result.warnings, " ")
    assert.truthy(codes:find("stopped_is_biased", 1, true))
  end)

  it("keeps below the memory cap", function()
    local result = measured { memory_cap = "1MiB" }
    assert.is_nil(result.error)
    for _, bytes in ipairs(result.passes.stopped.samples.growth_bytes) do
      assert.is_true(bytes < 2 ^ 20)
    end
  end)

  it("leaves the collector as it was", function()
    if _VERSION == "Lua 5.1" and not rawget(_G, "jit") then return end
    measured { quota = "20ms" }
    assert.is_true(collectgarbage "isrunning")
  end)
end)
