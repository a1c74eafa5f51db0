local analysis = require "tare.analysis"
local made_run = require "spec.support.made_run"
local plan = require "tare.analysis.plan"
local precision = require "tare.analysis.precision"

describe("the plan of launches", function()
  local function launches(quota_ns, call_ns, more)
    local known = { quota_ns = quota_ns, call_ns = call_ns }
    for name, ns in pairs(more or {}) do known[name] = ns end
    return plan.launches(known)
  end

  it("is 25 for a second", function()
    assert.equal(25, launches(1e9, 100))
    assert.equal(25, launches(1e11, 100))
    assert.equal(25, launches(1e9))
  end)

  it("has fewer launches of a short quota, down to one", function()
    assert.equal(15, launches(6e8, 100))
    assert.equal(10, launches(2e8, 100))
    assert.equal(3, launches(5e7, 100))
    assert.equal(1, launches(2e7, 100))
    assert.equal(1, launches(1e3, 100))
  end)

  it("has launches as short as those of a second where a few may do, whatever "
    .. "the quota", function()
    local function short(quota_ns, call_ns)
      return plan.short_launches { quota_ns = quota_ns, call_ns = call_ns }
    end
    assert.equal(1500, short(6e10, 100))
    assert.equal(25, short(1e9, 100))
    assert.equal(10, short(2e8, 100))
    assert.equal(30, short(6e10, 2e8)) -- of ten calls
    assert.equal(1, short(1e9, 5e9))
  end)

  it("has fewer launches of slow calls, and one of a call that takes the "
    .. "quota", function()
    assert.equal(5, launches(1e9, 2e7))
    assert.equal(1, launches(1e9, 2e8))
    assert.equal(1, launches(1e9, 5e9))
  end)

  it("has fewer launches where loading takes long", function()
    assert.equal(2, launches(1e9, 100, { load_ns = 2.5e8 }))
  end)

  it("has fewer launches where setting up takes long: half the quota at most",
    function()
      assert.equal(25, launches(1e9, 100, { setup_ns = 1e7 }))
      assert.equal(5, launches(1e9, 100, { setup_ns = 1e8 }))
      assert.equal(1, launches(1e9, 100, { setup_ns = 1e9 }))
    end)

  it("has fewer launches where cycles of the collector are rare", function()
    assert.equal(4, launches(1e9, 100, { collections_ns = 2.5e8 }))
    assert.equal(1, launches(1e9, 100, { collections_ns = 3e9 }))
  end)
end)

describe("the rest of the launches", function()
  local function launch_ns(between, within, more)
    local known = { quota_ns = 1e9, call_ns = 100, launch_ns = 4e7,
      timed_ns = 2e7, started_ns = 1e7, rows = 24, between = between,
      within = within }
    for name, value in pairs(more or {}) do known[name] = value end
    return plan.launch_ns(known)
  end

  it("is planned anew a few times", function()
    assert.is_false(plan.is_replanned(4))
    assert.is_true(plan.is_replanned(5))
  end)

  it("is as long as before where launches differ as their batches do",
    function()
      assert.equal(4e7, launch_ns(0, 0.01))
      assert.equal(4e7, launch_ns(0.005, 0.01))
    end)

  it("is shorter the more launches differ beside what their batches explain",
    function()
      assert.near(2.83e7, launch_ns(0.01, 0.01), 1e5)
      assert.equal(2e7, launch_ns(0.05, 0.01))
      assert.is_true(launch_ns(0.02, 0.02) < launch_ns(0.015, 0.02))
    end)

  it("is no shorter than slow calls, rare cycles and slow starts allow",
    function()
      assert.equal(3e7, launch_ns(0.05, 0.01, { call_ns = 3e6 }))
      assert.equal(3.5e7, launch_ns(0.05, 0.01, { collections_ns = 3.5e7 }))
      assert.equal(3e7, launch_ns(0.05, 0.01, { load_ns = 1.5e7 }))
    end)

  it("is long enough for whole cycles of the collector", function()
    local function ns(bytes, heap_bytes, more)
      local heap = { heap_bytes = heap_bytes, gc_mode = "incremental" }
      for name, value in pairs(more or {}) do heap[name] = value end
      return plan.collections_ns(100, bytes, heap)
    end
    assert.is_true(ns(100, 1e5) < 1e7)
    assert.is_true(ns(100, 1e8) > 1e9)
    assert.equal(0, ns(0, 1e8))
    -- with another pause, where a mode has one
    assert.near_relative(ns(100, 1e8), ns(100, 1e8, { gc_pause = 200 }), 1e-9)
    assert.near_relative(3, ns(100, 1e8, { gc_pause = 400 }) / ns(100, 1e8),
      1e-9)
    assert.is_true(ns(100, 1e8, { gc_pause = 100 }) > 0)
    local young = { gc_mode = "generational" }
    assert.near_relative(0.2, ns(100, 1e8, young) / ns(100, 1e8), 1e-9)
    young.gc_pause, young.gc_minor_multiplier = 400, 40
    assert.near_relative(0.4, ns(100, 1e8, young) / ns(100, 1e8), 1e-9)
  end)

  it("is no shorter than six batches need, as the last launch had them",
    function()
      assert.equal(2.4e7, launch_ns(0.05, 0.01, { rows = 10 }))
      assert.equal(4e7, launch_ns(0.05, 0.01, { rows = 5 }))
      assert.equal(4e7, launch_ns(0.05, 0.01, { rows = 0 }))
    end)

  it("is of a hundred launches in all at most", function()
    assert.equal(1e8, launch_ns(0.05, 0.001, { quota_ns = 1e10,
      launch_ns = 4e8, timed_ns = 3e8, rows = 200 }))
  end)
end)

describe("launches that were crowded", function()
  local function more(known)
    return plan.more_launches { planned = 10, launch_ns = 1e8,
      done = known.done or 10, usable = known.usable,
      patience_ns = known.patience_ns or 1e9, waited_ns = known.waited_ns or 0 }
  end

  it("are replaced", function()
    assert.equal(0, more { usable = 10 })
    assert.equal(4, more { usable = 6 })
    assert.equal(1, more { done = 14, usable = 9 })
  end)

  it("are replaced as long as the patience lasts", function()
    assert.equal(9, more { usable = 1 })
    assert.equal(3, more { usable = 2, patience_ns = 3e8 })
    assert.equal(1, more { usable = 2, waited_ns = 8.5e8 })
    assert.equal(0, more { done = 20, usable = 5 })
    assert.equal(0, more { usable = 2, patience_ns = 0 })
  end)

  it("are not where all were crowded: more would be, too", function()
    assert.equal(0, more { usable = 0 })
  end)
end)

describe("stopping early", function()
  local SETTINGS = { confidence = 0.95 }

  it("looks at few numbers of rows or launches, fixed beforehand", function()
    local looks = 0
    for count = 1, 1000 do
      if precision.is_look_at_rows(count) then looks = looks + 1 end
    end
    assert.is_true(looks >= 3 and looks <= 7)
    assert.is_true(precision.is_look(10))
    assert.is_false(precision.is_look(5))
  end)

  it("is at a narrow interval, of launches and of one process", function()
    for _, launches in ipairs { 1, 6 } do
      local function is_narrow(noise)
        local made = made_run.record { launches = launches, batches = 40,
          noise = noise, call_ns = function(launch)
            return 100 * (1 + noise * (launch % 3))
          end }
        made.precision = 0.03
        return precision.is_narrow(made, SETTINGS)
      end
      assert.is_true(is_narrow(0.002))
      assert.is_false(is_narrow(0.4))
    end
  end)

  it("is as soon as one process can't narrow it any more", function()
    local made = made_run.record { batches = 80, noise = 0.002 }
    made.precision = 0.01
    assert.is_true(precision.is_narrow(made, SETTINGS))
  end)

  it("is said of one process to lack what it can't show", function()
    local function warned(noise)
      local made = made_run.record { batches = 160, noise = noise }
      made.precision = 0.02
      local result = analysis.analyse(made, made_run.SETTINGS)
      return precision.is_narrow(made, SETTINGS),
        made_run.warns(result, "precision_unseen"),
        made_run.warns(result, "precision_missed")
    end
    assert.same({ true, true, false }, { warned(0.01) })
    assert.same({ false, false, true }, { warned(0.4) })
  end)

  -- What 25 launches with such times of a call are found to be: whether
  -- measuring ends, and which warning they have.
  local function judged(share, call_ns, row, clock)
    local made = made_run.record({ launches = 25, batches = 40, noise = 0.002,
      call_ns = call_ns }, row)
    made.precision = share
    local result = analysis.analyse(made, made_run.SETTINGS, clock)
    return precision.is_narrow(made, SETTINGS, clock),
      made_run.warns(result, "precision_unseen"),
      made_run.warns(result, "precision_missed")
  end

  it("is of several launches, too, as soon as more can't narrow it to what was "
    .. "asked for", function()
    assert.same({ true, true, false }, { judged(0.005) })
    -- What they show is narrower than the rest, if not as narrow as that.
    assert.same({ true, true, false }, { judged(0.0005) })
    assert.same({ true, false, false }, { judged(0.012) })
    -- Compiled code that allocates.
    assert.same({ true, true, false }, { judged(0.03, nil, function(row)
      row.jit_events, row.gc_minor, row.gc_major = 0, 0, 1
    end) })
  end)

  it("goes on while launches narrow it", function()
    local function apart(by)
      return function(launch) return 100 * (1 + by * (launch % 3 - 1)) end
    end
    -- 0.6 % are due to how they differ, and 1 % to what they can't show.
    assert.same({ false, true, false }, { judged(0.005, apart(0.007)) })
    assert.same({ false, false, true }, { judged(0.01, apart(0.007)) })
    assert.same({ false, false, true }, { judged(0.005, apart(0.03)) })
  end)

  it("goes on while others disturb the run, for that may end", function()
    assert.same({ false, false, true }, { judged(0.02, nil,
      function(row, launch, i)
        row.width = (i + launch) % 40 < 16 and 3 or 4
        row.preemptions, row.waits, row.cpu_ns = 0, 0, row.wall_ns
      end, { best_width = 4 }) })
  end)

  it("looks at the median where that is the time, as where calls yield",
    function()
      local made = made_run.record({ batches = 160, noise = 0.002,
        iters = function() return 1 end, call_ns = function(_, i)
          return i % 2 == 0 and 1e5 or 2e5
        end })
      made.precision = 0.03
      assert.is_true(precision.is_narrow(made, SETTINGS))
      made.loop = "yields"
      assert.is_false(precision.is_narrow(made, SETTINGS))
      assert.is_true(made_run.warns(analysis.analyse(made, made_run.SETTINGS),
        "precision_missed"))
    end)

  -- The record with such a precision, in a loop that takes 10 ns.
  local function with_loop(made, share)
    local empty = { iters = {}, wall_ns = {}, launch = {} }
    for i = 1, 10 * made.launches do
      empty.iters[i], empty.launch[i] = 1000, math.ceil(i / 10)
      empty.wall_ns[i] = 10000 + i % 7
    end
    made.precision, made.passes = share, { empty = { samples = empty } }
    return made
  end

  -- Calls of 12 ns in a loop that takes 10 of them: known to 3 %, of the 2 ns
  -- of the function that is 15 %.
  it("looks at the time without the loop where that is reported", function()
    local function record()
      local made = made_run.record({ launches = 6, batches = 40, noise = 0.002,
        call_ns = function(launch) return 12 + launch % 3 / 10 end })
      return with_loop(made, 0.05)
    end
    for _, net_of_loop in ipairs { false, true } do
      local settings = { confidence = 0.95, resamples = 100, seed = 1,
        net_of_loop = net_of_loop }
      assert.equal(not net_of_loop, precision.is_narrow(record(), settings))
      assert.equal(net_of_loop, made_run.warns(analysis.analyse(record(),
        settings), "precision_missed"))
    end
    -- One process times the loop in the end.
    local made = made_run.record { batches = 80, noise = 0.002 }
    made.precision, made.passes = 0.05, nil
    assert.is_true(precision.is_narrow(made, SETTINGS))
    assert.is_false(precision.is_narrow(made, { confidence = 0.95,
      net_of_loop = true }))
  end)

  -- Of 2 ns that are left of 12, what another run would show is 6 %, and as
  -- much of the loop's 10 ns is 5 %.
  it("is as soon as more launches can't narrow the time without the loop",
    function()
      local made = made_run.record({ launches = 25, batches = 40,
        noise = 0.002, call_ns = function() return 12 end })
      with_loop(made, 0.04)
      local settings = { confidence = 0.95, resamples = 100, seed = 1,
        net_of_loop = true }
      assert.is_true(precision.is_narrow(made, settings))
      assert.is_true(made_run.warns(analysis.analyse(made, settings),
        "precision_unseen"))
    end)

  it("looks at the batches that --discard leaves", function()
    local made = made_run.record({ launches = 6, batches = 40, noise = 0.002 },
      function(row, launch, i)
        row.gc_minor, row.gc_major = 0, i % 2
        row.wall_ns = row.wall_ns * (i % 2 == 0 and 1 or 2 + launch % 3)
      end)
    made.precision = 0.03
    assert.is_false(precision.is_narrow(made, SETTINGS))
    made.discard = { "gc" }
    assert.is_true(precision.is_narrow(made, SETTINGS))
  end)

  it("keeps the confidence that was asked for", function()
    assert.is_true(precision.confidence(0.95) > 0.99)
  end)
end)

describe("looks at the interval", function()
  it("are few, and fixed beforehand", function()
    local launches, rows = {}, {}
    for count = 1, 2000 do
      if precision.is_look(count) then launches[#launches + 1] = count end
      if precision.is_look_at_rows(count) then rows[#rows + 1] = count end
    end
    assert.same({ 4, 6, 10, 16, 25, 40, 63 }, launches)
    assert.same({ 40, 80, 160, 320, 640 }, rows)
  end)
end)
