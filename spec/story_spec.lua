-- What a launch asks of its workers, and in which order: told to workers that
-- are made up, so that each figure is known.
local Bench = require "tare.conductor.bench"
local Bursts = require "tare.conductor.bursts"
local made = require "spec.support.made_worker"
local Record = require "tare.conductor.record"

local only, tell = made.only, made.tell

-- One bench's launch: what was asked, and the bench after it.
local function launch(given, limits, on_request)
  local bench = made.bench("s/a", given)
  return tell({ bench }, limits, on_request), bench
end

local function sizes_of(told, op, id)
  local sizes = {}
  for i, one in ipairs(only(told, op, id)) do sizes[i] = one.iters end
  return sizes
end

local function sum(list)
  local all = 0
  for _, value in ipairs(list) do all = all + value end
  return all
end

local function ops_of(told)
  local list, last = {}, nil
  for _, one in ipairs(told) do
    if one.op ~= last then list[#list + 1] = one.op end
    last = one.op
  end
  return list
end

describe("the rest of a quota", function()
  it("has room for as many calls as fit, by the slower of what a call took and "
    .. "is expected to take", function()
    local function room(given, call_ns, measured_ns, more)
      local bench = made.bench("s/a", { options = { quota = given } })
      for name, value in pairs(more or {}) do bench[name] = value end
      bench:forget_rows(1)
      if call_ns then bench:expect(call_ns) end
      if measured_ns then bench:count_timed(10 * measured_ns, 10) end
      return bench:room()
    end
    assert.equal(1000, room("1ms", 1000))
    assert.equal(500, room("1ms", 1000, 2000))
    assert.equal(500, room("1ms", 2000, 1000))
    assert.equal(250, room("1ms", 2000, nil, { spent_ns = 5e5 }))
    assert.equal(math.huge, room "1ms") -- nothing is known
    assert.equal(math.huge, room("1ms", 0))
    assert.equal(100, room("100x", 1000))
    assert.equal(60, room("100x", nil, nil, { calls = 40 }))
  end)
end)

describe("a launch of one bench", function()
  it("is set up, warmed up, timed and torn down, in this order", function()
    local told, bench = launch { call_ns = 1000 }
    assert.same({ "prepare", "warm", "time", "finish" }, ops_of(told))
    assert.equal("done", bench.stage)
    assert.is_nil(bench.error)
    assert.same({}, bench.warnings)
  end)

  it("fails if its batch() does the same whatever it is asked for, though a "
    .. "busy machine ended the warm-up early", function()
    local told, bench = launch { info = { loop = "batch" },
      call_ns = 1000, row = function(row, request)
        if request.op == "time" then row.wall_ns = 1e-4 * row.iters end
        return row
      end }
    assert.equal(1, #only(told, "time"))
    assert.matches("^batch%(n%) took 0 ns with n = %d+: it must make n calls",
      bench.error)
  end)

  it("counts and times an empty loop where the clock is a real one",
    function()
      local told, bench = launch({ call_ns = 1000 }, { is_manual = false })
      local ops = ops_of(told)
      assert.equal("census", ops[3])
      assert.equal("empty", ops[#ops - 1])
      local empty = bench.passes.empty.samples:columns()
      for i, iters in ipairs(empty.iters) do
        assert.equal(iters, empty.wall_ns[i])
      end
      assert.equal(7, bench.passes.instructions.instructions)
    end)

  it("counts no more calls at once than have inputs", function()
    local function longest(info)
      return only(launch({ call_ns = 100, info = info },
        { is_manual = false }), "long_census")[1].iters
    end
    assert.is_true(longest() > 4096)
    assert.equal(4096, longest { has_inputs = true })
  end)

  it("times an empty loop of two sizes in the time set aside for it", function()
    for _, made_of in ipairs { { "400ms", 2e7 }, { "200ms", 1e7 } } do
      local told = launch({ call_ns = 1000, options = { quota = made_of[1] } },
        { is_manual = false })
      local sizes = sizes_of(told, "empty") -- of 1 ns a call
      table.remove(sizes, 1)
      table.remove(sizes, 1)
      assert.equal(10, #sizes)
      for i = 1, 10, 2 do assert.equal(2 * sizes[i + 1], sizes[i]) end
      assert.is_true(sum(sizes) <= made_of[2] - 2000)
      assert.is_true(sum(sizes) >= made_of[2] - 2000 - 30)
    end
  end)

  it("paces what has collections in its warm-up though a census counts none, "
    .. "unless these may be of its set-up", function()
    for collections = 3, 4 do
      local left = collections
      local told = launch({ call_ns = 1000, row = function(row, request)
        row.gc_minor, row.gc_major = 0, 0
        if request.op == "warm" and left > 0 then
          left, row.gc_major = left - 1, 1
        end
        return row
      end }, { is_manual = false })
      assert.equal(0, left)
      assert.equal(collections > 3, only(told, "paced")[1] ~= nil)
    end
  end)

  it("is paced for half of its time where collections are rare by the heap "
    .. "that its first call has built", function()
    local full = { ns = 1e6, freed_bytes = 0 }
    local every = { iters = 16, allocs = 16, bytes = 1600 }
    local now_and_then = { iters = 16, allocs = 0, bytes = 0 }
    local function part(census, heap_bytes)
      full.heap_bytes, census.full_collection = heap_bytes, full
      local told = launch({ call_ns = 1000, known = { census = census,
          long_census = { iters = 1600, allocs = 16, bytes = 160000 } },
        options = { quota = "400ms" }, info = { heap_bytes = 1e4 } },
        { is_manual = false })
      local paced, timed = sum(sizes_of(told, "paced")),
        sum(sizes_of(told, "time"))
      return paced / (paced + timed)
    end
    for _, census in ipairs { every, now_and_then } do
      assert.is_true(part(census, 1e5) < 0.3)
      assert.is_true(part(census, 4e6) > 0.4)
    end
  end)

  it("paces what has garbage in a long run only, if that is not negligible",
    function()
      for bytes, is_paced in pairs { [0] = false, [9] = false, [20] = true } do
        local told = launch({ call_ns = 1000, long_bytes = bytes },
          { is_manual = false })
        assert.equal(is_paced, only(told, "paced")[1] ~= nil, bytes)
      end
    end)

  it("is warmed up beside a large heap, too, whose collector takes long to set "
    .. "up", function()
    local is_first = true
    local told = launch { call_ns = 1000, options = { quota = "40ms" },
      row = function(row, request)
        if request.op == "warm" and is_first then
          is_first, row.spent_ns = false, row.wall_ns + 2e7
        end
        return row
      end }
    assert.is_true(#only(told, "warm") > 4)
  end)

  it("counts no instructions of compiled code, which calls no hooks",
    function()
      local told = launch({ call_ns = 1000, info = { compiles = true },
        options = { instructions = true } }, { is_manual = false })
      assert.same({}, only(told, "instructions"))
    end)

  it("counts nothing again that a launch before has counted", function()
    local told = launch({ call_ns = 1000, known = {
      census = { iters = 16, allocs = 0, bytes = 0 },
      instructions = { iters = 1, instructions = 7 } } }, { is_manual = false })
    assert.same({}, only(told, "census"))
    assert.same({}, only(told, "instructions"))
  end)

  describe("of compiled code, where no other launch draws it,", function()
    local COMPILED = { compiles = true, watches_compiler = true }
    local ALONE = { is_manual = false, redraws = true }

    it("has it compiled anew a dozen times, some rounds apart", function()
      local told, bench = launch({ call_ns = 1000, info = COMPILED }, ALONE)
      assert.equal(11, #only(told, "redraw"))
      local rounds = {}
      for _, draw in ipairs(bench.samples:columns().draw) do
        rounds[draw] = (rounds[draw] or 0) + 1
      end
      assert.equal(12, #rounds)
      for _, count in ipairs(rounds) do assert.is_true(count >= 6) end
    end)

    it("keeps no batch in which that was compiled", function()
      local left = 0
      local _, bench = launch({ call_ns = 1000, info = COMPILED,
        row = function(row, request)
          row.jit_events = request.op == "time" and left > 0 and 1 or 0
          left = left - row.jit_events
          return row
        end }, ALONE, function(told)
          if told.op == "redraw" then left = 2 end
        end)
      assert.equal(0, left)
      for _, events in ipairs(bench.samples:columns().jit_events) do
        assert.equal(0, events)
      end
    end)

    it("leaves a host's own compiled code alone", function()
      local told = launch({ call_ns = 1000, info = COMPILED, parts = 1 }, {
        is_manual = false, redraws = true, step_ns = 2e6, batch_ns = 1e6 })
      assert.same({}, only(told, "redraw"))
    end)

    it("has nothing of the kind where nothing is compiled", function()
      local told, bench = launch({ call_ns = 1000 }, ALONE)
      assert.same({}, only(told, "redraw"))
      assert.is_nil(bench.samples:columns().draw)
    end)

    it("has none that it could not see compiled, that a host waits for, that "
      .. "yields, or whose clock is made up", function()
      for what, case in pairs {
        ["not compiled"] = { info = { watches_compiler = true } },
        ["not watched"] = { info = { compiles = true } },
        yields = { options = { yields = true } },
        steps = { limits = { step_ns = 2e6 } },
        ["other launches"] = { limits = { redraws = false } },
        ["a manual clock"] = { limits = { is_manual = true } },
      } do
        local limits = { is_manual = false, redraws = true, batch_ns = 1e6 }
        for name, value in pairs(case.limits or {}) do limits[name] = value end
        local told, bench = launch({ call_ns = 1000, parts = 1,
          options = case.options, info = case.info or COMPILED }, limits)
        assert.equal(0, #only(told, "redraw"), what)
        assert.is_nil(bench.samples:columns().draw, what)
      end
    end)
  end)

  it("keeps the timed batches, and none of the warm-up", function()
    local told, bench = launch { call_ns = 1000 }
    assert.same(sizes_of(told, "time"), bench.samples:columns().iters)
    assert.equal(sum(sizes_of(told, "warm")), bench.warmed_up.calls)
  end)

  it("tells what each request is expected to take, once a call is known",
    function()
      local told = launch { call_ns = 1000 }
      for i, one in ipairs(only(told, "warm")) do
        assert.equal(i > 1, one.due_ns ~= nil)
      end
      for _, one in ipairs(only(told, "time")) do
        assert.is_true(one.due_ns >= one.iters * 1000)
        assert.is_true(one.due_ns <= one.iters * 1500)
      end
    end)

  it("expects a batch to take what the one before took beside its calls, too",
    function()
      local told = launch { call_ns = 1000, beside_ns = 5e5 }
      for _, one in ipairs(only(told, "time")) do
        assert.is_true(one.due_ns >= one.iters * 1000 + 5e5)
        assert.is_true(one.due_ns <= (one.iters * 1000 + 5e5) * 1.5)
      end
    end)

  it("has batches in random order: their sizes do not ascend with time",
    function()
      local sizes, descents = sizes_of(launch { call_ns = 100 }, "time"), 0
      for i = 2, #sizes do
        if sizes[i] < sizes[i - 1] then descents = descents + 1 end
      end
      assert.is_true(descents > #sizes / 4)
    end)

  it("has the same batches for a seed, and others for another", function()
    local function of(seed)
      return sizes_of(launch { call_ns = 1000, seed = seed }, "time")
    end
    assert.same(of(3), of(3))
    assert.are_not.same(of(3), of(4))
  end)
end)

describe("the quota of a launch", function()
  it("is never exceeded, warm-up and what is beside batches included",
    function()
      for _, beside_ns in ipairs { 0, 1e4 } do
        for _, call_ns in ipairs { 1, 100, 1e5, 1e7 } do
          local _, bench = launch({ call_ns = call_ns,
            beside_ns = beside_ns }, { row_cost_ns = beside_ns })
          assert.is_true(bench.spent_ns <= 1e9 + 2 * beside_ns,
            "at " .. call_ns)
          assert.is_true(bench.spent_ns > 0.8e9, "at " .. call_ns)
        end
      end
    end)

  it("is of the share that the launch has", function()
    local _, bench = launch { call_ns = 1000, share = 0.1 }
    assert.is_true(bench.spent_ns <= 1e8)
    assert.is_true(bench.spent_ns > 0.8e8)
  end)

  it("is not exceeded where calls get slower meanwhile", function()
    for _, factor in ipairs { 1.5, 10 } do
      local _, bench = launch { call_ns = function(done)
        return done < 1e6 and 100 or 100 * factor
      end }
      assert.is_true(bench.spent_ns <= 1.1e9)
    end
  end)

  it("has no batch begun that it has no room for", function()
    for seed = 1, 20 do
      launch({ call_ns = 100, seed = seed, beside_ns = 4e5,
        options = { quota = "100ms", schedule = "linear:10" } }, nil,
        function(one)
          if one.op ~= "time" then return end
          assert.is_true(one.iters * 100 <= 1e8 - one.bench.spent_ns)
        end)
    end
  end)

  it("does not hold the setup, which has no calls", function()
    local told, bench = launch { call_ns = 1000, setup_ns = 5e9 }
    assert.is_true(#only(told, "time") > 24)
    assert.is_true(bench.spent_ns <= 1e9)
  end)

  it("has room for one call at least: a slow one is measured once", function()
    for _, call_ns in ipairs { 0.6e9, 1e9, 5e9 } do
      local told, bench = launch { call_ns = call_ns }
      assert.equal(1, #bench.samples)
      assert.equal(call_ns, bench.samples:columns().wall_ns[1])
      local calls = sum(sizes_of(told, "warm")) + sum(sizes_of(told, "time"))
      assert.equal(call_ns < 1e9 and 2 or 1, calls)
      assert.equal(call_ns > 1e9, bench.warnings.quota_exceeded == true)
    end
  end)

  it("keeps the last calls of a warm-up that it was too short for", function()
    -- Each call takes another time, so the warm-up does not end by itself. The
    -- sixth takes all that is left.
    local _, bench = launch { call_ns = function(done)
      return done == 5 and 2e9 or (done % 2 + 1) * 1e7 + done
    end }
    assert.same({ 2e7 + 3, 1e7 + 4, 2e9 }, bench.samples:columns().wall_ns)
  end)

  it("has a whole batch of quick calls though the first one waited for its "
    .. "core until the quota was over", function()
    local told, bench = launch { call_ns = 100, options = { quota = "5ms" },
      row = function(row, request)
        if request.op == "warm" then
          row.cpu_ns, row.preemptions = row.wall_ns, 1
          row.wall_ns, row.spent_ns = 6e6, 6e6
        end
        return row
      end }
    assert.same({ 1 }, sizes_of(told, "warm"))
    assert.same({ 250 }, sizes_of(told, "time")) -- a quarter of 1e5 ns
    assert.same({ 250 }, bench.samples:columns().iters)
  end)

  it("is warm once its time is over and two batches had nothing compiled",
    function()
      local function warm_after(busy)
        local seen = 0
        return #only(launch { call_ns = 1000, row = function(row, request)
          if request.op == "warm" then
            seen = seen + 1
            row.jit_events = seen <= busy and 1 or 0
          end
          return row
        end }, "warm")
      end
      local least = warm_after(0)
      for busy, batches in pairs { [least - 2] = least, [least - 1] = least + 1,
        [least + 20] = least + 22 } do
        assert.equal(batches, warm_after(busy))
      end
    end)

  it("takes the processor's time only where others had the core, and the "
    .. "calls waited for nothing", function()
    for _, case in ipairs {
      -- of the processor, preemptions, waits; what counts, of 1,000 ns
      { 400, 1, 0, 400 }, { 400, 1, nil, 400 }, { 400, 2, 1, 1000 },
      { 400, 0, 0, 1000 }, { 400, nil, nil, 1000 }, { 400, nil, 1, 1000 },
      { 1200, 1, 0, 1000 }, { 0, 1, 0, 1000 }, { nil, 1, 0, 1000 },
    } do
      assert.equal(case[4], Bench.ran_ns { wall_ns = 1000, cpu_ns = case[1],
        preemptions = case[2], waits = case[3] })
    end
  end)

  it("counts calls where it is one of calls", function()
    for _, quota in ipairs { 1, 2, 3, 5, 10, 100, 10000 } do
      local _, bench = launch { call_ns = 100,
        options = { quota = quota .. "x" } }
      assert.is_true(bench.calls <= quota)
      assert.is_true(bench.calls > quota / 2)
      assert.is_true(#bench.samples >= 1)
    end
  end)

  it("counts calls of all passes", function()
    for _, quota in ipairs { 1, 2, 20, 1000 } do
      local told, bench = launch({ call_ns = 100,
        options = { quota = quota .. "x" } }, { is_manual = false })
      local calls = 0
      for _, one in ipairs(told) do
        if one.op ~= "empty" then calls = calls + (one.iters or 0) end
      end
      assert.is_true(calls <= quota, calls .. " of " .. quota)
      assert.is_true(#bench.samples >= 1)
    end
  end)

  it("counts calls of batches in which the collector is paced or stopped",
    function()
      for gc, op in pairs { natural = "paced", arms = "stopped" } do
        for quota = 1000, 20000, 1000 do
          local told, bench = launch({ call_ns = 100,
            options = { gc = gc, quota = quota .. "x" },
            row = function(row, request)
              row.gc_minor = 0
              row.gc_major = math.floor(request.iters / 50)
              return row
            end }, { is_manual = false })
          assert.is_true(bench.calls <= quota, bench.calls .. " of " .. quota)
          assert.is_true(bench.calls > quota / 2)
          assert.is_not_nil(quota < 20000 or only(told, op)[1])
        end
      end
    end)

  it("is over at the precision asked for", function()
    local told, bench = launch({ call_ns = 1000 }, { is_precise = function(one)
      return #one.samples == 40
    end })
    assert.equal(40, #only(told, "time"))
    assert.equal(40, #bench.samples)
  end)

  it("is half for the rehearsal of all batches, half for those kept",
    function()
      local told, bench = launch { call_ns = 1000,
        options = { rehearse = true } }
      local sizes, kept = sizes_of(told, "time"), bench.samples:columns().iters
      assert.equal(#sizes, 2 * #kept)
      for i, size in ipairs(kept) do
        assert.equal(size, sizes[i])
        assert.equal(size, sizes[#kept + i])
      end
      assert.is_true(bench.spent_ns <= 1e9 and bench.spent_ns > 0.9e9)
    end)
end)

describe("the warm-up of a launch", function()
  it("takes a twentieth of the quota, and a fifth where it does not settle",
    function()
      local _, bench = launch { call_ns = 100 }
      assert.is_true(bench.warmed_up.ns >= 0.05e9)
      assert.is_true(bench.warmed_up.ns < 0.06e9)
      local _, restless = launch { call_ns = 100, row = function(row)
        row.jit_events = 1
        return row
      end }
      assert.is_true(restless.warmed_up.ns >= 0.2e9)
      assert.is_true(restless.warmed_up.ns < 0.25e9)
      assert.is_true(restless.warnings.not_settled)
    end)

  it("is no longer than asked for", function()
    local _, bench = launch { call_ns = 100, options = { warmup = "1ms" } }
    assert.is_true(bench.warmed_up.ns <= 1.5e6)
    _, bench = launch { call_ns = 100, options = { warmup = "50x" } }
    assert.equal(50, bench.warmed_up.calls)
    local told = launch { call_ns = 100, options = { warmup = "0s" } }
    assert.same({ 1 }, sizes_of(told, "warm"))
  end)

  it("settles where batches may not be long", function()
    local _, bench = launch { call_ns = 1, info = { has_inputs = true } }
    assert.is_nil(bench.warnings.not_settled)
    assert.is_true(bench.warmed_up.ns >= 0.05e9)
    assert.is_true(bench.warmed_up.ns < 0.06e9)
  end)

  it("tells what is counted by its quickest batch: what disturbed the others "
    .. "changes no exact figure", function()
    local told = launch({ call_ns = function(_, iters)
      return iters >= 8 and 1e7 or 100
    end }, { is_manual = false })
    assert.equal(16, only(told, "census")[1].iters)
    told = launch({ call_ns = 1e7 }, { is_manual = false })
    assert.equal(2, only(told, "census")[1].iters)
  end)

  it("counts as many calls in one launch of many as in a single one, and "
    .. "leaves it time for its batches", function()
    for _, share in ipairs { 1, 0.04 } do
      local told, bench = launch({ call_ns = 1e5, share = share,
        counted_ns = 5e7 }, { is_manual = false })
      assert.equal(16, only(told, "census")[1].iters)
      assert.equal(100, only(told, "long_census")[1].iters)
      local timed_ns = 1e5 * sum(sizes_of(told, "time"))
      assert.is_true(timed_ns > 0.5e9 * share, timed_ns)
      assert.is_true(bench.spent_ns <= 1e9 * share)
    end
  end)

  it("collects in parts of a step before its census in a host's loop",
    function()
      local host = { is_manual = false, batch_ns = 1e6, step_ns = 2e6 }
      local told, bench = launch({ call_ns = 100, parts = 3 }, host)
      local parts = only(told, "collect")
      assert.equal(6, #parts) -- the cycle that was there, and a whole one
      for _, part in ipairs(parts) do assert.equal(250, part.iters) end
      assert.equal("census_alone", told[#only(told, "warm") + 8].op)
      assert.same({}, only(told, "census"))
      assert.same({ ns = 3 * 250e3, heap_bytes = 2e6 - 6, freed_bytes = 5 },
        bench.passes.census.full_collection)
      assert.equal(1, #only(launch({ call_ns = 100, parts = 1,
        info = { gc_mode = "generational" } }, host), "collect"))
      -- A large heap: not more than a share of the quota.
      told, bench = launch({ call_ns = 100, parts = 1e9,
        options = { quota = "80ms" } }, host)
      assert.equal(40, #only(told, "collect"))
      assert.is_nil(bench.passes.census.full_collection)
    end)

  it("records the traces of a millisecond of calls, of one that takes longer",
    function()
      for call_ns, calls in pairs { [1e5] = 10, [4e5] = 2, [9e5] = 1,
        [5e6] = 1 } do
        local told = launch({ call_ns = call_ns, options = { profile = true,
          quota = "300ms" }, info = { compiles = true,
          watches_compiler = true } }, { is_manual = false })
        assert.equal(calls, only(told, "traces")[1].iters)
      end
    end)

  it("profiles as many calls as fit a step of a host's loop", function()
    local host = { is_manual = false, batch_ns = 1e6, step_ns = 2e6 }
    local function profiled(call_ns, limits)
      local told, bench = launch({ call_ns = call_ns, parts = 1,
        options = { profile = true }, info = { compiles = true,
          watches_compiler = true } }, limits)
      assert.equal(limits ~= host and 1 or 0, #only(told, "traces"))
      return only(told, "profile_alone")[1], only(told, "profile")[1],
        bench.warnings
    end
    local alone, usual = profiled(100, host)
    assert.equal(16, alone.iters)
    assert.is_nil(usual)
    assert.equal(4, profiled(2000, host).iters)
    local warnings
    alone, usual, warnings = profiled(20000, host)
    assert.is_nil(alone or usual)
    assert.is_true(warnings.not_profiled)
    alone, usual, warnings = profiled(20000, { is_manual = false })
    assert.equal(16, usual.iters)
    assert.is_nil(alone or warnings.not_profiled)
  end)

  it("says where a host's step has no room to count instructions", function()
    local host = { is_manual = false, batch_ns = 1e6, step_ns = 2e6 }
    local function counted(call_ns, instructions, limits)
      local told, bench = launch({ call_ns = call_ns, parts = 1,
        options = { instructions = instructions } }, limits or host)
      return #only(told, "instructions"), bench.warnings.not_counted
    end
    assert.same({ 1 }, { counted(100, true) })
    assert.same({ 0, true }, { counted(20000, true) })
    assert.same({ 0 }, { counted(20000) })
    assert.same({ 0 }, { counted(20000, false) })
    assert.same({ 1 }, { counted(20000, true, { is_manual = false }) })
  end)

  it("believes a long batch rather than one in which the clock stood still",
    function()
      local batches = 0
      local _, bench = launch { call_ns = 1000, row = function(row)
        batches = batches + 1
        if batches == 5 then row.wall_ns = 0 end
        return row
      end }
      assert.is_true(batches > 5)
      assert.equal(1000, bench.quickest_ns)
    end)

  it("waits longer for a coarse clock to move than for a fine one", function()
    local function calls_of(limits)
      return sum(sizes_of(launch({ call_ns = 0 }, limits), "warm"))
    end
    assert.is_true(calls_of { resolution_ns = 1e6 } > 1e7)
    assert.is_true(calls_of {} < 1e7)
  end)

  it("ends although the clock stands still", function()
    local told, bench = launch { call_ns = 0 }
    assert.is_true(sum(sizes_of(told, "warm")) < 1e7)
    assert.equal(1, #bench.samples)
  end)

  it("tells a call by a clock of milliseconds", function()
    local now, tick_ns = 0, 1e6
    local _, bench = launch({ call_ns = 700, row = function(row)
      local before = math.floor(now / tick_ns)
      now = now + row.iters * 700
      row.wall_ns = (math.floor(now / tick_ns) - before) * tick_ns
      row.spent_ns = row.wall_ns
      return row
    end }, { resolution_ns = tick_ns, batch_ns = 1e6 })
    assert.is_true(bench.call_ns > 500 and bench.call_ns < 1400)
    assert.is_true(#bench.samples >= 24)
  end)
end)

describe("the turn of a bench", function()
  -- How many timed batches follow each other, turn by turn, of two benches, and
  -- the untimed calls of the first and of the others.
  local function turns_of(call_ns, limits)
    local all = { in_turn_ns = 2e5, untimed_ns = 1e5, is_manual = false }
    for name, value in pairs(limits or {}) do all[name] = value end
    local told = tell({ made.bench("s/a", { call_ns = call_ns }),
      made.bench("s/b", { call_ns = call_ns }) }, all)
    -- One that is last and then first has two turns in one.
    local turns, first, others, last = {}, {}, {}, nil
    for _, one in ipairs(only(told, "time")) do
      local begins = one.id ~= last
      if begins then turns[#turns + 1] = { id = one.id, ns = 0, count = 0 } end
      local turn = turns[#turns]
      turn.ns, turn.count = turn.ns + one.iters * call_ns, turn.count + 1
      last = one.id
      local calls = begins and first or others
      calls[one.untimed or 0] = true
    end
    return turns, first, others
  end

  it("is several batches among others, 8 ms of them, and begins with more "
    .. "calls that are not timed", function()
    local turns, first, others = turns_of(1000)
    assert.same({ [200] = true }, first)
    assert.same({ [100] = true }, others)
    local ns = 0
    for i, turn in ipairs(turns) do
      ns = ns + turn.ns
      assert.equal(({ "s/a", "s/b" })[i % 2 == 1 and 1 or 2], turn.id)
    end
    assert.is_true(#turns >= 8)
    local each_ns = ns / (2 * #turns)
    assert.is_true(each_ns > 6e6 and each_ns < 1e7, each_ns)
  end)

  it("is one batch where calls are slow, and where none are untimed", function()
    for _, case in ipairs { { 9e6 }, { 1000, { in_turn_ns = false } } } do
      for i, turn in ipairs((turns_of(case[1], case[2]))) do
        assert.is_true(turn.count <= (i == 1 and 1 or 2), turn.count)
      end
    end
  end)

  it("is short where there are few batches, so that there are four turns",
    function()
      local turns = turns_of(1000, { min_batch_ns = 1e7 })
      local count = 0
      for _, turn in ipairs(turns) do count = count + turn.count end
      for _, turn in ipairs(turns) do
        assert.is_true(turn.count <= 2 * math.max(1, count / 2 / 4))
      end
    end)
end)

describe("a batch of a bench", function()
  -- The untimed calls that each request begins with, and their number.
  local function untimed_of(given, limits)
    local all = { untimed_ns = 5e5, is_manual = false }
    for name, value in pairs(limits or {}) do all[name] = value end
    local told = launch(given, all)
    local calls, count = {}, 0
    for _, one in ipairs(told) do
      if one.untimed then
        count = count + 1
        calls[one.op .. " " .. one.untimed] = true
      end
    end
    return calls, count, #only(told, "time")
  end

  it("begins with calls that are not timed, once", function()
    local calls, count, batches = untimed_of { call_ns = 1000 }
    assert.is_true(calls["time 500"])
    assert.equal(batches, count)
  end)

  it("begins with them, too, after rows of another pass", function()
    local told = launch({ call_ns = 1000, row = function(row, request)
      row.gc_minor, row.gc_major = 0, request.op == "warm" and 5 or 0
      return row
    end }, { untimed_ns = 5e5, is_manual = false })
    assert.is_true(#only(told, "paced") > 0)
    for _, one in ipairs(only(told, "time")) do
      assert.equal(500, one.untimed)
    end
  end)

  it("begins at once where these would be less than one call, or are nobody's "
    .. "to make: of a quota of calls, of inputs of their own, after "
    .. "collections, in one process", function()
      for _, given in ipairs {
        { call_ns = 1e6 },
        { call_ns = 1000, options = { quota = "100000x" } },
        { call_ns = 1000, info = { has_inputs = true } },
        { call_ns = 1000, options = { gc = "collect" } },
        { call_ns = 1000, options = { gc = "stopped" } },
      } do
        assert.equal(0, (select(2, untimed_of(given))))
      end
      assert.equal(0, (select(2, untimed_of({ call_ns = 1000 },
        { untimed_ns = false }))))
    end)
end)

describe("batches of a host's loop", function()
  it("are no longer than they may be, but of one call at least", function()
    for _, case in ipairs { { 100, 1e6 }, { 100, 5e4 }, { 3e6, 1e6 } } do
      local call_ns, batch_ns = case[1], case[2]
      local told, bench = launch({ call_ns = call_ns,
        options = { quota = "300ms" } }, { batch_ns = batch_ns })
      for _, one in ipairs(told) do
        local iters = one.iters or 1
        assert.is_true(iters == 1 or iters * call_ns <= batch_ns)
      end
      assert.is_true(#bench.samples >= 24)
    end
  end)

  it("become shorter when the host's budget shrinks", function()
    local told = launch({ call_ns = 100 }, { batch_ns = 2e6 },
      function(one, limits)
        if one.op == "time" then limits.batch_ns = 5e5 end
      end)
    local batches = only(told, "time")
    for i = 2, #batches do assert.is_true(batches[i].iters <= 5000) end
  end)

  it("leave time for the collector's bursts in a host's step", function()
    local number, burst_ns = 0, 1.3e6
    local told = launch({ call_ns = 1000, row = function(row)
      number = number + 1
      if number % 9 == 0 then row.wall_ns = row.wall_ns + burst_ns end
      row.spent_ns = row.wall_ns
      return row
    end, options = { quota = "300ms" } }, { batch_ns = 1e6, step_ns = 2e6 })
    local batches = only(told, "time")
    assert.is_true(#batches > 100)
    for i = 20, #batches do
      assert.is_true(batches[i].iters * 1000 + burst_ns <= 2.2e6)
      assert.is_true(batches[i].due_ns >= batches[i].iters * 1000 + 1e6)
    end
  end)

  -- Batches of calls of 10 us that allocate 10 kB beside a host's 2 MB. From 4
  -- MB on each call has a burst of the collector; the fourth ends the cycle.
  local function beside_a_heap(told_row)
    local heap_bytes, left = 2e6, 0
    local told = launch({ call_ns = 1e4, row = function(row, request)
      local before_bytes = heap_bytes
      row.gc_minor, row.gc_major = 0, 0
      for _ = 1, row.iters do
        heap_bytes = heap_bytes + 1e4
        if left == 0 and heap_bytes >= 4e6 then left = 4 end
        if left > 0 then
          left, row.wall_ns = left - 1, row.wall_ns + 5e5
          if left == 0 then heap_bytes, row.gc_major = 2e6, 1 end
        end
      end
      row.growth_bytes = heap_bytes - before_bytes
      row.spent_ns = row.wall_ns
      told_row(row, request)
      return row
    end, options = { quota = "600ms" } }, { batch_ns = 1e6, step_ns = 2e6,
      heap_bytes = function() return heap_bytes end })
    return only(told, "time")
  end

  it("are long while the collector rests, and short near the heap at which a "
    .. "cycle began before", function()
    local rows = {}
    local batches = beside_a_heap(function(row, request)
      if request.op == "time" then rows[#rows + 1] = row end
    end)
    local calls, late = 0, 0
    for i = 50, #batches do
      calls = calls + batches[i].iters
      if rows[i].wall_ns > 2.5e6 then late = late + 1 end
    end
    assert.is_true(#batches > 100)
    assert.is_true(calls / (#batches - 50) > 20)
    assert.is_true(late <= 0.02 * (#batches - 50))
  end)

  it("are expected to have a burst only where a cycle is near", function()
    local rows = {}
    local batches = beside_a_heap(function(row, request)
      if request.op == "time" then rows[#rows + 1] = row end
    end)
    local calm, expected, surprises = 0, 0, 0
    for i = 50, #batches do
      local is_calm = batches[i].due_ns < batches[i].iters * 1e4 + 3e5
      calm, expected = calm + (is_calm and 1 or 0),
        expected + (is_calm and 0 or 1)
      if is_calm and rows[i].wall_ns > 1.3 * batches[i].iters * 1e4 then
        surprises = surprises + 1
      end
    end
    assert.is_true(calm > 50 and expected > 20)
    assert.equal(0, surprises)
  end)

  -- Two benches beside one heap, whose cycles are as those of LuaJIT: they
  -- begin at 4 MB, are seen to end when all is marked, and sweep, 20 kB a call,
  -- then.
  it("are short while a heap is swept that other benches share", function()
    local heap_bytes, swept_bytes, late, batches = 2e6, 0, 0, 0
    local function row_of(row)
      local before_bytes = heap_bytes
      row.gc_minor, row.gc_major = 0, 0
      for _ = 1, row.iters do
        heap_bytes = heap_bytes + 1e4
        if heap_bytes >= 4e6 then
          row.gc_major, swept_bytes = 1, heap_bytes - 2e6
        end
        if swept_bytes > 0 then
          heap_bytes, swept_bytes = heap_bytes - 3e4, swept_bytes - 3e4
          row.wall_ns = row.wall_ns + 1e5
        end
      end
      row.growth_bytes, row.spent_ns = heap_bytes - before_bytes, row.wall_ns
      batches = batches + 1
      if batches > 100 and row.wall_ns > 2.5e6 then late = late + 1 end
      return row
    end
    local given = { call_ns = 1e4, row = row_of, heap = Bursts.heap(),
      options = { quota = "600ms" } }
    local other = {}
    for name, value in pairs(given) do other[name] = value end
    tell({ made.bench("s/a", given), made.bench("s/b", other) }, {
      batch_ns = 1e6, step_ns = 2e6,
      heap_bytes = function() return heap_bytes end })
    assert.is_true(batches > 500)
    assert.is_true(late <= 0.01 * batches)
  end)

  -- Benches of 2 us and 5 kB a call beside a heap of which half is alive, and
  -- which is collected as LuaJIT does it: all is marked unseen, then each byte
  -- that is allocated takes 'byte_ns' and frees ten. Their rows, in turn.
  local function gradually(count, given)
    local heap_bytes, left_bytes = given.begins_bytes / 2, 0
    local rows = {}
    local function row_of(row, request)
      local before_bytes = heap_bytes
      row.gc_minor, row.gc_major = 0, 0
      for _ = 1, row.iters do
        heap_bytes = heap_bytes + 5e3
        if left_bytes <= 0 and heap_bytes >= given.begins_bytes then
          left_bytes, row.gc_major = given.begins_bytes / 2, 1
        end
        if left_bytes > 0 then
          left_bytes, heap_bytes = left_bytes - 5e4, heap_bytes - 5e4
          row.wall_ns = row.wall_ns + 5e3 * given.byte_ns
        end
      end
      row.growth_bytes, row.spent_ns = heap_bytes - before_bytes, row.wall_ns
      rows[#rows + 1] = { ns = row.wall_ns, iters = row.iters, op = request.op }
      return row
    end
    local benches, heap = {}, Bursts.heap(given.is_gradual)
    for i = 1, count do
      benches[i] = made.bench("s/" .. i, { call_ns = 2e3, row = row_of,
        heap = heap, options = { quota = "300ms" } })
    end
    tell(benches, { batch_ns = 1e6, step_ns = 2e6,
      heap_bytes = function() return heap_bytes end })
    return rows
  end

  local function late_of(rows)
    local late = 0
    for _, row in ipairs(rows) do
      if row.ns > 2.5e6 then late = late + 1 end
    end
    return late
  end

  it("are short when a heap is swept for the first time, where that is in "
    .. "proportion to what is allocated", function()
    local given = { begins_bytes = 1e7, byte_ns = 6 }
    assert.is_true(late_of(gradually(3, given)) > 0)
    given.is_gradual = true
    local rows = gradually(3, given)
    assert.is_true(#rows > 500)
    assert.equal(0, late_of(rows))
  end)

  it("are late once, not once for each bench, where sweeping takes longer than "
    .. "it was thought to", function()
    local rows = gradually(4, { begins_bytes = 1e7, byte_ns = 20,
      is_gradual = true })
    assert.is_true(#rows > 500)
    assert.equal(1, late_of(rows))
  end)

  it("get long beside a heap that is not collected", function()
    local calls = 0
    for _, row in ipairs(gradually(1, { begins_bytes = 1e11, byte_ns = 6,
      is_gradual = true })) do
      if row.op == "time" then calls = calls + row.iters end
    end
    assert.is_true(calls * 2e3 > 0.5 * 300e6)
  end)

  it("are long again after a collection of a large heap, of which a batch "
    .. "allocates next to nothing", function()
    local ended, long = false, 0
    for _, row in ipairs(gradually(1, { begins_bytes = 2e8, byte_ns = 6,
      is_gradual = true })) do
      ended = ended or row.ns > 2 * row.iters * 2e3
      if ended and row.iters * 2e3 > 2e5 then long = long + 1 end
    end
    assert.is_true(long > 100)
  end)

  it("are as long as they may be though one of the warm-up was interrupted",
    function()
      local number = 0
      local told, bench = launch({ call_ns = 1000, row = function(row)
        number = number + 1
        row.cpu_ns, row.preemptions, row.waits = row.wall_ns, 0, 0
        if number == 3 then
          row.wall_ns, row.preemptions = row.wall_ns + 7e6, 1
        end
        row.spent_ns = row.wall_ns
        return row
      end, options = { quota = "300ms" } }, { batch_ns = 1e6, step_ns = 2e6 })
      assert.is_nil(bench.warnings.not_settled)
      assert.is_true(#only(told, "warm") < 100)
      assert.is_true(sum(sizes_of(told, "time")) > 1e5)
    end)

  it("go by what calls take without the bursts that the warm-up had", function()
    local told = launch({ call_ns = 1000, row = function(row, request)
      if request.op == "warm" then row.wall_ns = row.wall_ns + 1e6 end
      if row.iters == 1 then row.wall_ns = 1000 end
      row.spent_ns = row.wall_ns
      return row
    end, options = { quota = "300ms" } }, { batch_ns = 1e6, step_ns = 2e6 })
    for i, one in ipairs(only(told, "time")) do
      assert.is_true(i < 3 or one.iters > 20)
    end
  end)

  it("do not shrink for what the compiler or the system took", function()
    local told = launch({ call_ns = 1000, row = function(row, request)
      row.cpu_ns = row.wall_ns
      if request.op == "time" then row.wall_ns = row.wall_ns + 1.5e6 end
      if request.op == "warm" then
        row.wall_ns, row.cpu_ns = row.wall_ns + 1e5, row.wall_ns + 1e5
        row.jit_events = 3
      end
      row.spent_ns = row.wall_ns
      return row
    end, options = { quota = "300ms" } }, { batch_ns = 1e6, step_ns = 2e6 })
    for _, one in ipairs(only(told, "time")) do
      assert.is_true(one.due_ns <= 1.6e6)
    end
  end)

  it("end a bench whose calls are longer than the step, three in a row",
    function()
      local told, bench = launch({ call_ns = 7e6 }, { batch_ns = 1e6,
        step_ns = 2e6 })
      assert.is_true(bench.warnings.budget_exceeded)
      assert.is_nil(bench.error)
      assert.equal(3, #bench.samples)
      assert.equal(3, sum(sizes_of(told, "warm")))
      assert.equal("finish", told[#told].op)
    end)
end)

-- Two benches that are compared: "a" with 'first', "b" with 'second'.
local function pair(first, second)
  return { made.bench("a", first), made.bench("b", second) }
end

local function turns(told)
  local text = {}
  for i, one in ipairs(only(told, "time")) do text[i] = one.id end
  return table.concat(text)
end

describe("benches that are compared", function()
  it("take turns, forth and back", function()
    local benches = pair({ call_ns = 1000 }, { call_ns = 1000 })
    local order = turns((tell(benches)))
    assert.is_true(#order >= 100)
    assert.equal(("abba"):rep(#order / 4), order:sub(1, #order - #order % 4))
  end)

  it("are all warm before the first of them is timed", function()
    local told = tell(pair({ call_ns = 1000 }, { call_ns = 1000 }))
    local timed = false
    for _, one in ipairs(told) do
      timed = timed or one.op == "time"
      assert.is_false(timed and one.op == "warm")
    end
  end)

  it("have batches of the same sizes in the same rounds", function()
    local benches = pair({ call_ns = 1000 }, { call_ns = 1500, seed = 7 })
    tell(benches)
    local a = benches[1].samples:columns()
    local b = benches[2].samples:columns()
    assert.same(a.iters, b.iters)
    assert.same(a.round, b.round)
  end)

  it("have no second plan because one is quicker than the sizes assume",
    function()
      local benches = pair({ call_ns = 1000 }, { call_ns = 1800, seed = 7 })
      local told = tell(benches)
      assert.same(benches[1].samples:columns().iters,
        benches[2].samples:columns().iters)
      assert.equal(#benches[1].samples, #only(told, "time", "a"))
      assert.equal(#benches[2].samples, #only(told, "time", "b"))
    end)

  it("have as many batches where their calls differ too much for that",
    function()
      local benches = pair({ call_ns = 100 }, { call_ns = 5e5 })
      tell(benches)
      assert.equal(#benches[1].samples, #benches[2].samples)
      local a = sum(benches[1].samples:columns().iters)
      assert.is_true(a > 100 * sum(benches[2].samples:columns().iters))
    end)

  it("interleave few batches of one evenly with many of another", function()
    local benches = pair({ call_ns = 100 }, { call_ns = 1e8 })
    tell(benches)
    local many = benches[1].samples:columns().round
    local few = benches[2].samples:columns().round
    assert.is_true(#few < 10 and #many > 100)
    assert.is_true(few[#few] > 0.7 * many[#many])
    assert.is_true(few[1] < 0.3 * many[#many])
  end)

  it("have the rounds of the one with fewer batches in common", function()
    for _, calls in ipairs { { 6e6, 2.1e7 }, { 1e6, 4.7e7 }, { 1e6, 5e7 } } do
      local benches = { made.bench("a", { call_ns = calls[1] }),
        made.bench("b", { call_ns = calls[2] }),
        made.bench("c", { call_ns = 1e8 }) }
      tell(benches)
      for i = 1, 2 do
        local many, common = {}, 0
        for _, round in ipairs(benches[i].samples:columns().round) do
          many[round] = true
        end
        local few = benches[i + 1].samples:columns().round
        for _, round in ipairs(few) do
          if many[round] then common = common + 1 end
        end
        assert.is_true(common >= 0.7 * #few, common .. " of " .. #few)
      end
    end
  end)

  it("number their rounds on from the launch before", function()
    local first = made.bench("a", { call_ns = 1000 })
    local _, last = tell { first }
    local second = made.bench("a", { call_ns = 1000, launch = 2 })
    tell({ second }, { round = last })
    local rounds = first.samples:columns().round
    assert.is_true(last >= rounds[#rounds])
    assert.equal(last + 1, second.samples:columns().round[1])
    assert.equal(2, second.samples:columns().launch[1])
  end)

  it("go on when one fails, which is torn down all the same", function()
    local failing = { call_ns = 1000, row = function(row, request)
      if request.op == "time" then return nil, "no more", "timeout" end
      return row
    end }
    local benches = pair(failing, { call_ns = 1000 })
    local told = tell(benches)
    assert.equal("no more", benches[1].error)
    assert.is_true(benches[1].warnings.timeout)
    assert.equal(1, #only(told, "time", "a"))
    assert.equal(1, #only(told, "finish", "a"))
    assert.is_nil(benches[2].error)
    assert.is_true(#benches[2].samples > 24)
  end)
end)

describe("the last full collection", function()
  it("is taken in the last launch, and before it where none is known",
    function()
      local function fulls(known, is_last)
        local told, bench = launch({ call_ns = 1000, known = known },
          { is_manual = false, is_last = function() return is_last end })
        return #only(told, "full"), bench.passes.full
      end
      local taken, full = fulls(nil, false)
      assert.equal(1, taken)
      assert.equal(0, (fulls({ full = full }, false)))
      assert.equal(1, (fulls({ full = full }, true)))
    end)

  -- The calls between two full collections, and all those before them.
  local function calls_at_the_end(given, limits)
    local all = { is_manual = false, is_last = function() return true end }
    for name, value in pairs(limits or {}) do all[name] = value end
    given.full_bytes = 1e9
    local told, bench = launch(given, all)
    local before = bench.calls
    for _, one in ipairs(told) do before = before + (one.untimed or 0) end
    return sum(sizes_of(told, "full")), before, bench
  end

  it("is followed by one after as many calls again as the launch made, those "
    .. "not timed included", function()
    local calls, before, bench = calls_at_the_end({ call_ns = 1000,
      share = 0.04 }, { untimed_ns = 1e5 })
    assert.equal(before, calls)
    assert.is_true(bench.spent_ns <= 4e7)
  end)

  it("is followed by no calls where those before have hardly left anything",
    function()
      local told, bench = launch({ call_ns = 1000, full_bytes = 1e6 + 900 },
        { is_manual = false, is_last = function() return true end })
      assert.equal(1, #only(told, "full"))
      assert.equal(900, bench.passes.full.retained.bytes)
    end)

  it("is followed by calls of a tenth of the quota at most, and by "
    .. "none that a quota of calls does not have", function()
    assert.equal(1e5, (calls_at_the_end { call_ns = 1000 }))
    assert.equal(0, (calls_at_the_end { call_ns = 3e8 }))
    local calls, before = calls_at_the_end { call_ns = 1000,
      options = { quota = "1000x" } }
    assert.is_true(calls + before <= 1000)
  end)
end)

describe("a launch that fails after its timed batches", function()
  local ROWS = { call_ns = 100, options = { quota = "20000x" },
    row = function(row, request)
      row.gc_minor, row.gc_major = 0, math.floor(request.iters / 50)
      return row
    end }

  it("keeps them, whatever it was that failed", function()
    for _, op in ipairs { "empty", "pauses", "full", "finish" } do
      ROWS.fails, ROWS.done = op, nil
      local told, bench = launch(ROWS, { is_manual = false,
        is_last = function() return true end })
      assert.is_true(#only(told, op) == 1, op)
      local record = Record.new(bench.cell)
      record:add(bench)
      local made_of_it = record:finish()
      assert.equal("no more", made_of_it.error)
      assert.is_true(made_of_it.is_measured)
      assert.equal(#only(told, "time"), #made_of_it.samples.iters)
    end
  end)

  it("has none if it fails before", function()
    ROWS.fails = "paced"
    local _, bench = launch(ROWS, { is_manual = false })
    local record = Record.new(bench.cell)
    record:add(bench)
    assert.is_nil(record:finish().is_measured)
  end)
end)

describe("a plan that was made by a slow first call", function()
  -- The warm-up has one call, a hundred times as slow as all others.
  local function slow_at_first(done) return done == 0 and 1e7 or 1e5 end
  local function misled()
    return { call_ns = slow_at_first, options = { warmup = "1x" } }
  end

  it("is made again after a few batches", function()
    local _, bench = launch(misled())
    assert.is_true(bench.spent_ns > 0.8e9)
    assert.is_true(bench.spent_ns <= 1e9)
  end)

  it("leaves no row of the plan before", function()
    local told, bench = launch(misled())
    assert.is_true(#bench.samples < #only(told, "time"))
    assert.is_true(bench.samples:columns().round[1] > 1)
  end)

  it("is made again for all that are compared", function()
    local benches = pair(misled(), { call_ns = 1e5,
      options = { warmup = "1x" } })
    tell(benches)
    assert.same(benches[1].samples:columns().round,
      benches[2].samples:columns().round)
    assert.same(benches[1].samples:columns().iters,
      benches[2].samples:columns().iters)
  end)
end)

describe("a launch that is to stop", function()
  local function stop_at(op, number)
    local seen = 0
    return function(one, limits)
      if one.op == op then seen = seen + 1 end
      if seen >= number then limits.stop = true end
    end
  end

  it("keeps what it has, tears down, and says that it was interrupted",
    function()
      local told, bench = launch({ call_ns = 1000 }, nil, stop_at("time", 12))
      assert.equal(12, #bench.samples)
      assert.equal("finish", told[#told].op)
      assert.is_true(bench.warnings.interrupted)
      assert.is_nil(bench.error)
    end)

  it("begins nothing more while it warms up or sets up", function()
    local told, bench = launch({ call_ns = 1000 }, nil, stop_at("warm", 2))
    assert.same({}, only(told, "time"))
    assert.is_true(bench.warnings.interrupted)
    told = tell(pair({ call_ns = 1 }, { call_ns = 1 }), nil,
      stop_at("prepare", 1))
    assert.equal(1, #only(told, "prepare"))
    assert.same({}, only(told, "warm"))
  end)
end)

describe("a batch in which the clock went back", function()
  it("is said, and what replaced it is kept", function()
    local _, bench = launch { call_ns = 1000, row = function(row, request)
      row.clock_went_back = request.op == "time" or nil
      return row
    end }
    assert.is_true(bench.warnings.stood_still)
    assert.is_true(#bench.samples > 10)
  end)
end)

describe("a bench whose core is shared with others", function()
  -- Each batch finds the core shared; it is free again at every third look, or
  -- never.
  local function sharing(limits, options, is_freed)
    local looks = 0
    return launch({ call_ns = 1000, options = options, row = function(row)
      row.width = 3
      return row
    end, look = function()
      looks = looks + 1
      return { width = is_freed and looks % 3 == 0 and 4 or 3, spent_ns = 0 }
    end }, limits)
  end

  it("waits until nobody shares it, longer from look to look", function()
    local told, bench = sharing({ free_width = 3.7 }, { quota = "20ms",
      patience = "10s" }, true)
    local batches, looks = #only(told, "time"), #only(told, "look")
    assert.is_true(batches > 10)
    assert.equal(3 * (batches - 1), looks)
    assert.equal((1 + 2 + 4) * 1e6 * (batches - 1), bench.waited_ns)
  end)

  it("waits no longer than its patience, and gives up a launch in which the "
    .. "core was never free", function()
    local _, bench = sharing({ free_width = 3.7 }, { patience = "20ms" }, true)
    assert.is_true(bench.waited_ns > 14e6 and bench.waited_ns <= 20e6)
    _, bench = sharing({ free_width = 3.7 }, { patience = "1s" }, false)
    assert.is_true(bench.waited_ns > 0.3e9 and bench.waited_ns < 0.33e9)
    assert.is_true(#bench.samples > 10)
  end)

  it("waits for its launch's part of the patience, once the number of launches "
    .. "is known", function()
    local bench = made.bench("s/a", { share = 0.1, call_ns = 1000,
      options = { patience = "100ms" }, row = function(row)
        row.width = 3
        return row
      end, look = function() return { width = 3, spent_ns = 0 } end })
    tell({ bench }, { free_width = 3.7,
      on_known = function() bench:share_quota(1) end })
    assert.is_true(bench.waited_ns > 30e6, bench.waited_ns)
  end)

  it("does not wait where the width of a free core is not known", function()
    local told, bench = sharing({}, { quota = "20ms" }, false)
    assert.same({}, only(told, "look"))
    assert.equal(0, bench.waited_ns)
  end)
end)

describe("a bench with a memory cap", function()
  -- Each call allocates 'bytes' with the collector stopped.
  local function allocating(bytes, cap)
    return { call_ns = 1000, options = { gc = "stopped",
      memory_cap = cap .. "KiB" }, row = function(row)
      row.growth_bytes = row.iters * bytes
      if row.growth_bytes > cap * 1024 then
        return { is_capped = true, spent_ns = 0 }
      end
      return row
    end }
  end

  it("keeps its batches below it once it knows what a call takes", function()
    local told, bench = launch(allocating(1024, 64))
    assert.is_nil(bench.error)
    for _, size in ipairs(sizes_of(told, "time")) do
      assert.is_true(size <= 32)
    end
    assert.is_true(#bench.samples >= 24)
  end)

  it("has the batch that met it measured again with half the calls",
    function()
      local given, capped = allocating(1024, 1024), 0
      local grows = given.row
      given.row = function(row, request) -- only long batches allocate
        if request.op == "time" and row.iters > 200 then
          capped = capped + 1
          return { is_capped = true, spent_ns = 0 }
        end
        return request.op == "time" and grows(row) or row
      end
      local _, bench = launch(given)
      assert.is_true(capped > 0)
      assert.is_nil(bench.error)
      assert.is_true(bench.warnings.memory_cap)
      for _, size in ipairs(bench.samples:columns().iters) do
        assert.is_true(size <= 200)
      end
      assert.is_true(#bench.samples >= 10)
    end)
end)

describe("a bench that discards batches with collections", function()
  -- A collection ends in each batch of so many calls or more.
  local function collecting(calls, options)
    options.quota = "20ms"
    return launch { call_ns = 1000, options = options, row = function(row,
      request)
      if request.op == "time" then
        row.gc_minor = math.floor(row.iters / calls)
        row.gc_major, row.jit_events = 0, 0
      end
      return row
    end }
  end

  local function clean_rows(bench)
    local columns, clean = bench.samples:columns(), 0
    for row in ipairs(columns.iters) do
      if columns.gc_minor[row] == 0 then clean = clean + 1 end
    end
    return clean, #columns.iters
  end

  it("has shorter ones until there are some without", function()
    local _, bench = collecting(50, { discard = "gc" })
    local clean, all = clean_rows(bench)
    assert.is_true(clean >= 24, clean .. " of " .. all)
    _, bench = collecting(50, {})
    assert.equal(0, (clean_rows(bench)))
  end)

  it("gives up where each call has one, at a cap", function()
    local told, bench = collecting(1, { discard = "gc" })
    assert.equal(0, (clean_rows(bench)))
    local batches = #only(told, "time")
    assert.is_true(batches <= 2 * bench.planned_batches)
    assert.is_true(batches > bench.planned_batches)
    assert.equal(1, sizes_of(told, "time")[batches])
  end)

  it("looks at nothing else than what is to be discarded", function()
    local told = collecting(50, { discard = "jit" })
    local others = collecting(50, {})
    assert.same(sizes_of(others, "time"), sizes_of(told, "time"))
  end)
end)

describe("benches that are to agree", function()
  local AGREE = { agree = true }

  it("are compared by what they return, before they are measured", function()
    local benches = { made.bench("s/a", { call_ns = 1000, options = AGREE,
        returned = { { "the result", "1" } } }),
      made.bench("s/b", { call_ns = 1000, options = AGREE,
        returned = { { "the result", "2" } } }),
      made.bench("s/c", { call_ns = 1000, options = AGREE,
        returned = { { "the result", "1" } } }) }
    local told = tell(benches)
    assert.is_nil(benches[1].error)
    assert.equal("does not agree with s/a: the result is 1 there, and 2 here",
      benches[2].error)
    assert.is_nil(benches[3].error)
    assert.same({}, only(told, "warm", "s/b"))
    assert.equal(1, #only(told, "finish", "s/b"))
    assert.is_true(#benches[3].samples > 24)
  end)

  it("are asked with a call of the quota, which may have no other", function()
    for _, quota in ipairs { 1, 2, 5, 1000 } do
      local told, bench = launch { call_ns = 1000, returned = {},
        options = { agree = true, quota = quota .. "x" } }
      local calls = #only(told, "returned")
      for _, op in ipairs { "warm", "time" } do
        calls = calls + sum(sizes_of(told, op))
      end
      assert.is_true(calls <= quota, calls .. " of " .. quota)
      assert.equal(quota == 1
        and "a quota of one call has none to see whether it agrees" or nil,
        bench.error)
      assert.is_true(quota == 1 or #bench.samples > 0)
    end
  end)

  it("are not asked where they need not", function()
    assert.same({}, only((launch { call_ns = 1000 }), "returned"))
  end)
end)

describe("a launch's progress", function()
  it("grows from 0 to 1, by time or by calls", function()
    for _, quota in ipairs { "100ms", "5000x" } do
      local last = 0
      local _, bench = launch({ call_ns = 1000,
        options = { quota = quota } }, nil, function(one)
        local now = one.bench:progress()
        assert.is_true(now >= last and now <= 1)
        last = now
      end)
      assert.is_true(last > 0.8)
      assert.equal(1, bench:progress())
    end
  end)

  it("is never more than 1, though a call takes longer than the quota",
    function()
      local most = 0
      launch({ call_ns = 1e9, options = { quota = "100ms" } }, nil,
        function(one) most = math.max(most, one.bench:progress()) end)
      assert.equal(1, most)
    end)
end)

describe("what a worker says beside its figures", function()
  it("becomes a warning", function()
    local _, bench = launch { call_ns = 1000,
      info = { ignores_setting = true }, row = function(row, request)
        if request.op == "time" then row.shares_traces = true end
        return row
      end }
    assert.is_true(bench.warnings.setting_unused)
    assert.is_true(bench.warnings.shared_traces)
  end)

  it("limits the inputs that are alive at a time", function()
    local told = launch { call_ns = 10, info = { has_inputs = true } }
    for _, size in ipairs(sizes_of(told, "time")) do
      assert.is_true(size <= 4096)
    end
  end)
end)
