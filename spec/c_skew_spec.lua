local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

-- Disturbances, in standard deviations of the noise, and of a mean about 10.
local disturbances = {
  exponential = function(uniform) return -10 * math.log(uniform()) end,
  uniform = function(uniform) return 20 * uniform() end,
  ["log-normal"] = function(_, normal) return 6 * math.exp(normal()) end,
  ["as long as the batch"] = function(uniform, _, x)
    return -0.2 * x * math.log(uniform())
  end,
}

-- y = 50 + 3 x + noise, of which 'share' carries a disturbance on top.
local function sample(uniform, normal, share, disturb)
  local x, y = {}, {}
  for i = 1, 100 do
    x[i] = i
    y[i] = 50 + 3 * i + normal()
    if uniform() < share then y[i] = y[i] + disturb(uniform, normal, i) end
  end
  return x, y
end

local estimators = {
  ols = function(y, x)
    local fit = stats.ols(y, x)
    return fit.coefficients[1], fit.intercept
  end,
}
for _, name in ipairs { "theil_sen", "huber", "skew_fit" } do
  estimators[name] = function(y, x)
    local fit = stats[name](y, x)
    return fit.coefficients[1].value, fit.intercept.value
  end
end

-- Mean error of the line's height in the middle, for each estimator.
local function biases(share, disturb, trials)
  local uniform, normal, bias = made.uniform(1001), made.normal(2002), {}
  for _ = 1, trials do
    local x, y = sample(uniform, normal, share, disturb)
    for name, estimate in pairs(estimators) do
      local slope, intercept = estimate(y, x)
      bias[name] = (bias[name] or 0) +
        (intercept + slope * 50 - 200) / trials
    end
  end
  return bias
end

describe("the fit of skewed noise", function()
  for kind, disturb in pairs(disturbances) do
    for _, percent in ipairs { 5, 20, 40 } do
      it(("is the least biased with %d %% disturbed, %s"):format(percent,
        kind), function()
        local bias = biases(percent / 100, disturb, 60)
        local own = math.abs(bias.skew_fit)
        for _, other in ipairs { "ols", "theil_sen", "huber" } do
          assert.is_true(own < math.abs(bias[other]),
            ("%s: %.3f, skew_fit: %.3f"):format(other, bias[other], own))
        end
        assert.is_true(own < 0.15, own)
      end)
    end
  end

  -- Batches that grow by a tenth, noise and disturbances with them.
  local function growing(uniform, normal, share)
    local x, y = {}, {}
    for i = 1, 120 do
      x[i] = i + math.floor(1.1 ^ i)
      local relative = 3 + 0.03 * normal()
      if uniform() < share then
        relative = relative - 0.3 * math.log(uniform())
      end
      y[i] = 5 + relative * x[i] + normal()
    end
    return x, y
  end

  it("is the least biased where long batches are noisier", function()
    for _, share in ipairs { 0.05, 0.2, 0.4 } do
      local uniform, normal, bias = made.uniform(55), made.normal(66), {}
      for _ = 1, 60 do
        local x, y = growing(uniform, normal, share)
        for name, estimate in pairs(estimators) do
          bias[name] = (bias[name] or 0) + (estimate(y, x) - 3) / 60
        end
      end
      for _, other in ipairs { "ols", "theil_sen", "huber" } do
        assert.is_true(math.abs(bias.skew_fit) < math.abs(bias[other]),
          ("%s: %.4f, skew_fit: %.4f"):format(other, bias[other],
            bias.skew_fit))
      end
    end
  end)

  it("tells whether noise grows with the batch", function()
    local x, y = growing(made.uniform(7), made.normal(8), 0.2)
    local fit = stats.skew_fit(y, x)
    assert.is_true(fit.noise_power > 0.7, fit.noise_power)
    x, y = sample(made.uniform(7), made.normal(8), 0.2,
      disturbances.exponential)
    assert.equal(0, stats.skew_fit(y, x).noise_power)
  end)

  it("costs little where nothing is disturbed", function()
    local uniform, normal = made.uniform(3), made.normal(4)
    local own, least_squares = 0, 0
    for _ = 1, 100 do
      local x, y = sample(uniform, normal, 0)
      own = own + (stats.skew_fit(y, x).coefficients[1].value - 3) ^ 2
      least_squares = least_squares + (stats.ols(y, x).coefficients[1] - 3) ^ 2
    end
    assert.is_true(own < 1.15 * least_squares, own / least_squares)
  end)

  it("covers the truth with its intervals", function()
    for _, share in ipairs { 0, 0.05, 0.2, 0.4 } do
      local uniform, normal = made.uniform(71), made.normal(72)
      local slope, intercept, trials = 0, 0, 300
      for _ = 1, trials do
        local x, y = sample(uniform, normal, share, disturbances.exponential)
        local fit = stats.skew_fit(y, x)
        local b, a = fit.coefficients[1], fit.intercept
        if b.low < 3 and 3 < b.high then slope = slope + 1 end
        if a.low < 50 and 50 < a.high then intercept = intercept + 1 end
      end
      slope, intercept = slope / trials, intercept / trials
      assert.is_true(slope > 0.91 and slope < 0.98, slope)
      assert.is_true(intercept > 0.91 and intercept < 0.98, intercept)
    end
  end)

  it("tells the noise: its spread, who is disturbed and by how much",
    function()
      local uniform, normal, x, y = made.uniform(8), made.normal(9), {}, {}
      for i = 1, 4000 do
        x[i] = i
        y[i] = 3 * i + 2 * normal() +
          (uniform() < 0.3 and -40 * math.log(uniform()) or 0)
      end
      local fit = stats.skew_fit(y, x, { intercept = false })
      assert.near_relative(2, fit.noise_sd, 0.05)
      assert.near_relative(0.3, fit.noise_share, 0.1)
      assert.near_relative(40, fit.noise_excess, 0.05)
      assert.near_relative(3, fit.coefficients[1].value, 1e-4)
      assert.is_nil(fit.intercept)
    end)

  it("moves with the units of the data", function()
    local x, y = sample(made.uniform(5), made.normal(6), 0.3,
      disturbances.exponential)
    local fit, moved = stats.skew_fit(y, x), {}
    for i = 1, #y do moved[i] = 4 * y[i] + 7 * x[i] - 11 end
    local other = stats.skew_fit(moved, x)
    for _, part in ipairs { "value", "low", "high" } do
      assert.near_relative(4 * fit.coefficients[1][part] + 7,
        other.coefficients[1][part], 1e-6)
      assert.near_relative(4 * fit.intercept[part] - 11,
        other.intercept[part], 1e-6)
    end
    assert.near_relative(4 * fit.noise_sd, other.noise_sd, 1e-6)
    assert.near_relative(fit.noise_share, other.noise_share, 1e-6)
  end)

  it("takes several columns, by name", function()
    local uniform, normal = made.uniform(15), made.normal(16)
    local y, n, gc = {}, {}, {}
    for i = 1, 300 do
      n[i], gc[i] = i, uniform() < 0.2 and 1 or 0
      y[i] = 5 * i + 30 * gc[i] + normal() +
        (uniform() < 0.3 and -20 * math.log(uniform()) or 0)
    end
    local fit = stats.skew_fit(y, { n = n, gc = gc })
    for name, truth in pairs { n = 5, gc = 30 } do
      local e = fit.coefficients[name]
      assert.is_true(e.low < truth and truth < e.high)
      assert.is_true(e.high - e.low < 0.05 * truth)
    end
  end)

  it("is the line itself where all rows lie on it", function()
    local fit = stats.skew_fit({ 2, 4, 6, 8, 10 }, { 1, 2, 3, 4, 5 })
    assert.near_relative(2, fit.coefficients[1].low, 1e-15)
    assert.near_relative(2, fit.coefficients[1].high, 1e-15)
    assert.same({ 0, 0 }, { fit.noise_sd, fit.noise_share })
    assert.is_nil(fit.noise_excess)
    local constant = stats.skew_fit({ 5, 5, 5, 5, 5 }, { 1, 2, 3, 4, 5 })
    assert.near_relative(5, constant.intercept.value, 1e-15)
  end)

  it("needs three rows more than terms", function()
    assert.equal("too_few_rows",
      (select(2, stats.skew_fit({ 1, 2, 4, 7 }, { 1, 2, 3, 4 }))))
    assert.is_table(stats.skew_fit({ 1, 2, 4, 7, 9 }, { 1, 2, 3, 4, 5 }))
  end)
end)
