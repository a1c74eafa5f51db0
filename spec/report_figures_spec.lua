-- Figures and axes as reports show them.
local columns = require "tare.report.columns"
local figures = require "tare.report.figures"
local scale = require "tare.report.scale"
local units = require "tare.base.units"

describe("a share in percent", function()
  it("has a decimal below 1 %, where that says more", function()
    for share, text in pairs { [0] = "0%", [0.0004] = "0.04%",
      [0.0042] = "0.4%", [-0.0042] = "-0.4%", [0.0094] = "0.9%",
      [0.0095] = "1%", [0.01] = "1%", [0.031] = "3%", [1.5] = "150%" } do
      assert.equal(text, figures.percent(share))
    end
  end)

  it("is all only where nothing is left", function()
    for share, text in pairs { [0.994] = "99%", [0.995] = "99.5%",
      [0.997] = "99.7%", [0.99997] = "99.9%", [1] = "100%",
      [1.004] = "100%" } do
      assert.equal(text, figures.percent(share))
    end
  end)

  it("is a dash where there is none, or none that fits", function()
    for _, share in ipairs { 0/0, 1/0, 1e6, "1", false } do
      assert.equal("-", figures.percent(share))
    end
    assert.equal("-", figures.percent(nil))
  end)
end)

describe("a linear axis", function()
  -- Heckbert's bounds: 1.5, 3 and 7 belong to the next round number.
  it("has ticks at 1, 2 or 5 times a power of ten", function()
    for high, ticks in pairs { [4] = { 0, 1, 2, 3, 4 }, [6] = { 0, 2, 4, 6 },
      [11] = { 0, 2, 4, 6, 8, 10 }, [12] = { 0, 5, 10 },
      [27] = { 0, 5, 10, 15, 20, 25 }, [28] = { 0, 10, 20 },
      [120] = { 0, 50, 100 }, [280] = { 0, 100, 200 } } do
      assert.same(ticks, scale.linear(0, high, 4).ticks)
    end
  end)

  it("has a length though all that is drawn is at one place", function()
    for at, ends in pairs { [0] = { -1, 1 }, [1] = { 0.95, 1.05 },
      [-20] = { -21, -19 } } do
      local axis = scale.linear(at, at)
      assert.near(0.5, axis.at(at), 1e-9)
      assert.near(ends[1], axis.low, 1e-9)
      assert.near(ends[2], axis.high, 1e-9)
    end
  end)
end)

describe("throughput", function()
  local function rate(low)
    return columns.rate({ throughput = { items = 2 },
      time = { value = 0.5, low = low, high = 0.8 } }, "items")
  end

  it("has the interval of a time, also where that is below a nanosecond",
    function()
      assert.same({ value = 4e9, low = 2.5e9, high = 5e9 }, rate(0.4))
    end)

  it("has none where the time may be nothing", function()
    assert.same({ value = 4e9 }, rate(0))
  end)
end)

describe("a comparison in words", function()
  local function words(low, high, verdict)
    return (figures.comparison({ value = (low + high) / 2, low = low,
      high = high }, verdict or "unclear"))
  end

  it("is only unclear where ten times as slow and as fast are possible",
    function() assert.equal("unclear", words(1 / 135, 208)) end)

  it("says how much less and more time a range allows", function()
    assert.equal("unclear (3.1% less to 1.8% more time)", words(1 / 1.032,
      1.018))
    assert.equal("unclear (68% less to 69% more time)",
      words(1 / 3.11, 1.69))
    assert.equal("unclear (21% less to 99% more time)", words(0.79, 1.99))
  end)

  it("says how many times as much time, from two on", function()
    assert.equal("unclear (21% less to 2.0 times as much time)",
      words(0.79, 2))
    assert.equal("unclear (100% less to 2.5 times as much time)", words(0, 2.5))
    assert.equal("unclear (99% less to 9.0 times as much time)",
      words(1 / 135, 9))
    assert.equal("unclear (50% less to 14,000 times as much time)",
      words(0.5, 13981))
    assert.equal("unclear (3.0% more to 3.0 times as much time)",
      words(1.03, 3))
  end)

  it("is unclear beyond 1, too, and has its numbers ascend", function()
    assert.equal("unclear (1.0% to 4.0% more time)", words(1.01, 1.04))
    assert.equal("unclear (0.99% to 3.8% less time)", words(1 / 1.04,
      1 / 1.01))
  end)

  it("is a factor, of the side on which it is", function()
    local function change(value, low, high)
      return (figures.comparison({ value = value, low = low, high = high },
        value < 1 and "faster" or "slower"))
    end
    assert.equal("1.20 times as slow (1.18 to 1.22)", change(1.2, 1.18, 1.22))
    assert.equal("2.00 times as fast (1.90 to 2.10)", change(0.5, 1 / 2.1,
      1 / 1.9))
    assert.equal("2.70 times as fast", change(1 / 2.7))
    assert.equal("28,400 times as slow (28,000 to 28,800)", change(28400,
      28000, 28800))
    for value, text in pairs { [999.4] = "999", [999.6] = "1,000",
      [1000] = "1,000", [1004] = "1,000", [1005] = "1,010" } do
      assert.equal(text .. " times as slow", change(value))
    end
    -- An end that is open, or no figure at all.
    assert.equal("1.20 times as slow", change(1.2, 1.1))
    assert.equal("1.50 times as fast", change(2 / 3, nil, 0.7))
    assert.equal("1.00 times as slow (0.900 to 1.10)", change(1, 0.9, 1.1))
    assert.equal("- times as fast", change(0))
    -- Digits until a value looks different from its ends, and from 1.
    assert.equal("1.499 times as fast (1.495 to 1.502)", change(0.6672, 0.666,
      0.669))
    assert.equal("1.004 times as slow (1.001 to 1.007)", change(1.004, 1.001,
      1.007))
  end)

  it("of bytes is how many times as much", function()
    assert.equal("1.20 times as much (1.18 to 1.22)", (units.change({
      value = 1.2, low = 1.18, high = 1.22 }, false)))
    assert.equal("0.800 times as much (0.780 to 12.0)", (units.change({
      value = 0.8, low = 0.78, high = 12 }, false)))
  end)

  it("is one form over several sizes, too", function()
    assert.equal("1.14 to 2.50 times as fast", units.change_range(0.4, 0.88))
    assert.equal("1.07 times as slow to 1.30 times as fast",
      units.change_range(0.77, 1.07))
    assert.equal("1.50 to 28,400 times as slow",
      units.change_range(1.5, 28400))
  end)

  it("says that an end is 1 in the words of the other", function()
    assert.equal("1.00 to 30.0 times as fast",
      units.change_range(1 / 30, 1.0001))
    assert.equal("1.00 to 30.0 times as slow",
      units.change_range(0.9999, 30))
  end)
end)
