local trend = require "tare.noise.trend"

describe("the trend of values", function()
  it("is the median of the pairwise slopes, over the whole", function()
    local change, z = trend.of { 1, 2, 3, 4 }
    assert.equal(3, change)
    -- S = 6, variance 4 * 3 * 13 / 18
    assert.near(6 / math.sqrt(26 / 3), z, 1e-12)
  end)

  it("does not follow a single value that is far off", function()
    local change = trend.of { 1, 1, 1, 1, 100, 1, 1, 1, 1 }
    assert.equal(0, change)
  end)

  it("is negative where values fall, zero where they stay", function()
    assert.equal(-4, (trend.of { 5, 4, 3, 2, 1 }))
    assert.same({ 0, 0 }, { trend.of { 7, 7, 7 } })
  end)
end)

describe("blocks of neighbours", function()
  it("are at most twelve, of near equal size", function()
    local values = {}
    for i = 1, 120 do values[i] = i end
    local blocks = trend.blocks(values)
    assert.equal(12, #blocks)
    assert.same({ 5.5, 15.5, 115.5 }, { blocks[1], blocks[2], blocks[12] })
  end)

  it("are none where there are too few values", function()
    assert.is_nil(trend.blocks { 1, 2, 3 })
  end)
end)
