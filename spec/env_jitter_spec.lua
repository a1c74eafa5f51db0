local noise = require "tare.env.noise"

-- A core that needs 0.3 ns a cycle, and 0.5 ns in its slow state; its clock
-- moves by 1 us at each look, by 40 us at each reading of the chain, and
-- once by 5 ms.
local function made_core()
  local time_ns, looks, readings = 0, 0, 0
  return {
    now_ns = function()
      looks = looks + 1
      time_ns = time_ns + (looks == 5000 and 5e6 or 1e3)
      return time_ns
    end,
    chain_read = function()
      readings = readings + 1
      time_ns = time_ns + 4e4
      local slow = readings % 10 == 0
      return slow and 0.5 or 0.3, readings % 5 == 0 and 2 or 4,
        readings % 100 == 1 and 2 or 1.01
    end,
  }
end

describe("the noise sample", function()
  it("sums up two states of the core", function()
    local told = noise.summary({ 0.3, 0.3, 0.3, 0.6 }, { 4, 4, 2, 4 },
      { 1, 1, 1, 3 })
    assert.same({ cycle_ns = 0.3, frequency_ghz = 1 / 0.3, slow_share = 0.25,
      crowded_share = 0.25, interrupted_share = 0.25,
      swing = told.swing }, told)
    assert.near(0.555 / 0.3, told.swing, 1e-9)
  end)

  it("finds slow, crowded and interrupted time, and the largest gap", function()
    local sample = noise.sample(0.2, made_core())
    assert.near(0.1, sample.slow_share, 0.002)
    assert.near(0.2, sample.crowded_share, 0.002)
    assert.near(0.01, sample.interrupted_share, 0.001)
    assert.equal(5e6, sample.largest_gap_ns)
    assert.equal(0.2, sample.seconds)
  end)

  it("says why there is none on a clock that stands still", function()
    local sample, why = noise.sample(nil, { chain_read = function() end,
      now_ns = function() return 7 end })
    assert.is_nil(sample)
    assert.is_truthy(why:find("coarse"))
  end)

  it("comes from this machine too", function()
    local core = require "tare.core"
    local began_ns = core.now_ns()
    local sample = noise.sample(0.01)
    local took_ns = core.now_ns() - began_ns
    assert.equal(0.01, sample.seconds)
    assert.is_true(took_ns >= 0.01e9)
    -- Between 100 MHz and 10 GHz; a gap is between two looks at the clock.
    assert.is_true(sample.cycle_ns > 0.1 and sample.cycle_ns < 10)
    assert.is_true(sample.largest_gap_ns > 0)
    assert.is_true(sample.largest_gap_ns < took_ns)
  end)
end)
