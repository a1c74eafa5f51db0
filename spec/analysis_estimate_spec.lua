local estimate = require "tare.analysis.estimate"
local schedule = require "tare.run.schedule"

local SETTINGS = { confidence = 0.95 }

-- Batches at 100 ns a call; 'disturb' may change the time of row i.
local function samples(rows, disturb, more)
  local random = schedule.generator(11)
  local made = { iters = {}, wall_ns = {}, start_ns = {} }
  for name in pairs(more or {}) do made[name] = {} end
  local now = 0
  for i = 1, rows do
    local iters = 1000 + random(9000)
    made.iters[i] = iters
    made.wall_ns[i] = 100 * iters * (disturb and disturb(i, random) or 1)
    made.start_ns[i] = now
    now = now + made.wall_ns[i]
    for name, value in pairs(more or {}) do made[name][i] = value(i) end
  end
  return made
end

local function width(found) return (found.high - found.low) / found.value end

describe("the estimate of a call", function()
  it("is exact where the batches are", function()
    local found = estimate.per_call(samples(100), "wall_ns", SETTINGS)
    assert.near_relative(100, found.value, 1e-12)
    assert.near_relative(0, found.within + 1e-300, 1e-9 * 1e300)
  end)

  it("does not claim more than one process can know", function()
    local found = estimate.per_call(samples(100), "wall_ns", SETTINGS)
    assert.near_relative(0.0392, width(found), 0.01)
  end)

  it("stays at the undisturbed cost when half of the batches are slow",
    function()
      local function disturb(i) return i % 2 == 0 and 1.6 or 1 end
      local found = estimate.per_call(samples(100, disturb), "wall_ns",
        SETTINGS)
      assert.near_relative(100, found.value, 1e-9)
      local ols = estimate.per_call(samples(100, disturb), "wall_ns",
        { confidence = 0.95, estimator = "ols" })
      assert.is_true(ols.value > 120)
    end)

  it("is as wide as the slopes of eight stretches are apart", function()
    local stats = require("tare.core").stats
    local made = samples(67, function(_, random)
      return 1 + random(100) / 500 end)
    local slopes = {}
    for b = 1, 8 do
      local x, y = {}, {}
      for row = math.floor((b - 1) * 67 / 8) + 1, math.floor(b * 67 / 8) do
        x[#x + 1], y[#y + 1] = made.iters[row], made.wall_ns[row]
      end
      slopes[b] = stats.quantile_line(x, y, 0.25, true)
    end
    local expected = stats.stddev(slopes) / math.sqrt(8)
      * stats.t_quantile(0.975, 7)
    local found = estimate.per_call(made, "wall_ns", SETTINGS)
    assert.near_relative(expected, found.within, 1e-9)
  end)

  it("is wider where there are collections, whose heap is another each time",
    function()
      local function none() return 0 end
      local function some(i) return i % 2 * 8 end
      local plain = samples(200, nil, { gc_minor = none, gc_major = none })
      local allocating = samples(200, nil, { gc_minor = some,
        gc_major = none })
      local function half(made)
        local found = estimate.per_call(made, "wall_ns", SETTINGS)
        return (found.high - found.low) / 2 / found.value
      end
      assert.near(0.01 * 1.96, half(plain), 1e-4)
      assert.near(0.014 * 1.96, half(allocating), 1e-4)
    end)

  it("is wider when the machine drifts in the course of the run", function()
    local steady = samples(200, function(_, random)
      return 1 + random(100) / 2000 end)
    local drifting = samples(200, function(i, random)
      return 1 + random(100) / 2000 + i / 1000 end)
    assert.is_true(
      estimate.per_call(drifting, "wall_ns", SETTINGS).within
      > 3 * estimate.per_call(steady, "wall_ns", SETTINGS).within)
  end)

  it("leaves out batches that shared their core", function()
    -- a narrow core: 'width' far below what the others have
    local function crowded(i) return i % 3 == 0 end
    local made = samples(150, function(i) return crowded(i) and 0.5 or 1 end,
      { width = function(i) return crowded(i) and 1.5 or 3 end })
    local found = estimate.per_call(made, "wall_ns", SETTINGS)
    assert.near_relative(100, found.value, 1e-9)
  end)

  describe("of batches that the core was taken away from", function()
    local function is_hit(i) return i % 10 < 8 end
    local function slowness(i) return is_hit(i) and 3 or 1 end
    local function found(waits)
      local made = samples(150, slowness, {
        preemptions = function(i) return is_hit(i) and 1 or 0 end,
        waits = function() return waits end,
      })
      made.cpu_ns = {}
      for i, ns in ipairs(made.wall_ns) do made.cpu_ns[i] = ns / slowness(i) end
      return estimate.per_call(made, "wall_ns", SETTINGS)
    end

    it("keeps none, though they are most", function()
      assert.near_relative(100, found(0).value, 1e-9)
      assert.near(0, found(0).within, 1e-9)
    end)

    it("keeps those in which the bench itself waited for something", function()
      assert.near_relative(300, found(1).value, 0.01)
    end)
  end)

  it("takes the error from the launches where there are enough", function()
    local function launch(i) return 1 + (i - 1) % 5 end
    local function disturb(i) return 1 + 0.1 * launch(i) end
    local made = samples(200, disturb, { launch = launch })
    local found = estimate.per_call(made, "wall_ns", SETTINGS)
    -- slopes 110 ... 150: sd 15.8, over sqrt(5), times t(4) = 2.776
    assert.near_relative(2 * 2.776 * 15.811 / math.sqrt(5),
      found.high - found.low, 0.01)
  end)

  it("fits an intercept where batches are short", function()
    local made = { iters = {}, wall_ns = {}, start_ns = {} }
    for i = 1, 60 do
      made.iters[i] = 10 + i * 37 % 60
      made.wall_ns[i] = 500 + 10 * made.iters[i]
      made.start_ns[i] = i
    end
    assert.near_relative(10,
      estimate.per_call(made, "wall_ns", SETTINGS).value, 1e-9)
  end)

  it("has no value where a column has none", function()
    local made = samples(30)
    assert.is_nil(estimate.per_call(made, "cycles", SETTINGS))
    made.cycles = {}
    assert.is_nil(estimate.per_call(made, "cycles", SETTINGS))
  end)

  it("has no interval of one batch, and a wide one of few", function()
    local one = estimate.per_call({ iters = { 10 }, wall_ns = { 1000 } },
      "wall_ns", SETTINGS)
    assert.equal(100, one.value)
    assert.is_nil(one.low)
    local two = estimate.per_call({ iters = { 10, 10 },
      wall_ns = { 1000, 1100 } }, "wall_ns", SETTINGS)
    assert.is_true(two.high - two.low > 100)
  end)

  it("covers the truth of made-up noise as often as it says", function()
    local covered, trials = 0, 200
    for trial = 1, trials do
      local random = schedule.generator(trial)
      local made = { iters = {}, wall_ns = {}, start_ns = {} }
      -- this process's draw, and skewed noise whose quarter lies at 1
      local draw = 0
      for _ = 1, 12 do draw = draw + random(1e6) / 1e6 - 0.5 end
      for i = 1, 100 do
        local u = random(1e6) / 1e6
        made.iters[i] = 1000 + random(9000)
        made.wall_ns[i] = made.iters[i] * 100 * (1 + 0.01 * draw)
          * (1 + 0.05 * (-math.log(1 - u * 0.999) - 0.2877))
        made.start_ns[i] = i
      end
      local found = estimate.per_call(made, "wall_ns", SETTINGS)
      if found.low <= 100 and found.high >= 100 then covered = covered + 1 end
    end
    assert.is_true(covered >= 0.9 * trials, covered .. " of " .. trials)
  end)
end)
