local analysis = require "tare.analysis"
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local made = require "spec.support.made"
local made_run = require "spec.support.made_run"
local uncertainty = require "tare.analysis.uncertainty"

local SETTINGS, half = made_run.SETTINGS, made_run.half

local function time_of(shape, row, settings)
  return analysis.analyse(made_run.record(shape, row),
    settings or SETTINGS).time
end

describe("the time of a call", function()
  it("is exact where the batches are", function()
    assert.near_relative(100, time_of({ noise = 0 }).value, 1e-9)
    assert.near_relative(100, time_of({ noise = 0, launches = 10 }).value, 1e-9)
  end)

  it("is that of undisturbed batches, though half of them are slow", function()
    local time = time_of({ batches = 200 }, function(row, _, i)
      if i % 2 == 0 then row.wall_ns = row.wall_ns * (1.2 + i % 7 / 10) end
    end)
    assert.near_relative(100, time.value, 0.01)
    assert.is_true(half(time) < 0.03)
  end)

  -- Batches of 1 to 3 calls, of which every fifth takes 5 ms and the others 1.
  local function calls_that_differ(launches)
    local call = 0
    return { launches = launches, batches = 200 / launches, noise = 0.005,
      iters = function(i) return i % 3 + 1 end,
      call_ns = function(_, i)
        local sum, calls = 0, i % 3 + 1
        for _ = 1, calls do
          call = call + 1
          sum = sum + (call % 5 == 0 and 5e6 or 1e6)
        end
        return sum / calls
      end }
  end

  it("is the mean, where batches of few calls differ by what a call does",
    function()
      for _, launches in ipairs { 1, 5 } do
        local time = time_of(calls_that_differ(launches))
        assert.near_relative(1.8e6, time.value, 0.02)
        assert.is_true(time.low < 1.8e6 and 1.8e6 < time.high)
      end
    end)

  it("is the mean of all launches there, of those too that have more of the "
    .. "slow calls", function()
    local call = 0
    local time = time_of({ launches = 12, batches = 20, noise = 0.005,
      iters = function(i) return i % 3 + 1 end,
      call_ns = function(launch, i)
        local sum, calls = 0, i % 3 + 1
        for _ = 1, calls do
          call = call + 1
          sum = sum + (call % (launch == 3 and 2 or 5) == 0 and 5e6 or 1e6)
        end
        return sum / calls
      end })
    assert.near_relative((11 * 1.8e6 + 3e6) / 12, time.value, 0.015)
  end)

  it("may be next to nothing where many batches take no longer than the fixed "
    .. "cost of a batch", function()
    for seed = 1, 20 do
      local random = made.generator(seed * 7919)
      local time = time_of({ batches = 20, noise = 0, fixed_ns = 1000,
        iters = function(i) return 1 + i * 37 % 40 end,
        call_ns = function() return 10 end }, function(row)
          row.wall_ns = row.wall_ns + 80 * random.normal()
        end)
      assert.is_true(time.low < 10, seed)
    end
  end)

  it("reaches up to the mean, where it is between that and the line", function()
    local call = 0
    local time = time_of({ launches = 10, batches = 40, noise = 0.005,
      iters = function(i) return i * 7 % 6 + 3 end,
      call_ns = function(_, i)
        local sum, calls = 0, i * 7 % 6 + 3
        for _ = 1, calls do
          call = call + 1
          sum = sum + (call % 3 == 0 and 10e6 or 1e6)
        end
        return sum / calls
      end })
    assert.is_true(time.value < 3.9e6) -- else it is the mean
    assert.is_true(time.low < 4e6 and 4e6 < time.high)
  end)

  it("is that of undisturbed batches also where they have few calls", function()
    local time = time_of({ batches = 200, iters = function() return 2 end },
      function(row, _, i)
        if i % 40 < 8 then row.wall_ns = 1.5 * row.wall_ns end
      end)
    assert.near_relative(100, time.value, 0.012)
  end)

  it("is the less sure the more batches were crowded, most of all of compiled "
    .. "code that allocates", function()
    local function of(crowded, collections)
      return half(analysis.analyse(made_run.record({ launches = 10,
        noise = 0 }, function(row, _, i)
          row.width = i <= crowded and 3 or 4
          row.jit_events, row.gc_minor = 0, 0
          row.gc_major = collections
        end), SETTINGS, { best_width = 4 }).time)
    end
    local quiet = of(0, 4)
    assert.is_true(quiet > of(0, 0) + 0.01) -- runs follow the caches' use
    assert.is_true(of(40, 4) > quiet + 0.02)
    assert.is_true(of(20, 4) < of(40, 4))
    assert.is_true(of(40, 0) > of(0, 0) + 0.02)
    assert.is_true(of(40, 0) < of(40, 4) - 0.02)
  end)

  it("is the less sure the more of the time other processes had, however many "
    .. "batches lost a little of it", function()
    local function of(share, lost)
      return half(time_of({ launches = 10, noise = 0 }, function(row, _, i)
        row.preemptions, row.waits, row.cpu_ns = 0, 0, row.wall_ns
        if i % share == 0 then
          row.preemptions, row.wall_ns = 1, row.wall_ns * (1 + lost)
        end
      end))
    end
    assert.is_true(of(2, 0.01) < 0.011)
    assert.is_true(of(4, 1) > 2 * of(2, 0.01))
    assert.is_true(of(4, 3) > of(4, 1) + 0.01)
  end)

  -- Compiled code that allocates; launches that others disturb for a share of
  -- the batches, and by how much all batches of such a launch are longer.
  local function of_disturbed(share_of, slower)
    local time = analysis.analyse(made_run.record({ launches = 12,
      batches = 40, noise = 0.002 }, function(row, launch, i)
        local share = share_of(launch)
        row.width = i <= share * 40 and 3 or 4
        row.jit_events, row.gc_minor, row.gc_major = 0, 0, 4
        row.wall_ns = row.wall_ns * (1 + slower * share)
        row.preemptions, row.waits, row.cpu_ns = 0, 0, row.wall_ns
      end), SETTINGS, { best_width = 4 }).time
    return half(time)
  end

  it("of such code is as unsure as its launches follow what others do",
    function()
      local function by_turns(launch) return launch % 4 / 5 end
      local function alike() return 0.3 end
      local unmoved = of_disturbed(by_turns, 0)
      assert.is_true(of_disturbed(by_turns, 0.2) > unmoved + 0.03)
      -- launches that are alike tell nothing of that
      assert.is_true(of_disturbed(alike, 0) > unmoved + 0.05)
    end)

  it("has nothing of what a batch costs beside its calls", function()
    for _, launches in ipairs { 1, 10 } do
      local time = time_of { launches = launches, batches = 80,
        fixed_ns = 1e5, noise = 0.003 }
      -- a quarter of the batches lies below 99.8 ns a call
      assert.near_relative(99.8, time.value, 0.005)
      assert.is_true(time.low < 99.8 and 99.8 < time.high)
    end
  end)

  it("has nothing of that either where each launch has four batches", function()
    local time = time_of { launches = 10, batches = 4, fixed_ns = 1e5,
      noise = 0.003 }
    assert.near_relative(99.8, time.value, 0.01)
    assert.is_true(time.low < 99.8 and 99.8 < time.high)
  end)

  it("is of one process no surer than processes lie apart", function()
    local time = time_of { noise = 0 }
    assert.is_true(half(time) > 0.025 and half(time) < 0.035)
  end)

  it("is of one process as unsure as its draws of compiled code differ",
    function()
      local function of(slower)
        return time_of({ batches = 120, call_ns = function(_, i)
          return math.ceil(i / 10) % 2 == 0 and 100 * slower or 100
        end }, function(row, _, i)
          row.jit_events, row.draw = 0, math.ceil(i / 10)
        end)
      end
      assert.is_true(half(of(1)) < 0.035)
      local time = of(1.3)
      assert.is_true(time.low < 100 and time.high > 120)
    end)

  it("is surer of ten processes than of one, though each has less", function()
    local one = time_of { batches = 600 }
    local ten = time_of { launches = 10, batches = 60 }
    assert.is_true(half(ten) < half(one) / 2)
  end)

  it("is as sure as launches agree", function()
    local function apart(sd)
      local random = made.generator(3)
      local factors = {}
      for i = 1, 10 do factors[i] = 100 * (1 + sd * random.normal()) end
      return half(time_of { launches = 10,
        call_ns = function(launch) return factors[launch] end })
    end
    assert.is_true(apart(0.05) > 3 * apart(0.01))
  end)

  it("is less sure where neighbouring launches are alike, as in slow states of "
    .. "the machine", function()
    local function of(launch_ns)
      return half(time_of { launches = 24, batches = 20, noise = 0.002,
        call_ns = launch_ns })
    end
    local mixed = of(function(launch) return launch * 7 % 24 < 12 and 100
      or 104 end)
    local in_turn = of(function(launch)
      return math.ceil(launch / 6) % 2 == 0 and 100 or 104
    end)
    assert.is_true(in_turn > 1.4 * mixed)
  end)

  it("counts a short launch like a long one, for both are one draw", function()
    local record = made_run.record({ launches = 6, batches = 60, noise = 0,
      call_ns = function(launch) return launch == 1 and 106 or 100 end })
    local seen = 0
    record.samples = columns.filter(record.samples, function(row)
      if record.samples.launch[row] > 1 then return true end
      seen = seen + 1
      return seen <= 15
    end)
    assert.near_relative(101, analysis.analyse(record, SETTINGS).time.value,
      0.002)
  end)

  it("does not follow one launch in ten that is far off", function()
    local time = time_of { launches = 10, call_ns = function(launch)
      return launch == 4 and 150 or 100
    end }
    assert.near_relative(100, time.value, 0.01)
    assert.is_true(half(time) < 0.02)
  end)

  it("follows a launch less, the fewer of its batches were clean", function()
    local function with(batches)
      local record = made_run.record({ launches = 4, batches = 60,
        call_ns = function(launch) return launch == 1 and 110 or 100 end },
        function(row, launch, i)
          row.width = launch == 1 and i > batches and 3 or 4
        end)
      return analysis.analyse(record, SETTINGS, { best_width = 4 }).time.value
    end
    assert.is_true(with(60) > with(6) * 1.015)
  end)

  it("is of no run surer than runs lie apart", function()
    local time = time_of { launches = 10, noise = 0 }
    assert.is_true(half(time) > 0.0035 * 1.9)
  end)

  it("is wider when the machine drifts in the course of the run", function()
    local still = time_of { batches = 120 }
    local drifting = time_of { batches = 120, call_ns = function(_, i)
      return 100 * (1 + i / 600)
    end }
    assert.is_true(half(drifting) > 1.5 * half(still))
  end)

  it("is no surer of fewer batches, down to three", function()
    local function median_half(batches)
      local halves = {}
      for seed = 1, 31 do
        halves[seed] = half(time_of { batches = batches, seed = seed,
          noise = 0.05, iters = function() return 1000 end })
      end
      table.sort(halves)
      return halves[16]
    end
    local last = math.huge
    for _, batches in ipairs { 3, 4, 5, 8, 12, 16, 40, 120 } do
      local here = median_half(batches)
      assert.is_true(here <= last * 1.1, batches .. " batches")
      last = here
    end
  end)

  it("has no fixed cost of batches where few of them have a collection",
    function()
      -- Each 20th has one, which takes as long as 1,000 calls.
      local time = time_of({ launches = 10, batches = 60, noise = 0.002,
        fixed_ns = 2e4, iters = function(i) return 500 + i * 37 % 60 * 50 end },
        function(row, launch, i)
          row.gc_major = (i + 3 * launch) % 20 == 0 and 1 or 0
          row.wall_ns = row.wall_ns + row.gc_major * 1e5
        end)
      assert.near_relative(100 + 1e5 / 20 / 1975, time.value, 0.005)
    end)

  it("is no surer of fewer launches", function()
    local function median_half(launches)
      local halves = {}
      for seed = 1, 41 do
        local random = made.generator(100 * seed + launches)
        local of = {}
        for i = 1, launches do of[i] = 100 * (1 + 0.02 * random.normal()) end
        halves[seed] = half(time_of { launches = launches, batches = 12,
          seed = seed, noise = 0.002,
          call_ns = function(launch) return of[launch] end })
      end
      table.sort(halves)
      return halves[21]
    end
    local least = math.huge
    for _, launches in ipairs { 2, 3, 5, 7, 8, 10, 15, 25, 40 } do
      local here = median_half(launches)
      assert.is_true(here <= least * 1.15, launches .. " launches")
      least = math.min(least, here)
    end
  end)

  it("is never below nothing, whatever the noise", function()
    for seed = 1, 40 do
      local time = time_of({ batches = 6 + seed, seed = seed },
        function(row, _, i)
          row.wall_ns = row.wall_ns * (i % 3 == 0 and 40 or 0.2)
        end)
      assert.is_true(time.low >= 0 and time.low <= time.value)
      assert.is_true(time.high >= time.value)
    end
  end)

  it("has no interval of one batch or two, and a warning", function()
    for batches = 1, 2 do
      local result = analysis.analyse(made_run.record { batches = batches },
        SETTINGS)
      assert.near_relative(100, result.time.value, 0.05)
      assert.is_nil(result.time.low)
      assert.is_true(made_run.warns(result, "few_samples"))
    end
  end)

  it("holds the truth as often as it says, of however few batches of a process",
    function()
      local sizes = { function() return 1000 end,
        function(i) return 1000 + i % 2 * 1000 end }
      local random = made.generator(1)
      local function call_ns() return 100 * (1 + 0.2 * random.normal()) end
      for _, confidence in ipairs { 0.9, 0.99 } do
        local settings = { confidence = confidence, resamples = 20, seed = 1 }
        for _, batches in ipairs { 3, 5, 12 } do
          for _, iters in ipairs(sizes) do
            local held, truth = 0, 100 * (1 - 0.2 * 0.6745)
            for _ = 1, 150 do
              local time = time_of({ batches = batches, noise = 0,
                call_ns = call_ns, iters = iters }, nil, settings)
              if time.low <= truth and truth <= time.high then
                held = held + 1
              end
            end
            assert.is_true(held >= (confidence - 0.06) * 150,
              ("%d batches: %d of 150 at %g"):format(batches, held, confidence))
          end
        end
      end
    end)

  it("has the confidence that was asked for", function()
    local settings = { confidence = 0.5, resamples = 200, seed = 1 }
    for _, launches in ipairs { 1, 2, 10 } do
      local shape = { launches = launches }
      assert.is_true(half(time_of(shape, nil, settings))
        < 0.6 * half(time_of(shape)))
    end
  end)

  it("holds the truth as often as it says, of launches that differ", function()
    local held = 0
    for seed = 1, 200 do
      local random = made.generator(seed)
      local factors = {}
      for i = 1, 10 do factors[i] = 100 * (1 + 0.015 * random.normal()) end
      local time = time_of { launches = 10, batches = 20, seed = seed + 1000,
        call_ns = function(launch) return factors[launch] end, noise = 0.001 }
      if time.low < 100 and 100 < time.high then held = held + 1 end
    end
    assert.is_true(held >= 0.91 * 200 and held <= 199, held)
  end)

  it("takes another estimator where asked", function()
    local function slow(row, _, i)
      if i % 5 == 0 then row.wall_ns = row.wall_ns * 2 end
    end
    local function by(estimator)
      return time_of({ batches = 100, noise = 0.02 }, slow,
        { confidence = 0.95, resamples = 200, seed = 1,
          estimator = estimator }).value
    end
    assert.is_true(by "quantile" < by "median")
    assert.is_true(by "median" < by "ols")
  end)
end)

-- Batches of a function that costs 100 ns, with a collection each so many
-- calls, whose cost is paid in the batches that 'pay' says.
local function with_collections(period, cost_ns, pay, launches, is_gradual)
  local calls = 0
  return made_run.record({ launches = launches, batches = 600 / launches },
    function(row)
      local from = calls
      calls = calls + row.iters
      row.wall_ns = row.wall_ns + pay(from / period, calls / period) * cost_ns
      local count = math.floor(calls / period) - math.floor(from / period)
      row.gc_minor = is_gradual and 0 or count
      row.gc_major = is_gradual and count or 0
    end), 100 + cost_ns / period
end

local PAID = {
  ["all at once"] = function(from, to)
    return math.floor(to) - math.floor(from)
  end,
  -- an incremental collector: it waits, then works in steps
  ["in steps, after a pause"] = function(from, to)
    local function work(at)
      local whole = math.floor(at)
      return whole + math.max(0, 2 * (at - whole) - 1)
    end
    return work(to) - work(from)
  end,
}

describe("the time of a call with rare collections", function()
  for way, pay in pairs(PAID) do
    for _, launches in ipairs { 1, 10 } do
      it(("has their cost, paid %s, in %d launches"):format(way, launches),
        function()
          for period, tolerance in pairs { [5e3] = 0.04, [6e4] = 0.08 } do
            local record, truth = with_collections(period, 60 * period, pay,
              launches, way ~= "all at once")
            local time = analysis.analyse(record, SETTINGS).time
            assert.near_relative(truth, time.value, tolerance)
            assert.is_true(time.low < 1.02 * truth)
            assert.is_true(time.high > 0.98 * truth)
          end
        end)
    end
  end

  it("does not follow how many of them fell into a batch", function()
    local halves = {}
    for _, period in ipairs { 1e3, 1e4, 1e5 } do
      local record = with_collections(period, 60 * period,
        PAID["all at once"], 10)
      local mean_ns = columns.sum(record.samples.wall_ns)
        / columns.sum(record.samples.iters)
      local time = analysis.analyse(record, SETTINGS).time
      assert.near_relative(mean_ns, time.value, 0.01)
      halves[#halves + 1] = half(time)
    end
    assert.is_true(halves[1] < 0.015 and halves[2] < 0.015)
    assert.is_true(halves[3] < 0.08) -- fifteen collections in all
  end)

  it("is surer where the heap's growth tells the collector's pause from its "
    .. "work", function()
    -- A cycle in three batches or so: the heap grows by what is allocated, and
    -- then shrinks again while the collector works.
    local function found(has_growth)
      local phase = 0.3
      local record = made_run.record({ launches = 10, batches = 60 },
        function(row)
          local from = phase
          phase = phase + row.iters / 7000
          local function height(at)
            local part = at % 1
            return part < 0.5 and 2 * part or 2 - 2 * part
          end
          local function work(at)
            return math.floor(at) + math.max(0, 2 * (at % 1) - 1)
          end
          row.gc_minor, row.gc_major = 0, math.floor(phase) - math.floor(from)
          row.growth_bytes = has_growth and 1e5 * (height(phase) - height(from))
            or nil
          row.wall_ns = row.wall_ns + 5e5 * (work(phase) - work(from))
        end)
      return analysis.analyse(record, SETTINGS).time
    end
    local with, without = found(true), found(false)
    assert.near_relative(100 + 5e5 / 7000, with.value, 0.02)
    assert.is_true(half(with) < half(without))
  end)

  it("is the low end of the batches where each has its share", function()
    local record = with_collections(100, 1000, PAID["all at once"], 1)
    local time = analysis.analyse(record, SETTINGS).time
    assert.near_relative(110, time.value, 0.02)
  end)

  it("is right where a coarse clock stands still in most batches", function()
    local now = 0
    local record = made_run.record({ batches = 400 }, function(row)
      local before = math.floor(now / 2e6)
      now = now + row.wall_ns
      row.wall_ns = (math.floor(now / 2e6) - before) * 2e6
    end)
    assert.near_relative(100, analysis.analyse(record, SETTINGS).time.value,
      0.05)
  end)

  -- Batches of 0.1 to 0.4 ms by a clock with ticks of 50 us; one in so many has
  -- a collection of 0.1 ms.
  local function in_few_ticks(launches, period)
    local now, at = 0, 0
    return time_of({ launches = launches, batches = 400 / launches, seed = 2 },
      function(row)
        at = at + 1
        row.gc_minor, row.gc_major = 0, at % period == 0 and 1 or 0
        local before = math.floor(now / 5e4)
        now = now + row.wall_ns + 1e5 * row.gc_major
        row.wall_ns = (math.floor(now / 5e4) - before) * 5e4
        now = now + 6.18e4 -- until the next batch
      end)
  end

  it("is right where a batch takes a few ticks of a coarse clock", function()
    for _, launches in ipairs { 1, 5 } do
      for _, period in ipairs { 1e9, 20, 1 } do
        local time = in_few_ticks(launches, period)
        local mean = 100 + 1e5 / 2475 / period -- a batch has 2,475 calls
        assert.near_relative(mean, time.value, 0.025)
        assert.is_true(time.low < mean and mean < time.high)
      end
    end
  end)

  it("has no interval where a coarse clock stood still in a fifth of a short "
    .. "run, however alike the others are", function()
    local record = made_run.record({ batches = 10 }, function(row, _, i)
      row.iters, row.wall_ns = 1, i > 8 and 0 or 1e6
    end)
    local time = analysis.analyse(record, SETTINGS).time
    assert.near_relative(8e5, time.value, 1e-9)
    assert.is_nil(time.low)
  end)
end)

describe("time at the reference clock", function()
  local CLOCK = { reference_ns = 0.5, best_width = 4 }

  -- The core's clock slows down: the same cycles, more nanoseconds.
  local function drifting(launches)
    return made_run.record({ launches = launches, batches = 60, noise = 0.002 },
      function(row, launch, i)
        row.cycle_ns = 0.5 * (1 + (launch * 60 + i) % 40 / 100)
        row.cycles = row.wall_ns / 0.5
        row.wall_ns = row.cycles * row.cycle_ns
        row.width = 4
      end)
  end

  it("does not follow the core's clock", function()
    local result = analysis.analyse(drifting(10), SETTINGS, CLOCK)
    assert.near_relative(100, result.time.value, 0.005)
    assert.equal("cycles", result.time_from)
    assert.near_relative(200, result.cycles.value, 0.005)
    assert.is_true(result.wall.value > 105)
    assert.is_true(half(result.time) < 0.01)
  end)

  it("is the plain clock's where there is no reference", function()
    local result = analysis.analyse(drifting(10), SETTINGS)
    assert.equal("wall", result.time_from)
    assert.equal(result.wall.value, result.time.value)
    assert.near_relative(200, result.cycles.value, 0.005)
  end)

  it("is the plain clock's where a batch has no reading", function()
    local record = drifting(1)
    record.samples.cycle_ns[7] = 0 / 0
    local result = analysis.analyse(record, SETTINGS, CLOCK)
    assert.equal("wall", result.time_from)
  end)

  it("is that of the passes, too", function()
    local record = drifting(1)
    local paced = { iters = {}, wall_ns = {}, mutator_ns = {},
      collector_ns = {}, cycle_ns = {}, gc_minor = {}, gc_major = {} }
    for i = 1, 20 do
      paced.iters[i], paced.cycle_ns[i] = 1000, i > 10 and 0.5 or 1
      paced.mutator_ns[i] = 70 * 1000 * paced.cycle_ns[i] / 0.5
      paced.collector_ns[i] = 30 * 1000 * paced.cycle_ns[i] / 0.5
      paced.wall_ns[i] = paced.mutator_ns[i] + paced.collector_ns[i]
      paced.gc_minor[i], paced.gc_major[i] = 50, 0
    end
    record.passes = { paced = { samples = paced } }
    local result = analysis.analyse(record, SETTINGS, CLOCK)
    assert.near_relative(70, result.net.value, 0.03)
    assert.equal(paced, result.passes.paced.samples)
    assert.equal(140 * 1000, paced.mutator_ns[1])
  end)

  it("is the same when a stored result is analysed again", function()
    local once = analysis.analyse(drifting(4), SETTINGS, CLOCK)
    assert.same(once, analysis.analyse(once, SETTINGS, CLOCK))
  end)
end)

describe("groups of launches", function()
  local function groups_of(values)
    return analysis.analyse(made_run.record { launches = #values,
      noise = 0.002, call_ns = function(launch) return values[launch] end },
      SETTINGS).groups
  end

  it("are told with their shares and values, the largest first", function()
    local found = groups_of { 86, 129, 86.2, 85.9, 128.8, 86, 86, 86, 85.8, 86 }
    assert.equal(2, #found)
    assert.near(0.8, found[1].share, 1e-9)
    assert.near_relative(86, found[1].value, 0.005)
    assert.near(0.2, found[2].share, 1e-9)
    assert.near_relative(128.9, found[2].value, 0.005)
  end)

  it("may be one launch alone, if that is far off", function()
    assert.equal(2, #groups_of { 86, 129, 86.2, 85.9, 86 })
    assert.is_nil(groups_of { 86, 89, 86.2, 85.9, 86 })
  end)

  it("are none where launches are spread evenly, or differ by chance",
    function()
      assert.is_nil(groups_of { 100, 101, 102, 103, 104, 105, 106 })
      local random = made.generator(8)
      local alarms = 0
      for _ = 1, 200 do
        local values = {}
        for i = 1, 10 do values[i] = 100 * (1 + 0.03 * random.normal()) end
        if groups_of(values) then alarms = alarms + 1 end
      end
      assert.is_true(alarms <= 10, alarms)
    end)

  it("are none where there are more than half as many as launches", function()
    assert.equal(4, #groups_of { 10, 20, 40, 80, 80.1, 10.1, 20.1, 80.2 })
    assert.is_nil(groups_of { 10, 20, 40, 80, 160, 160.1, 160.2, 160.3 })
  end)

  it("are not looked for in three launches", function()
    assert.is_nil(groups_of { 86, 129, 86 })
  end)
end)

describe("what all launches share", function()
  it("is the error of a batch's fixed cost, of collections, and the doubt "
    .. "about the rule", function()
    local function launch(batches, calls)
      local made_launch = { batches = {} }
      for i = 1, batches do made_launch.batches[i] = { iters = calls } end
      return made_launch
    end
    local launches = { launch(10, 100), launch(30, 300) } -- 10,000 calls
    local t = core.stats.t_quantile(0.975, 4) -- five intercepts
    for _, case in ipairs { -- doubt, of a batch, of collections; the whole
      { 0, 50, 0, t * 0.2 / 100 }, { 0, 0, 0.5, t * 0.5 / 100 },
      { 0.03, 0, 0, 0.03 }, { 0.03, 400, 1.2, math.sqrt(0.03 ^ 2
        + (t * 2 / 100) ^ 2) },
    } do
      assert.near_relative(case[4], uncertainty.common(launches, {
        doubt = case[1], fixed_error = case[2] }, 100, case[3], 0.95), 1e-9)
    end
  end)
end)

describe("how far launches differ", function()
  -- Of 30 launches whose calls differ by so much, in batches of some noise:
  -- what is said, how far the launches truly differ, and their times.
  local function spread_of(between, noise, seed)
    local random, call_ns = made.generator(seed), {}
    for i = 1, 30 do call_ns[i] = 100 * (1 + between * random.normal()) end
    local record = made_run.record({ launches = 30, batches = 40,
      noise = noise, seed = seed,
      call_ns = function(launch) return call_ns[launch] end })
    return estimate.spread(record.samples, "wall_ns", {}),
      core.stats.stddev(call_ns) / 100,
      core.stats.stddev(analysis.analyse(record, SETTINGS).launch_values) / 100
  end

  it("is told without what their batches differ by", function()
    for seed = 1, 4 do
      for _, noise in ipairs { 0.001, 0.03 } do
        local said, truth = spread_of(0.03, noise, seed)
        assert.near_relative(truth, said.between, 0.1)
        assert.is_true(said.within < 0.4 * noise)
      end
    end
  end)

  it("is by chance where only their batches differ", function()
    for seed = 1, 4 do
      local said, _, of_times = spread_of(0, 0.05, seed)
      assert.is_true(said.between < 0.5 * of_times)
      assert.near_relative(of_times, said.within, 0.35)
    end
  end)

  it("is not known of two launches, or of two batches each", function()
    for _, shape in ipairs { { launches = 2 }, { launches = 9, batches = 2 } }
    do
      local record = made_run.record(shape)
      assert.is_nil((estimate.spread(record.samples, "wall_ns", {})))
    end
  end)
end)
