local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

-- Student (1908): additional hours of sleep under two drugs
local sleep = {
  { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 },
  { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 },
}
-- Hollander and Wolfe (1973), page 69: permeability of membranes
local membranes = {
  { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
  { 1.15, 0.88, 0.90, 0.74, 1.21 },
}

local function shifted(list, by)
  local copy = {}
  for i, x in ipairs(list) do copy[i] = x + by end
  return copy
end

-- n values with exactly this mean and standard deviation.
local function with_moments(n, mean, sd)
  local list, wave = {}, {}
  for i = 1, n do wave[i] = i end
  local centre, spread = stats.mean(wave), stats.stddev(wave)
  for i = 1, n do list[i] = mean + sd * (i - centre) / spread end
  return list
end

describe("welch", function()
  it("gives the published figures for Student's sleep data", function()
    local got = stats.welch(sleep[1], sleep[2])
    assert.near_relative(-1.58, got.difference, 1e-14)
    assert.near_relative(-1.860813467486853, got.t, 1e-13)
    assert.near_relative(17.776473516178495, got.df, 1e-13)
    assert.near_relative(0.07939414018735821, got.p, 1e-12)
    assert.near_relative(-3.365483230711718, got.low, 1e-12)
    assert.near_relative(0.2054832307117175, got.high, 1e-12)
  end)

  it("turns over with its arguments", function()
    local a = stats.welch(sleep[1], sleep[2], 0.9)
    local b = stats.welch(sleep[2], sleep[1], 0.9)
    assert.equal(a.p, b.p)
    assert.equal(-a.low, b.high)
    assert.equal(-a.t, b.t)
  end)

  it("does without variance", function()
    local same = stats.welch({ 2, 2 }, { 2, 2, 2 })
    assert.same({ difference = 0, low = 0, high = 0, t = 0, df = 3, p = 1 },
      same)
    local other = stats.welch({ 2, 2 }, { 3, 3, 3 })
    assert.equal(0, other.p)
    assert.equal(-1, other.low)
  end)

  it("depends on no scale", function()
    local a, b = {}, {}
    for i = 1, 10 do a[i], b[i] = sleep[1][i] * 1e-150, sleep[2][i] * 1e-150 end
    assert.near_relative(stats.welch(sleep[1], sleep[2]).p,
      stats.welch(a, b).p, 1e-12)
  end)

  it("holds its level", function()
    local normal, hits = made.normal(11), 0
    for _ = 1, 2000 do
      local a = made.list(5, normal)
      local b = made.list(12, function() return 4 * normal() end)
      if stats.welch(a, b).p < 0.05 then hits = hits + 1 end
    end
    assert.is_true(hits > 70 and hits < 130)
  end)

  it("needs two values on either side", function()
    assert.has_error(function() stats.welch({ 1 }, { 1, 2 }) end)
    assert.has_error(function() stats.welch({ 1, 2 }, { 1 }) end)
    assert.has_error(function() stats.welch({ 1, 2 }) end)
    assert.has_error(function() stats.welch({ 1, 2 }, { 1, 2 }, 1) end)
  end)
end)

describe("tost", function()
  it("gives the published figures", function()
    -- Lakens (2017), "Equivalence tests", Social Psychological and Personality
    -- Science 8(4): Welch, margins of d = 0.43: t(181.1) = -2.69, p = .004
    local a = with_moments(95, 5.25, 0.95)
    local b = with_moments(89, 5.22, 0.83)
    local margin = 0.43 * math.sqrt((0.95 ^ 2 + 0.83 ^ 2) / 2)
    local got = stats.tost(a, b, margin)
    assert.near_relative(0.03, got.difference, 1e-10)
    assert.near_relative(0.0039, got.p, 0.02)
    assert.is_true(got.equivalent)
  end)

  it("says yes where the interval is inside the margin, and only there",
    function()
      local normal, yes = made.normal(12), 0
      for _ = 1, 300 do
        local a, b = made.list(20, normal), made.list(15, normal)
        local got = stats.tost(a, b, { -0.6, 0.7 })
        assert.equal(got.low >= -0.6 and got.high <= 0.7, got.equivalent)
        if got.equivalent then yes = yes + 1 end
      end
      assert.is_true(yes > 30 and yes < 270)
    end)

  it("seldom says yes at the edge of the margin", function()
    local normal, yes = made.normal(13), 0
    for _ = 1, 2000 do
      local a = made.list(30, function() return 1 + normal() end)
      if stats.tost(a, 0, 1).equivalent then yes = yes + 1 end
    end
    assert.is_true(yes > 70 and yes < 130)
  end)

  it("compares with a number", function()
    local list = { 0.9, 1.1, 1.0, 1.05, 0.95 }
    assert.is_true(stats.tost(list, 1, 0.2).equivalent)
    assert.is_false(stats.tost(list, 1.2, 0.2).equivalent)
    assert.is_true(stats.tost({ 1, 1 }, 1, 0.1).equivalent)
    assert.is_false(stats.tost({ 1, 1 }, 2, 0.1).equivalent)
  end)

  it("refuses margins that make no sense", function()
    local a = { 1, 2, 3 }
    for _, margin in ipairs { 0, -1, 0 / 0, {}, { 1, 1 }, { 1 } } do
      assert.has_error(function() stats.tost(a, a, margin) end)
    end
    assert.has_error(function() stats.tost(a, a, 1, 0.5) end)
    assert.has_error(function() stats.tost(a, "1", 1) end)
  end)
end)

-- U of list a against list b by counting pairs.
local function count_pairs(a, b)
  local u = 0
  for _, x in ipairs(a) do
    for _, y in ipairs(b) do
      u = u + (x > y and 1 or x == y and 0.5 or 0)
    end
  end
  return u
end

-- p by dealing the pooled values out in every way.
local function p_by_dealing(a, b)
  local pooled, middle = {}, #a * #b / 2
  for _, x in ipairs(a) do pooled[#pooled + 1] = x end
  for _, y in ipairs(b) do pooled[#pooled + 1] = y end
  local observed = math.abs(count_pairs(a, b) - middle)
  local all, far = 0, 0
  local function deal(i, left, right)
    if i > #pooled then
      all = all + 1
      if math.abs(count_pairs(left, right) - middle) >= observed then
        far = far + 1
      end
      return
    end
    for _, side in ipairs { left, right } do
      if #side < (side == left and #a or #b) then
        side[#side + 1] = pooled[i]
        deal(i + 1, left, right)
        side[#side] = nil
      end
    end
  end
  deal(1, {}, {})
  return far / all
end

describe("mann_whitney", function()
  it("gives the published figures", function()
    -- Hollander and Wolfe: W = 35, one-sided p = 0.1272
    local got = stats.mann_whitney(membranes[1], membranes[2])
    assert.equal(35, got.u)
    assert.equal(0.7, got.superiority)
    assert.near_relative(0.2544122544122544, got.p, 1e-14)
    assert.is_true(got.exact)
  end)

  it("has the tail probabilities of Mann and Whitney's own table", function()
    -- n = 4, m = 4: U at most 0, 1, 2, 3
    local tables = { [{ 1, 2, 3, 4 }] = 1, [{ 1, 2, 3, 5 }] = 2,
      [{ 1, 2, 4, 5 }] = 4, [{ 1, 2, 4, 6 }] = 7 }
    for a, ways in pairs(tables) do
      local b = {}
      for i = 1, 8 do
        local taken = false
        for _, x in ipairs(a) do taken = taken or x == i end
        if not taken then b[#b + 1] = i end
      end
      assert.near_relative(2 * ways / 70, stats.mann_whitney(a, b).p, 1e-14)
    end
  end)

  it("deals out every way, ties or not", function()
    local uniform = made.uniform(14)
    for round = 1, 60 do
      local grid = round % 2 == 0 and 1e6 or 3
      local function draw() return math.floor(grid * uniform()) end
      local a = made.list(1 + round % 5, draw)
      local b = made.list(1 + round % 4, draw)
      local got = stats.mann_whitney(a, b)
      assert.equal(count_pairs(a, b), got.u)
      assert.near_relative(p_by_dealing(a, b), got.p, 1e-12)
    end
  end)

  it("goes over into the normal approximation beyond 625 pairs", function()
    local uniform = made.uniform(15)
    local a, b = made.list(25, uniform), made.list(25, uniform)
    local exact = stats.mann_whitney(a, b)
    local far = stats.mann_whitney(a, shifted(b, 10))
    b[26] = 2
    local near = stats.mann_whitney(a, b)
    assert.is_true(exact.exact)
    assert.is_false(near.exact)
    assert.is_true(math.abs(exact.p - near.p) < 0.1)
    assert.is_true(far.p < exact.p)
  end)

  it("corrects the approximation for ties", function()
    -- R 4: wilcox.test(rep(1:3, c(10, 10, 10)), rep(1:3, c(5, 10, 15)))
    local a, b = {}, {}
    for i = 1, 30 do
      a[i] = math.ceil(i / 10)
      b[i] = i <= 5 and 1 or i <= 15 and 2 or 3
    end
    local n, ties = 60, (15 ^ 3 - 15) + (20 ^ 3 - 20) + (25 ^ 3 - 25)
    local sd = math.sqrt(900 / 12 * (n + 1 - ties / (n * (n - 1))))
    local got = stats.mann_whitney(a, b)
    local z = (math.abs(got.u - 450) - 0.5) / sd
    assert.equal(count_pairs(a, b), got.u)
    assert.near_relative(2 * stats.normal_cdf(-z), got.p, 1e-12)
  end)

  it("sees no difference where all values are equal", function()
    local many = {}
    for i = 1, 40 do many[i] = 1 end
    assert.same({ u = 2, superiority = 0.5, p = 1, exact = true },
      stats.mann_whitney({ 3, 3 }, { 3, 3 }))
    assert.equal(1, stats.mann_whitney(many, many).p)
  end)

  it("takes infinite values by their rank, and single ones", function()
    local got = stats.mann_whitney({ math.huge }, { 1, 2, 3 })
    assert.equal(3, got.u)
    assert.near_relative(0.5, got.p, 1e-14)
    assert.has_error(function() stats.mann_whitney({ 0 / 0 }, { 1 }) end)
    assert.has_error(function() stats.mann_whitney({ 1 }, {}) end)
  end)

  it("manages lopsided sizes", function()
    local many = made.list(625, made.uniform(16))
    local got = stats.mann_whitney(many, { 2 })
    assert.equal(0, got.u)
    assert.near_relative(2 / 626, got.p, 1e-12)
  end)
end)

describe("holm", function()
  -- The definition: each p by the largest of all stepped ones up to its rank.
  local function twin(ps)
    local order, adjusted, most = {}, {}, 0
    for i = 1, #ps do order[i] = i end
    table.sort(order, function(i, j) return ps[i] < ps[j] end)
    for rank, i in ipairs(order) do
      most = math.max(most, math.min(1, (#ps - rank + 1) * ps[i]))
      adjusted[i] = most
    end
    return adjusted
  end

  it("steps down", function()
    assert.same({ 1, 0 }, stats.holm { 1, 0 })
    local got = stats.holm { 0.01, 0.04, 0.03, 0.005 }
    for i, p in ipairs { 0.03, 0.06, 0.06, 0.02 } do
      assert.near_relative(p, got[i], 1e-14)
    end
  end)

  it("agrees with its definition, ties included", function()
    local uniform = made.uniform(17)
    for n = 1, 40 do
      local ps = made.list(n, function()
        return math.floor(20 * uniform()) / 20
      end)
      assert.same(twin(ps), stats.holm(ps))
    end
  end)

  it("refuses what is no probability", function()
    assert.has_error(function() stats.holm { 1.1 } end)
    assert.has_error(function() stats.holm { -0.1 } end)
    assert.has_error(function() stats.holm {} end)
  end)
end)
