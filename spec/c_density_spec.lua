local stats = require("tare.core").stats
local criterion = require "spec.support.criterion"
local made = require "spec.support.made_numbers"

-- Area under a density by the trapezium rule.
local function area(density)
  local total = 0
  for i = 2, #density.x do
    total = total + (density.x[i] - density.x[i - 1])
      * (density.y[i] + density.y[i - 1]) / 2
  end
  return total
end

local function peaks(density)
  local top, found = 0, {}
  for _, y in ipairs(density.y) do top = math.max(top, y) end
  for i = 2, #density.y - 1 do
    local y = density.y[i]
    if y > density.y[i - 1] and y >= density.y[i + 1] and y > top / 20 then
      found[#found + 1] = density.x[i]
    end
  end
  return found
end

describe("density", function()
  for _, run in criterion.runs(pending) do
    it("is criterion's for " .. run.name, function()
      local expected = run.expected.kde
      local got = stats.density(run.per_iteration)
      local top = 0
      for _, y in ipairs(expected.density) do top = math.max(top, y) end
      assert.equal(#expected.values, #got.x)
      assert.equal(#expected.values, #got.y)
      for i, x in ipairs(expected.values) do
        assert.near_relative(x, got.x[i], 1e-12)
        local y = expected.density[i]
        local tolerance = math.max(1e-9 * y, 1e-14 * top)
        assert.is_true(math.abs(got.y[i] - y) <= tolerance)
      end
    end)
  end

  it("comes near the curve that the sample was drawn from", function()
    local density = stats.density(made.list(20000, made.normal(5)))
    for i, x in ipairs(density.x) do
      local truth = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
      assert.is_true(math.abs(density.y[i] - truth) < 0.015)
    end
    assert.is_true(density.bandwidth > 0.05 and density.bandwidth < 0.3)
  end)

  it("has about the bandwidth that is best for normal values", function()
    for n, tolerance in pairs { [2000] = 0.12, [20000] = 0.05 } do
      for seed = 1, 3 do
        local bandwidth = stats.density(made.list(n, made.normal(seed)))
          .bandwidth
        local best = (4 / 3 / n)^0.2 -- Silverman (1986), equation 3.28
        assert.near_relative(best, bandwidth, tolerance)
      end
    end
  end)

  it("keeps two speeds apart", function()
    local normal, list = made.normal(6), {}
    for i = 1, 200 do list[i] = (i % 2 == 0 and 100 or 125) + 2 * normal() end
    local found = peaks(stats.density(list))
    assert.equal(2, #found)
    assert.near_relative(100, found[1], 0.02)
    assert.near_relative(125, found[2], 0.02)
  end)

  it("has next to the same bandwidth without one of 200 values", function()
    local normal = made.normal(31)
    for _ = 1, 40 do
      local list = made.list(200, function() return math.exp(2 * normal()) end)
      table.sort(list)
      local all = stats.density(list).bandwidth
      table.remove(list, 100)
      assert.near_relative(all, stats.density(list).bandwidth, 0.05)
    end
  end)

  it("has 128 points, a tenth of the range beyond either end", function()
    local density = stats.density { 10, 20, 12, 13, 19 }
    assert.equal(128, #density.x)
    assert.near_relative(9, density.x[1], 1e-14)
    assert.near_relative(21, density.x[128], 1e-14)
  end)

  it("has an area of one, whatever the scale and the size", function()
    for _, scale in ipairs { 1e-300, 1e-9, 1, 1e9, 1e150 } do
      for _, n in ipairs { 2, 3, 10, 300 } do
        local uniform = made.uniform(7)
        local list = made.list(n, function() return scale * uniform() end)
        assert.near_relative(1, area(stats.density(list)), 0.1)
      end
    end
  end)

  it("stays finite where values are equal or all but equal", function()
    local lists = { { 0 }, { 5 }, { 1e17, 1e17 }, { 0, 5e-324 }, { -1e150 },
      { 1, 1 + 2 ^ -52 }, { 1e16, 1e16 + 2 }, { 3, 3, 3, 3, 3, 3, 3, 3 } }
    for _, list in ipairs(lists) do
      local density = stats.density(list)
      for i = 1, 128 do
        assert.is_true(math.abs(density.y[i]) < math.huge)
        assert.is_true(i == 1 or density.x[i] >= density.x[i - 1])
      end
      assert.is_true(density.bandwidth > 0)
    end
  end)
end)
