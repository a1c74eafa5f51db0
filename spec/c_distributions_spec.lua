local stats = require("tare.core").stats

describe("the normal distribution", function()
  it("has the published quantiles", function()
    local published = {
      [0.75] = 0.6744897501960817, [0.9] = 1.2815515655446004,
      [0.95] = 1.6448536269514722, [0.975] = 1.959963984540054,
      [0.995] = 2.5758293035489004, [0.9995] = 3.2905267314918945,
    }
    for p, z in pairs(published) do
      assert.near_relative(z, stats.normal_quantile(p), 1e-14)
      assert.near_relative(-z, stats.normal_quantile(1 - p), 1e-13)
      assert.near_relative(p, stats.normal_cdf(z), 1e-15)
    end
    assert.equal(0, stats.normal_quantile(0.5))
  end)

  it("is turned over without loss, far into the tail", function()
    for exponent = 1, 300 do
      local p = 10 ^ -exponent
      local z = stats.normal_quantile(p)
      assert.near_relative(p, stats.normal_cdf(z), 1e-12)
    end
  end)
end)

describe("Student's t", function()
  it("has the published quantiles", function()
    local published = { [1] = 12.706204736174707, [2] = 4.302652729749464,
      [5] = 2.5705818356363155, [10] = 2.2281388519862747,
      [30] = 2.0422724563012378, [100] = 1.9839715185235523 }
    for df, t in pairs(published) do
      assert.near_relative(t, stats.t_quantile(0.975, df), 1e-13)
      assert.near_relative(-t, stats.t_quantile(0.025, df), 1e-13)
    end
  end)

  it("is what its closed forms say for 1, 2 and 4 degrees", function()
    for i = -60, 60 do
      local t = i / 7
      local one = 0.5 + math.atan(t) / math.pi
      local two = 0.5 + t / (2 * math.sqrt(2 + t * t))
      local r = t / math.sqrt(4 + t * t)
      local four = 0.5 + 0.75 * (r - r ^ 3 / 3)
      assert.near_relative(one, stats.t_cdf(t, 1), 1e-13)
      assert.near_relative(two, stats.t_cdf(t, 2), 1e-12)
      assert.near_relative(four, stats.t_cdf(t, 4), 1e-11)
    end
  end)

  it("goes over into the normal distribution", function()
    for i = -8, 8 do
      local z = i / 2
      assert.near_relative(stats.normal_cdf(z), stats.t_cdf(z, 1e12), 1e-9)
    end
    local far = stats.t_quantile(0.975, 1e12)
    assert.near_relative(stats.normal_quantile(0.975), far, 1e-11)
  end)

  it("does not jump where the method changes", function()
    for _, t in ipairs { -0.1, -1, -3, -6 } do
      local below, above = stats.t_cdf(t, 0.999e7), stats.t_cdf(t, 1.001e7)
      assert.near_relative(below, above, 1e-7)
    end
  end)

  it("is the normal distribution where there is no end of degrees", function()
    for _, p in ipairs { 1e-9, 0.025, 0.5, 0.975 } do
      local z = stats.normal_quantile(p)
      assert.equal(z, stats.t_quantile(p, math.huge))
      assert.near(stats.normal_cdf(z), stats.t_cdf(z, math.huge), 1e-15)
    end
  end)

  it("ends far out, however many degrees there are", function()
    for _, case in ipairs { { 1e155, 1e300 }, { 1e200, math.huge } } do
      assert.equal(1, stats.t_cdf(case[1], case[2]))
      assert.equal(0, stats.t_cdf(-case[1], case[2]))
    end
  end)

  it("has a value where both its tails are at the border between them",
    function()
      for t, df in pairs { [1.6383560438182505] = 17,
        [1.6690459207925605] = 26, [1.6892775191144191] = 39 } do
        local beside = stats.t_cdf(t * (1 + 1e-9), df)
        assert.near_relative(beside, stats.t_cdf(t, df), 1e-9)
      end
    end)

  it("is turned over without loss", function()
    for _, df in ipairs { 1, 1.5, 2, 3, 7.7, 50, 1000, 1e5 } do
      for _, p in ipairs { 1e-12, 1e-6, 0.001, 0.1, 0.3, 0.49, 0.5 } do
        local t = stats.t_quantile(p, df)
        assert.near_relative(p, stats.t_cdf(t, df), 1e-12)
        if p >= 0.001 then
          assert.near_relative(-t, stats.t_quantile(1 - p, df), 1e-11)
        end
      end
    end
  end)

  it("is turned over where the tail is next to nothing", function()
    for _, exponent in ipairs { 15, 21, 59, 60, 61, 100, 200, 307 } do
      local p = 10 ^ -exponent
      -- 1 degree: tan; 2 degrees: the root of p (1 - p)
      assert.near_relative(-1 / (math.pi * p), stats.t_quantile(p, 1), 1e-12)
      assert.near_relative(-1 / math.sqrt(2) / math.sqrt(p),
        stats.t_quantile(p, 2), 1e-12)
      for _, df in ipairs { 1, 1.5, 3, 10, 100, 1e4, 1e7, 1e9 } do
        assert.near_relative(p, stats.t_cdf(stats.t_quantile(p, df), df), 1e-11)
      end
    end
  end)

  it("reaches 0 and 1 at the ends", function()
    assert.equal(0, stats.t_cdf(-math.huge, 3))
    assert.equal(1, stats.t_cdf(math.huge, 3))
    assert.equal(0.5, stats.t_cdf(0, 3))
  end)
end)

describe("both", function()
  it("refuse what is no probability and no degree of freedom", function()
    for _, p in ipairs { 0, 1, -1, 2, 0 / 0 } do
      assert.matches("must be between 0 and 1", select(2,
        pcall(stats.normal_quantile, p)), 1, true)
      assert.has_error(function() stats.t_quantile(p, 5) end)
    end
    assert.has_error(function() stats.t_quantile(0.9, 0.5) end)
    assert.has_error(function() stats.t_cdf(0 / 0, 5) end)
  end)
end)
