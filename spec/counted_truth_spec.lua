-- What 'make counted' takes for the truth, from made-up logs of its spy.
local truth = require "spec.lab.counted.truth"

local CALL_NS, COLD = 100, 1.5 -- of the function, and in a short batch

-- A log of short timed batches and long ones after the last round, each with a
-- collection that takes half as long as the function does where it is warm.
local function log_of()
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  local function batch(op, iters, slowdown)
    local counted_ns = iters * CALL_NS / 2
    file:write(("0x1 %s %d %d 1 1 0 %d 1 1 0 0 0\n"):format(op, iters,
      iters * CALL_NS * slowdown + counted_ns, counted_ns))
  end
  for _ = 1, 40 do batch("time", 1000, COLD) end
  for _ = 1, 10 do batch("true", 1e5, 1) end
  file:close()
  local samples = truth.read(path)
  os.remove(path)
  return samples
end

describe("what was counted of a call", function()
  it("is that of the timed batches, where the time is", function()
    assert.near(COLD * CALL_NS, truth.of(log_of(), 1, false).net, 1e-6)
  end)

  it("is that of batches as long as paced ones, where the time is of these",
    function()
      assert.near(CALL_NS, truth.of(log_of(), 1, false, true).net, 1e-6)
    end)
end)
