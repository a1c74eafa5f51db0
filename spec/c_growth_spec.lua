local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

local order = { "1", "log n", "n", "n log n", "n^2", "n^3" }
local laws = {
  ["1"] = function() return 1 end,
  ["log n"] = math.log,
  n = function(n) return n end,
  ["n log n"] = function(n) return n * math.log(n) end,
  ["n^2"] = function(n) return n ^ 2 end,
  ["n^3"] = function(n) return n ^ 3 end,
}

-- Sizes 2^first .. 2^last, and costs with relative noise.
local function sweep(law, first, last, constant, sd, normal)
  local sizes, costs = {}, {}
  for e = first, last do
    local noise = sd > 0 and math.exp(sd * normal()) or 1
    sizes[#sizes + 1] = 2 ^ e
    costs[#costs + 1] = (constant + 3 * laws[law](2 ^ e)) * noise
  end
  return sizes, costs
end

local function holds(list, value)
  for _, x in ipairs(list) do
    if x == value then return true end
  end
  return false
end

describe("growth", function()
  it("knows each law and its coefficients where there is no noise", function()
    for _, law in ipairs(order) do
      for _, constant in ipairs { 0, 50 } do
        local got = stats.growth(sweep(law, 1, 12, constant, 0))
        assert.equal(law, got.law)
        assert.same({}, got.also)
        if law == "1" then
          assert.near_relative(constant + 3, got.coefficients.constant, 1e-12)
          assert.equal(0, got.coefficients.factor)
        else
          assert.near_relative(3, got.coefficients.factor, 1e-5)
          assert.is_true(
            math.abs(got.coefficients.constant - constant) < 1e-3)
        end
      end
    end
  end)

  it("has the exponent of a power, with a constant or without", function()
    for p, law in pairs { [0] = "1", [1] = "n", [2] = "n^2", [3] = "n^3" } do
      for _, constant in ipairs { 0, 50 } do
        local e = stats.growth(sweep(law, 1, 12, constant, 0)).exponent
        assert.is_true(math.abs(e.value - p) < 1e-4)
        assert.is_true(e.low <= e.value and e.value <= e.high)
        assert.is_true(e.high - e.low < 1e-3)
      end
    end
  end)

  -- Made of 6 sizes, where a degree of freedom more would be told: there an
  -- interval of 90 % would hold in some 80 % of the sweeps.
  it("has intervals of an exponent that is not alone, too", function()
    local normal, held = made.normal(17), 0
    for _ = 1, 200 do
      local sizes, costs = sweep("n", 4, 9, 40, 0.02, normal)
      local e = stats.growth(sizes, costs, 0.9).exponent
      if (e.low or -1/0) <= 1 and (e.high or 1/0) >= 1 then held = held + 1 end
    end
    assert.is_true(held >= 180 and held <= 192, held)
  end)

  it("has wider intervals of the exponent, the more certain they are to hold",
    function()
      local sizes, costs = sweep("n", 4, 12, 40, 0.02, made.normal(18))
      local narrower = stats.growth(sizes, costs, 0.9).exponent
      for percent = 91, 99 do
        local e = stats.growth(sizes, costs, percent / 100).exponent
        assert.is_true(e.low < narrower.low and narrower.high < e.high, percent)
        narrower = e
      end
    end)

  it("finds the law under noise, or names it among those tied", function()
    local normal = made.normal(41)
    for _, law in ipairs(order) do
      local right, named = 0, 0
      for _ = 1, 100 do
        local got = stats.growth(sweep(law, 4, 12, 30, 0.05, normal))
        if got.law == law then right = right + 1 end
        if got.law == law or holds(got.also, law) then named = named + 1 end
      end
      assert.is_true(right >= 85)
      assert.is_true(named >= 95)
    end
  end)

  it("can't tell n from n log n over a short sweep, and says so", function()
    local normal, told = made.normal(42), 0
    for _ = 1, 100 do
      local got = stats.growth(sweep("n log n", 8, 13, 0, 0.3, normal))
      local both = (got.law == "n" or holds(got.also, "n"))
        and (got.law == "n log n" or holds(got.also, "n log n"))
      if not both then told = told + 1 end
    end
    assert.is_true(told < 30)
  end)

  it("has intervals of the exponent that hold", function()
    local normal = made.normal(43)
    for _, case in ipairs { { "n", 1, 0 }, { "n", 1, 60 }, { "n^2", 2, 60 },
      { "1", 0, 0 } } do
      local law, p, constant = case[1], case[2], case[3]
      local hits = 0
      for _ = 1, 300 do
        local e = stats.growth(sweep(law, 4, 12, constant, 0.05, normal))
          .exponent
        if (e.low or -2) <= p and p <= (e.high or 8) then hits = hits + 1 end
      end
      assert.is_true(hits >= 0.92 * 300)
    end
  end)

  it("knows an exponent between the laws", function()
    local sizes, costs = {}, {}
    for e = 2, 12 do
      sizes[#sizes + 1] = 2 ^ e
      costs[#costs + 1] = 7 * 2 ^ (1.5 * e)
    end
    assert.near_relative(1.5, stats.growth(sizes, costs).exponent.value, 1e-6)
  end)

  it("does not depend on the order of the points, nor on the unit", function()
    local normal = made.normal(44)
    local sizes, costs = sweep("n", 3, 10, 40, 0.03, normal)
    local turned, scaled = {}, {}
    for i, x in ipairs(sizes) do
      turned[9 - i], scaled[9 - i] = x, costs[i] * 1e-9
    end
    local a, b = stats.growth(sizes, costs), stats.growth(turned, scaled)
    assert.equal(a.law, b.law)
    assert.same(a.also, b.also)
    assert.near_relative(a.exponent.value, b.exponent.value, 1e-4)
    assert.near_relative(a.coefficients.constant,
      b.coefficients.constant * 1e9, 1e-4)
  end)

  it("judges each law alike, wherever in the list the points are", function()
    for _, sizes in ipairs { { 1, 2, 4, 8, 16, 32 }, { 0.5, 2, 4, 8, 16, 32 },
      { 1, 10, 100, 1000, 1e4, 1e100 }, { 1e-300, 1, 2, 3, 4, 5 } } do
      for _, constant in ipairs { 0, 50 } do
        local expected
        for turn = 1, #sizes do
          local ns, ts = {}, {}
          for i = 1, #sizes do
            ns[i] = sizes[(i + turn) % #sizes + 1]
            ts[i] = constant + 3 * ns[i] ^ 0.5
          end
          local got = stats.growth(ns, ts)
          expected = expected or got.aicc
          for law, criterion in pairs(expected) do
            assert.near(criterion, got.aicc[law], 0.1)
          end
        end
      end
    end
  end)

  it("takes several points of a size", function()
    local normal = made.normal(45)
    local sizes, costs = {}, {}
    for _ = 1, 5 do
      local ns, ts = sweep("n^2", 2, 6, 0, 0.05, normal)
      for i = 1, #ns do
        sizes[#sizes + 1], costs[#costs + 1] = ns[i], ts[i]
      end
    end
    assert.equal("n^2", stats.growth(sizes, costs).law)
  end)

  it("takes size 1, where the logarithm is 0", function()
    for _, law in ipairs { "log n", "n log n", "n" } do
      local got = stats.growth(sweep(law, 0, 10, 20, 0))
      assert.equal(law, got.law)
      assert.near_relative(20, got.coefficients.constant, 1e-4)
    end
  end)

  it("leaves the logarithms out where sizes are below 1", function()
    local got = stats.growth({ 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 },
      { 1, 2, 4, 8, 16, 32 })
    assert.equal("n", got.law)
    assert.is_nil(got.aicc["log n"])
    assert.is_nil(got.aicc["n log n"])
    assert.is_number(got.aicc["n^2"])
  end)

  it("leaves them out where only one is, wherever in the list", function()
    for at = 1, 6 do
      local sizes = { 2, 4, 8, 16, 32 }
      table.insert(sizes, at, 0.5)
      local costs = {}
      for i, size in ipairs(sizes) do costs[i] = 10 * size end
      local got = stats.growth(sizes, costs)
      assert.equal("n", got.law)
      assert.is_nil(got.aicc["log n"])
      assert.is_nil(got.aicc["n log n"])
    end
  end)

  it("says that nothing grows, alone where that is certain", function()
    local got = stats.growth({ 1, 10, 100, 1000, 10000, 1e5 },
      { 5, 5.01, 4.99, 5, 5.01, 4.99 })
    assert.equal("1", got.law)
    assert.same({}, got.also)
    -- wild noise: next to anything is possible
    got = stats.growth({ 1, 2, 3, 4, 5, 6 }, { 5, 90, 9, 130, 20, 60 })
    assert.equal("1", got.law)
    assert.is_true(holds(got.also, "n"))
  end)

  it("calls nothing constant whose exponent is surely above a quarter",
    function()
      -- 5 noisy points, best described by a constant
      local got = stats.growth({ 16, 64, 256, 1024, 4096 },
        { 1314, 3040, 8613, 17290, 92810 })
      assert.equal("n", got.law)
      assert.is_false(holds(got.also, "1"))
    end)

  it("names a constant beside the best law only where nothing may grow",
    function()
      local sizes = { 2, 4, 8, 16, 32, 64, 128, 256 }
      local unsure = stats.growth(sizes,
        { 14.5, 11.9, 14, 12.6, 14.3, 15.4, 14.1, 17.7 })
      assert.equal("n", unsure.law)
      assert.is_true(holds(unsure.also, "1"))
      local sure = stats.growth(sizes,
        { 10.5, 14.7, 12.7, 12.8, 15.4, 15.1, 14.8, 17 })
      assert.equal("log n", sure.law)
      assert.is_true(holds(sure.also, "n") and not holds(sure.also, "1"))
    end)

  it("names no law for fewer than five points", function()
    local got = stats.growth({ 1, 2, 4, 8 }, { 1, 2, 4, 8 })
    assert.is_nil(got.law)
    assert.is_nil(got.coefficients)
    assert.same({}, got.also)
    assert.near_relative(1, got.exponent.value, 1e-12)
  end)

  it("has no exponent for fewer than three sizes", function()
    for _, sizes in ipairs { { 1 }, { 1, 2 }, { 1, 1, 1, 2, 2, 2 } } do
      local got = stats.growth(sizes, sizes)
      assert.is_nil(got.exponent)
      assert.is_nil(got.law)
    end
  end)

  it("knows the law of sizes that are as small or as large as numbers get",
    function()
      for _, unit in ipairs { 5e-324, 1e-300, 1e-160, 1e-110, 1e99 } do
        local sizes, costs = {}, {}
        for i = 1, 8 do sizes[i], costs[i] = i * unit, 3 * i end
        local got = stats.growth(sizes, costs)
        assert.equal("n", got.law)
        assert.near(1, got.exponent.value, 0.02)
        assert.equal(got.coefficients.constant, got.coefficients.constant)
      end
    end)

  it("knows an exponent, whatever the sizes span", function()
    local got = stats.growth({ 212, 132, 5e-324, 132, 132 },
      { 132, 95, 0.95, 0.95, 0.95 })
    assert.is_number(got.exponent.value)
    local sizes, costs = {}, {}
    for i = 1, 9 do
      sizes[i] = 10 ^ (20 * (i - 5))
      costs[i] = 100 * sizes[i] ^ 0.5
    end
    assert.near(0.5, stats.growth(sizes, costs).exponent.value, 1e-3)
  end)

  it("refuses what has no logarithm, and lists that do not match", function()
    local five = { 1, 2, 3, 4, 5 }
    for _, bad in ipairs { { 1, 2, 3, 4, 0 }, { 1, 2, 3, 4, -1 },
      { 1, 2, 3, 4 }, { 1, 2, 3, 4, 0 / 0 }, { 1, 2, 3, 4, math.huge }, {} } do
      assert.has_error(function() stats.growth(five, bad) end)
      assert.has_error(function() stats.growth(bad, five) end)
    end
    assert.has_error(function() stats.growth(five) end)
    assert.has_error(function() stats.growth() end)
  end)
end)
