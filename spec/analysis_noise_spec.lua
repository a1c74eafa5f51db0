local made = require "spec.support.made"
local noise = require "tare.analysis.noise"
local rows = require "tare.analysis.rows"

local random

-- Batches of 100 ns a call and 500 ns a batch; factor(i) is the state of the
-- machine at row i, 'spread' the noise that is always there.
local function samples(count, factor, spread)
  local s = { iters = {}, wall_ns = {}, start_ns = {} }
  local time = 0
  for i = 1, count do
    local iters = 10 + (i * 37) % 90
    s.iters[i] = iters
    s.start_ns[i] = time
    s.wall_ns[i] = (500 + 100 * iters) * factor(i)
      * (1 + (spread or 0.005) * random.normal())
    time = time + s.wall_ns[i]
  end
  return s
end

local function quiet() return 1 end

local function codes(s, thinned)
  return noise.diagnose(s, rows.clean(s), thinned)
end

local function has(s, code)
  for _, found in ipairs(codes(s)) do
    if found == code then return true end
  end
  return false
end

describe("the diagnosis of noise", function()
  before_each(function() random = made.generator(42) end)

  it("finds nothing in quiet samples", function()
    assert.same({}, codes(samples(200, quiet)))
  end)

  it("finds nothing in most runs of mere noise", function()
    local alarms = 0
    for _ = 1, 100 do
      alarms = alarms + #codes(samples(60, quiet, 0.05))
    end
    assert.is_true(alarms <= 5)
  end)

  it("takes pauses in the middle of short batches for no cost of a batch",
    function()
      local s = samples(60, quiet)
      for i, iters in ipairs(s.iters) do
        s.wall_ns[i] = (iters < 50 and 3e6 or 2e5) + 100 * iters
      end
      assert.same({ "two_speeds", "high_variance" }, codes(s))
    end)

  it("finds a drift", function()
    local s = samples(120, function(i) return 1 + 0.1 * i / 120 end)
    assert.is_true(has(s, "drift"))
  end)

  it("takes the times' own order, whatever the order of rows", function()
    local s = samples(120, function(i) return 1 - 0.2 * i / 120 end)
    local mixed = { iters = {}, wall_ns = {}, start_ns = {} }
    for i = 1, 120 do
      for name, column in pairs(mixed) do column[i] = s[name][i * 49 % 121] end
    end
    assert.is_true(has(mixed, "drift"))
  end)

  it("needs eight blocks of three rows to call it a drift", function()
    local function drifting(count)
      return samples(count, function(i) return 1 + 0.5 * i / count end, 0.001)
    end
    assert.is_false(has(drifting(23), "drift"))
    assert.is_true(has(drifting(24), "drift"))
  end)

  it("takes a trend from all pairs: its change, and how sure it is", function()
    local change, z = noise.trend { 1, 2, 3, 4, 5 }
    assert.equal(4, change)
    assert.near(10 / math.sqrt(50 / 3), z, 1e-12)
    change, z = noise.trend { 6, 3, 3 }
    assert.equal(-3, change) -- of steps -3, 0 and -1.5 a place
    assert.near(-2 / math.sqrt(11 / 3), z, 1e-12)
  end)

  it("calls no drift what is smaller than 2 %", function()
    local s = samples(600, function(i) return 1 + 0.01 * i / 600 end)
    assert.is_false(has(s, "drift"))
  end)

  it("finds two speeds", function()
    local s = samples(200, function(i) return i % 4 == 0 and 1.6 or 1 end)
    assert.is_true(has(s, "two_speeds"))
  end)

  it("finds that neighbours are alike", function()
    local s = samples(200, function(i)
      return math.floor(i / 10) % 3 == 0 and 1.04 or 1
    end)
    assert.is_true(has(s, "autocorrelated"))
  end)

  it("does not call launches alike that merely differ", function()
    local s = samples(200, function(i) return i > 100 and 1.02 or 1 end)
    s.launch = {}
    for i = 1, 200 do s.launch[i] = i > 100 and 2 or 1 end
    assert.is_false(has(s, "autocorrelated"))
  end)

  it("finds spikes that make most of the variance", function()
    local s = samples(200, function(i) return i % 40 == 7 and 4 or 1 end)
    assert.is_true(has(s, "high_variance"))
  end)

  it("finds a slow first launch", function()
    local function launches(slow, count)
      local s = samples(20 * (count or 5), function(i)
        return i <= 20 and slow or 1
      end)
      s.launch = {}
      for i = 1, #s.iters do s.launch[i] = math.ceil(i / 20) end
      return s
    end
    assert.is_true(has(launches(1.15, 3), "slow_first_launch"))
    assert.is_false(has(launches(1.15, 2), "slow_first_launch")) -- or the last?
    assert.is_true(has(launches(1.15), "slow_first_launch"))
    assert.is_false(has(launches(1.01), "slow_first_launch"))
    assert.is_false(has(launches(0.9), "slow_first_launch"))
  end)

  it("finds rows that another thread of the core slowed", function()
    local s = samples(100, quiet)
    s.width = {}
    for i = 1, 100 do s.width[i] = i % 5 == 0 and 2.4 or 3.9 end
    assert.is_true(has(s, "crowded"))
    for i = 1, 100 do s.width[i] = i % 25 == 0 and 2.4 or 3.9 end
    assert.is_false(has(s, "crowded"))
  end)

  it("tells of thinned samples", function()
    assert.same({ "thinned" }, codes(samples(100, quiet), 12))
  end)

  it("says nothing of few rows, or of none", function()
    assert.same({}, codes(samples(9, function(i) return i end)))
    assert.same({}, codes { iters = {}, wall_ns = {} })
  end)

  it("survives a clock that stood still", function()
    local s = samples(40, quiet)
    for i = 1, 40 do s.wall_ns[i] = 0 end
    assert.same({}, codes(s))
    s.wall_ns[7] = 1e6
    assert.same({}, codes(s))
  end)

  it("finds nothing wrong with times that are all equal", function()
    local s = samples(40, quiet, 0)
    for i = 1, 40 do s.iters[i], s.wall_ns[i] = 10, 1000 end
    assert.same({}, codes(s))
  end)

  it("leaves the samples as they were", function()
    local s = samples(40, quiet)
    local first, last = s.wall_ns[1], s.wall_ns[40]
    codes(s)
    assert.same({ first, last, 40 }, { s.wall_ns[1], s.wall_ns[40], #s.iters })
  end)
end)

local function draw(n, one)
  local values = {}
  for i = 1, n do values[i] = one() end
  return values
end

local function two(share, ratio, spread)
  return function()
    local slow = random.uniform() < share
    return (slow and ratio or 1) * (1 + spread * random.normal())
  end
end

-- Share of 200 samples of 100 values that are taken for two states.
local function taken_for_two(one)
  local count = 0
  for _ = 1, 200 do
    if noise.states(draw(100, one)) then count = count + 1 end
  end
  return count / 200
end

describe("the two states of a sample", function()
  before_each(function() random = made.generator(5) end)

  it("are seldom seen where there is one", function()
    local shapes = {
      normal = function() return 1 + 0.1 * random.normal() end,
      lognormal = function() return math.exp(0.3 * random.normal()) end,
      exponential = function() return 1 - 0.3 * math.log(random.uniform()) end,
      uniform = function() return 1 + random.uniform() end,
      spiked = function()
        local spike = random.uniform() < 0.05
        return spike and 2 + random.uniform() or 1 + 0.01 * random.normal()
      end,
    }
    for _, name in ipairs { "normal", "lognormal", "exponential", "uniform",
      "spiked" } do
      random = made.generator(5)
      assert.is_true(taken_for_two(shapes[name]) <= 0.05, name)
    end
  end)

  it("are seen where they are", function()
    assert.is_true(taken_for_two(two(0.3, 1.3, 0.03)) >= 0.95)
    assert.is_true(taken_for_two(two(0.4, 1.1, 0.01)) >= 0.95)
  end)

  it("are told by ratio and share", function()
    local states = noise.states(draw(400, two(0.3, 1.5, 0.02)))
    assert.near(1.5, states.ratio, 0.02)
    assert.near(0.3, states.share, 0.06)
  end)

  it("are two where neither is rare, and they differ by a twentieth",
    function()
      for _, share in ipairs { 0.05, 0.15, 0.5, 0.85, 0.95 } do
        local states = noise.states(draw(4000, two(share, 1.5, 0.01)))
        assert.equal(share > 0.1 and share < 0.9, states ~= nil, share)
      end
      for _, ratio in ipairs { 1.04, 1.06 } do
        local states = noise.states(draw(4000, two(0.5, ratio, 0.001)))
        assert.equal(ratio > 1.05, states ~= nil, ratio)
      end
    end)

  it("are not spoken of when they hardly differ", function()
    assert.is_nil(noise.states(draw(400, two(0.5, 1.03, 0.001))))
  end)

  it("are not looked for in few values", function()
    assert.is_nil(noise.states(draw(15, two(0.5, 2, 0.001))))
  end)
end)

describe("the trend of values", function()
  it("is the median of the pairwise slopes, over the whole", function()
    local change, z = noise.trend { 1, 2, 3, 4 }
    assert.equal(3, change)
    -- S = 6, variance 4 * 3 * 13 / 18
    assert.near(6 / math.sqrt(26 / 3), z, 1e-12)
  end)

  it("does not follow a single value that is far off", function()
    local change = noise.trend { 1, 1, 1, 1, 100, 1, 1, 1, 1 }
    assert.equal(0, change)
  end)

  it("is negative where values fall, zero where they stay", function()
    assert.equal(-4, (noise.trend { 5, 4, 3, 2, 1 }))
    assert.same({ 0, 0 }, { noise.trend { 7, 7, 7 } })
  end)
end)
