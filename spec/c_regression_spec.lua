local stats = require("tare.core").stats
local digits = require "spec.support.digits"
local columns_of = require "spec.support.nist_columns"
local criterion = require "spec.support.criterion"
local made = require "spec.support.made_numbers"
local nist = dofile "spec/data/nist_linear.lua"

-- The fewest digits of any value of a fit, by kind.
local function fewest(fit, set)
  local coefficient, spread = 16, digits(fit.residual_sd, set.residual_sd)
  for i, expected in ipairs(set.coefficients) do
    coefficient = math.min(coefficient, digits(fit.coefficients[i], expected))
    spread = math.min(spread, digits(fit.stderr[i], set.stderr[i]))
  end
  if set.intercept then
    coefficient = math.min(coefficient, digits(fit.intercept, set.intercept))
    spread = math.min(spread,
      digits(fit.intercept_stderr, set.intercept_stderr))
  end
  return coefficient, spread, digits(fit.r2, set.r2)
end

describe("least squares", function()
  for _, set in ipairs(nist) do
    local fit = assert(stats.ols(set.y, columns_of(set),
      { intercept = set.intercept ~= nil }))
    local coefficient, spread, r2 = fewest(fit, set)
    it(("has %.1f, %.1f and %.1f digits of NIST's coefficients, deviations " ..
      "and R2 of %s"):format(coefficient, spread, r2, set.name), function()
      -- Filip's powers of x are rounded before any fit sees them
      local enough = set.name == "Filip" and 6.5 or 13
      assert.is_true(coefficient >= enough)
      assert.is_true(spread >= enough)
      assert.is_true(r2 >= enough)
    end)
  end

  for _, run in criterion.runs(pending) do
    it("is criterion's regression of " .. run.name, function()
      local fit = stats.ols(run.seconds, { run.iters }, { intercept = true })
      local expected = run.expected
      assert.near_relative(expected.slope.point, fit.coefficients[1], 1e-13)
      assert.near_relative(expected.intercept.point, fit.intercept, 1e-9)
      assert.near_relative(expected.r2.point, fit.r2, 1e-12)
    end)
  end

  it("gives everything a small fit has", function()
    local fit = stats.ols({ 1, 2, 3, 4.5 }, { { 1, 2, 3, 4 } })
    assert.same({ 1 }, fit.vif)
    assert.near_relative(1.15, fit.coefficients[1], 1e-15)
    assert.near_relative(-0.25, fit.intercept, 1e-14)
    assert.near_relative(1 - 0.075 / 6.6875, fit.r2, 1e-15)
    assert.near_relative(1 - 0.075 / 6.6875 * 3 / 2, fit.adjusted_r2, 1e-15)
    assert.near_relative(math.sqrt(0.075 / 2), fit.residual_sd, 1e-14)
    assert.near_relative(math.sqrt(0.0375 / 5), fit.stderr[1], 1e-14)
    assert.near_relative(math.sqrt(0.0375 * 30 / 20), fit.intercept_stderr,
      1e-14)
    assert.equal(2, fit.dof)
    assert.equal(4, fit.rows)
  end)

  it("takes R2 about zero where there is no intercept", function()
    local fit = stats.ols({ 1, 2, 4 }, { { 1, 2, 3 } }, { intercept = false })
    assert.is_nil(fit.intercept)
    assert.near_relative(17 / 14, fit.coefficients[1], 1e-15)
    assert.near_relative(17 * 17 / 14 / 21, fit.r2, 1e-15)
    assert.near_relative(1 - (1 - fit.r2) * 3 / 2, fit.adjusted_r2, 1e-15)
  end)

  it("fits a mean where there is only an intercept", function()
    local fit = stats.ols({ 1, 2, 6 }, {})
    assert.near_relative(3, fit.intercept, 1e-15)
    assert.near_relative(math.sqrt(7 / 3), fit.intercept_stderr, 1e-15)
  end)

  it("keys what it says by the columns' names where they have some", function()
    local y, n, gc = { 12, 22, 33, 42 }, { 1, 2, 3, 4 }, { 0, 0, 1, 0 }
    local named = stats.ols(y, { n = n, gc = gc })
    local listed = stats.ols(y, { gc, n })
    assert.equal(listed.coefficients[1], named.coefficients.gc)
    assert.equal(listed.coefficients[2], named.coefficients.n)
    assert.equal(listed.vif[2], named.vif.n)
    assert.near_relative(1, named.coefficients.gc, 1e-12)
  end)

  it("takes a list of numbers for a single column", function()
    assert.same(stats.ols({ 1, 3, 4 }, { { 1, 2, 4 } }),
      stats.ols({ 1, 3, 4 }, { 1, 2, 4 }))
  end)

  it("inflates the variance of columns that go together", function()
    local normal, a, b, y = made.normal(7), {}, {}, {}
    for i = 1, 200 do
      a[i] = normal()
      b[i] = a[i] + normal()
      y[i] = a[i] + b[i] + normal()
    end
    -- 1 / (1 - the R2 of one column on the others)
    local rest = stats.ols(b, { a })
    local fit = stats.ols(y, { a, b })
    assert.near_relative(1 / (1 - rest.r2), fit.vif[2], 1e-12)
    assert.near_relative(fit.vif[1], fit.vif[2], 1e-12)
  end)

  it("is the same fit in other units, be they extreme", function()
    local x, y = { 1, 2, 3, 4 }, { 1, 2, 3, 4.5 }
    local fit = stats.ols(y, { x })
    for i = 1, 4 do x[i], y[i] = x[i] * 2 ^ -500, y[i] * 2 ^ 500 end
    local scaled = stats.ols(y, { x })
    assert.equal(fit.coefficients[1] * 2 ^ 1000, scaled.coefficients[1])
    assert.equal(fit.intercept * 2 ^ 500, scaled.intercept)
    assert.equal(fit.r2, scaled.r2)
  end)

  it("leaves out what is undefined", function()
    local exact = stats.ols({ 1, 3 }, { { 1, 2 } })
    assert.near_relative(2, exact.coefficients[1], 1e-15)
    assert.same({}, exact.stderr)
    assert.is_nil(exact.adjusted_r2)
    assert.is_nil(exact.residual_sd)
    local constant = stats.ols({ .1, .1, .1 }, { { 1, 2, 4 } })
    assert.is_true(math.abs(constant.coefficients[1]) < 1e-16)
    assert.is_nil(constant.r2)
  end)

  describe("refuses by name", function()
    local function refusal(...)
      local fit, code, message = stats.ols(...)
      assert.is_nil(fit)
      return code, message
    end

    it("too few rows", function()
      assert.equal("too_few_rows", (refusal({ 1 }, { { 1 } })))
      assert.equal("too_few_rows", (refusal({}, { {} })))
    end)

    it("a column of zeros", function()
      local code, message = refusal({ 1, 2, 3 }, { { 1, 2, 4 }, { 0, 0, 0 } })
      assert.equal("zero_column", code)
      assert.equal("a column is zero in every row (column 2)", message)
    end)

    it("collinear columns, and which", function()
      local code, message = refusal({ 1, 2, 3, 5 },
        { n = { 1, 2, 3, 4 }, twice = { .2, .4, .6, .8 } })
      assert.equal("collinear", code)
      assert.matches("column 'twice'", message)
      assert.equal("collinear", (refusal({ 1, 2, 3 }, { { .1, .1, .1 } })))
      local a, b, c, y, normal = {}, {}, {}, {}, made.normal(3)
      for i = 1, 500 do
        a[i], b[i], y[i] = normal() * 1e6, normal() * 1e-3, normal()
        c[i] = 0.7 * a[i] - 0.3 * b[i]
      end
      assert.equal("collinear", (refusal(y, { a, b, c })))
      assert.equal("collinear", (refusal(y, { c, b, a })))
    end)

    it("values that are NaN or infinite", function()
      local code, message = refusal({ 1, 2, 3 }, { { 1, 0 / 0, 3 } })
      assert.equal("not_finite", code)
      assert.matches("column 1", message)
      assert.equal("not_finite", (refusal({ 1, 1 / 0, 3 }, { { 1, 2, 3 } })))
    end)
  end)

  it("raises an error for what is no regression", function()
    assert.has_error(function() stats.ols({ 1, 2 }, { { 1 } }) end)
    assert.has_error(function() stats.ols({ 1, 2 }, { { 1, "x" } }) end)
    assert.has_error(function() stats.ols({ 1, 2 }, { {}, 2 }) end)
    assert.has_error(function() stats.ols({ 1, 2 }, nil) end)
    for _, list in ipairs { "12", 12, true } do
      local ok, message = pcall(stats.ols, list, { { 1, 2 } })
      assert.is_false(ok)
      assert.matches("#1.*table expected", message)
    end
    assert.has_error(function()
      stats.ols({ 1, 2 }, {}, { intercept = false })
    end)
    local many = {}
    for c = 1, 33 do many[c] = { 1, 2 } end
    assert.has_error(function() stats.ols({ 1, 2 }, many) end)
  end)
end)
