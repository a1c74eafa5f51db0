local analysis = require "tare.analysis"
local made = require "spec.support.made"
local made_run = require "spec.support.made_run"

local SETTINGS = made_run.SETTINGS

-- Two results that were measured in turn: the times of a call are those of the
-- functions; 'row' sees the batch, its side and its round.
local function two(shape, row)
  local results = {}
  for side, name in ipairs { "a", "b" } do
    local record = made_run.record({ launches = shape.launches,
      batches = shape.batches, noise = shape.noise,
      seed = (shape.seed or 1) * 2 + side, iters = function() return 1000 end,
      call_ns = shape[name] }, function(batch, launch, i)
        if row then row(batch, name, launch, i) end
      end)
    record.id, record.compared = name, "group"
    results[side] = record
  end
  return results[1], results[2]
end

local function compared(a, b, settings, clock)
  return analysis.compare({ a, b }, settings or SETTINGS, true, clock
    and function() return clock end)[1]
end

local function constant(ns) return function() return ns end end

describe("a comparison", function()
  it("pairs no batch whose round is not known", function()
    local a, b = two({ a = constant(50), b = constant(100), noise = 0.005 },
      function(row, name, _, i)
        if i % (name == "a" and 4 or 5) == 0 then row.round = 0 / 0 end
      end)
    local found = compared(a, b)
    assert.near_relative(0.5, found.ratio.value, 0.005)
    assert.equal(36, found.rounds)
  end)

  it("is of all time over all calls where few batches have a collection, in "
    .. "batches of any size", function()
    for _, launches in ipairs { 1, 4 } do
      local a, b = two({ a = constant(50), b = constant(100), noise = 0.002,
        launches = launches, batches = 80 }, function(row, name, _, i)
          row.gc_minor, row.gc_major = 0, 0
          if name == "b" then
            row.iters, row.wall_ns = 3 * row.iters, 3 * row.wall_ns
          elseif i % 8 == 0 then
            row.gc_major, row.wall_ns = 1, 5 * row.wall_ns
          end
        end)
      assert.near_relative(0.75, compared(a, b).ratio.value, 0.01)
    end
  end)

  it("is without the batches that --discard drops, as the times are, be they "
    .. "dropped for the bench or for an analysis of all", function()
    local function found(kinds, settings)
      local a, b = two({ a = constant(50), b = constant(100), noise = 0.005,
        batches = 80 }, function(row, name, _, i)
          row.gc_minor, row.gc_major = 0, 0
          if name == "b" and i % 3 ~= 0 then
            row.gc_major, row.wall_ns = 1, 5 * row.wall_ns
          end
        end)
      a.discard, b.discard = kinds, kinds
      a, b = analysis.analyse(a, settings), analysis.analyse(b, settings)
      return compared(a, b), a.time.value / b.time.value
    end
    local asked = {}
    for name, value in pairs(SETTINGS) do asked[name] = value end
    asked.discard = { "gc" }
    for _, one in ipairs { { { "gc" }, SETTINGS }, { nil, asked } } do
      local dropped, of_times = found(one[1], one[2])
      assert.near_relative(0.5, of_times, 0.01)
      assert.near_relative(0.5, dropped.ratio.value, 0.01)
      assert.equal(26, dropped.rounds)
    end
    assert.is_true(found(nil, SETTINGS).ratio.value < 0.2)
  end)

  it("is of rounds where there were no collections, as where none are known",
    function()
      local found = {}
      for i, known in ipairs { true, false } do
        local a, b = two({ a = constant(50), b = constant(100), noise = 0.02,
          batches = 80 }, function(row, _, _, place)
            row.gc_minor, row.gc_major = known and 0 or nil, known and 0 or nil
            if place % 8 == 0 then row.wall_ns = 5 * row.wall_ns end
          end)
        found[i] = compared(a, b).ratio
      end
      assert.same(found[2], found[1])
      assert.near_relative(0.5, found[1].value, 0.01)
    end)

  -- Two functions whose batches take so many ticks of a coarse clock.
  local function in_ticks(a, b, launches, batches)
    return compared(two({ a = constant(a), b = constant(b), noise = 0.01,
      launches = launches, batches = batches }, function(row, name, _, i)
        local phase = (i * (name == "a" and 0.618 or 0.755)) % 1
        row.wall_ns = math.floor(row.wall_ns / 1000 + phase) * 1e6
      end))
  end

  it("counts the batches in which a coarse clock stood still", function()
    for _, launches in ipairs { 1, 5 } do
      local found = in_ticks(0.4, 0.8, launches, 100)
      assert.near_relative(0.5, found.ratio.value, 0.05)
      assert.is_true(found.ratio.low < 0.5 and 0.5 < found.ratio.high)
      assert.equal("faster", found.verdict)
      assert.equal(100 * launches, found.rounds)
    end
  end)

  it("is right where batches take few ticks of a coarse clock", function()
    for _, launches in ipairs { 1, 5 } do
      local found = in_ticks(2, 2.2, launches, 100)
      assert.near_relative(1 / 1.1, found.ratio.value, 0.01)
      assert.equal("faster", found.verdict)
    end
  end)

  it("has no interval where the clock stood still in a whole stretch or "
    .. "launch", function()
    assert.is_nil(in_ticks(0.05, 0.8, 1, 100).ratio.low)
    assert.is_nil(in_ticks(0, 0.8, 1, 100))
    local a, b = two({ a = constant(1), b = constant(2), launches = 3,
      batches = 8 }, function(row, name, launch)
        if name == "a" and launch == 2 then row.wall_ns = 0 end
      end)
    local found = compared(a, b).ratio
    assert.near_relative(1 / 3, found.value, 0.01)
    assert.is_nil(found.low)
  end)

  it("takes the ratio within each round, whatever the machine does", function()
    local a, b = two({ a = constant(50), b = constant(100), noise = 0.005 },
      function(row, _, _, i)
        row.wall_ns = row.wall_ns * (i % 3 == 0 and 1.8 or 1)
      end)
    local found = compared(a, b)
    assert.near_relative(0.5, found.ratio.value, 0.005)
    assert.equal("faster", found.verdict)
    assert.equal(60, found.rounds)
  end)

  it("is of all time over all calls where batches of few calls differ by what "
    .. "a call does", function()
    for _, launches in ipairs { 1, 5 } do
      local a, b = two({ a = constant(1), b = constant(1), noise = 0.005,
        launches = launches, batches = 200 / launches },
        function(row, name, _, i)
          local dear = name == "a" and i % 5 == 0
          row.iters = 2
          row.wall_ns = row.wall_ns / 1000 * 2e6 * (dear and 5 or 1)
        end)
      local found = compared(a, b)
      assert.near_relative(1.8, found.ratio.value, 0.02)
      assert.equal("slower", found.verdict)
    end
  end)

  -- One function of 50 ns allocates, and a collector that takes as long again
  -- works in one timed row of so many. Paced ones are given to 'b', in which a
  -- cycle ends every tenth row.
  local function beside_paced(rows, timed_every, precision)
    local a, b = two({ a = constant(100), b = constant(50), noise = 0.002,
      batches = 80 }, function(row, name, _, i)
        local is_due = name == "b" and i % timed_every == 0
        row.iters, row.wall_ns = 1000, 1000 * (name == "a" and 100 or 50)
        if is_due then row.wall_ns = row.wall_ns + 50e3 * timed_every end
        row.gc_minor, row.gc_major = 0, is_due and 1 or 0
      end)
    local paced = { iters = {}, wall_ns = {}, start_ns = {}, gc_minor = {},
      gc_major = {}, mutator_ns = {}, collector_ns = {} }
    for i = 1, rows do
      paced.iters[i], paced.wall_ns[i], paced.start_ns[i] = 1000, 1e5, 1e12 + i
      paced.gc_minor[i], paced.gc_major[i] = 0, i % 10 == 0 and 1 or 0
      paced.mutator_ns[i] = 50e3 * (1 + (i * 7 % 5 - 2) / 200)
      paced.collector_ns[i] = i % 10 == 0 and 500e3 or 0
    end
    b.passes = { paced = { samples = paced },
      census = { iters = 16, allocs = 16, bytes = 1600 } }
    a.precision, b.precision = precision, precision
    a, b = analysis.analyse(a, SETTINGS), analysis.analyse(b, SETTINGS)
    return compared(b, a), b, a
  end

  it("is of times with the collector where those are of paced batches",
    function()
      local found, b, a = beside_paced(200, 40)
      assert.equal("paced", b.time_pass)
      assert.near_relative(100, b.time.value, 0.02)
      assert.near_relative(b.time.value / a.time.value, found.ratio.value, 1e-9)
      assert.is_true(found.ratio.low < 1 and 1 < found.ratio.high)
      assert.is_true(made_run.half(found.ratio) < 0.15)
    end)

  it("has no interval where that of such a time is open on either side, or "
    .. "reaches zero", function()
    for _, open in ipairs { {}, { low = 0 }, { low = -5 }, { high = 1/0 } } do
      for _, side in ipairs { 1, 2 } do
        local whole, b, a = beside_paced(200, 40)
        assert.is_number(whole.ratio.low)
        local time = (side == 1 and a or b).time
        if next(open) == nil then time.low, time.high = nil, nil end
        time.low, time.high = open.low or time.low, open.high or time.high
        local found = compared(b, a)
        assert.same({ value = whole.ratio.value }, found.ratio)
        assert.equal("unclear", found.verdict)
      end
    end
  end)

  it("is as sure of such times where these have the stricter interval of "
    .. "measuring that may stop early", function()
    local plain, plain_b = beside_paced(200, 40)
    local found, b = beside_paced(200, 40, 0.001)
    assert.is_true(made_run.half(b.time) > 1.3 * made_run.half(plain_b.time))
    assert.near_relative(made_run.half(plain.ratio), made_run.half(found.ratio),
      0.1)
  end)

  it("has no interval where the rounds of one launch of several are left",
    function()
      -- Of three launches each side was crowded in one.
      local function found(of_a, of_b)
        local a, b = two({ launches = 3, batches = 12, noise = 0.001,
          a = function(launch) return launch == 2 and 96 or 102 end,
          b = constant(100) }, function(row, name, launch)
            local crowded = name == "a" and of_a or of_b
            row.width = launch == crowded and 1 or 3
          end)
        local clock = { best_width = 3 }
        return compared(analysis.analyse(a, SETTINGS, clock),
          analysis.analyse(b, SETTINGS, clock), SETTINGS, clock)
      end
      local one = found(3, 1)
      assert.is_nil(one.ratio.low)
      assert.equal("unclear", one.verdict)
      assert.is_true(one.crowded)
      assert.is_number(found(3, 3).ratio.low)
    end)

  it("has no interval where too few cycles of the collector were seen for one "
    .. "of the times", function()
    local found, b = beside_paced(25, 20)
    assert.is_true(made_run.warns(b, "few_cycles"))
    assert.is_nil(b.time.low)
    assert.is_nil(found.ratio.low)
    assert.equal("unclear", found.verdict)
  end)

  -- How often the interval of one process holds the ratio of 1.5, of which a
  -- third is the collector's: of 100 cycles each is in a row of 'b' or, by
  -- chance, in a row that others have had.
  it("of one process knows that cycles come in its calls by chance where "
    .. "others allocate, too", function()
    local held = 0
    for seed = 1, 40 do
      local random = made.generator(seed)
      local a, b = two({ a = constant(100), b = constant(100), noise = 0.01,
        batches = 200, seed = seed }, function(row, name)
          local has_cycle = name == "b" and random.uniform() < 0.1
          row.iters = 100
          row.wall_ns = 1e4 * (1 + 0.01 * random.normal())
            + (has_cycle and 5e4 or 0)
          row.gc_minor, row.gc_major = 0, has_cycle and 1 or 0
        end)
      local ratio = compared(b, a).ratio
      if ratio.low <= 1.5 and 1.5 <= ratio.high then held = held + 1 end
    end
    assert.is_true(held >= 34)
  end)

  it("of one process is of as much of the collector's work as the calls have "
    .. "made, though others did some of it, or they did some of others'",
    function()
      -- A cycle of 50 us frees what ten batches allocate.
      for _, every in ipairs { 6, 10, 18 } do
        local a, b = two({ a = constant(100), b = constant(100), noise = 0.01,
          batches = 360 }, function(row, name, _, i)
            local has_cycle = name == "b" and i % every == 0
            row.iters, row.wall_ns = 100, 1e4 * (1 + (i * 7 % 5 - 2) / 300)
              + (has_cycle and 5e4 or 0)
            row.gc_minor, row.gc_major = 0, has_cycle and 1 or 0
            row.growth_bytes = name == "b"
              and 1e4 - (has_cycle and 1e5 or 0) or 0
          end)
        local time = analysis.analyse(b, SETTINGS).time
        assert.near_relative(150, time.value, 0.04)
        assert.is_true(time.low < 150 and 150 < time.high)
        assert.near_relative(1.5, compared(b, a).ratio.value, 0.04)
      end
    end)

  it("of one process is of what the collector did where calls keep a part of "
    .. "what they allocate", function()
      -- A cycle of 50 us frees 100 kB every 20 batches, which allocate 200.
      local heap_bytes = 1e6
      local a, b = two({ a = constant(100), b = constant(100), batches = 360 },
        function(row, name, _, i)
          local has_cycle = name == "b" and i % 20 == 0
          row.iters, row.wall_ns = 100, 1e4 * (1 + (i * 7 % 5 - 2) / 300)
            + (has_cycle and 5e4 or 0)
          row.gc_minor, row.gc_major = 0, has_cycle and 1 or 0
          row.heap_bytes = heap_bytes
          row.growth_bytes = name == "b"
            and 1e4 - (has_cycle and 1e5 or 0) or 0
          heap_bytes = heap_bytes + row.growth_bytes
        end)
      assert.near_relative(125, analysis.analyse(b, SETTINGS).time.value, 0.02)
      assert.near_relative(1.25, compared(b, a).ratio.value, 0.02)
    end)

  it("is the inverse of the other way round", function()
    for _, launches in ipairs { 1, 5 } do
      local a, b = two { a = constant(60), b = constant(100), noise = 0.1,
        launches = launches, batches = 6 }
      local there, back = compared(a, b).ratio, compared(b, a).ratio
      assert.near_relative(1, there.value * back.value, 1e-9)
    end
  end)

  it("is of the time that batches of few calls ran, where longer ones lose the "
    .. "core more often", function()
      local a, b = two({ a = constant(1), b = constant(1), noise = 0.005,
        launches = 5, batches = 40 }, function(row, name, _, i)
          local dear = name == "a" and i % 3 == 0
          row.iters = 2
          row.cpu_ns = row.wall_ns / 1000 * 2e6 * (dear and 5 or 1)
          row.preemptions, row.waits = dear and i % 4 ~= 0 and 1 or 0, 0
          row.wall_ns = row.cpu_ns + 4e6 * row.preemptions
        end)
      local found = compared(a, b)
      assert.near_relative((2 + 5) / 3, found.ratio.value, 0.05)
      assert.equal(200, found.rounds)
    end)

  it("is in core cycles, where both have them", function()
    local a, b = two({ a = constant(100), b = constant(100), noise = 0.001 },
      function(row, side)
        row.cycles = row.wall_ns * 2
        row.wall_ns = row.wall_ns * (side == "a" and 1.2 or 1)
      end)
    assert.near_relative(1, compared(a, b).ratio.value, 0.002)
  end)

  it("is as unsure as launches differ", function()
    local function half(sd)
      local random = made.generator(4)
      local factor = {}
      for i = 1, 10 do factor[i] = 1 + sd * random.normal() end
      local found = compared(two { launches = 10, batches = 20,
        a = function(launch) return 100 * factor[launch] end,
        b = constant(100), noise = 0.002 })
      return made_run.half(found.ratio)
    end
    assert.is_true(half(0.04) > 3 * half(0.005))
    assert.is_true(half(0.005) < 0.01)
  end)

  it("is less sure of compiled code that allocates, by where memory lies",
    function()
      local function half(collections)
        return made_run.half(compared(two({ launches = 10, batches = 20,
          a = constant(100), b = constant(100), noise = 0.002 },
          function(row)
            row.jit_events, row.gc_minor = 0, 0
            row.gc_major = collections
          end)).ratio)
      end
      assert.is_true(half(4) > half(0) + 0.002)
    end)

  it("calls two identical functions different in few of many runs", function()
    local alarms = 0
    for seed = 1, 100 do
      local random = made.generator(seed)
      local factor = { a = {}, b = {} }
      for i = 1, 10 do
        factor.a[i] = 1 + 0.02 * random.normal()
        factor.b[i] = 1 + 0.02 * random.normal()
      end
      local verdict = compared(two { launches = 10, batches = 10, seed = seed,
        a = function(launch) return 100 * factor.a[launch] end,
        b = function(launch) return 100 * factor.b[launch] end }).verdict
      if verdict == "faster" or verdict == "slower" then alarms = alarms + 1 end
    end
    assert.is_true(alarms <= 8, alarms)
  end)

  -- Half-width of the ratio of two calls that take so long, in one process or
  -- over several; those named in 'compiled' count the compiler's events.
  local function half_of_ratio(a_ns, b_ns, compiled, launches)
    local a, b = two({ a = constant(a_ns), b = constant(b_ns), noise = 0,
      launches = launches }, function(row, name)
        row.jit_events = (compiled or ""):find(name, 1, true) and 0 or nil
      end)
    return made_run.half(compared(a, b).ratio)
  end

  it("of few rounds in one process is not sure because its stretches happen "
    .. "to be alike", function()
      -- Of each two rounds one is below the middle, and one above it.
      local a, b = two({ batches = 10, noise = 0, b = constant(100),
        a = function(_, i)
          return 100 * (1 + (i % 2 == 0 and 1 or -1) * (0.02 + 0.005 * i))
        end })
      assert.is_true(made_run.half(compared(a, b).ratio) > 0.03)
    end)

  it("of one process has what processes differ by in its interval", function()
    assert.is_true(half_of_ratio(100, 100) > 0.005)
  end)

  it("of one process is as unsure as compiled code differs from draw to draw",
    function()
      local function found(spread)
        local a, b = two({ batches = 120, b = constant(100),
          a = function(_, i)
            return math.ceil(i / 10) % 2 == 0 and 100 + spread or 100
          end },
          function(row, _, i)
            row.jit_events, row.draw = 0, math.ceil(i / 10)
          end)
        return compared(a, b)
      end
      assert.is_true(made_run.half(found(30).ratio) > 0.08)
      assert.is_true(made_run.half(found(0).ratio) < 0.025)
    end)

  it("of one process is surer of functions that do nearly the same", function()
    local of_twins = half_of_ratio(100, 100)
    assert.is_true(half_of_ratio(103, 100) < 0.01)
    assert.is_true(half_of_ratio(200, 100) > 2 * of_twins)
    assert.near_relative(half_of_ratio(200, 100),
      half_of_ratio(100, 200), 1e-6)
  end)

  it("of one process is less sure of functions that do different things in "
    .. "the same time", function()
    local function half(allocs)
      local a, b = two { a = constant(100), b = constant(100), noise = 0 }
      for i, record in ipairs { a, b } do
        record.passes = { census = { iters = 16, bytes = 1600,
          allocs = i == 1 and 160 or allocs } }
      end
      return made_run.half(compared(analysis.analyse(a, SETTINGS),
        analysis.analyse(b, SETTINGS)).ratio)
    end
    assert.near_relative(half_of_ratio(100, 100), half(160), 1e-6)
    assert.is_true(half(40) > 2 * half(160))
  end)

  it("of few processes is less sure where a function is compiled", function()
    for launches = 1, 3 do
      local interpreted = half_of_ratio(100, 100, nil, launches)
      for _, compiled in ipairs { "a", "b", "ab" } do
        assert.is_true(half_of_ratio(100, 100, compiled, launches)
          > 2 * interpreted, compiled)
      end
    end
  end)

  it("leaves out rounds in which one side was crowded", function()
    local a, b = two({ a = constant(100), b = constant(100), noise = 0.002 },
      function(row, side, _, i)
        local is_slow = side == "a" and i > 20
        row.width = is_slow and 3 or 4
        if is_slow then row.wall_ns = row.wall_ns * 1.5 end
      end)
    local found = compared(a, b, nil, { best_width = 4 })
    assert.near_relative(1, found.ratio.value, 0.005)
    assert.equal(19, found.rounds)
  end)

  it("has no interval and no verdict where nearly all were", function()
    local a, b = two({ a = constant(100), b = constant(150) },
      function(row) row.width = 3 end)
    local found = compared(a, b, nil, { best_width = 4 })
    assert.is_nil(found.ratio.low)
    assert.equal("unclear", found.verdict)
    assert.is_true(found.crowded)
  end)

  it("is unclear where no round has a batch of both that counts", function()
    local a, b = two({ a = constant(100), b = constant(200) },
      function(row, side, _, i)
        row.round = (side == "a") == (i % 2 == 0) and i or 0 / 0
      end)
    a.time, b.time = { value = 100 }, { value = 200 }
    local found = compared(a, b)
    assert.near_relative(0.5, found.ratio.value, 0.01)
    assert.is_nil(found.ratio.low)
    assert.equal("unclear", found.verdict)
    assert.equal(0, found.rounds)
  end)

  it("leaves out what a batch costs beside its calls", function()
    local function side(name, call_ns)
      local record = made_run.record { launches = 10, batches = 40,
        noise = 0.002, fixed_ns = 5e4, call_ns = constant(call_ns) }
      record.id, record.compared = name, "group"
      return record
    end
    local found = compared(side("a", 50), side("b", 100))
    assert.near_relative(0.5, found.ratio.value, 0.01)
  end)

  it("has the collections in it, though few rounds have any", function()
    local a, b = two({ launches = 5, batches = 100, a = constant(100),
      b = constant(100), noise = 0.002 }, function(row, side, _, i)
        local has_one = side == "a" and i % 20 == 0
        row.gc_minor, row.gc_major = has_one and 1 or 0, 0
        if has_one then row.wall_ns = row.wall_ns * 5 end
      end)
    local found = compared(a, b)
    assert.near_relative(1.2, found.ratio.value, 0.01)
    assert.equal("slower", found.verdict)
  end)

  it("does not take a heap's growth for a cost, where a cycle frees it all",
    function()
      -- Growth is so much a call, less what the cycle freed; another cycle,
      -- which freed less, came in a round that does not count.
      for seed = 1, 40 do
        local random = made.generator(seed)
        local a, b = two({ batches = 22, a = constant(100), b = constant(200),
          noise = 0.2, seed = seed }, function(row, side, _, i)
            local ends = i == 3 or i == (side == "a" and 10 or 5)
            row.gc_minor, row.gc_major = 0, ends and 1 or 0
            row.growth_bytes = row.iters * 10 * (1 + 1e-4 * random.normal())
              - (i == 3 and 1e5 or ends and 2e5 or 0)
            row.wall_ns = row.wall_ns * (ends and 2 or 1)
            row.preemptions, row.waits = i == 3 and 1 or 0, 0
            row.cpu_ns = row.wall_ns * (i == 3 and 0.5 or 1)
          end)
        assert.near_relative(0.5, compared(a, b).ratio.value, 0.4)
      end
    end)

  it("is made where the first launch had room for one batch of each",
    function()
      local a, b = two({ a = constant(50), b = constant(100), launches = 8,
        batches = 20, noise = 0.01 })
      for side, result in ipairs { a, b } do
        local samples = result.samples
        local launch, kept = samples.launch, {}
        for row, id in ipairs(launch) do
          samples.start_ns[row] = 2e6 * row + 1e6 * side
          if id ~= 1 or launch[row - 1] ~= 1 then kept[#kept + 1] = row end
        end
        for name, column in pairs(samples) do
          local short = {}
          for i, row in ipairs(kept) do short[i] = column[row] end
          samples[name] = short
        end
      end
      assert.near_relative(0.5, compared(a, b).ratio.value, 0.02)
    end)

  it("has no ratio of rounds where one has no time", function()
    local a, b = two { a = constant(100), b = constant(100) }
    local results = { analysis.analyse(a, SETTINGS),
      analysis.analyse(b, SETTINGS) }
    for _, result in ipairs(results) do
      for i in ipairs(result.samples.round) do
        result.samples.round[i] = result == results[1] and i or -i
      end
    end
    local unpaired = analysis.compare(results, SETTINGS, true)[1]
    assert.same({ 0, "unclear" }, { unpaired.rounds, unpaired.verdict })
    assert.near_relative(1, unpaired.ratio.value, 0.05)
    results[1].time = nil
    assert.is_nil(analysis.compare(results, SETTINGS, true)[1])
  end)

  it("is of what was in turn by the first launch that tells", function()
    local function shifted(by, least)
      local a, b = two { a = constant(100), b = constant(130), launches = 2,
        batches = 12 }
      for row, launch in ipairs(b.samples.launch) do
        if launch == 1 then
          b.samples.start_ns[row] = b.samples.start_ns[row] + by
        end
      end
      for _, column in pairs(a.samples) do
        for _ = 1, least do table.remove(column, 1) end
      end
      return compared(a, b)
    end
    assert.truthy(shifted(0, 0))
    assert.is_nil(shifted(1e12, 0))
    assert.truthy(shifted(1e12, 11)) -- one batch: the second launch tells
    assert.truthy(shifted(1e12, 12)) -- none
  end)

  it("is none of what was measured one after the other, or failed", function()
    local a, b = two { a = constant(100), b = constant(100) }
    for i in ipairs(b.samples.start_ns) do
      b.samples.start_ns[i] = b.samples.start_ns[i] + 1e12
    end
    assert.is_nil(compared(a, b))
    a, b = two { a = constant(100), b = constant(100) }
    a.sitting = 2
    assert.is_nil(compared(a, b))
    a.sitting, a.error = nil, "broken"
    assert.is_nil(compared(a, b))
  end)

  it("has no interval of a handful of rounds", function()
    local found = compared(two { batches = 4, a = constant(50),
      b = constant(100) })
    assert.equal("unclear", found.verdict)
    assert.near_relative(0.5, found.ratio.value, 0.05)
  end)

  it("says same only when the whole interval is close to 1", function()
    local a, b = two { launches = 10, a = constant(100), b = constant(100) }
    assert.equal("same", compared(a, b).verdict)
    assert.equal("unclear", compared(a, b, { confidence = 0.95,
      tolerance = 1e-5 }).verdict)
  end)

  it("finds one percent of ten launches", function()
    local found = compared(two { launches = 10, batches = 50,
      a = constant(101), b = constant(100), noise = 0.005 })
    assert.is_true(found.ratio.low > 1)
    assert.equal("slower", found.verdict)
  end)
end)

describe("comparisons of a run", function()
  local function group(count, baseline)
    local results = {}
    for i = 1, count do
      local a = two { a = constant(100 + 10 * i), b = constant(1) }
      a.id, a.baseline = "f" .. i, i == baseline or nil
      results[i] = a
    end
    return results
  end

  it("are of each against the baseline", function()
    local found = analysis.compare(group(3, 2), SETTINGS)
    assert.same({ { "f1", "f2" }, { "f3", "f2" } },
      { { found[1].a, found[1].b }, { found[2].a, found[2].b } })
    assert.equal(2, #found)
  end)

  it("are of each against all of several baselines, as revisions are",
    function()
      local results = group(3, 2)
      results[3].baseline = true
      local found = analysis.compare(results, SETTINGS)
      assert.same({ { "f1", "f2", 60 }, { "f1", "f3", 60 } }, {
        { found[1].a, found[1].b, found[1].rounds },
        { found[2].a, found[2].b, found[2].rounds } })
      assert.equal(2, #found)
      -- Both hold together.
      results[3] = nil
      assert.is_true(made_run.half(found[1].ratio)
        > made_run.half(analysis.compare(results, SETTINGS)[1].ratio))
    end)

  it("are pair by pair without one, if that is asked for", function()
    assert.equal(0, #analysis.compare(group(3), SETTINGS))
    assert.equal(3, #analysis.compare(group(3), SETTINGS, true))
  end)

  it("are wider when there are several, for all to hold together", function()
    local two_of_them = analysis.compare(group(2), SETTINGS, true)[1].ratio
    local four = analysis.compare(group(4), SETTINGS, true)[1].ratio
    assert.is_true(made_run.half(four) > made_run.half(two_of_them))
  end)
end)
