local stats = require("tare.core").stats
local criterion = require "spec.support.criterion"
local made = require "spec.support.made_numbers"

-- Made-up batches: y = 5 + 3 x - z + noise, rows in groups of unequal size.
local function rows(n)
  local normal, data = made.normal(11), { y = {}, x = {}, z = {}, group = {} }
  for i = 1, n do
    data.x[i], data.z[i] = i, normal()
    data.y[i] = 5 + 3 * i - data.z[i] + normal() ^ 3
    data.group[i] = i % 7 % 4
  end
  return data
end

local function pick(column, drawn)
  local picked = {}
  for i, row in ipairs(drawn) do picked[i] = column[row] end
  return picked
end

-- The statistics of a fit in one order: coefficients, intercept, R2.
local function flat(fit)
  local list = {}
  for i, v in ipairs(fit.coefficients) do list[i] = v end
  list[#list + 1] = fit.intercept
  list[#list + 1] = fit.r2
  return list
end

local function column(table_of_rows, i)
  local list = {}
  for r, row in ipairs(table_of_rows) do list[r] = row[i] end
  return list
end

local function fits(data, columns, drawn, options)
  local list = {}
  for r, resample in ipairs(drawn) do
    local xs = {}
    for c, name in ipairs(columns) do xs[c] = pick(data[name], resample) end
    list[r] = flat(stats.ols(pick(data.y, resample), xs, options))
  end
  return list
end

-- All rows but those of one unit: a row, a block or a group.
local function leave_one_out(n, unit_of)
  local units, order = {}, {}
  for i = 1, n do
    local unit = unit_of(i)
    if not units[unit] then
      units[unit] = true
      order[#order + 1] = unit
    end
  end
  local left = {}
  for u, unit in ipairs(order) do
    left[u] = {}
    for i = 1, n do
      if unit_of(i) ~= unit then table.insert(left[u], i) end
    end
  end
  return left
end

local function normal_quantile(p) -- by bisection of the integrated density
  local low, high = -9, 9
  local function cdf(z)
    local sum, steps = 0, 400
    for i = 1, steps do
      sum = sum + math.exp(-0.5 * ((i - 0.5) / steps * z) ^ 2)
    end
    return 0.5 + sum * z / steps / math.sqrt(2 * math.pi)
  end
  for _ = 1, 60 do
    local z = (low + high) / 2
    if cdf(z) < p then low = z else high = z end
  end
  return low, cdf
end

local function bca(estimate, replicates, left, confidence)
  local below, squares, cubes, mean = 0, 0, 0, stats.mean(left)
  for _, v in ipairs(replicates) do
    if v < estimate then below = below + 1 end
  end
  for _, v in ipairs(left) do
    squares, cubes = squares + (mean - v) ^ 2, cubes + (mean - v) ^ 3
  end
  local a = cubes / 6 / squares ^ 1.5
  local bias, cdf = normal_quantile(below / #replicates)
  local function bound(p)
    local w = bias + normal_quantile(p)
    return stats.quantile(replicates, cdf(bias + w / (1 - a * w)))
  end
  return bound((1 - confidence) / 2), bound((1 + confidence) / 2)
end

local function with(options, more)
  local merged = {}
  for k, v in pairs(options) do merged[k] = v end
  for k, v in pairs(more) do merged[k] = v end
  return merged
end

describe("the bootstrap of a regression", function()
  local data = rows(60)
  local plans = {
    ["single rows"] = {}, ["moving blocks"] = { block = 7 },
    ["two levels"] = { groups = data.group },
  }
  local shapes = {
    { "x" }, { "x", "z" }, { "x", intercept = false },
    { "x", "z", intercept = false }, {},
  }
  for name, plan in pairs(plans) do
    for _, columns in ipairs(shapes) do
      local what = table.concat(columns, ", ") ..
        (columns.intercept == false and " without intercept" or "")
      local options = with(plan, {
        seed = 3, resamples = 150, confidence = 0.9,
        intercept = columns.intercept,
      })
      local xs = {}
      for c, x in ipairs(columns) do xs[c] = data[x] end

      it("refits each draw of " .. name .. " on " .. what, function()
        local replicates = fits(data, columns,
          stats.draws(60, options), options)
        local boot = assert(stats.bootstrap(data.y, xs, options))
        local point = flat(stats.ols(data.y, xs, options))
        for i, v in ipairs(flat(boot)) do
          local list = column(replicates, i)
          assert.near_relative(point[i], v.value, 1e-12)
          -- R2 without any column is 0 but for rounding
          if #columns > 0 or i == 1 then
            assert.near_relative(stats.quantile(list, 0.05), v.low, 1e-9)
            assert.near_relative(stats.quantile(list, 0.95), v.high, 1e-9)
          end
        end
      end)
    end

    it("corrects bias and skew of " .. name, function()
      local options = with(plan, { seed = 3, resamples = 300, method = "bca" })
      local columns, xs = { "x", "z" }, { data.x, data.z }
      local replicates = fits(data, columns, stats.draws(60, options))
      local left = fits(data, columns, leave_one_out(60, function(i)
        if plan.groups then return data.group[i] end
        return math.floor((i - 1) / (plan.block or 1))
      end))
      local boot = stats.bootstrap(data.y, xs, options)
      for i, v in ipairs(flat(boot)) do
        local low, high = bca(v.value, column(replicates, i), column(left, i),
          0.95)
        assert.near_relative(low, v.low, 1e-4)
        assert.near_relative(high, v.high, 1e-4)
      end
      assert.equal("bca", boot.method)
    end)
  end

  it("works in sums of many columns", function()
    local normal, y, xs = made.normal(5), made.list(80, made.normal(6)), {}
    for c = 1, 8 do xs[c] = made.list(80, normal) end
    local columns, wide = {}, { y = y }
    for c = 1, 8 do columns[c], wide[c] = c, xs[c] end
    local options = { resamples = 60, confidence = 0.8 }
    local replicates = fits(wide, columns, stats.draws(80, options))
    for i, v in ipairs(flat(stats.bootstrap(y, xs, options))) do
      local list = column(replicates, i)
      assert.near_relative(stats.quantile(list, 0.1), v.low, 1e-9)
      assert.near_relative(stats.quantile(list, 0.9), v.high, 1e-9)
    end
  end)

  it("keeps its digits where the columns have few of their own", function()
    -- 1e9 and a little: a naive sum of squares has no digit of the slope left
    local x, y, normal = {}, {}, made.normal(2)
    for i = 1, 50 do
      x[i] = 1e9 + i / 64
      y[i] = 1e7 * i / 64 + normal()
    end
    local options = { resamples = 40 }
    local replicates = fits({ x = x, y = y }, { "x" },
      stats.draws(50, options))
    local boot = stats.bootstrap(y, { x }, options)
    assert.near_relative(stats.quantile(column(replicates, 1), 0.025),
      boot.coefficients[1].low, 1e-9)
    assert.near_relative(stats.quantile(column(replicates, 3), 0.975),
      boot.r2.high, 1e-12)
  end)

  for _, run in criterion.runs(pending) do
    it("is as wide as criterion's for " .. run.name, function()
      local boot = stats.bootstrap(run.seconds, { run.iters })
      local function width(estimate, expected)
        return (estimate.high - estimate.low) /
          (expected.low_offset + expected.high_offset)
      end
      for expected, estimate in pairs {
        slope = boot.coefficients[1], intercept = boot.intercept, r2 = boot.r2,
      } do
        local ratio = width(estimate, run.expected[expected])
        assert.is_true(ratio > 1 / 1.2 and ratio < 1.2, expected .. ratio)
        assert.is_true(estimate.low < estimate.high)
      end
    end)
  end

  it("gives the same numbers on every platform", function()
    local y, x = { 2, 3, 5, 8, 13, 21, 34 }, { 1, 2, 3, 4, 5, 6, 7 }
    local boot = stats.bootstrap(y, { x }, { seed = 42, resamples = 999 })
    assert.near_relative(2.5210602235845672, boot.coefficients[1].low, 1e-13)
    assert.near_relative(7.75, boot.coefficients[1].high, 1e-13)
    assert.same(boot, stats.bootstrap(y, { x }, { seed = 42, resamples = 999 }))
    assert.are_not.same(boot,
      stats.bootstrap(y, { x }, { seed = 43, resamples = 999 }))
  end)

  it("gives what ols gives, estimates with both ends, and its settings",
    function()
      local options = { seed = 9, resamples = 20, intercept = true }
      local boot = stats.bootstrap(data.y, { n = data.x, gc = data.z }, options)
      local fit = stats.ols(data.y, { n = data.x, gc = data.z })
      for _, same in ipairs {
        "stderr", "intercept_stderr", "vif", "residual_sd", "dof", "rows",
      } do
        assert.same(fit[same], boot[same])
      end
      for name, value in pairs(fit.coefficients) do
        local e = boot.coefficients[name]
        assert.equal(value, e.value)
        assert.is_true(e.low < value and value < e.high)
      end
      assert.equal(fit.intercept, boot.intercept.value)
      assert.equal(fit.r2, boot.r2.value)
      assert.equal(fit.adjusted_r2, boot.adjusted_r2.value)
      assert.near_relative(1 - (1 - boot.r2.low) * 59 / 57,
        boot.adjusted_r2.low, 1e-14)
      assert.same({ 9, 20, 0.95, "percentile" },
        { boot.seed, boot.resamples, boot.confidence, boot.method })
    end)

  it("has no width where nothing varies, and no R2", function()
    for _, method in ipairs { "percentile", "bca" } do
      local boot = stats.bootstrap({ 5, 5, 5, 5 }, { { 1, 2, 3, 4 } },
        { method = method, resamples = 50 })
      assert.is_nil(boot.r2)
      assert.is_true(math.abs(boot.coefficients[1].high) < 1e-14)
      assert.near_relative(5, boot.intercept.low, 1e-14)
      assert.near_relative(5, boot.intercept.high, 1e-14)
    end
  end)

  it("draws again what cannot be fitted", function()
    -- 1 of 3 rows has another x: most resamples vary, some do not
    local boot = stats.bootstrap({ 1, 2, 4 }, { { 1, 1, 2 } },
      { resamples = 500 })
    assert.is_true(boot.coefficients[1].low >= 2 - 1e-12)
    assert.is_true(boot.coefficients[1].high <= 3 + 1e-12)
  end)

  it("keeps the names of columns that go while its options are read", function()
    local columns, others = {}, {}
    local function name(i) return ("column "):rep(10) .. i end
    columns[name(1)] = { 1, 2, 3, 4, 5, 6.5, 7, 8 }
    local options = setmetatable({}, { __index = function(_, option)
      if option ~= "resamples" then return end
      columns[name(1)] = nil
      collectgarbage()
      for i = 1, 1000 do others[i] = name(i + 1) end
      return 20
    end })
    local fit = assert(stats.bootstrap({ 2, 4, 6, 8, 10, 13, 15, 16 }, columns,
      options))
    assert.is_table(fit.coefficients[name(1)])
    assert.equal(1000, #others)
  end)

  it("is refused where next to nothing can be fitted", function()
    local y, x = made.list(40, made.normal(4)), {}
    for c = 1, 8 do -- each column is a single event
      x[c] = {}
      for i = 1, 40 do x[c][i] = i == c and 1 or 0 end
    end
    local fit, code = stats.bootstrap(y, x, { resamples = 50 })
    assert.is_nil(fit)
    assert.equal("degenerate", code)
  end)

  it("is refused as the fit is, and with as many rows as terms", function()
    local function code(...) return (select(2, stats.bootstrap(...))) end
    assert.equal("too_few_rows", code({ 1, 2 }, { { 1, 2 } }))
    assert.equal("too_few_rows", code({}, { {} }))
    assert.equal("zero_column", code({ 1, 2, 3 }, { { 0, 0, 0 } }))
    assert.equal("collinear", code({ 1, 2, 3 }, { { 7, 7, 7 } }))
    assert.equal("not_finite", code({ 1, 0 / 0, 3 }, { { 1, 2, 3 } }))
  end)
end)
