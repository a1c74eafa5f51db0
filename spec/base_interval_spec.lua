local interval = require "tare.base.interval"

local function estimate(value, share)
  return { value = value, low = value * (1 - share),
    high = value * (1 + share) }
end

describe("interval", function()
  it("widens a ratio by both sides in quadrature", function()
    local function e(value, down, up)
      return { value = value, low = value * math.exp(-down),
        high = value * math.exp(up) }
    end
    local ratio = interval.ratio(e(6, 0.03, 0.04), e(3, 0.03, 0.04))
    assert.near(2, ratio.value, 1e-12)
    assert.near(2 * math.exp(-0.05), ratio.low, 1e-12)
    assert.near(2 * math.exp(0.05), ratio.high, 1e-12)
  end)

  it("of an exact divisor is that of the other", function()
    local ratio = interval.ratio({ value = 4, low = 2, high = 8 },
      { value = 2, low = 2, high = 2 })
    assert.near(1, ratio.low, 1e-12)
    assert.near(4, ratio.high, 1e-12)
  end)

  it("leaves a side open where an end is absent or not above zero", function()
    local ratio = interval.ratio({ value = 2 }, estimate(1, 0.1))
    assert.same({ value = 2, low = 0, high = 1/0 }, ratio)
    ratio = interval.ratio({ value = 2, low = -1, high = 3 },
      estimate(1, 0.1))
    assert.equal(0, ratio.low)
    assert.is_true(ratio.high < 10)
  end)

  it("is none where a value is not above zero", function()
    assert.is_nil(interval.ratio(estimate(0, 0), estimate(1, 0)))
    assert.is_nil(interval.ratio(estimate(1, 0), estimate(-1, 0)))
  end)

  it("holds the true ratio as often as it says", function()
    -- 4,000 pairs of normal estimates with the interval of 1.96 sigma
    local random = require("spec.support.fixtures").generator(3)
    local held = 0
    for _ = 1, 4000 do
      local function draw(truth, sigma)
        local log = math.log(truth) + sigma * random.normal()
        return { value = math.exp(log), low = math.exp(log - 1.96 * sigma),
          high = math.exp(log + 1.96 * sigma) }
      end
      local ratio = interval.ratio(draw(5, 0.02), draw(4, 0.05))
      if ratio.low <= 1.25 and ratio.high >= 1.25 then held = held + 1 end
    end
    assert.is_true(held / 4000 > 0.94 and held / 4000 < 0.96)
  end)

  it("says what a ratio means", function()
    local function verdict(low, high, tolerance)
      return interval.verdict({ low = low, high = high }, tolerance)
    end
    assert.equal("slower", verdict(1.005, 1.2))
    assert.equal("faster", verdict(0.5, 0.999))
    assert.equal("same", verdict(0.995, 1.008))
    assert.equal("same", verdict(1.001, 1.009)) -- a difference of no matter
    assert.equal("slower", verdict(1.001, 1.009, 0.005))
    assert.equal("unclear", verdict(0.9, 1.1))
    assert.equal("unclear", verdict(0, 1/0))
    -- as wide as a time that is too noisy, and no farther than noise can be
    assert.equal("unclear", verdict(1.27, 4.64))
    assert.equal("unclear", verdict(1 / 4.64, 1 / 1.27))
    assert.equal("slower", verdict(1.27, 3.7))
    assert.equal("slower", verdict(2.1, 9))
    assert.equal("faster", verdict(1 / 9, 1 / 2.1))
  end)

  it("of a difference adds the sides in quadrature", function()
    assert.same({ value = 5, low = 0, high = 10 }, interval.difference(
      { value = 20, low = 16, high = 23 }, { value = 15, low = 11, high = 18 }))
    assert.same({ value = 5, low = -1/0, high = 1/0 },
      interval.difference({ value = 20 }, { value = 15, low = 11, high = 18 }))
  end)

  it("has its ends where they stand: of the tolerance in, 1 out", function()
    local function verdict(low, high)
      return interval.verdict({ low = low, high = high }, 0.25)
    end
    assert.equal("same", verdict(0.8, 1.25))
    assert.equal("unclear", verdict(0.79, 1.25))
    assert.equal("unclear", verdict(0.8, 1.26))
    assert.equal("unclear", verdict(0.5, 1))
    assert.equal("unclear", verdict(1, 2))
  end)
end)

describe("a comparison", function()
  it("is seen from its second side, with an open end where one was", function()
    assert.same({ a = "b", b = "a", verdict = "slower", metric = "time",
      rounds = 9, ratio = { value = 2, low = 1, high = 4 } },
      interval.reversed { a = "a", b = "b", verdict = "faster",
        metric = "time", rounds = 9,
        ratio = { value = 0.5, low = 0.25, high = 1 } })
    assert.same({ a = "b", b = "a", verdict = "unclear",
      ratio = { value = 2, low = 1 } },
      interval.reversed { a = "a", b = "b", verdict = "unclear",
        ratio = { value = 0.5, low = 0, high = 1 } })
  end)
end)
