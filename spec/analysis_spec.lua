local unpack = unpack or table.unpack -- luacheck: compat
local analysis = require "tare.analysis"
local gc_option = require "tare.base.gc_option"
local generator = require("spec.support.made").generator
local made_run = require "spec.support.made_run"
local overhead = require "tare.analysis.overhead"

local SETTINGS = { confidence = 0.95, resamples = 1000, seed = 1 }

-- A record of batches at 'call_ns' a call, with a fixed cost a batch.
local function record(changes)
  local samples = { iters = {}, wall_ns = {}, gc_minor = {}, gc_major = {},
    round = {}, start_ns = {} }
  local now = 0
  for i = 1, 60 do
    local iters = 10 + i * 37 % 60
    samples.iters[i] = iters
    samples.gc_minor[i] = math.floor(iters * (i % 4) / 40)
    samples.gc_major[i] = 0
    samples.wall_ns[i] = 500 + 100 * iters + 2000 * samples.gc_minor[i]
      + (i * 13 % 7)
    samples.round[i], samples.start_ns[i] = i, now
    now = now + samples.wall_ns[i]
  end
  local made = { id = "s/a", suite = "s", name = "a", params = {},
    loop = "inline", gc = "natural", warnings = {}, samples = samples,
    passes = {} }
  for key, value in pairs(changes or {}) do made[key] = value end
  return made
end

describe("the analysis", function()
  it("reports the slope of time against calls, with an interval", function()
    local result = analysis.analyse(record(), SETTINGS)
    assert.is_true(result.time.low < result.time.value)
    assert.is_true(result.time.value < result.time.high)
    assert.equal("ns", result.time.unit)
    assert.is_true(result.r2 > 0.5)
  end)

  it("tells the cost of a collection from that of a call", function()
    local result = analysis.analyse(record(), SETTINGS)
    local fit = result.fits[2]
    assert.same({ "iters", "gc_minor" }, fit.predictors)
    assert.near_relative(100, fit.coefficients.iters.value, 0.01)
    assert.near_relative(2000, fit.coefficients.gc_minor.value, 0.01)
    assert.is_true(fit.r2 > result.fits[1].r2)
    assert.is_number(fit.vif.gc_minor)
  end)

  it("computes the same again from a stored result", function()
    local once = analysis.analyse(record(), SETTINGS)
    local again = analysis.analyse(once, SETTINGS)
    assert.same(once, again)
  end)

  it("warns of a batch function whose time hardly depends on n", function()
    local function warns(call_ns, loop)
      local made = record { loop = loop }
      for i, iters in ipairs(made.samples.iters) do
        made.samples.wall_ns[i] = 5000 + call_ns * iters + i % 7
      end
      local result = analysis.analyse(made, SETTINGS)
      return table.concat(result.warnings, " "):find("no_loop") ~= nil
    end
    assert.is_true(warns(0.01, "batch"))
    assert.is_false(warns(100, "batch"))
    assert.is_false(warns(0.01, "inline"))
  end)

  it("drops batches in which a collection ended, where asked", function()
    local settings = { confidence = 0.95, resamples = 1000, seed = 1,
      discard = { "gc" } }
    local result = analysis.analyse(record(), settings)
    assert.is_true(result.discarded > 0)
    assert.same({ gc = result.discarded }, result.discarded_by)
    assert.near_relative(100, result.time.value, 0.01)
    assert.truthy(table.concat(result.warnings, " "):find("dropped_rows"))
  end)

  it("names the batches that the time is not of, by their rows", function()
    local made = record()
    assert.is_nil(analysis.analyse(made, SETTINGS).left_out)
    local samples = made.samples
    samples.preemptions, samples.waits, samples.cpu_ns = {}, {}, {}
    for row = 1, 60 do
      local is_lost = row == 30 or row == 31
      samples.wall_ns[row] = samples.wall_ns[row] * 1e4
      samples.preemptions[row], samples.waits[row] = is_lost and 1 or 0, 0
      samples.iters[row] = samples.iters[row] * 1e4
      samples.cpu_ns[row] = samples.wall_ns[row] * (is_lost and 0.5 or 1)
    end
    assert.same({ 30, 31 }, analysis.analyse(made, SETTINGS).left_out)
    local expected = {}
    for row = 1, 60 do
      if samples.gc_minor[row] > 0 or row == 30 or row == 31 then
        expected[#expected + 1] = row
      end
    end
    assert.same(expected, analysis.analyse(made, { confidence = 0.95,
      resamples = 1000, seed = 1, discard = { "gc" } }).left_out)
  end)

  it("drops none where too few would be left, and says so", function()
    local made = record()
    for row = 1, 55 do made.samples.gc_minor[row] = 1 end
    local result = analysis.analyse(made, { confidence = 0.95,
      resamples = 1000, seed = 1, discard = { "gc" } })
    assert.is_nil(result.discarded)
    assert.equal(60, result.rounds)
    assert.truthy(table.concat(result.warnings, " "):find("none_dropped"))
  end)

  it("takes net and collector from two arms", function()
    local made = record { gc = "arms" }
    local stopped = { iters = {}, wall_ns = {}, start_ns = {} }
    local last = made.samples.start_ns[60]
    for row = 1, 12 do
      stopped.iters[row], stopped.start_ns[row] = 40, last * row / 13
      stopped.wall_ns[row] = 40 * 100
    end
    made.passes = { stopped = { samples = stopped } }
    local result = analysis.analyse(made, SETTINGS)
    assert.near_relative(1 - 100 / result.time.value,
      result.collector_share.value, 1e-9)
    assert.near_relative(result.time.value,
      result.net.value + result.collector.value, 1e-9)
    assert.is_true(result.net.low < result.net.value)
  end)

  it("is no surer of a collector's part of 0 than of the two arms", function()
    local made = record { gc = "arms" }
    local stopped = { iters = {}, wall_ns = {}, start_ns = {} }
    for row = 1, 12 do
      stopped.iters[row], stopped.start_ns[row] = 40, row
      stopped.wall_ns[row] = 40 * 110
    end
    for row = 1, 60 do
      made.samples.wall_ns[row] = 100 * made.samples.iters[row]
    end
    made.passes = { stopped = { samples = stopped } }
    local result = analysis.analyse(made, SETTINGS)
    assert.same({ 0, 0 }, { result.collector.value, result.collector.low })
    assert.is_true(result.collector.high > 1 and result.net.low < 99)
  end)

  it("does not say that calls which allocate now and then have no collector",
    function()
      local made = record { gc = "natural" }
      made.passes = { census = { iters = 16, allocs = 0, bytes = 0 },
        long_census = { iters = 1000, allocs = 100, bytes = 5000 } }
      assert.is_nil(analysis.analyse(made, SETTINGS).collector_share)
      made.passes.long_census = nil -- but rows saw collections
      assert.is_nil(analysis.analyse(made, SETTINGS).collector_share)
      local minor = made.samples.gc_minor
      for row in ipairs(minor) do minor[row] = 0 end
      assert.equal(0, analysis.analyse(made, SETTINGS).collector_share.value)
    end)

  it("has a bound for the collector of calls that allocate now and then: by a "
    .. "long run, or else by what batches left", function()
    local full = { ns = 1e5, heap_bytes = 1e5, freed_bytes = 0 }
    local function found(grown, long)
      local made = record { gc = "natural" }
      made.samples.growth_bytes = {}
      for row in ipairs(made.samples.iters) do
        made.samples.gc_minor[row] = 0
        made.samples.growth_bytes[row] = row == 7 and grown or 0
      end
      made.passes = { census = { iters = 16, allocs = 0, bytes = 0,
        full_collection = full }, long_census = long }
      return analysis.analyse(made, SETTINGS)
    end
    assert.equal(0, found(0).collector.high)
    for _, result in ipairs { found(1600), found(1600,
      { iters = 1000, allocs = 1, bytes = 200 }) } do
      local high = result.collector.high
      assert.is_true(high > 0.1 and high < 2, high)
    end
    assert.is_nil(found(1e7).collector)
    assert.is_nil(found(1e7, { iters = 1000, allocs = 9, bytes = 4e6 })
      .collector)
  end)

  it("goes by the processor's time in two arms, where it is known", function()
    local made = record { gc = "arms" }
    local stopped = { iters = {}, wall_ns = {}, cpu_ns = {}, start_ns = {} }
    made.samples.cpu_ns = {}
    for row = 1, 60 do
      made.samples.cpu_ns[row] = 120 * made.samples.iters[row]
    end
    for row = 1, 12 do
      stopped.iters[row], stopped.start_ns[row] = 40, row
      stopped.wall_ns[row], stopped.cpu_ns[row] = 40 * 50, 40 * 90
    end
    made.passes = { stopped = { samples = stopped } }
    local result = analysis.analyse(made, SETTINGS)
    assert.near_relative(0.25, result.collector_share.value, 1e-6)
    assert.near_relative(0.75 * result.time.value, result.net.value, 1e-6)
  end)

  -- Two arms, the first of which took so long a call by both clocks.
  local function arms_of(wall_ns, cpu_ns)
    local made = record { gc = "arms" }
    local stopped = { iters = {}, wall_ns = {}, cpu_ns = {}, start_ns = {} }
    made.samples.cpu_ns = {}
    for row = 1, 60 do
      made.samples.wall_ns[row] = wall_ns * made.samples.iters[row]
      made.samples.cpu_ns[row] = cpu_ns
    end
    for row = 1, 12 do
      stopped.iters[row], stopped.start_ns[row] = 40, row
      stopped.wall_ns[row], stopped.cpu_ns[row] = 40 * 50, 0
    end
    made.passes = { stopped = { samples = stopped } }
    return analysis.analyse(made, SETTINGS)
  end

  it("goes by elapsed time where the processor's clock stood still", function()
    local result = arms_of(100, 0)
    assert.near_relative(0.5, result.collector_share.value, 1e-6)
    assert.near_relative(50, result.net.value, 1e-6)
  end)

  it("tells no parts of a time that is none", function()
    local result = arms_of(0, 0)
    assert.is_nil(result.net)
    assert.is_nil(result.collector_share)
  end)

  -- Ten paced batches of ten calls of a compiler's code, which calls no hooks.
  -- Each call has so many collections, as natural ones have; the function and
  -- its collector take these shares of the time of natural calls in them.
  local function paced_with(collections, mutator_share, collector_share)
    local made = record()
    made.samples.jit_events = {}
    for row, iters in ipairs(made.samples.iters) do
      made.samples.jit_events[row] = 0
      made.samples.gc_minor[row] = iters * collections
    end
    local time = analysis.analyse(made, SETTINGS).time
    local paced = { iters = {}, wall_ns = {}, mutator_ns = {},
      collector_ns = {}, gc_minor = {}, gc_major = {} }
    for i = 1, 10 do
      paced.iters[i] = 10
      paced.mutator_ns[i] = 10 * mutator_share * time.value
      paced.collector_ns[i] = 10 * collector_share * time.value
      paced.wall_ns[i] = paced.mutator_ns[i] + paced.collector_ns[i]
      paced.gc_minor[i], paced.gc_major[i] = 10 * collections, 0
    end
    made.passes = { paced = { samples = paced } }
    return analysis.analyse(made, SETTINGS), time
  end

  it("takes for the collector's what calls with collections in their midst "
    .. "take longer than the mutator", function()
    for _, collections in ipairs { 1, 3 } do
      local result, time = paced_with(collections, 0.6, 0.1)
      assert.near_relative(0.6 * time.value, result.net.value, 1e-9)
      assert.near_relative(0.4 * time.value, result.collector.value, 1e-9)
      assert.near_relative(0.4, result.collector_share.value, 1e-9)
      for _, name in ipairs { "net", "collector", "collector_share" } do
        local part = result[name]
        assert.is_true(part.low < part.value and part.value < part.high)
      end
    end
  end)

  it("weighs that by how many calls have one", function()
    local result, time = paced_with(0.25, 0.6, 0.2)
    assert.near_relative(time.value * (0.75 * 0.75 + 0.25 * 0.6),
      result.net.value, 1e-9)
    assert.near_relative(time.value, result.net.value
      + result.collector.value, 1e-9)
  end)

  it("has no collector's part, but a warning, where fresh memory makes the "
    .. "function alone as slow as with its collector", function()
    local result = paced_with(1, 1.2, 0.1)
    assert.is_nil(result.collector)
    assert.is_nil(result.net)
    local warned = false
    for _, code in ipairs(result.warnings) do
      warned = warned or code == "inside_unknown"
    end
    assert.is_true(warned)
  end)

  it("warns where memory is fresh: batches have the collector stopped",
    function()
      local warned = {}
      for _, gc in ipairs(gc_option.names) do
        local result = analysis.analyse(record { gc = gc }, SETTINGS)
        for _, code in ipairs(result.warnings) do
          if code == "stopped_is_biased" then warned[#warned + 1] = gc end
        end
      end
      assert.same({ "stopped", "arms" }, warned)
    end)

  it("knows that what allocates nothing costs no collector", function()
    local made = record { passes = { census = { iters = 10, allocs = 0,
      bytes = 0 } } }
    for row in ipairs(made.samples.iters) do made.samples.gc_minor[row] = 0 end
    local result = analysis.analyse(made, SETTINGS)
    assert.equal(0, result.collector.value)
    assert.equal(result.time.value, result.net.value)
    assert.equal(0, result.allocs.value)
  end)

  it("gives exact counts a call", function()
    local result = analysis.analyse(record { passes = {
      census = { iters = 10, allocs = 20, bytes = 1120 },
      instructions = { iters = 1, instructions = 17 } } }, SETTINGS)
    assert.equal(2, result.allocs.value)
    assert.equal(112, result.bytes.value)
    assert.same({ value = 17, unit = "instructions" }, result.instructions)
    assert.equal("allocs", result.allocs.unit)
    assert.equal("collections", result.gc_minor.unit)
  end)

  it("shows the loop's cost, and subtracts it only when asked", function()
    local cost = { value = 10, low = 9, high = 11 }
    local result = analysis.analyse(record { loop_cost = cost }, SETTINGS)
    assert.equal(10, result.overhead)
    local settings = { confidence = 0.95, resamples = 1000, seed = 1,
      net_of_loop = true }
    local net = analysis.analyse(record { loop_cost = cost }, settings)
    assert.near_relative(result.time.value - 10, net.time.value, 1e-12)
    assert.is_true(net.time.high - net.time.low
      > result.time.high - result.time.low)
  end)

  it("subtracts the loop's cost from the times of launches and of groups of "
    .. "these, too", function()
    local cost = { value = 3, low = 2.9, high = 3.1 }
    local function analysed(net_of_loop)
      local made = made_run.record { launches = 10, noise = 0.001,
        call_ns = function(launch) return launch % 2 == 0 and 4 or 5 end }
      made.loop_cost = cost
      return analysis.analyse(made, { confidence = 0.95, resamples = 100,
        seed = 1, net_of_loop = net_of_loop })
    end
    local gross, net = analysed(false), analysed(true)
    assert.equal(2, #gross.groups)
    for i, one in ipairs(gross.groups) do
      assert.near(one.value - 3, net.groups[i].value, 1e-9)
    end
    for i, ns in ipairs(gross.launch_values) do
      assert.near(ns - 3, net.launch_values[i], 1e-9)
    end
  end)

  it("subtracts the loop's cost from every time, not from the collector",
    function()
      local function e(value)
        return { value = value, low = value - 3, high = value + 3 }
      end
      local result = { loop_cost = { value = 10, low = 6, high = 14 },
        time = e(110), net = e(90), cpu_time = e(105), wall = e(220),
        cycles = e(440), collector = e(20), overhead = 10 }
      overhead.subtract(result, { net_of_loop = true })
      for name, left in pairs { time = 100, net = 80, cpu_time = 95 } do
        assert.same({ value = left, low = left - 5, high = left + 5 },
          result[name])
      end
      assert.equal(200, result.wall.value) -- a call's wall time is twice 'time'
      assert.near(math.sqrt(3^2 + 8^2), result.wall.high - 200, 1e-12)
      assert.equal(400, result.cycles.value)
      assert.same(e(20), result.collector)
      assert.same({ value = 0.2, low = 0.17, high = 0.23 },
        result.collector_share)
    end)

  it("leaves nothing, and not less, where the loop explains all", function()
    for _, off in ipairs { 0.9, 1, 1.1 } do
      local record_of = made_run.record { launches = 10, noise = 0.02,
        call_ns = function(launch) return launch % 2 == 0 and 4 or 4.5 end }
      local cost = analysis.analyse(record_of, SETTINGS).time.value * off
      record_of.loop_cost = { value = cost, low = cost * 0.95,
        high = cost * 1.05 }
      record_of.passes.census = { iters = 10, allocs = 0, bytes = 0 }
      record_of.samples.cpu_ns = record_of.samples.wall_ns
      local result = analysis.analyse(record_of, { confidence = 0.95,
        resamples = 100, seed = 1, net_of_loop = true })
      for _, name in ipairs { "time", "wall", "net", "cpu_time" } do
        local found = result[name]
        assert.near(math.max(0, cost / off - cost), found.value, 1e-6)
        assert.is_true(found.low >= 0 and found.low <= found.value, name)
        assert.is_true(found.high >= found.value, name)
      end
      for _, ns in ipairs(result.launch_values) do assert.is_true(ns >= 0) end
      for _, one in ipairs(result.groups or {}) do
        assert.is_true(one.value >= 0)
      end
    end
  end)

  it("keeps the sides of an interval that differ where the loop is subtracted",
    function()
      local result = { loop_cost = { value = 10, low = 9, high = 14 },
        time = { value = 110, low = 107, high = 150 } }
      overhead.subtract(result, { net_of_loop = true })
      assert.near(100 - math.sqrt(3^2 + 4^2), result.time.low, 1e-9)
      assert.near(100 + math.sqrt(40^2 + 1^2), result.time.high, 1e-9)
    end)

  it("takes the loop's cost from the batches of the empty loop", function()
    local empty = { iters = {}, wall_ns = {}, launch = {} }
    for row = 1, 40 do
      empty.iters[row], empty.launch[row] = 1000, math.ceil(row / 10)
      empty.wall_ns[row] = 12000 + row % 7
    end
    local result = analysis.analyse(record { passes = {
      empty = { samples = empty } } }, SETTINGS)
    assert.near_relative(12, result.overhead, 0.001)
    -- too few to tell it
    for name in pairs(empty) do empty[name] = { empty[name][1] } end
    assert.is_nil(analysis.analyse(record { passes = {
      empty = { samples = empty } } }, SETTINGS).overhead)
  end)

  it("shows an R2 that is the headline's, or none", function()
    local result = analysis.analyse(record(), SETTINGS)
    assert.is_true(result.r2 > 0.4 and result.r2 < 1)
    local made = record()
    for i = 1, 60 do made.samples.iters[i] = 10 end
    assert.is_nil(analysis.analyse(made, SETTINGS).r2)
  end)

  it("shows none where the time is no longer that of the line", function()
    -- natural rows have a collection now and then, and paced rows somewhat more
    -- of these
    local function with(collections)
      local run = made_run.record({ batches = 120, noise = 0.001,
        iters = function(i) return 1000 + i % 7 * 100 end },
        function(row, _, i)
          row.gc_major, row.gc_minor = i % collections == 0 and 1 or 0, 0
          row.wall_ns = row.wall_ns + row.gc_major * 2e5
        end)
      local paced = { iters = {}, wall_ns = {}, mutator_ns = {}, start_ns = {},
        collector_ns = {}, gc_minor = {}, gc_major = {} }
      for i = 1, 60 do
        paced.iters[i], paced.mutator_ns[i] = 1000, 1e5 * (1 + i % 3 / 1000)
        paced.gc_major[i] = i % math.min(collections, 12) == 0 and 1 or 0
        paced.gc_minor[i] = 0
        paced.collector_ns[i] = paced.gc_major[i] * 2e5
        paced.wall_ns[i] = paced.mutator_ns[i] + paced.collector_ns[i]
        paced.start_ns[i] = 1e9 + i * 3e5
      end
      run.passes.paced = { samples = paced }
      return analysis.analyse(run, SETTINGS)
    end
    local few = with(30)
    assert.equal("paced", few.time_pass)
    assert.is_nil(few.r2)
    local plenty = with(3)
    assert.is_nil(plenty.time_pass)
    assert.is_number(plenty.r2)
  end)

  it("shows that of least squares with their own intercept", function()
    local function analysed(estimator)
      local run = made_run.record { batches = 60, noise = 0.001,
        fixed_ns = 4e4, iters = function(i) return 100 + i * 37 % 60 * 5 end }
      return analysis.analyse(run, { confidence = 0.95, resamples = 100,
        seed = 1, estimator = estimator })
    end
    local result = analysed "ols"
    assert.near(100, result.time.value, 1)
    assert.near(result.fits[1].r2, result.r2, 1e-9)
  end)

  it("shows the R2 of a line with a fixed cost, from three batches on",
    function()
      local function r2_of(fixed, ...)
        local samples = { iters = { ... }, wall_ns = {} }
        for i, iters in ipairs(samples.iters) do
          samples.wall_ns[i] = fixed + 100 * iters
        end
        return analysis.analyse(record { samples = samples }, SETTINGS).r2
      end
      local sizes = {}
      for i = 1, 60 do sizes[i] = 10 + i * 37 % 60 end
      assert.near(1, r2_of(5000, unpack(sizes)), 1e-6)
      assert.near(1, r2_of(0, 10, 20, 40), 1e-9)
      assert.is_nil(r2_of(0, 10, 20))
    end)

  it("shows an R2 that is the same in whatever unit the times are, and none "
    .. "where all are the same, or the line explains nothing", function()
    local function r2_of(time_of, factor)
      local made = record()
      for i = 1, 60 do
        made.samples.wall_ns[i] = factor * time_of(made.samples.iters[i], i)
      end
      return analysis.analyse(made, SETTINGS).r2
    end
    local function noisy(iters, i)
      return 500 + 100 * iters + i * 13 % 7 * 90
    end
    local expected = r2_of(noisy, 1)
    assert.is_true(expected > 0.9 and expected < 0.999)
    for _, factor in ipairs { 1e-5, 1e-3, 1e3 } do
      assert.near(expected, r2_of(noisy, factor), 1e-6)
    end
    assert.is_nil(r2_of(function() return 500 end, 1))
    assert.is_nil(r2_of(function(_, i) return i % 2 == 0 and 10 or 1e4 end, 1))
  end)

  it("has counters of the processor per call, without the fixed part of a "
    .. "batch", function()
    local function found(counts)
      local made = record()
      for name, of in pairs(counts) do
        local column = {}
        for i, iters in ipairs(made.samples.iters) do
          column[i] = of[1] + of[2] * iters
        end
        made.samples[name] = column
      end
      local result, figures = analysis.analyse(made, SETTINGS), {}
      for _, name in ipairs { "ipc", "branch_misses", "cache_misses" } do
        figures[name] = result[name] and result[name].value
      end
      return figures
    end
    for _, case in ipairs {
      { { hw_cycles = { 900, 200 }, hw_instructions = { 70, 500 } },
        { ipc = 2.5 } },
      { { hw_cycles = { 900, 0.5 }, hw_instructions = { 70, 0.125 } },
        { ipc = 0.25 } },
      { { hw_cycles = { 900, 200 } }, {} },
      { { hw_instructions = { 70, 500 } }, {} },
      { { hw_cycles = { 0, 0 }, hw_instructions = { 70, 500 } }, {} },
      { { branch_misses = { 40, 0.25 }, cache_misses = { 9, 3 } },
        { branch_misses = 0.25, cache_misses = 3 } },
      { { branch_misses = { 0, 0 }, cache_misses = { 0, 0 } },
        { branch_misses = 0, cache_misses = 0 } } } do
      local figures = found(case[1])
      for _, name in ipairs { "ipc", "branch_misses", "cache_misses" } do
        if case[2][name] then
          assert.near(case[2][name], figures[name], 1e-4, name)
        else
          assert.is_nil(figures[name], name)
        end
      end
    end
  end)

  it("gives the median the confidence that was asked for", function()
    local function width(confidence)
      local median = analysis.analyse(record(), { confidence = confidence,
        resamples = 100, seed = 1 }).median
      return median.high - median.low
    end
    assert.is_true(width(0.5) < width(0.99))
  end)

  -- Twenty-five launches, so far apart, of 24 batches.
  local function of_launches(seed, apart, call_ns)
    local random = generator(seed)
    local each = {}
    for launch = 1, 25 do each[launch] = 100 * (1 + apart * random.normal()) end
    return analysis.analyse(made_run.record({ launches = 25, batches = 24,
      noise = 0.002, seed = seed, iters = function() return 1000 end,
      call_ns = call_ns or function(launch) return each[launch] end }),
      { confidence = 0.95, resamples = 20, seed = 1 })
  end

  it("gives the median an interval that holds where launches differ", function()
    local held, half = 0, 0
    for seed = 11, 30 do
      local median = of_launches(seed, 0.03).median
      held = held + (median.low <= 100 and 100 <= median.high and 1 or 0)
      half = half + (median.high - median.low) / 2 / 20
    end
    assert.is_true(held >= 18, held .. " of 20")
    assert.is_true(half > 0.8 and half < 3, half)
  end)

  it("gives it that of batches where launches are alike, all or but one",
    function()
      local alike = of_launches(1, 0).median
      assert.is_true(alike.high - alike.low < 0.1)
      local off = of_launches(1, 0, function(launch)
        return launch == 7 and 200 or 100
      end).median
      assert.is_true(off.high - off.low < 0.1)
    end)

  it("gives it one by the medians of a few launches that differ", function()
    local median = analysis.analyse(made_run.record { launches = 3,
      noise = 0.001, call_ns = function(launch) return 98 + launch end },
      SETTINGS).median
    -- Student's t of 2 degrees of freedom is 4.30, by the root of 3
    assert.near_relative(100, median.value, 0.001)
    assert.near(100 - 2.48, median.low, 0.2)
    assert.near(100 + 2.48, median.high, 0.2)
  end)

  it("says so when a slope can't be told from the empty loop's", function()
    local plain = analysis.analyse(record(), SETTINGS).time
    local result = analysis.analyse(record { loop_cost = plain }, SETTINGS)
    assert.truthy(table.concat(result.warnings, " "):find("optimized_away"))
  end)

  it("says so where the two intervals meet, and of a time without one",
    function()
      local function warns(time_low, cost_high, loop)
        local result = { warnings = {}, loop = loop,
          time = { value = 1.04, low = time_low },
          loop_cost = { value = 1, high = cost_high } }
        overhead.add(result, {})
        assert.equal(1, result.overhead)
        return result.warnings[1] == "optimized_away"
      end
      assert.is_true(warns(1.01, 1.02))
      assert.is_true(warns(1.02, 1.02))
      assert.is_false(warns(1.02, 1.01))
      assert.is_false(warns(nil, 1.02))
      assert.is_false(warns(1.01, nil))
      assert.is_true(warns(0.99, nil))
      assert.is_true(warns(nil, 1.04))
    end)

  it("says so of one cycle per call where the empty loop is not known",
    function()
      local function warns(cycles_per_call, loop)
        local made = record { loop = loop }
        local samples = made.samples
        samples.cycles, samples.width = {}, {}
        for i, iters in ipairs(samples.iters) do
          samples.cycles[i], samples.width[i] = cycles_per_call * iters, 4
          samples.wall_ns[i] = samples.cycles[i] / 4
        end
        local warnings = analysis.analyse(made, SETTINGS, { reference_ns = 0.25,
          reference_ghz = 4, best_width = 4 }).warnings
        return table.concat(warnings, " "):find "optimized_away" ~= nil
      end
      assert.same({ true, false, false }, { warns(1, "inline"),
        warns(3, "inline"), warns(1, "batch") })
    end)

  it("says so of a compiled loop that is a little slower than the empty one",
    function()
      local function warns(cycles_per_call, cost_ns)
        local made = record { loop = "inline", loop_cost = { value = cost_ns,
          low = 0.999 * cost_ns, high = 1.001 * cost_ns } }
        local samples = made.samples
        samples.cycles, samples.width = {}, {}
        for i, iters in ipairs(samples.iters) do
          samples.cycles[i], samples.width[i] = cycles_per_call * iters, 4
          samples.wall_ns[i] = samples.cycles[i] / 4
        end
        local result = analysis.analyse(made, SETTINGS, { reference_ns = 0.25,
          reference_ghz = 4, best_width = 4 })
        assert.is_true(result.time.low > 1.001 * cost_ns)
        return table.concat(result.warnings, " "):find "optimized_away" ~= nil
      end
      assert.same({ true, false, false }, { warns(1.06, 0.25),
        warns(1.2, 0.25), warns(8.6, 2) })
    end)

  it("knows no spread of a single batch, and warns where there is none",
    function()
      local samples = record().samples
      local one, none = {}, {}
      for name, column in pairs(samples) do
        one[name], none[name] = { column[1] }, {}
      end
      local result = analysis.analyse(record { samples = one }, SETTINGS)
      assert.is_nil(result.stddev)
      assert.is_nil(result.mad)
      result = analysis.analyse(record { samples = none }, SETTINGS)
      assert.is_nil(result.time)
      assert.truthy(table.concat(result.warnings, " "):find("few_samples"))
    end)

  it("leaves a failed bench as it is", function()
    local result = analysis.analyse(record { error = "broken" }, SETTINGS)
    assert.equal("broken", result.error)
    assert.is_nil(result.time)
  end)

  it("fits no intercept where all batches are of one size", function()
    local made = record()
    for i = 1, 60 do
      made.samples.iters[i], made.samples.wall_ns[i] = 10, 1000 + i % 5
    end
    local result = analysis.analyse(made, SETTINGS)
    assert.is_false(result.fits[1].intercept)
    assert.near_relative(100.2, result.time.value, 0.001)
  end)

  it("survives a single batch", function()
    local result = analysis.analyse(record { samples = { iters = { 1 },
      wall_ns = { 100 } } }, SETTINGS)
    assert.truthy(table.concat(result.warnings, " "):find("few_samples"))
    assert.equal(100, result.median.value)
  end)
end)
