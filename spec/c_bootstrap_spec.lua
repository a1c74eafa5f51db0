local stats = require("tare.core").stats
local criterion = require "spec.support.criterion"
local made = require "spec.support.made_numbers"

local function pick(xs, drawn)
  local picked = {}
  for i, row in ipairs(drawn) do picked[i] = xs[row] end
  return picked
end

local functions = {
  mean = stats.mean, stddev = stats.stddev, median = stats.median,
  quantile = function(xs) return stats.quantile(xs, 0.9) end,
}

describe("the bootstrap of a statistic", function()
  local xs = made.list(41, made.normal(8))
  for i = 1, 41 do
    -- skewed, with ties, in no order
    xs[i] = i % 5 == 0 and 3 or math.exp(xs[i])
  end
  local groups = {}
  for i = 1, 41 do groups[i] = i % 6 == 0 and "late" or i % 2 end
  local plans = {
    ["single rows"] = {}, ["moving blocks"] = { block = 6 },
    ["two levels"] = { groups = groups },
  }
  for name, f in pairs(functions) do
    for plan, options in pairs(plans) do
      options.p, options.seed, options.resamples = 0.9, 5, 200

      it("takes the " .. name .. " of each draw of " .. plan, function()
        local replicates = {}
        for r, drawn in ipairs(stats.draws(41, options)) do
          replicates[r] = f(pick(xs, drawn))
        end
        options.method = "percentile"
        local boot = stats.bootstrap_statistic(xs, name, options)
        assert.near_relative(f(xs), boot.value, 1e-14)
        assert.near_relative(stats.quantile(replicates, 0.025), boot.low,
          1e-12)
        assert.near_relative(stats.quantile(replicates, 0.975), boot.high,
          1e-12)
      end)

      it("corrects bias and skew of the " .. name .. " of " .. plan, function()
        options.method = "bca"
        local boot = stats.bootstrap_statistic(xs, name, options)
        assert.near_relative(f(xs), boot.value, 1e-14)
        assert.is_true(boot.low <= boot.value and boot.value <= boot.high)
      end)
    end
  end

  -- Efron and Tibshirani 1993, 14.3, with ties with the estimate halved.
  local function bca(f, list, replicates)
    local value, below, n = f(list), 0, #list
    for _, replicate in ipairs(replicates) do
      below = below + (replicate < value and 1 or replicate == value and 0.5
        or 0)
    end
    local left, squares, cubes = {}, 0, 0
    for i = 1, n do
      local rest = {}
      for j = 1, n do rest[#rest + 1] = j ~= i and list[j] or nil end
      left[i] = f(rest)
    end
    for i = 1, n do
      local d = stats.mean(left) - left[i]
      squares, cubes = squares + d ^ 2, cubes + d ^ 3
    end
    local bias = stats.normal_quantile(below / #replicates)
    local acceleration = cubes / (6 * squares ^ 1.5)
    local function bound(z)
      local w = bias + z
      return stats.quantile(replicates,
        stats.normal_cdf(bias + w / (1 - acceleration * w)))
    end
    local z = stats.normal_quantile(0.975)
    return bound(-z), bound(z)
  end

  for _, name in ipairs { "mean", "stddev", "median", "quantile" } do
    it("has the BCa interval of the " .. name .. " by definition", function()
      local list = {}
      for i = 1, 24 do list[i] = math.floor(xs[i] * 4) end
      local options = { resamples = 500, seed = 7, p = 0.9 }
      local replicates = {}
      for r, drawn in ipairs(stats.draws(24, options)) do
        replicates[r] = functions[name](pick(list, drawn))
      end
      local low, high = bca(functions[name], list, replicates)
      options.method = "bca"
      local boot = stats.bootstrap_statistic(list, name, options)
      assert.near_relative(low, boot.low, 1e-9)
      assert.near_relative(high, boot.high, 1e-9)
    end)
  end

  it("uses the method that covers best, unless told", function()
    local methods = {}
    for name in pairs(functions) do
      methods[name] = stats.bootstrap_statistic(xs, name,
        { p = 0.9, resamples = 10 }).method
    end
    assert.same({
      mean = "expanded", stddev = "bca", median = "percentile",
      quantile = "percentile",
    }, methods)
  end)

  it("expands to the width of Student's t", function()
    -- 97.5 % of t with 4 degrees of freedom is 2.776445, times (5/4)^(1/2);
    -- 0.9981 of a normal distribution lies within as many deviations
    local few = { 1, 2, 4, 7, 11 }
    local wide = stats.bootstrap_statistic(few, "mean", { resamples = 999 })
    local same = stats.bootstrap_statistic(few, "mean", {
      resamples = 999, method = "percentile", confidence = 0.998091,
    })
    assert.near_relative(same.low, wide.low, 1e-4)
    assert.near_relative(same.high, wide.high, 1e-4)
  end)

  it("has the textbook's BCa interval", function()
    -- Efron and Tibshirani 1993, table 14.1: the spatial test data, variance
    -- with n below; their acceleration is 0.061 and their interval, of 2,000
    -- resamples, (115.8, 259.6). The root of it is the standard deviation.
    local spatial = {
      48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
      0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
    }
    local boot = stats.bootstrap_statistic(spatial, "stddev",
      { method = "bca", confidence = 0.9, resamples = 20000 })
    assert.near_relative(171.5, boot.value ^ 2 * 25 / 26, 1e-3)
    assert.near_relative(115.8, boot.low ^ 2 * 25 / 26, 0.03)
    assert.near_relative(259.6, boot.high ^ 2 * 25 / 26, 0.03)
  end)

  for _, run in criterion.runs(pending) do
    it("is as wide as criterion's for " .. run.name, function()
      for _, name in ipairs { "mean", "stddev" } do
        local boot = stats.bootstrap_statistic(run.per_iteration, name)
        local expected = run.expected[name]
        local ratio = (boot.high - boot.low) /
          (expected.low_offset + expected.high_offset)
        assert.is_true(ratio > 1 / 1.2 and ratio < 1.2, name .. ratio)
      end
    end)
  end

  it("has no width for a constant or a single value", function()
    for name in pairs(functions) do
      for _, method in ipairs { "percentile", "bca" } do
        for _, list in ipairs { { 0.1, 0.1, 0.1 }, { 0.1 } } do
          local boot = stats.bootstrap_statistic(list, name,
            { method = method, p = 0.3, resamples = 30 })
          local value = name == "stddev" and 0 or 0.1
          assert.same({ value, value, value },
            { boot.value, boot.low, boot.high })
        end
      end
    end
  end)

  it("keeps the value of a far and narrow sample", function()
    local boot = stats.bootstrap_statistic({ 1e9, 1e9 + 1, 1e9 + 2 }, "stddev")
    assert.equal(1, boot.value)
    assert.near_relative(1.15470053837925, boot.high, 1e-14)
  end)

  it("reaches over all that a mean of two can be", function()
    local found = stats.bootstrap_statistic({ 1, 2 }, "mean",
      { resamples = 1000, seed = 1 })
    assert.same({ 1, 1.5, 2 }, { found.low, found.value, found.high })
  end)

  it("has the same BCa interval in any unit", function()
    local options = { method = "bca", resamples = 50 }
    local plain = stats.bootstrap_statistic({ 1, 2, 4, 9 }, "stddev", options)
    for _, unit in ipairs { 2 ^ 490, 2 ^ -490 } do
      local found = stats.bootstrap_statistic(
        { unit, 2 * unit, 4 * unit, 9 * unit }, "stddev", options)
      assert.near_relative(plain.low * unit, found.low, 1e-9)
      assert.near_relative(plain.high * unit, found.high, 1e-9)
    end
  end)

  it("has an interval at any confidence between 0 and 1", function()
    for _, confidence in ipairs { 5e-324, 1e-300, 1e-17, 1 - 2 ^ -53 } do
      for _, method in ipairs { "percentile", "expanded", "bca" } do
        local found = stats.bootstrap_statistic({ 1, 2, 4, 9 }, "mean",
          { confidence = confidence, method = method, resamples = 50 })
        assert.is_true(found.low <= found.high)
      end
    end
  end)

  it("takes any name of a group, also one that looks like no number", function()
    local four = { 1, 2, 4, 8 }
    local function interval(name)
      return stats.bootstrap_statistic(four, "mean", { seed = 1, resamples = 50,
        groups = { name, "b", name, "b" } })
    end
    assert.same(interval "a", interval "nan")
    assert.has_error(function() interval(0 / 0) end)
  end)

  it("refuses what is no sample or no statistic", function()
    assert.has_error(function() stats.bootstrap_statistic({}, "mean") end)
    assert.has_error(function()
      stats.bootstrap_statistic({ 1, 0 / 0 }, "mean")
    end)
    assert.has_error(function() stats.bootstrap_statistic({ 1 }, "mode") end)
    assert.has_error(function()
      stats.bootstrap_statistic({ 1, 2 }, "quantile")
    end)
  end)
end)
