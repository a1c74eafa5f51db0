local core = require "tare.core"
local options = require "tare.base.options"
local Runner = require "tare.run.runner"
local Suite = require "tare.bench.suite"

-- A run on a clock that moves only when a bench says so.
local function new_run(fill, given, tick_ns)
  local meter = core.meter { manual_tick_ns = tick_ns or 1, watch = true }
  local suite = Suite.new "s"
  fill(suite, function(ns) return function() meter:advance(ns) end end, meter)
  given = given or {}
  given.quota = given.quota or "20ms"
  local settings = assert(options.resolve(given, "spec"))
  local context = Runner.context(meter)
  context.events:close() -- when the JIT compiles is another time each time
  context.events = { count = function() return 0 end, close = function() end,
    follow = function() end, shares = function() return false end }
  return Runner.new(assert(suite:cells()), settings, context), meter
end

local function slope_of(trial)
  local columns = trial.samples:columns()
  local predictors = { columns.iters }
  return core.stats.ols(columns.wall_ns, predictors, { intercept = true })
    .coefficients[1]
end

describe("a run", function()
  -- What a compiler does, and when, is not for a spec on an exact clock.
  local jit = rawget(_G, "jit")
  setup(function() if jit then jit.off() jit.flush() end end)
  teardown(function() if jit then jit.on() end end)

  it("finds the cost of a call to the digit, on an exact clock", function()
    local runner = new_run(function(suite, taking)
      suite:bench("a", taking(100))
      suite:bench("b", taking(2500))
    end)
    local trials = runner:run()
    assert.near_relative(100, slope_of(trials[1]), 1e-12)
    assert.near_relative(2500, slope_of(trials[2]), 1e-12)
  end)

  it("finds the same slope on a clock of 1 ms ticks", function()
    local runner = new_run(function(suite, taking)
      suite:bench("a", taking(12345))
    end, { quota = "20s" }, 1e6)
    local trials = runner:run()
    assert.near_relative(12345, slope_of(trials[1]), 0.004)
  end)

  it("puts all back when it is closed in the midst of its work", function()
    local pause, multiplier, running = core.gc_settings()
    local runner = new_run(function(suite, taking)
      suite:bench("a", taking(100))
    end, { gc_pause = 120, gc_step_multiplier = 300 })
    local heard = 0
    runner.context.events.close = function() heard = heard + 1 end
    for _ = 1, 5 do runner:step() end
    assert.equal(120, (core.gc_settings()))
    runner:close()
    assert.same({ pause, multiplier, running }, { core.gc_settings() })
    assert.equal(1, heard)
  end)

  it("never spends more than the quota of a bench", function()
    local runner, meter = new_run(function(suite, taking)
      suite:bench("a", taking(3333))
      suite:bench("b", taking(100))
    end, { quota = "5ms" })
    runner:run()
    assert.is_true(meter:now() <= 10e6)
    assert.is_true(meter:now() > 8e6)
  end)

  it("says where one call is longer than the quota", function()
    local runner = new_run(function(suite, taking)
      suite:bench("long", taking(3e7))
      suite:bench("short", taking(1e6))
    end)
    local trials = runner:run()
    assert.is_true(trials[1].warnings.quota_exceeded)
    assert.equal(1, #trials[1].samples)
    assert.is_nil(trials[2].warnings.quota_exceeded)
  end)

  it("ends early at the precision asked for", function()
    local runner = new_run(function(suite, taking)
      suite:bench("a", taking(1000))
      suite:bench("b", { precision = "50%", run = taking(1000) })
    end, { quota = "200ms" })
    local trials = runner:run()
    assert.equal(40, #trials[2].samples)
    assert.is_true(#trials[1].samples > 40)
  end)

  it("runs benches in turn, forth and back", function()
    local order = {}
    local runner = new_run(function(suite, _, meter)
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { batch = function(n)
          order[#order + 1] = name
          meter:advance(n * 1000)
        end })
      end
    end)
    runner:run()
    local switches = 0
    for i = 2, #order do
      if order[i] ~= order[i - 1] then switches = switches + 1 end
    end
    -- ABBAABBA...: half of the neighbours differ
    assert.is_true(switches > #order / 3)
  end)

  it("runs one bench after the other when told", function()
    local order, last = {}, nil
    local runner = new_run(function(suite, _, meter)
      for _, name in ipairs { "a", "b" } do
        suite:bench(name, { batch = function(n)
          if name ~= last then order[#order + 1] = name end
          last = name
          meter:advance(n * 1000)
        end })
      end
    end, { order = "sequential" })
    runner:run()
    assert.same({ "a", "b" }, order)
  end)

  it("gives what is compared the same sizes in the same rounds", function()
    local runner = new_run(function(suite, taking)
      suite:bench("a", taking(1000))
      suite:bench("b", taking(1500))
    end)
    local trials = runner:run()
    local a, b = trials[1].samples:columns(), trials[2].samples:columns()
    assert.same(a.iters, b.iters)
    assert.same(a.round, b.round)
  end)

  it("keeps the others running when one raises", function()
    local runner = new_run(function(suite, taking)
      suite:bench("bad", function() error({}) end)
      suite:bench("good", taking(1000))
    end)
    local trials = runner:run()
    assert.is_string(trials[1].error)
    assert.is_nil(trials[2].error)
    assert.is_true(#trials[2].samples >= 10)
  end)

  it("sets up once, tears down once, after an error too", function()
    local log = {}
    local function hooks(run)
      return { run = run,
        setup = function() log[#log + 1] = "setup" end,
        teardown = function() log[#log + 1] = "teardown" end }
    end
    local runner = new_run(function(suite, taking)
      suite:bench("good", hooks(taking(1000)))
    end)
    runner:run()
    assert.same({ "setup", "teardown" }, log)
    log = {}
    new_run(function(suite)
      suite:bench("bad", hooks(function() error "x" end))
    end):run()
    assert.same({ "setup", "teardown" }, log)
  end)

  it("tears down what it set up when it is closed early", function()
    local log = {}
    local runner = new_run(function(suite, taking)
      suite:bench("a", { run = taking(1000),
        teardown = function() log[#log + 1] = "teardown" end })
    end)
    for _ = 1, 4 do runner:step() end
    runner:close()
    assert.same({ "teardown" }, log)
  end)

  it("prepares the inputs of each call outside of the clock", function()
    local made, released, used = 0, 0, {}
    local runner, meter
    runner, meter = new_run(function(suite, _, clock)
      suite:bench("a", {
        before_each = function() made = made + 1; return made end,
        run = function(input) used[input] = true; clock:advance(1000)
          return input end,
        after_each = function(result) released = released + result end,
      })
    end)
    local trials = runner:run()
    assert.near_relative(1000, slope_of(trials[1]), 1e-12)
    assert.equal(made, #used)
    assert.equal(made * (made + 1) / 2, released)
    assert.is_true(meter:now() > 0)
  end)

  it("times hooks around a batch into the quota, not into rows", function()
    local runner, meter = new_run(function(suite, taking, clock)
      suite:bench("a", { run = taking(1000),
        before_batch = function() clock:advance(5e4) end })
    end)
    local trials = runner:run()
    assert.near_relative(1000, slope_of(trials[1]), 1e-12)
    assert.is_true(meter:now() <= 20e6 + 1e5)
  end)

  it("repeats functions by a loop in C where asked", function()
    local runner = new_run(function(suite, taking)
      suite:bench("a", { run = taking(1000), loop = "call" })
    end)
    local trials = runner:run()
    assert.equal("call", trials[1].loop_kind)
    assert.near_relative(1000, slope_of(trials[1]), 1e-12)
  end)

  it("interleaves a bench of few batches evenly with one of many", function()
    local runner = new_run(function(suite, taking)
      suite:bench("quick", taking(100))
      suite:group("apart", function(group) group:bench("slow", taking(3e5)) end)
    end)
    local trials = runner:run()
    local slow = trials[2].samples:columns().round
    local last = trials[1].samples:columns().round
    assert.is_true(slow[#slow] > 0.8 * last[#last])
  end)

  it("measures whole comparison groups within a window", function()
    local runner = new_run(function(suite, taking)
      for i = 1, 70 do
        suite:group("g" .. i % 35, function(group)
          group:bench("b" .. i, taking(1000))
        end)
      end
    end, { quota = "2ms" })
    local trials = runner:run()
    assert.equal(70, #trials)
    for _, trial in ipairs(trials) do assert.is_nil(trial.error) end
  end)
end)
