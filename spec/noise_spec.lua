local made = require "spec.support.made"
local noise = require "tare.noise"

local random

-- Batches of 100 ns a call and 500 ns a batch; factor(i) is the state of the
-- machine at row i, 'spread' the noise that is always there.
local function samples(rows, factor, spread)
  local s = { iters = {}, wall_ns = {}, start_ns = {} }
  local time = 0
  for i = 1, rows do
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
  local list = {}
  for i, found in ipairs(noise.diagnose(s, thinned)) do list[i] = found.code end
  return list
end

local function found(s, code)
  for _, finding in ipairs(noise.diagnose(s)) do
    if finding.code == code then return finding end
  end
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

  it("finds a drift and its size", function()
    local s = samples(120, function(i) return 1 + 0.1 * i / 120 end)
    assert.near(0.09, found(s, "drift").value, 0.015)
  end)

  it("takes the times' own order, whatever the order of rows", function()
    local s = samples(120, function(i) return 1 - 0.2 * i / 120 end)
    local turned = { iters = {}, wall_ns = {}, start_ns = {} }
    for i = 1, 120 do
      for name, column in pairs(turned) do column[i] = s[name][121 - i] end
    end
    assert.near(-0.18, found(turned, "drift").value, 0.03)
  end)

  it("calls no drift what is smaller than 2 %", function()
    local s = samples(600, function(i) return 1 + 0.01 * i / 600 end)
    assert.is_nil(found(s, "drift"))
  end)

  it("finds two speeds, their ratio and the slow one's share", function()
    local s = samples(200, function(i) return i % 4 == 0 and 1.6 or 1 end)
    local speeds = found(s, "two_speeds")
    assert.near(1.6, speeds.value, 0.02)
    assert.near(0.25, speeds.share, 0.03)
  end)

  it("finds that neighbours are alike", function()
    local s = samples(200, function(i)
      return math.floor(i / 10) % 3 == 0 and 1.04 or 1
    end)
    local alike = found(s, "autocorrelated")
    assert.is_true(alike.value > 0.6)
    assert.is_true(alike.effective_rows < 60)
  end)

  it("does not call launches alike that merely differ", function()
    local s = samples(200, function(i) return i > 100 and 1.02 or 1 end)
    s.launch = {}
    for i = 1, 200 do s.launch[i] = i > 100 and 2 or 1 end
    assert.is_nil(found(s, "autocorrelated"))
  end)

  it("finds spikes that make most of the variance", function()
    local s = samples(200, function(i) return i % 40 == 7 and 4 or 1 end)
    local spikes = found(s, "high_variance")
    assert.is_true(spikes.value > 0.5 and spikes.value <= 1)
    assert.is_true(spikes.stddev > 0.1)
  end)

  it("finds a slow first launch", function()
    local function launches(slow)
      local s = samples(100, function(i) return i <= 20 and slow or 1 end)
      s.launch = {}
      for i = 1, 100 do s.launch[i] = math.ceil(i / 20) end
      return s
    end
    assert.near(1.15, found(launches(1.15), "slow_first_launch").value, 0.01)
    assert.is_nil(found(launches(1.01), "slow_first_launch"))
    assert.is_nil(found(launches(0.9), "slow_first_launch"))
  end)

  it("finds rows that another thread of the core slowed", function()
    local s = samples(100, quiet)
    s.width = {}
    for i = 1, 100 do s.width[i] = i % 5 == 0 and 2.4 or 3.9 end
    assert.near(0.2, found(s, "crowded").value, 1e-9)
  end)

  it("tells of thinned samples, with their number", function()
    assert.same({ { code = "thinned", value = 12 } },
      noise.diagnose(samples(100, quiet), 12))
  end)

  it("says nothing of few rows, or of none", function()
    assert.same({}, codes(samples(9, function(i) return i end)))
    assert.same({}, codes {})
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
    noise.diagnose(s)
    assert.same({ first, last, 40 }, { s.wall_ns[1], s.wall_ns[40], #s.iters })
  end)
end)
