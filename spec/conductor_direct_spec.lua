-- Whole measurements in this process, on a clock that moves only when a bench
-- says so.
local clocked = require "spec.support.clocked"
local core = require "tare.core"
local Direct = require "tare.conductor.direct"
local sweep = require "tare.sweep"

-- The records of what 'fill' adds, measured to their end; and the clock.
local function records_of(fill, given, tick_ns)
  local direct, meter = clocked.direct(fill, given, tick_ns)
  return direct:run(), meter
end

local function slope_of(record)
  return core.stats.ols(record.samples.wall_ns, { record.samples.iters },
    { intercept = true }).coefficients[1]
end

local function warns(record, code)
  for _, one in ipairs(record.warnings) do
    if one == code then return true end
  end
  return false
end

describe("a measurement", function()
  it("finds the cost of a call to the digit, on an exact clock", function()
    local records = records_of(function(suite, taking)
      suite:bench("a", taking(100))
      suite:bench("b", taking(2500))
    end)
    assert.near_relative(100, slope_of(records[1]), 1e-12)
    assert.near_relative(2500, slope_of(records[2]), 1e-12)
  end)

  it("finds the same slope on a clock of 1 ms ticks", function()
    local records = records_of(function(suite, taking)
      suite:bench("a", taking(12345))
    end, { quota = "20s" }, 1e6)
    assert.near_relative(12345, slope_of(records[1]), 0.004)
  end)

  it("never takes more than the quotas of its benches", function()
    local _, meter = records_of(function(suite, taking)
      suite:bench("a", taking(3333))
      suite:bench("b", taking(100))
    end, { quota = "5ms" })
    assert.is_true(meter:now() <= 10e6)
    assert.is_true(meter:now() > 8e6)
  end)

  it("has hooks around a batch in the quota, not in rows", function()
    local records, meter = records_of(function(suite, taking, clock)
      suite:bench("a", { run = taking(1000),
        before_batch = function() clock:advance(5e4) end })
    end)
    assert.near_relative(1000, slope_of(records[1]), 1e-12)
    assert.is_true(meter:now() <= 20e6 + 1e5)
    assert.is_true(meter:now() > 10e6)
  end)

  it("says where one call is longer than the quota", function()
    local records = records_of(function(suite, taking)
      suite:bench("long", taking(3e7))
      suite:bench("short", taking(1e6))
    end)
    assert.is_true(warns(records[1], "quota_exceeded"))
    assert.same({ 3e7 }, records[1].samples.wall_ns)
    assert.is_false(warns(records[2], "quota_exceeded"))
  end)

  it("ends early at the precision asked for", function()
    local records = records_of(function(suite, taking)
      suite:bench("a", taking(1000))
      suite:bench("b", { precision = "50%", run = taking(1000) })
    end, { quota = "200ms" })
    assert.equal(40, #records[2].samples.iters)
    assert.is_true(#records[1].samples.iters > 40)
  end)

  it("prepares the inputs of each call outside of the clock", function()
    local made, released, used = 0, 0, {}
    local records = records_of(function(suite, _, clock)
      suite:bench("a", {
        before_each = function()
          made = made + 1
          clock:advance(5)
          return made
        end,
        run = function(input)
          used[input] = true
          clock:advance(1000)
          return input
        end,
        after_each = function(result) released = released + result end,
      })
    end)
    assert.near_relative(1000, slope_of(records[1]), 1e-12)
    assert.equal(made, #used)
    assert.equal(made * (made + 1) / 2, released)
  end)

  it("repeats functions by a loop in C where asked, and says so", function()
    local records = records_of(function(suite, taking)
      suite:bench("a", { run = taking(1000), loop = "call" })
      suite:bench("b", { run = taking(1000), unroll = 4 })
      suite:bench("c", { run = taking(1000), unroll = 4,
        before_each = function() end })
    end)
    assert.equal("call", records[1].loop)
    assert.equal("inline*4", records[2].loop)
    assert.equal("inline", records[3].loop)
    for i = 1, 3 do
      assert.near_relative(1000, slope_of(records[i]), 1e-12)
    end
  end)

  it("keeps the others running when one raises", function()
    local records = records_of(function(suite, taking)
      suite:bench("bad", function() error({}) end)
      suite:bench("good", taking(1000))
    end)
    assert.equal("(an error that is a table)", records[1].error)
    assert.is_nil(records[2].error)
    assert.is_true(#records[2].samples.iters >= 10)
  end)

  it("knows what a call processes", function()
    local records = records_of(function(suite, taking)
      suite:bench("a", { run = taking(1000), params = { n = { 7 } },
        throughput = { items = function(p) return p.n end } })
    end)
    assert.same({ items = 7 }, records[1].throughput)
  end)

  it("says that a loop can't be what it was asked to be", function()
    local records = records_of(function(suite, taking)
      suite:bench("a", { run = taking(1000), params = { loop = { "batch" } } })
    end)
    assert.equal("the loop kind 'batch' needs a function 'batch'",
      records[1].error)
  end)
end)

describe("the order of a measurement", function()
  -- Names of benches in the order of their batches, without repetitions.
  local function order_of(names, given, more)
    local order = {}
    records_of(function(suite, _, meter)
      for i, name in ipairs(names) do
        local spec = { batch = function(n)
          if order[#order] ~= name then order[#order + 1] = name end
          meter:advance(n * 1000)
        end }
        for key, value in pairs(more and more(i) or {}) do spec[key] = value end
        suite:bench(name, spec)
      end
    end, given)
    return order
  end

  it("is in turn", function()
    local order = order_of { "a", "b" }
    assert.is_true(#order > 20)
  end)

  it("is one bench after the other when told", function()
    assert.same({ "a", "b" }, order_of({ "a", "b" },
      { order = "sequential" }))
  end)

  it("is not in turn where settings differ that must not alternate",
    function()
      assert.same({ "a", "b" }, order_of({ "a", "b" }, nil, function(i)
        return { gc_pause = 100 + i }
      end))
    end)

  it("has groups one after the other, each measured whole", function()
    local records = records_of(function(suite, taking)
      for i = 1, 70 do
        suite:group("g" .. i % 35, function(group)
          group:bench("b" .. i, taking(1000))
        end)
      end
    end, { quota = "2ms" })
    assert.equal(70, #records)
    for i, record in ipairs(records) do
      assert.is_nil(record.error)
      assert.equal("g" .. math.floor((i + 1) / 2) % 35, record.group[1])
    end
  end)
end)

describe("a measurement that is closed", function()
  it("tears down once what it set up, after an error too", function()
    local log = {}
    local function hooks(run)
      return { run = run,
        setup = function() log[#log + 1] = "setup" end,
        teardown = function() log[#log + 1] = "teardown" end }
    end
    records_of(function(suite, taking)
      suite:bench("good", hooks(taking(1000)))
    end)
    assert.same({ "setup", "teardown" }, log)
    log = {}
    records_of(function(suite)
      suite:bench("bad", hooks(function() error "x" end))
    end)
    assert.same({ "setup", "teardown" }, log)
  end)

  it("tears down and puts all back in the midst of its work", function()
    local before, log = core.gc_state(), {}
    local direct = clocked.direct(function(suite, taking)
      suite:bench("a", { run = taking(1000),
        teardown = function() log[#log + 1] = "teardown" end })
    end, { gc_pause = 100, gc_step_multiplier = 300 })
    for _ = 1, 5 do direct:step() end
    assert.equal(100, (core.gc_settings()))
    direct:close()
    assert.same({ "teardown" }, log)
    assert.same(before, core.gc_state())
  end)

  it("keeps what it had measured, and says that it was interrupted",
    function()
      local direct = clocked.direct(function(suite, taking)
        suite:bench("a", taking(1000))
        suite:bench("b", taking(1000))
      end)
      local steps = 0
      local records = direct:run(function()
        steps = steps + 1
        return steps == 60
      end)
      assert.equal(2, #records)
      for _, record in ipairs(records) do
        assert.is_true(warns(record, "interrupted"))
        assert.is_true(#record.samples.iters > 4)
      end
    end)

  it("raises what was raised beside the benches, all put back", function()
    local before = core.gc_state()
    local direct = clocked.direct(function(suite, taking)
      suite:bench("a", { run = taking(1000), gc_pause = 100 })
    end)
    assert.has_error(function()
      direct:run(function() error("the progress line's", 0) end)
    end, "the progress line's")
    assert.same(before, core.gc_state())
  end)
end)

-- A sweep from end to end -----------------------------------------------------

local QUOTA_NS = 1e8

-- Made functions: ns of a call over n.
local made = {
  constant = function() return 1e5 end,
  linear = function(n) return 1000 * n end, -- meets constant at 100
  sorting = function(n) return 150 * n * math.log(n) end,
  pairs = function(n) return n * n / 8 + 1000 end,
}

local LAWS = { constant = "1", linear = "n", sorting = "n log n",
  pairs = "n^2" }

-- Each call is off by up to a twentieth, and the machine slows down by a
-- twentieth over the run, by a fixed sequence.
local function new_noise(meter)
  local state = 1
  return function()
    state = state * 16807 % 2147483647
    return (0.95 + 0.1 * state / 2147483647) * (1 + 0.05 * meter:now() / 1e10)
  end
end

local function swept()
  local process, meter = clocked.process()
  local noise = new_noise(meter)
  local params = { n = sweep.geometric(4, 8192), impl = made }
  if _VERSION >= "Lua 5.4" then
    params.gc_mode = { "incremental", "generational" }
  else
    params.gc_pause = { 100, 200 }
  end
  local cells, settings = clocked.cells(function(suite)
    suite:bench("f", { params = params, baseline = "linear",
      run = function(p) meter:advance(p.impl(p.n) * noise()) end })
  end, meter, { quota = QUOTA_NS / 1e9, confidence = 0.99 })
  return Direct.report(cells, settings, { process = process }), meter:now(),
    #cells
end

describe("a sweep of 4 implementations, 12 sizes and 2 collectors", function()
  local report, spent_ns, cells = swept()
  local read = report.sweeps[1]

  it("measures each of its 96 cells once", function()
    assert.equal(96, cells)
    local seen = {}
    for _, result in ipairs(report.results) do
      assert.is_nil(result.error)
      assert.is_nil(seen[result.id])
      seen[result.id] = true
    end
    assert.equal(96, #report.results)
  end)

  it("ends within its total quota", function()
    assert.is_true(spent_ns <= cells * QUOTA_NS * 1.1, spent_ns)
  end)

  it("finds the law of every series", function()
    assert.equal(8, #read.series)
    for _, series in ipairs(read.series) do
      assert.equal(12, #series.points)
      assert.equal(LAWS[series.label:match("impl=(%a+)")], series.law.name)
    end
  end)

  it("finds the crossovers within their intervals", function()
    -- Where they meet, and how wide an interval may be: n log n and n meet at
    -- a small angle.
    local truth = { ["linear constant"] = { 100, 1.3 },
      ["pairs constant"] = { 889.9, 1.3 },
      ["sorting linear"] = { math.exp(1000 / 150), 4 } }
    local checked = 0
    for _, one in ipairs(read.crossovers) do
      local pair = one.a:match("impl=(%a+)") .. " " .. one.b:match("impl=(%a+)")
      if truth[pair] then
        local x, widest = truth[pair][1], truth[pair][2]
        checked = checked + 1
        assert.is_true(one.low <= x and x <= one.high, pair)
        assert.is_true(one.high / one.low < widest, pair)
      end
    end
    assert.equal(6, checked)
  end)

  it("compares the implementations in every cell of the others", function()
    assert.equal(12 * 2 * 3, #report.comparisons)
    for _, one in ipairs(report.comparisons) do
      assert.truthy(one.b:find("impl=linear", 1, true))
    end
  end)
end)
