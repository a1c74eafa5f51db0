local bimodal = require "tare.noise.bimodal"
local made = require "spec.support.made"

local random

local function draw(n, one)
  local values = {}
  for i = 1, n do values[i] = one() end
  return values
end

local function two(share, ratio, spread)
  return function()
    local slow = random.uniform() < share
    return (slow and ratio or 1) * (1 + spread * random.normal())
  end
end

-- Share of 200 samples of 100 values that are taken for two states.
local function taken_for_two(one)
  local count = 0
  for _ = 1, 200 do
    if bimodal.states(draw(100, one)) then count = count + 1 end
  end
  return count / 200
end

describe("the two states of a sample", function()
  before_each(function() random = made.generator(5) end)

  it("are seldom seen where there is one", function()
    local shapes = {
      normal = function() return 1 + 0.1 * random.normal() end,
      lognormal = function() return math.exp(0.3 * random.normal()) end,
      exponential = function() return 1 - 0.3 * math.log(random.uniform()) end,
      uniform = function() return 1 + random.uniform() end,
      spiked = function()
        local spike = random.uniform() < 0.05
        return spike and 2 + random.uniform() or 1 + 0.01 * random.normal()
      end,
    }
    for name, one in pairs(shapes) do
      random = made.generator(5) -- whatever the order
      assert.is_true(taken_for_two(one) <= 0.05, name)
    end
  end)

  it("are seen where they are", function()
    assert.is_true(taken_for_two(two(0.3, 1.3, 0.03)) >= 0.95)
    assert.is_true(taken_for_two(two(0.4, 1.1, 0.01)) >= 0.95)
  end)

  it("are told by ratio and share", function()
    local states = bimodal.states(draw(400, two(0.3, 1.5, 0.02)))
    assert.near(1.5, states.ratio, 0.02)
    assert.near(0.3, states.share, 0.06)
  end)

  it("are not spoken of when they hardly differ", function()
    assert.is_nil(bimodal.states(draw(400, two(0.5, 1.03, 0.001))))
    assert.is_table(bimodal.states(draw(400, two(0.5, 1.03, 0.001)), 1.01))
  end)

  it("are not looked for in few values", function()
    assert.is_nil(bimodal.states(draw(15, two(0.5, 2, 0.001))))
  end)
end)
