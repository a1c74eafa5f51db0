local core = require "tare.core"
local schedule = require "tare.run.schedule"

local line = core.stats.quantile_line

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

local function made(seed, n, slope, intercept, noise)
  local random, x, y = schedule.generator(seed), {}, {}
  for i = 1, n do
    x[i] = 10 + random(1000)
    y[i] = intercept + slope * x[i] * (1 + noise * random(1000) / 1000)
  end
  return x, y
end

describe("quantile regression", function()
  it("finds an exact line", function()
    local x, y = made(1, 30, 3, 500, 0)
    local slope, intercept = line(x, y, 0.25)
    assert.near_relative(3, slope, 1e-9)
    assert.near_relative(500, intercept, 1e-6)
  end)

  it("has the least loss that any line through two points has", function()
    for seed = 1, 20 do
      local x, y = made(seed, 25, 3, 100, 0.5)
      for _, tau in ipairs { 0.1, 0.25, 0.5, 0.9 } do
        local slope, intercept = line(x, y, tau)
        local best = brute(x, y, tau)
        assert.is_true(loss(x, y, tau, slope, intercept)
          <= best * (1 + 1e-9) + 1e-9)
      end
    end
  end)

  it("has a share tau of the points below it", function()
    local x, y = made(3, 400, 3, 100, 0.5)
    local slope, intercept = line(x, y, 0.25)
    local below = 0
    for i = 1, #x do
      if y[i] < slope * x[i] + intercept then below = below + 1 end
    end
    assert.is_true(math.abs(below - 100) <= 2)
  end)

  it("through the origin is the weighted quantile of the ratios", function()
    -- ratios 1, 2, 3 with weights 1, 1, 8: three quarters lie at 3
    local x, y = { 1, 1, 8 }, { 1, 2, 24 }
    assert.equal(3, (line(x, y, 0.5, true)))
    assert.equal(1, (line(x, y, 0.1, true)))
    assert.equal(2, (line(x, y, 0.2, true)))
  end)

  it("goes through the origin where all sizes are the same", function()
    local slope, intercept = line({ 5, 5, 5 }, { 10, 20, 60 }, 0.5)
    assert.equal(4, slope)
    assert.equal(0, intercept)
  end)

  it("does not follow outliers on the high side", function()
    local x, y = made(5, 100, 3, 0, 0)
    for i = 1, 40 do y[i] = y[i] * 10 end
    assert.near_relative(3, (line(x, y, 0.25)), 1e-9)
    assert.near_relative(3, (line(x, y, 0.25, true)), 1e-9)
  end)

  it("survives one point, equal points and huge values", function()
    assert.equal(7, (line({ 1 }, { 7 })))
    assert.equal(7, (line({ 1, 1 }, { 7, 7 })))
    local slope = line({ 1, 2, 3 }, { 1e149, 2e149, 3e149 })
    assert.near_relative(1e149, slope, 1e-9)
  end)

  it("refuses what is no regression", function()
    assert.has_error(function() line({ 1, 2 }, { 1 }) end)
    assert.has_error(function() line({ 0, 2 }, { 1, 2 }) end)
    assert.has_error(function() line({}, {}) end)
    assert.has_error(function() line({ 1 }, { 1 }, 1) end)
  end)
end)
