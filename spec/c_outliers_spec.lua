local stats = require("tare.core").stats
local criterion = require "spec.support.criterion"
local made = require "spec.support.made_numbers"

local function counts(low_severe, low_mild, high_mild, high_severe, samples)
  return {
    low_severe = low_severe, low_mild = low_mild, high_mild = high_mild,
    high_severe = high_severe, samples = samples,
  }
end

describe("outliers", function()
  it("fall into four classes by 1.5 and 3 interquartile ranges", function()
    -- quartiles 0 and 10: fences at -30, -15, 25 and 40
    local list = { -30, -29, -15, -14, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5, 10, 10, 10,
      10, 10, 10, 10, 24, 25, 39, 40 }
    assert.equal(0, stats.quantile(list, 0.25))
    assert.equal(10, stats.quantile(list, 0.75))
    assert.same(counts(1, 2, 2, 1, 25), stats.outliers(list))
  end)

  it("are not found in constant data", function()
    assert.same(counts(0, 0, 0, 0, 1), stats.outliers { 3 })
    assert.same(counts(0, 0, 0, 0, 5), stats.outliers { 3, 3, 3, 3, 3 })
  end)

  it("are found beside values that are otherwise equal", function()
    assert.same(counts(1, 0, 0, 1, 8),
      stats.outliers { 3, 3, 3, 3, 3, 3, 4, 2 })
  end)

  for _, run in criterion.runs(pending) do
    it("are counted as criterion does in " .. run.name, function()
      local x = run.expected.outliers
      assert.same(
        counts(x.lowSevere, x.lowMild, x.highMild, x.highSevere, x.samplesSeen),
        stats.outliers(run.per_iteration))
    end)
  end
end)

describe("outlier_variance", function()
  for _, run in criterion.runs(pending) do
    it("is criterion's for " .. run.name, function()
      local x = run.expected
      local n = #run.iters
      local of_list = stats.outlier_variance(run.per_iteration, n)
      local of_figures =
        stats.outlier_variance(x.mean.point, x.stddev.point, n)
      for _, got in ipairs { of_list, of_figures } do
        assert.near_relative(x.outlier_variance.fraction, got.fraction, 1e-12)
        assert.equal(x.outlier_variance.effect:lower(), got.effect)
      end
    end)
  end

  it("grows with the spread, through all four grades", function()
    local last, grades = -1, {}
    for _, sd in ipairs { 1e-4, 0.01, 0.015, 0.03, 0.1, 1, 10 } do
      local got = stats.outlier_variance(1, sd, 100)
      assert.is_true(got.fraction > last - 1e-12 and got.fraction <= 1)
      last = got.fraction
      grades[got.effect] = true
    end
    assert.same({ unaffected = true, slight = true, moderate = true,
      severe = true }, grades)
  end)

  it("is nothing where nothing varies", function()
    local nothing = { fraction = 0, effect = "unaffected" }
    assert.same(nothing, stats.outlier_variance { 5 })
    assert.same(nothing, stats.outlier_variance { 2, 2, 2 })
    assert.same(nothing, stats.outlier_variance(0, 0, 10))
  end)

  it("stays a share of the variance for any figures", function()
    local uniform = made.uniform(4)
    for _ = 1, 1000 do
      local got = stats.outlier_variance(
        10 ^ (uniform() * 12 - 6), 10 ^ (uniform() * 12 - 6),
        1 + math.floor(uniform() * 1000))
      assert.is_true(got.fraction >= 0 and got.fraction <= 1)
    end
  end)

  it("is a share also of figures that are next to nothing, or enormous",
    function()
      for _, figures in ipairs { { 1, 1e-200, 10 }, { 0, 1e-170, 2 },
        { 1e150, 1e150, 10 }, { -1e150, 1, 1e300 }, { 1, 1e150, 1e300 } } do
        local got = stats.outlier_variance(figures[1], figures[2],
          figures[3])
        assert.is_true(got.fraction >= 0 and got.fraction <= 1)
      end
    end)

  it("refuses figures that make no sense", function()
    for _, wrong in ipairs { 1e151, -1e151, math.huge, 0 / 0 } do
      assert.has_error(function() stats.outlier_variance(wrong, 1, 10) end)
      assert.has_error(function() stats.outlier_variance(1, wrong, 10) end)
    end
    assert.has_error(function()
      stats.outlier_variance({ 1, 2, 3 }, math.huge)
    end)
    assert.has_error(function() stats.outlier_variance(1, -1, 10) end)
    assert.has_error(function() stats.outlier_variance(1, 1, 0) end)
    assert.has_error(function() stats.outlier_variance({ 1, 2, 3 }, 2) end)
    assert.has_error(function() stats.outlier_variance(1, 1) end)
  end)
end)
