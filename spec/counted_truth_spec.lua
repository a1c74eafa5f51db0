-- What 'make counted' takes for the truth, from made-up logs of its spy.
local truth = require "spec.lab.counted.truth"

local CALL_NS, COLD = 100, 1.5 -- of the function, and in a short batch

-- What is read of a log that write(batch) makes. In batch(op, iters, slowdown,
-- collector, collections) the function takes CALL_NS times 'slowdown' per call,
-- the collector CALL_NS times 'collector'.
local function log_of(write)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  write(function(op, iters, slowdown, collector, collections)
    local counted_ns = iters * CALL_NS * collector
    file:write(("0x1 %s %d %d 1 1 0 %d 1 %d 0 0 0\n"):format(op, iters,
      iters * CALL_NS * slowdown + counted_ns, counted_ns, collections))
  end)
  file:close()
  local samples = truth.read(path)
  os.remove(path)
  return samples
end

-- Short timed batches and long ones next to paced ones, each with a collection
-- that takes half as long as the function does where it is warm.
local function short_and_long(batch)
  for _ = 1, 40 do batch("time", 1000, COLD, 0.5, 1) end
  for _ = 1, 10 do batch("true", 1e5, 1, 0.5, 1) end
end

describe("what was counted of a call", function()
  it("is that of the timed batches, where the time is", function()
    local counted = truth.of(log_of(short_and_long), 1, false)
    assert.near(COLD * CALL_NS, counted.net, 1e-6)
  end)

  it("is that of batches as long as paced ones, where the time is of these",
    function()
      local counted = truth.of(log_of(short_and_long), 1, false, true)
      assert.near(CALL_NS, counted.net, 1e-6)
    end)

  it("is a share of the time next to paced batches, for a heap costs more as "
    .. "it ages", function()
      local log = log_of(function(batch)
        for _ = 1, 40 do batch("time", 1e5, 1, 1.5, 1) end
        for _ = 1, 2 do
          for _ = 1, 5 do batch("true", 1e5, 2, 1, 1) end
          batch("paced", 1e5, 2, 1, 1)
          for _ = 1, 5 do batch("true", 1e5, 2, 1, 1) end
        end
      end)
      assert.near(1 / 3, truth.of(log, 1, true).share, 1e-6)
    end)

  it("is of whole cycles, and none goes on beyond a paced batch", function()
    local log = log_of(function(batch)
      for _ = 1, 8 do batch("time", 1e5, 1, 1, 1) end
      for _ = 1, 2 do
        for _ = 1, 10 do
          batch("true", 1e5, 1, 0, 0)
          batch("true", 1e5, 1, 2, 1)
        end
        batch("true", 1e5, 1, 0, 0)
        batch("paced", 1e5, 1, 1, 1)
      end
    end)
    assert.near(0.5, truth.of(log, 1, true).share, 1e-6)
  end)

  it("is of all natural batches, where few are next to paced ones", function()
    local log = log_of(function(batch)
      for _ = 1, 40 do batch("time", 1e5, 1, 1, 1) end
      for _ = 1, 3 do batch("true", 1e5, 1, 1, 1) end
    end)
    assert.equal(42, truth.of(log, 1, true).seen)
  end)
end)
