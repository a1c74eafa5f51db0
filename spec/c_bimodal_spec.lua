local stats = require("tare.core").stats
local made = require "spec.support.made_numbers"

-- Scully (1982), as in Hartigan and Hartigan (1985)
local faculty = { 30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40,
  41, 42, 43, 43, 43, 44, 44, 45, 45, 46, 46, 47, 47, 48, 48, 48, 49, 50, 50,
  51, 52, 52, 53, 53, 53, 53, 53, 54, 54, 57, 57, 59, 60, 60, 60, 61, 61, 61,
  61, 62, 62, 62, 62, 63, 66, 70, 72, 72 }

-- Distinct values with the counts just before and after each.
local function steps_of(list)
  local sorted, steps = {}, {}
  for i, x in ipairs(list) do sorted[i] = x end
  table.sort(sorted)
  for i, x in ipairs(sorted) do
    local last = steps[#steps]
    if last and last.x == x then
      last.above = i
    else
      steps[#steps + 1] = { x = x, below = i - 1, above = i }
    end
  end
  return steps
end

-- Lowest value that a convex rising function can have just left of step 'mode'
-- if it keeps within 'slack' of the steps before; nil where there is none.
local function lowest_left_of(steps, mode, slack)
  local function low(i)
    return steps[i][i == mode and "below" or "above"] - slack
  end
  local function high(i) return steps[i].below + slack end
  local lowest = low(mode)
  for k = 1, mode - 1 do
    lowest = math.max(lowest, low(k))
    for j = k + 1, mode do
      if low(k) > high(j) then return nil end
    end
    for i = 1, k - 1 do
      local slope = (low(k) - high(i)) / (steps[k].x - steps[i].x)
      for j = k + 1, mode do
        local there = low(k) + slope * (steps[j].x - steps[k].x)
        if there > high(j) + 1e-12 then return nil end
        if j == mode then lowest = math.max(lowest, there) end
      end
    end
  end
  for k = 1, mode - 1 do
    if low(k) > high(k) + 1e-12 then return nil end
  end
  return lowest
end

-- The dip by its definition: the least slack at which some mode will do.
local function dip_twin(list)
  local steps, mirrored, n = steps_of(list), {}, #list
  for i = #steps, 1, -1 do
    local s = steps[i]
    mirrored[#mirrored + 1] =
      { x = -s.x, below = n - s.above, above = n - s.below }
  end
  local function possible(slack)
    for mode = 1, #steps do
      local left = lowest_left_of(steps, mode, slack)
      local right = lowest_left_of(mirrored, #steps - mode + 1, slack)
      if left and right and left <= n - right + 1e-12 then return true end
    end
    return false
  end
  local low, high = 0.5, n
  if possible(low) then return low / n end
  for _ = 1, 45 do
    local middle = (low + high) / 2
    if possible(middle) then high = middle else low = middle end
  end
  return high / n
end

local function dip(list)
  return stats.bimodality(list).dip
end

describe("the dip", function()
  it("has the published values", function()
    assert.near_relative(7.5 / 126, dip(faculty), 1e-14)
    assert.equal(0.25, dip { 1, 1, 2, 2 })
    assert.near_relative(0.05, dip { 1, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, 1e-14)
    -- where the first published algorithm went wrong
    assert.near_relative(4 / 30, dip { 0, 2, 3, 5, 6 }, 1e-14)
    assert.near_relative(4 / 30, dip { 0, 1, 3, 4, 6 }, 1e-14)
    assert.near_relative(1 / 12, dip { 0.0198, 0.0198, 0.1961, 0.2898, 0.3184,
      0.3687, 0.4336, 0.4987, 0.5661, 0.6530, 0.7476, 0.8555 }, 1e-14)
    assert.near_relative(1 / 24, dip { 0.0198, 0.1961, 0.2898, 0.3184, 0.3687,
      0.4336, 0.4987, 0.5661, 0.6530, 0.7476, 0.8555, 0.9912 }, 1e-14)
  end)

  it("is what its definition says", function()
    local uniform = made.uniform(21)
    for round = 1, 120 do
      local grid = round % 3 == 0 and 5 or 1000
      local list = made.list(2 + round % 7, function()
        return math.floor(grid * uniform())
      end)
      assert.near_relative(dip_twin(list), dip(list), 1e-9)
    end
  end)

  it("does not depend on order, place, scale or direction", function()
    local list = made.list(100, made.normal(22))
    local turned = {}
    for i, x in ipairs(list) do turned[101 - i] = 7 - 3e-9 * x end
    assert.near_relative(dip(list), dip(turned), 1e-6)
  end)

  it("is least where there is nothing to see", function()
    assert.equal(0.5, dip { 3 })
    assert.equal(0.25, dip { 3, 3 })
    assert.equal(0.125, dip { 0, 1, 3, 6 })
  end)
end)

describe("bimodality", function()
  local function share_of(rounds, n, draw)
    local found = 0
    for _ = 1, rounds do
      if stats.bimodality(made.list(n, draw)).bimodal then found = found + 1 end
    end
    return found / rounds
  end

  it("has p-values that hold on uniform samples", function()
    local uniform = made.uniform(23)
    for _, n in ipairs { 10, 40, 150 } do
      local share = share_of(1000, n, uniform)
      assert.is_true(share > 0.03 and share < 0.07)
    end
  end)

  it("finds a machine with two speeds, and which", function()
    local uniform, normal = made.uniform(24), made.normal(25)
    local function two_speeds()
      return (uniform() < 0.4 and 125 or 100) + 3 * normal()
    end
    assert.is_true(share_of(100, 100, two_speeds) >= 0.99)
    local got = stats.bimodality(made.list(300, two_speeds))
    assert.near_relative(100, got.low, 0.01)
    assert.near_relative(125, got.high, 0.01)
    assert.near_relative(0.6, got.share, 0.1)
  end)

  it("finds it under outliers too", function()
    local uniform, normal = made.uniform(26), made.normal(27)
    local share = share_of(100, 200, function()
      local tail = uniform() < 0.1 and -50 * math.log(uniform()) or 0
      return (uniform() < 0.5 and 125 or 100) + 3 * normal() + tail
    end)
    assert.is_true(share >= 0.95)
  end)

  it("takes no tail of outliers for a second speed", function()
    local uniform, normal = made.uniform(28), made.normal(29)
    local by_sarle = 0
    for _ = 1, 200 do
      local got = stats.bimodality(made.list(100, function()
        local tail = uniform() < 0.3 and -50 * math.log(uniform()) or 0
        return 100 + 2 * normal() + tail
      end))
      assert.is_false(got.bimodal)
      if got.coefficient > 5 / 9 then by_sarle = by_sarle + 1 end
    end
    -- the reason why Sarle's coefficient does not decide
    assert.is_true(by_sarle > 180)
  end)

  it("takes a slow drift for one speed", function()
    local normal, i = made.normal(30), 0
    assert.is_true(share_of(200, 100, function()
      i = i % 100 + 1
      return 100 + i / 10 + normal()
    end) < 0.05)
  end)

  it("says nothing of a few values or of equal ones", function()
    for _, list in ipairs { { 1 }, { 1, 2 }, { 1, 1, 1, 2, 2, 2 },
      { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 } } do
      local got = stats.bimodality(list)
      assert.is_false(got.bimodal)
      assert.is_true(got.p > 0.9)
      assert.is_nil(got.low)
      assert.is_true(got.coefficient >= 0)
    end
  end)

  it("has Sarle's coefficient, 5/9 for a uniform sample", function()
    local list = {}
    for i = 1, 2000 do list[i] = i end
    assert.near_relative(5 / 9, stats.bimodality(list).coefficient, 3e-3)
  end)

  it("has Sarle's coefficient of small samples, worked out by hand", function()
    -- The sample's skewness and excess kurtosis, as spreadsheets have them:
    for _, case in ipairs {
      { { 0, 0, 0, 1 }, skewness = 2, kurtosis = 4 },
      { { 0, 0, 0, 0, 1 }, skewness = math.sqrt(5), kurtosis = 5 },
      { { 5, 6, 7, 8 }, skewness = 0, kurtosis = -1.2 },
      { { 1, 1, 2, 2 }, skewness = 0, kurtosis = -6 },
      { { -3, -2, -2, -2, -2, -2 }, skewness = -math.sqrt(6), kurtosis = 6 },
    } do
      local n = #case[1]
      assert.near_relative((case.skewness ^ 2 + 1)
        / (case.kurtosis + 3 * (n - 1) ^ 2 / ((n - 2) * (n - 3))),
        stats.bimodality(case[1]).coefficient, 1e-12)
    end
    for _, none in ipairs { { 1, 2, 9 }, { 7, 7, 7, 7 } } do
      assert.equal(0, stats.bimodality(none).coefficient)
    end
  end)

  it("says the same of any unit", function()
    local list = {}
    for i = 1, 60 do list[i] = i % 2 * 3 + i % 7 / 10 end
    local expected = stats.bimodality(list)
    for _, unit in ipairs { 1e145, 1e-145 } do
      local scaled = {}
      for i, value in ipairs(list) do scaled[i] = value * unit end
      local got = stats.bimodality(scaled)
      assert.near_relative(expected.coefficient, got.coefficient, 1e-12)
      assert.equal(expected.share, got.share)
      assert.near_relative(expected.low * unit, got.low, 1e-12)
    end
  end)
end)
