-- What 'make counted' takes for the truth, from made-up logs of its spy.
local truth = require "spec.lab.counted.truth"

local CALL_NS, COLD = 100, 1.5 -- of the function, and in a short batch

-- What is read of a log that write(batch) makes. In batch(op, iters, slowdown,
-- collector, collections) the function takes CALL_NS times 'slowdown' per call,
-- the collector CALL_NS times 'collector'. A collection ends with the batch.
local function log_of(write)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  write(function(op, iters, slowdown, collector, collections)
    local counted_ns = iters * CALL_NS * collector
    file:write(("0x1 %s %d %d 1 1 0 %d 1 %d 0 %d %d %d 0 0 0\n"):format(op,
      iters, iters * CALL_NS * slowdown + counted_ns, counted_ns, collections,
      iters, iters * CALL_NS * slowdown, counted_ns))
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

  it("has as many collections in paced batches by all of these, where steps "
    .. "come inside calls", function()
      local log = log_of(function(batch)
        for _ = 1, 4 do batch("true", 2, 1, 1, 14) end
        for _ = 1, 3 do batch("inside", 2, 2, 1, 7) end
        for _ = 1, 4 do batch("true", 2, 1, 1, 14) end
      end)
      assert.near(0.5, truth.of(log, 1, true).pace, 1e-9)
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

  it("is unknown, and not nothing, where no whole cycle was seen", function()
    local function seen(steps)
      local path = os.tmpname()
      local file = assert(io.open(path, "w"))
      for _ = 1, 20 do
        file:write(("0x1 time 1000 100000 1 1 0 %d %d 0 0 0 0 0 0 0 0\n")
          :format(steps * 1e4, steps))
      end
      file:close()
      local found = truth.of(truth.read(path), 1, true)
      os.remove(path)
      return found
    end
    for steps = 0, 1 do
      local found = seen(steps)
      assert.is_true(found.share ~= found.share)
      assert.is_true(found.error ~= found.error)
      assert.near(100 - 10 * steps, found.net, 1e-6)
    end
  end)

  it("has the share in the batches of the report apart from that in those that "
    .. "were added to count", function()
    local found = truth.of(log_of(function(batch)
      for _ = 1, 40 do batch("time", 1e4, 1, 0.25, 1) end
      for _ = 1, 20 do batch("true", 1e5, 1, 1, 1) end
    end), 1, true)
    assert.near(0.5, found.share, 1e-6)
    assert.near(0.2, found.own_share, 1e-6)
  end)

  it("is cut in the midst of a batch, where collections end there", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    local line = "0x1 %s 1000 %d 1 1 0 %d 1 %d 0 %d %d %d %d %d 0\n"
    -- A collection of 100 after each 100 of the function, but batches begin
    -- just after one and are as long as 2.5 of these.
    file:write(line:format("time", 450, 200, 2, 400, 100, 100, 200, 50))
    for _ = 1, 10 do
      file:write(line:format("true", 450, 200, 2, 400, 100, 100, 200, 50))
      file:write(line:format("paced", 450, 200, 2, 400, 100, 100, 200, 50))
    end
    file:close()
    local found = truth.of(truth.read(path), 1, true)
    os.remove(path)
    assert.near(0.5, found.share, 1e-6)
    assert.near(1 / 400, found.rate, 1e-9)
    assert.near(1, found.pace, 1e-9)
  end)
end)
