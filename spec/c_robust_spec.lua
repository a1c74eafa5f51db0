local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

-- Brownlee's stack loss data (1965), the standard example of robust fits.
local stack = {
  air = {
    80, 80, 75, 62, 62, 62, 62, 62, 58, 58, 58, 58, 58, 58, 50, 50, 50, 50,
    50, 56, 70,
  },
  water = {
    27, 27, 25, 24, 22, 23, 24, 24, 23, 18, 18, 17, 18, 19, 18, 18, 19, 19,
    20, 20, 20,
  },
  acid = {
    89, 88, 90, 87, 87, 87, 93, 93, 87, 80, 89, 88, 82, 93, 89, 86, 72, 79,
    80, 82, 91,
  },
  loss = {
    42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14, 13, 11, 12, 8, 7, 8, 8, 9, 15,
    15,
  },
}

local function line(n, outliers)
  local normal, x, y = made.normal(21), {}, {}
  for i = 1, n do
    x[i] = i
    y[i] = 7 + 2 * i + normal() + (i % outliers == 0 and 1000 or 0)
  end
  return x, y
end

local function share_covered(fit_of, truth, n)
  local normal, covered, trials = made.normal(5), 0, 600
  for _ = 1, trials do
    local x, y = {}, {}
    for i = 1, n do
      x[i] = i
      y[i] = 40 + 3 * i + normal() ^ 3
    end
    local estimate = fit_of(stats, y, x)
    if estimate.low < truth and truth < estimate.high then
      covered = covered + 1
    end
  end
  return covered / trials
end

describe("Huber's fit", function()
  it("is the published one of the stack loss data", function()
    -- Venables and Ripley 2002, 6.5: rlm() of their MASS, which stops early
    local fit = stats.huber(stack.loss,
      { stack.air, stack.water, stack.acid })
    local published = { 0.8294, 0.9261, -0.1278 }
    local errors = { 0.1112, 0.3034, 0.1289 }
    for i, e in ipairs(fit.coefficients) do
      assert.near_relative(published[i], e.value, 2e-3)
      -- 2.1098: 97.5 % of Student's t with 17 degrees of freedom
      assert.near_relative(errors[i], (e.high - e.low) / 2 / 2.1098, 2e-3)
    end
    assert.near_relative(-41.0265, fit.intercept.value, 2e-3)
    assert.near_relative(2.44, fit.noise_sd, 5e-3)
  end)

  it("balances residuals that are clipped", function()
    local fit = stats.huber(stack.loss, stack.air)
    local sum, sum_x, sizes, residuals = 0, 0, {}, {}
    for i, x in ipairs(stack.air) do
      residuals[i] = stack.loss[i] - fit.intercept.value -
        fit.coefficients[1].value * x
      sizes[i] = math.abs(residuals[i])
    end
    local sd = stats.median(sizes) * 1.4826022185056018
    assert.near_relative(sd, fit.noise_sd, 1e-12)
    for i, r in ipairs(residuals) do
      local clipped = math.max(-1.345 * sd, math.min(1.345 * sd, r))
      sum, sum_x = sum + clipped, sum_x + clipped * stack.air[i]
    end
    assert.is_true(math.abs(sum) < 1e-9 and math.abs(sum_x) < 1e-7)
  end)

  it("hardly moves for a few outliers", function()
    local x, y = line(60, 20)
    local fit = stats.huber(y, x)
    local plain = stats.ols(y, x)
    local height = fit.intercept.value + 30 * fit.coefficients[1].value
    assert.is_true(math.abs(height - 67) < 0.3, height)
    assert.is_true(plain.intercept + 30 * plain.coefficients[1] > 100)
  end)

  it("is the line itself where all rows lie on it", function()
    local fit = stats.huber({ 2, 4, 6, 8 }, { 1, 2, 3, 4 },
      { intercept = false })
    assert.near_relative(2, fit.coefficients[1].value, 1e-15)
    assert.near_relative(2, fit.coefficients[1].low, 1e-12)
    assert.near_relative(2, fit.coefficients[1].high, 1e-12)
    assert.equal(0, fit.noise_sd)
    assert.is_nil(fit.intercept)
  end)

  it("covers the truth with its interval", function()
    local share = share_covered(function(s, y, x)
      return s.huber(y, x).coefficients[1]
    end, 3, 60)
    assert.is_true(share > 0.92 and share < 0.98, share)
  end)

  it("is refused as least squares are", function()
    local fit, code = stats.huber({ 1, 2, 3 }, { 5, 5, 5 })
    assert.is_nil(fit)
    assert.equal("collinear", code)
    assert.has_error(function()
      stats.huber({ 1, 2 }, { 1, 2 }, { confidence = 2 })
    end)
  end)
end)

describe("Theil and Sen's fit", function()
  -- All pairwise slopes, in order.
  local function slopes(x, y)
    local list = {}
    for i = 1, #x do
      for j = i + 1, #x do
        if x[i] ~= x[j] then
          list[#list + 1] = (y[j] - y[i]) / (x[j] - x[i])
        end
      end
    end
    table.sort(list)
    return list
  end

  it("takes the median slope of all pairs, its interval by rank", function()
    local x, y = line(30, 11)
    local list = slopes(x, y)
    local fit = stats.theil_sen(y, x)
    assert.equal(stats.median(list), fit.coefficients[1].value)
    local reach = 1.959964 * math.sqrt(30 * 29 * 65 / 18)
    local rank = math.floor((#list - reach) / 2 + 0.5)
    assert.equal(list[rank], fit.coefficients[1].low)
    assert.equal(list[#list + 1 - rank], fit.coefficients[1].high)
    local heights = {}
    for i = 1, 30 do heights[i] = y[i] - fit.coefficients[1].value * x[i] end
    assert.near_relative(stats.median(heights), fit.intercept.value, 1e-12)
    assert.is_true(fit.intercept.low < 7 and 7 < fit.intercept.high)
  end)

  it("leaves pairs out that share their x", function()
    local x, y = { 1, 1, 2, 2, 3, 4, 4 }, { 2, 3, 4, 9, 6, 7, 11 }
    local list = slopes(x, y)
    local fit = stats.theil_sen(y, x)
    assert.equal(stats.median(list), fit.coefficients[1].value)
    -- three pairs of ties take 2 * 9 each off n (n - 1) (2 n + 5)
    local reach = 1.959964 * math.sqrt((7 * 6 * 19 - 3 * 18) / 18)
    local rank = math.floor((#list - reach) / 2 + 0.5)
    assert.equal(list[rank], fit.coefficients[1].low)
  end)

  -- Sen 1968, (2.6) and (3.2): ranks so far from the middle, by Kendall's S.
  local function reach_of(x, z)
    local n, groups = #x, {}
    local variance = n * (n - 1) * (2 * n + 5)
    for _, value in ipairs(x) do groups[value] = (groups[value] or 0) + 1 end
    for _, t in pairs(groups) do
      variance = variance - t * (t - 1) * (2 * t + 5)
    end
    return z * math.sqrt(variance / 18)
  end

  it("has its interval by rank for each size of ties, and confidence",
    function()
      local uniform, seen = made.uniform(3), 0
      for case = 1, 120 do
        local x, y, n = {}, {}, 6 + case % 25
        for i = 1, n do
          x[i] = math.floor(uniform() * (1 + case % 9))
          y[i] = x[i] + uniform()
        end
        local list = slopes(x, y)
        for z, confidence in pairs { [0.6744898] = 0.5, [1.2815516] = 0.8,
          [1.959964] = 0.95, [2.5758293] = 0.99 } do
          local fit = stats.theil_sen(y, x, { confidence = confidence })
          local rank = math.floor((#list - reach_of(x, z)) / 2 + 0.5)
          if #list > 0 then
            local slope = fit.coefficients[1]
            assert.equal(list[rank], slope.low)
            assert.equal(list[#list + 1 - rank], slope.high)
            seen = seen + (slope.low and 1 or 0)
          end
        end
      end
      assert.is_true(seen > 300, seen)
    end)

  it("has of the intercept the ranks of heights, and the slope's reach",
    function()
      local normal = made.normal(8)
      for n = 9, 40 do
        local x, y, heights = {}, {}, {}
        for i = 1, n do
          x[i] = i - (n + 1) / 2
          y[i] = 5 + 3 * x[i] + normal()
        end
        local fit = stats.theil_sen(y, x)
        local slope, center = fit.coefficients[1], fit.intercept
        for i = 1, n do heights[i] = y[i] - slope.value * x[i] end
        table.sort(heights)
        local rank = math.floor((n - 1.959964 * math.sqrt(n)) / 2 + 0.5)
        assert.near(stats.median(heights), center.value, 1e-12)
        assert.near(heights[rank], center.low, 1e-12)
        assert.near(heights[n + 1 - rank], center.high, 1e-12)
        for _, by in ipairs { 20, -20 } do -- how far away the intercept is
          local moved = {}
          for i = 1, n do moved[i] = x[i] + by end
          local far = stats.theil_sen(y, moved).intercept
          local up = by * (by > 0 and slope.low or slope.high)
          local down = by * (by > 0 and slope.high or slope.low)
          local value = by * slope.value
          assert.near(center.value - value, far.value, 1e-9)
          assert.near_relative((center.high - center.value) ^ 2
            + (value - up) ^ 2, (far.high - far.value) ^ 2, 1e-8)
          assert.near_relative((center.value - center.low) ^ 2
            + (down - value) ^ 2, (far.value - far.low) ^ 2, 1e-8)
        end
      end
    end)

  it("takes the median of y / x where there is no intercept", function()
    local fit = stats.theil_sen({ 3, 5, 10, 1, 90, 13, 14 },
      { 1, 2, 4, 0, 5, 6, 7 }, { intercept = false })
    assert.equal(2.5, fit.coefficients[1].value)
    assert.equal(2, fit.coefficients[1].low)
    assert.equal(18, fit.coefficients[1].high)
  end)

  it("has no interval where so few rows cannot give one", function()
    local fit = stats.theil_sen({ 1, 2, 4 }, { 1, 2, 3 })
    assert.same({ value = 1.5 }, fit.coefficients[1])
  end)

  it("draws pairs, always the same, where there are very many", function()
    local x, y = line(1500, 7)
    local fit = stats.theil_sen(y, x)
    assert.is_true(math.abs(fit.coefficients[1].value - 2) < 1e-3)
    assert.same(fit, stats.theil_sen(y, x))
  end)

  it("covers the truth with both intervals", function()
    local slope = share_covered(function(s, y, x)
      return s.theil_sen(y, x).coefficients[1]
    end, 3, 60)
    local intercept = share_covered(function(s, y, x)
      return s.theil_sen(y, x).intercept
    end, 40, 60)
    assert.is_true(slope > 0.92 and slope < 0.98, slope)
    assert.is_true(intercept > 0.92 and intercept < 0.99, intercept)
  end)

  it("is for one column", function()
    assert.has_error(function()
      stats.theil_sen({ 1, 2, 3 }, { { 1, 2, 3 }, { 2, 3, 5 } })
    end)
    assert.equal("collinear",
      (select(2, stats.theil_sen({ 1, 2, 3 }, { 5, 5, 5 }))))
    assert.equal("too_few_rows", (select(2, stats.theil_sen({ 1 }, { 5 }))))
  end)
end)

local quantile_line = stats.quantile_line

-- Koenker and Bassett's loss of a line, by the book.
local function loss(x, y, tau, slope, intercept)
  local sum = 0
  for i = 1, #x do
    local left = y[i] - slope * x[i] - intercept
    sum = sum + (left >= 0 and tau * left or (tau - 1) * left)
  end
  return sum
end

-- The best line is one through two points: try them all.
local function brute(x, y, tau)
  local best, slope, intercept = math.huge, nil, nil
  for i = 1, #x do
    for j = i + 1, #x do
      if x[i] ~= x[j] then
        local b = (y[j] - y[i]) / (x[j] - x[i])
        local a = y[i] - b * x[i]
        local l = loss(x, y, tau, b, a)
        if l < best then best, slope, intercept = l, b, a end
      end
    end
  end
  return best, slope, intercept
end

local function noisy_line(seed, n, slope, intercept, noise)
  local uniform, x, y = made.uniform(seed), {}, {}
  for i = 1, n do
    x[i] = 10 + math.ceil(1000 * uniform())
    y[i] = intercept + slope * x[i] * (1 + noise * uniform())
  end
  return x, y
end

describe("quantile regression", function()
  it("finds an exact line", function()
    local x, y = noisy_line(1, 30, 3, 500, 0)
    local slope, intercept = quantile_line(x, y, 0.25)
    assert.near_relative(3, slope, 1e-9)
    assert.near_relative(500, intercept, 1e-6)
  end)

  it("has the least loss that any line through two points has", function()
    for seed = 1, 20 do
      local x, y = noisy_line(seed, 25, 3, 100, 0.5)
      for _, tau in ipairs { 0.1, 0.25, 0.5, 0.9 } do
        local slope, intercept = quantile_line(x, y, tau)
        local best = brute(x, y, tau)
        assert.is_true(loss(x, y, tau, slope, intercept)
          <= best * (1 + 1e-9) + 1e-9)
      end
    end
  end)

  it("has a share tau of the points below it", function()
    local x, y = noisy_line(3, 400, 3, 100, 0.5)
    local slope, intercept = quantile_line(x, y, 0.25)
    local below = 0
    for i = 1, #x do
      if y[i] < slope * x[i] + intercept then below = below + 1 end
    end
    assert.is_true(math.abs(below - 100) <= 2)
  end)

  it("through the origin is the weighted quantile of the ratios", function()
    -- ratios 1, 2, 3 with weights 1, 1, 8: three quarters lie at 3
    local x, y = { 1, 1, 8 }, { 1, 2, 24 }
    assert.equal(3, (quantile_line(x, y, 0.5, true)))
    assert.equal(1, (quantile_line(x, y, 0.1, true)))
    assert.equal(2, (quantile_line(x, y, 0.2, true)))
  end)

  it("goes through the origin where all sizes are the same", function()
    local slope, intercept = quantile_line({ 5, 5, 5 }, { 10, 20, 60 }, 0.5)
    assert.equal(4, slope)
    assert.equal(0, intercept)
  end)

  it("does not follow outliers on the high side", function()
    local x, y = noisy_line(5, 100, 3, 0, 0)
    for i = 1, 40 do y[i] = y[i] * 10 end
    assert.near_relative(3, (quantile_line(x, y, 0.25)), 1e-9)
    assert.near_relative(3, (quantile_line(x, y, 0.25, true)), 1e-9)
  end)

  it("survives one point, equal points and huge values", function()
    assert.equal(7, (quantile_line({ 1 }, { 7 })))
    assert.equal(7, (quantile_line({ 1, 1 }, { 7, 7 })))
    local slope = quantile_line({ 1, 2, 3 }, { 1e149, 2e149, 3e149 })
    assert.near_relative(1e149, slope, 1e-9)
  end)

  it("refuses what is no regression", function()
    assert.has_error(function() quantile_line({ 1, 2 }, { 1 }) end)
    local ok, message = pcall(quantile_line, { 0, 2 }, { 1, 2 })
    assert.is_false(ok)
    assert.matches("#1 .*must be positive", message)
    assert.has_error(function() quantile_line({}, {}) end)
    assert.has_error(function() quantile_line({ 1 }, { 1 }, 1) end)
  end)
end)
