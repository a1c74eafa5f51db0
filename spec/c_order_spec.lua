local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

-- What the quantile is by its definition, on a sorted copy.
local function quantile_twin(list, p)
  local sorted = {}
  for i, x in ipairs(list) do sorted[i] = x end
  table.sort(sorted)
  local position = p * (#sorted - 1)
  local below = math.floor(position)
  local left, right = sorted[below + 1], sorted[below + 2]
  return right and left + (position - below) * (right - left) or left
end

local awkward = {
  one = { 7 },
  two = { 2, 1 },
  constant = { 3, 3, 3, 3, 3, 3 },
  ties = { 2, 1, 2, 3, 2, 1, 2, 2, 3, 1, 2 },
  zeros = { 0, 0, 0, 1, 0, -0.0 },
  rising = { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
  falling = { 9, 8, 7, 6, 5, 4, 3, 2 },
  random = made.list(1001, made.normal(1)),
  many = made.list(5000, made.uniform(2)),
}

describe("quantile and median", function()
  it("agree with sorting, whatever the order and the ties", function()
    for _, list in pairs(awkward) do
      for i = 0, 20 do
        assert.equal(quantile_twin(list, i / 20), stats.quantile(list, i / 20))
      end
      assert.equal(quantile_twin(list, 0.5), stats.median(list))
    end
  end)

  it("interpolate between neighbours (type 7)", function()
    assert.equal(1.75, stats.quantile({ 4, 1, 3, 2 }, 0.25))
    assert.equal(2.5, stats.median { 4, 1, 3, 2 })
  end)

  it("leave the list as it was", function()
    local list = { 3, 1, 2 }
    stats.median(list)
    assert.same({ 3, 1, 2 }, list)
  end)

  it("take infinite values by their rank", function()
    local huge = math.huge
    assert.equal(2, stats.median { huge, 1, 2 })
    assert.equal(huge, stats.median { 1, 2, huge, huge })
    assert.equal(-huge, stats.quantile({ -huge, 1, 2, 3 }, 0.1))
    assert.equal(1, stats.quantile({ -huge, 1, 2, 3, huge }, 0.25))
    assert.equal(-huge, stats.quantile({ -huge, 1 }, 0.75))
    assert.equal(-huge, stats.median { huge, -huge })
  end)

  it("lie between values so far apart that their distance is no number",
    function()
      local far = 1.5e308
      assert.equal(0, stats.median { far, -far })
      assert.near_relative(far / 2, stats.quantile({ -far, far }, 0.75), 1e-12)
    end)
end)

describe("mad", function()
  it("is the median distance from the median, scaled and raw", function()
    local scaled, raw = stats.mad { 1, 1, 2, 2, 4, 6, 9 }
    assert.equal(1, raw)
    assert.near_relative(1.482602218505602, scaled, 1e-15)
  end)

  it("estimates the standard deviation of normal data", function()
    local list = made.list(20001, made.normal(3))
    assert.near_relative(1, stats.mad(list), 0.02)
  end)

  it("is 0 where most values are equal", function()
    assert.equal(0, stats.mad { 5 })
    assert.equal(0, stats.mad { 1, 1, 1, 9 })
  end)
end)

-- Probability of the interval between the r-th of n from either end, term by
-- term.
local function coverage(n, r)
  local choose, below = 1, 0
  for k = 0, r - 1 do
    below = below + choose
    choose = choose * (n - k) / (k + 1)
  end
  return 1 - 2 * below / 2 ^ n
end

local function numbered(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

describe("sign_interval", function()
  it("is the narrowest that holds the confidence", function()
    for n = 1, 200 do
      for _, confidence in ipairs { 0.5, 0.9, 0.95, 0.99 } do
        local r = 0
        while 2 * (r + 1) <= n and coverage(n, r + 1) >= confidence do
          r = r + 1
        end
        local got = stats.sign_interval(numbered(n), confidence)
        if r == 0 then
          assert.is_nil(got.low)
          assert.is_nil(got.high)
          assert.equal(0, got.confidence)
        else
          assert.equal(r, got.low)
          assert.equal(n + 1 - r, got.high)
          assert.near_relative(coverage(n, r), got.confidence, 1e-12)
        end
      end
    end
  end)

  it("has the published ranks at 95 %", function()
    -- Conover (1999), Practical Nonparametric Statistics, table A3
    local rank = { [6] = 1, [9] = 2, [12] = 3, [15] = 4, [17] = 5, [20] = 6 }
    for n, r in pairs(rank) do
      assert.equal(r, stats.sign_interval(numbered(n)).low)
    end
  end)

  it("takes the median of logarithms", function()
    assert.near_relative(2, stats.sign_interval({ 1, 4 }).value, 1e-15)
    assert.equal(3, stats.sign_interval({ 9, 3, 1 }).value)
    assert.equal(1, stats.sign_interval({ 1, 1, 1, 1 }).value)
  end)

  it("turns over with the ratios", function()
    local list, inverse = {}, {}
    local uniform = made.uniform(8)
    for i = 1, 51 do
      list[i] = 0.5 + uniform()
      inverse[i] = 1 / list[i]
    end
    local a, b = stats.sign_interval(list), stats.sign_interval(inverse)
    assert.near_relative(1 / b.value, a.value, 1e-15)
    assert.near_relative(1 / b.high, a.low, 1e-15)
    assert.near_relative(1 / b.low, a.high, 1e-15)
    assert.is_true(a.low < a.value and a.value < a.high)
  end)

  it("manages as many values as any run has", function()
    local got = stats.sign_interval(numbered(100000))
    -- n / 2 -+ 1.96 sqrt(n) / 2
    assert.is_true(math.abs(got.low - 49690) <= 1)
    assert.equal(100001, got.low + got.high)
    assert.is_true(got.confidence >= 0.95 and got.confidence < 0.9505)
  end)

  it("covers the median as often as it says", function()
    local normal, hits = made.normal(9), 0
    for _ = 1, 2000 do
      local got = stats.sign_interval(made.list(25, function()
        return math.exp(normal())
      end))
      if got.low <= 1 and 1 <= got.high then hits = hits + 1 end
    end
    assert.near_relative(0.957, hits / 2000, 0.01)
  end)

  it("refuses ratios that are not above 0", function()
    assert.has_error(function() stats.sign_interval { 1, 0 } end)
    assert.has_error(function() stats.sign_interval { -1 } end)
  end)
end)
