local core = require "tare.core"
local summaries = require "tare.analysis.frames"
local tare = require "tare"

-- A collector on a clock moved by hand: running, it pauses for 5 ms every 50
-- frames; stopped, a cycle is 40 steps of 0.05 ms each, or as 'step_ns' says.
local KB_A_FRAME, PAUSE_NS, EVERY = 100, 5e6, 50
local STEPS, STEP_NS, ALIVE_KB = 40, 5e4, 1000

local function made_up(step_ns)
  local meter = core.meter { manual_tick_ns = 1 }
  local garbage_kb, dead_kb, steps, cycles, running = 0, 0, 0, 0, true
  local gc = {
    stop = function() running = false end,
    full = function() garbage_kb, steps = 0, 0 end,
    heap_kb = function() return ALIVE_KB + garbage_kb end,
    cycles = function() return cycles end,
    step = function()
      if steps == 0 then dead_kb = garbage_kb end
      steps = steps + 1
      meter:advance(step_ns and step_ns(steps) or STEP_NS)
      if steps < STEPS then return false end
      garbage_kb, steps, cycles = garbage_kb - dead_kb, 0, cycles + 1
      return true
    end,
    state = function() return {} end, apply = function() end,
    restore = function() running = true end,
  }
  local function frame()
    meter:advance(1e6)
    garbage_kb = garbage_kb + KB_A_FRAME
    if running and garbage_kb >= EVERY * KB_A_FRAME then
      meter:advance(PAUSE_NS)
      garbage_kb, cycles = 0, cycles + 1
    end
  end
  return frame, { meter = meter, collector = gc, budget_ms = 4, frames = 1000 }
end

describe("recorded frames", function()
  it("have quantiles among the shortest and the longest that are counted",
    function()
      local recorder = core.frames(16, 10)
      for _ = 1, 999 do recorder:push(10) end
      recorder:push(1e6)
      local live = recorder:live {}
      assert.is_true(live.p50 >= 10e-6 and live.p50 < 64e-6)
      recorder = core.frames(16, 10)
      for i = 1, 100 do recorder:push(i <= 50 and 1e6 or 7.2e12) end
      recorder:push(8e12)
      live = recorder:live {}
      assert.is_true(live.p99 >= 7.2e6 and live.p99 <= 8e6)
    end)

  it("are of no time where the clock is set back to before them", function()
    local meter = core.meter { manual_tick_ns = 1 }
    meter:advance(1e9)
    local recorder = tare.frames { meter = meter, budget_ms = 4 }
    for _, ns in ipairs { -1e6, -1e6, 1e6 } do
      recorder:begin()
      meter:advance(ns)
      recorder:finish()
    end
    local result = recorder:result()
    assert.equal(3, result.frames)
    assert.equal(0, result.max)
  end)

  it("leave open what too few of them can't bound", function()
    local function ranges_of(frames)
      local meter = core.meter { manual_tick_ns = 1 }
      local recorder = tare.frames { meter = meter, budget_ms = 4 }
      for i = 1, frames do
        recorder:begin()
        meter:advance(1e6 + 1e3 * (i * 7 % 10))
        recorder:finish()
      end
      return recorder:result().intervals, recorder
    end
    local few, recorder = ranges_of(20)
    assert.is_true(few.p50.low < few.p50.high)
    assert.is_nil(few.p95.high)
    assert.is_nil(few.p99.high)
    assert.is_number(few.p99.low)
    assert.same({}, ranges_of(1).p50)
    assert.is_number(ranges_of(1000).p99.high)
    assert.matches("\n  p99 +1%.01 ms\n", tare.render(recorder, "text"))
  end)

  it("tell a known pause: how often, and how long", function()
    local frame, given = made_up()
    local recorder = tare.frames(given)
    for _ = 1, 1000 do
      recorder:begin()
      frame()
      recorder:finish()
    end
    local result = recorder:result()
    assert.equal(1000, result.frames)
    assert.near_relative(1 / EVERY, result.over.value, 0.1)
    assert.near_relative(1 / EVERY, result.pauses.value, 0.1)
    assert.near_relative(PAUSE_NS / 1e6, result.pauses.typical_ms, 0.1)
    assert.near_relative(PAUSE_NS / 1e6, result.pauses.worst_ms[1], 0.1)
    assert.near_relative(1, result.p50, 0.005)
    assert.near_relative(6, result.max, 1e-9)
    assert.same({ share = 0, ms = 1 }, result.curve[1]) -- the shortest, exactly
    assert.is_true(result.over.low < 0.02 and result.over.high > 0.02)
  end)

  it("have a slowest hundredth, and a thousandth, of as many as there are",
    function()
      -- Of 1000 frames of 1 ms, so many that take as long as said.
      for _, case in ipairs {
        { low1 = 1, low01 = 1 },
        { [6] = 1, low1 = 1.5, low01 = 6 },
        { [6] = 5, low1 = 3.5, low01 = 6 },
        { [6] = 10, low1 = 6, low01 = 6 },
        { [6] = 11, low1 = 6, low01 = 6 },
        { [6] = 5, [3] = 3, low1 = 4.1, low01 = 6 },
        { [6] = 2, [3] = 20, low1 = 3.6, low01 = 6 },
      } do
        local meter = core.meter { manual_tick_ns = 1 }
        local recorder = tare.frames { meter = meter, budget_ms = 4 }
        local slow = case[6] or 0
        for i = 1, 1000 do
          recorder:begin()
          meter:advance(i <= slow and 6e6 or i <= slow + (case[3] or 0) and 3e6
            or 1e6)
          recorder:finish()
        end
        local result = recorder:result()
        for _, name in ipairs { "low1", "low01" } do
          assert.near_relative(case[name], result[name].ms, 0.005)
          assert.near_relative(1e3 / result[name].ms, result[name].fps, 1e-9)
        end
      end
    end)

  it("allocate nothing while they are recorded", function()
    local jit = rawget(_G, "jit")
    if jit then jit.off() end -- its traces take memory of the heap
    local recorder = tare.frames { frames = 50 }
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, 3 do -- the sentinel that the collection took is made anew
      recorder:begin()
      recorder:finish()
    end
    local least_kb = math.huge -- of some tries: busted allocates at times too
    for _ = 1, 10 do
      local heap = collectgarbage "count"
      for _ = 1, 20 do
        recorder:begin()
        recorder:finish()
      end
      least_kb = math.min(least_kb, collectgarbage "count" - heap)
    end
    collectgarbage "restart"
    if jit then jit.on() end
    assert.equal(0, least_kb)
  end)

  it("tell what frames with a collection cost more", function()
    local meter = core.meter { manual_tick_ns = 1 }
    local recorder = tare.frames { meter = meter }
    local function record(frames)
      for i = 1, frames do
        recorder:begin()
        meter:advance(1e6 + i % 7 * 1e3)
        if i % EVERY == 0 then
          collectgarbage()
          meter:advance(PAUSE_NS)
        end
        recorder:finish()
      end
    end
    collectgarbage "stop"
    record(EVERY - 1)
    assert.is_nil(recorder:result().collections)
    record(1000)
    collectgarbage "restart"
    local said = recorder:result().collections
    assert.equal(20, said.frames)
    assert.near_relative(PAUSE_NS / 1e6, said.longer_by_ms.value, 0.01)
    assert.is_true(said.longer_by_ms.low <= 5 and said.longer_by_ms.high >= 5)
    assert.near_relative(20 * 5 / 1152, said.share, 0.01)
    assert.near(6, said.max, 0.01)
  end)

  it("tell whether frames with a collection are the short ones", function()
    local meter = core.meter { manual_tick_ns = 1 }
    local recorder = tare.frames { meter = meter }
    collectgarbage "stop"
    for i = 1, 300 do
      recorder:begin()
      if i % 3 > 0 then collectgarbage() end
      meter:advance(i % 3 > 0 and 1e6 or 6e6)
      recorder:finish()
    end
    collectgarbage "restart"
    local said = recorder:result().collections
    assert.equal(200, said.frames)
    assert.near_relative(-5, said.longer_by_ms.value, 0.01)
    assert.equal(0, said.share) -- they take no more than others
    assert.near_relative(1, said.max, 0.01)
  end)

  it("count the collections that ended in each", function()
    local recorder = tare.frames { frames = 10 }
    for i = 1, 4 do
      recorder:begin()
      if i == 2 then collectgarbage() end
      recorder:finish()
      if i == 3 then collectgarbage() end
    end
    local result = recorder:result()
    assert.equal(1, result.gc_major + result.gc_minor)
  end)

  it("tell those in which a collection is under way", function()
    if _VERSION >= "Lua 5.4" then collectgarbage "incremental" end
    core.gc_apply { pause = 200 }
    local live = {} -- so that a collection takes many frames
    for i = 1, 20000 do live[i] = { i } end
    collectgarbage()
    -- Enough frames for four, also beside what specs before have left alive.
    local MOST = 100000
    local recorder, kept = tare.frames { frames = MOST }, nil
    local frames = 0
    repeat
      frames = frames + 1
      recorder:begin()
      for i = 1, 20 do kept = { i, {} } end
      recorder:finish()
    until frames == MOST
      or frames % 500 == 0 and recorder:result().gc_major >= 4
    local said, seen = recorder:result(), { ends = 0, rest = 0, swept = 0 }
    local samples, least = said.samples, math.huge
    for i = 2, frames do
      local heap, is_in = samples.heap_bytes[i], samples.gc_steps[i] == 1
      if samples.gc_major[i] > 0 then
        seen.ends, least = seen.ends + 1, heap
        assert.is_false(is_in) -- that frame has the end of one
      elseif heap < samples.heap_bytes[i - 1]
        and i % 500 ~= 1 then -- before these result() may have ended one
        seen.swept, least = seen.swept + 1, math.min(least, heap)
        assert.is_true(is_in)
      elseif seen.ends >= 2 and heap < 1.5 * least and not is_in then
        seen.rest = seen.rest + 1
      end
    end
    assert.is_true(seen.ends >= 3 and seen.swept > 0 and seen.rest > 20)
    assert.is_true(said.steps.frames >= seen.swept)
    local row = 0
    for steps in tare.render(recorder, "csv"):gmatch "\nframe,[^\n]*,(%d+)" do
      row = row + 1
      assert.equal(samples.gc_steps[row], tonumber(steps))
    end
    assert.equal(frames, row)
    assert.is_true(#live == 20000 and kept ~= nil)
  end)

  it("have no collection under way after one has ended, though the heap is "
    .. "larger than that of earlier ones", function()
      if _VERSION >= "Lua 5.4" then collectgarbage "incremental" end
      core.gc_apply { pause = 200 }
      collectgarbage()
      local recorder, live = tare.frames { frames = 1e5 }, nil
      local frames, most_kb = 0, 12 * collectgarbage "count"
      repeat -- in every second frame nothing is allocated
        frames = frames + 1
        recorder:begin()
        for _ = 1, frames % 2 * 2000 do live = { live } end
        recorder:finish()
      until collectgarbage "count" > most_kb
      local samples, ends = recorder:result().samples, 0
      for i = 1, frames - 1, 2 do
        if samples.gc_major[i] > 0
          and samples.heap_bytes[i] > 3 * samples.heap_bytes[1] then
          ends = ends + 1
          assert.equal(0, samples.gc_steps[i + 1])
        end
      end
      assert.is_true(ends >= 1 and live ~= nil, ends)
    end)

  it("have no collection under way while the host has stopped the collector",
    function()
      collectgarbage()
      collectgarbage "stop"
      local recorder, kept = tare.frames { frames = 200 }, {}
      for _ = 1, 200 do -- beyond the size at which one would begin
        recorder:begin()
        kept[#kept + 1] = ("x"):rep(2e5) .. #kept
        recorder:finish()
      end
      local said = recorder:result()
      collectgarbage "restart"
      assert.is_true(#kept == 200)
      for i = 2, 200 do assert.equal(0, said.samples.gc_steps[i]) end
    end)

  it("tell how fast a leak makes the heap grow, and that there is none",
    function()
      -- Frames of 10 ms, a full collection every 16th: what is kept is what
      -- most of these find more than the one before. From the first to the last
      -- other things go, too: finalizers of specs before, LuaJIT's traces.
      local function growth(leak)
        local given = { meter = core.meter { manual_tick_ns = 1 } }
        local recorder, kept, garbage = tare.frames(given), {}, nil
        local before, grown_kb = nil, {}
        for i = 1, 4000 do kept[i] = false end -- it grows in leaps else
        for i = 1, 4000 do
          recorder:begin()
          given.meter:advance(1e7)
          garbage = { i }
          if leak then kept[i] = { i, i, i, i } end
          if i % 16 == 0 then
            collectgarbage()
            local now = collectgarbage "count"
            grown_kb[#grown_kb + 1] = before and now - before
            before = now
          end
          recorder:finish()
        end
        assert.is_true(garbage ~= nil and #kept > 0)
        return recorder:result().heap_bytes.growth,
          core.stats.median(grown_kb) * 1024 / 16 * 6000
      end
      local said, truth = growth(true)
      assert.near_relative(truth, said.value, 0.15)
      assert.is_true(said.low > 0.7 * truth and said.high < 1.4 * truth)
      assert.is_true(said.high - said.low < 0.1 * truth)
      said = growth(false)
      assert.is_true(said.high - said.low < 0.1 * truth)
      assert.is_true(math.abs(said.value) < 0.02 * truth)
    end)

  it("say of those with a collection whether they are longer or shorter",
    function()
      local recorder = tare.frames { budget_ms = 10 }
      for _ = 1, 20 do recorder:push(9) end
      local said = recorder:result()
      said.steps = { frames = 1, max = 8, share = 0, longer_by_ms = {
        value = -0.7, low = -0.75, high = -0.6 } }
      assert.matches("steps: 1 frame, typically 700 us shorter than others "
        .. "(by 0.60 to 0.75 ms)", tare.render(said, "text"), 1, true)
    end)

  it("are no calls: their text has no figure per call", function()
    local recorder = tare.frames { budget_ms = 10 }
    for _ = 1, 20 do recorder:push(9) end
    local text = tare.render(recorder, "text")
    assert.matches("longest frames", text, 1, true)
    assert.is_nil(text:find("per call", 1, true))
  end)

  it("have no result before the first, and end only what began", function()
    local recorder = tare.frames()
    assert.is_nil(recorder:result())
    assert.has_error(function() recorder:finish() end,
      "tare.frames: a frame ended that had not begun")
    assert.has_error(function() tare.frames(3) end,
      "tare.frames: expected a function or options, got number")
    assert.has_error(function() tare.frames { budget_ms = -1 } end)
  end)

  it("refuse settings and times that can't be, and record nothing then",
    function()
      for _, wrong in ipairs { { pause = "x" }, { pose = 100 },
        { step_size = -1 }, 7 } do
        assert.error_matches(function() tare.frames { incremental = wrong } end,
          "'incremental' must be a table of pause, step_multiplier and step_")
      end
      local recorder = tare.frames()
      for _, wrong in ipairs { "x", -1, 0/0 } do
        recorder:begin()
        assert.error_matches(function() recorder:finish(wrong) end,
          "'collector_ns' must be a number from 0 to 1e18, got ")
      end
      assert.is_nil(recorder:result())
    end)

  it("are the collector's at most whole, whatever the host says it took",
    function()
      local recorder = tare.frames { budget_ms = 10 }
      recorder:push(5e6, 2e6)
      recorder:push(5e6, 8e6)
      local said = recorder:result()
      assert.near_relative(0.7, said.collector.share, 1e-9)
      assert.near_relative(5, said.collector.max, 1e-9)
      assert.same({ 2e6, 5e6 }, said.samples.collector_ns)
    end)
end)

describe("frames under policies", function()
  it("recommend one with no frame over the budget, with its numbers", function()
    local frame, given = made_up()
    local result = tare.frames(frame, given)
    local best = result.recommendation
    assert.equal("spare", best.policy)
    assert.is_nil(best.unclear)
    assert.near_relative(6, best.p99.before, 0.1)
    assert.is_true(best.p99.after < 4)
    assert.same({ before = 0.02, after = 0 }, best.over)
    assert.matches("^0 of 1,000 frames over the budget, .*; as it is: 20 of ",
      best.reason)
    local text = tare.render(result, "text")
    assert.matches("recommended: spare: 0 of 1,000 frames", text, 1, true)
  end)

  it("tell the collector's part of a function's time", function()
    local meter = core.meter { manual_tick_ns = 1 }
    local function share_of(kb)
      return tare.frames(function()
        meter:advance(1e6)
        local list = {}
        for i = 1, kb * 10 do list[i] = { i } end
        return list
      end, { meter = meter, frames = 100 }).collector.share
    end
    assert.equal(0, share_of(1)) -- by that clock it takes no time
    assert.equal(0, share_of(0))
  end)

  it("tell the collector's part where tare drives it", function()
    local frame, given = made_up()
    local result = tare.frames(frame, given)
    for _, summary in ipairs(result.policies) do
      if summary.policy == "step" or summary.policy == "spare" then
        assert.equal(0, summary.over.value)
        assert.is_true(summary.cycles > 2)
        assert.near_relative(STEPS * STEP_NS * summary.cycles
          / (1000e6 + STEPS * STEP_NS * summary.cycles),
          summary.collector.share, 0.02)
        assert.is_true(summary.heap_bytes.max > 0)
      end
    end
  end)

  it("leave room in a frame for the longest step of a cycle", function()
    local frame, given = made_up(function(step)
      return step % 4 == 0 and 1e6 or STEP_NS
    end)
    for _, summary in ipairs(tare.frames(frame, given).policies) do
      if summary.policy == "spare" then
        assert.is_true(summary.cycles > 2)
        assert.same({ frames = 0, ms = 0 }, summary.overruns)
        assert.equal(0, summary.over.value)
      end
    end
  end)

  it("can't tell before whole cycles, and say how many frames would do",
    function()
      local frame, given = made_up()
      given.frames = 80
      local said = tare.frames(frame, given).recommendation
      assert.is_true(said.unclear)
      assert.equal("automatic", said.policy)
      assert.equal("can't tell: only one collection ended in 80 frames of this "
        .. "heap under 'automatic'; play 240", said.reason)
      assert.equal(240, said.play)
      given.frames = nil
      assert.equal("spare", tare.frames(frame, given).recommendation.policy)
    end)

  it("leave the collector running, after an error too", function()
    assert.has_error(function()
      tare.frames(function(n) if n > 20 then error("no", 0) end end,
        { frames = 30 })
    end, "no")
    local result = tare.frames(function() return {} end, { frames = 20 })
    assert.equal("automatic", result.policy)
    assert.is_true(#result.policies >= 4)
    assert.is_number(result.collector.share)
    local watch = setmetatable({}, { __mode = "k" })
    watch[{}] = true
    local kept -- where the compiler can't do without it
    for i = 1, 1e6 do -- a look holds the key, so most of the time there is none
      if i % 1000 == 0 and next(watch) == nil then break end
      kept = { tostring(i) }
    end
    assert.is_table(kept)
    assert.is_nil(next(watch))
  end)

  local function summary(policy, over, frames, worst_ms, heap)
    return { policy = policy, p99 = 1, frames = frames, cycles = 9,
      budget_ms = 2, over = summaries.share(over, frames),
      low01 = { ms = worst_ms or 3 }, heap_bytes = { max = heap or 1 } }
  end

  local function recommended(...)
    return summaries.recommend({ ... }, 20000)
  end

  it("keep what there is where nothing is gained", function()
    assert.matches("^no policy is clearly better than 'automatic'", recommended(
      summary("automatic", 2, 20000), summary("step", 1, 20000)).reason)
    assert.matches("^no policy is clearly better than 'automatic'", recommended(
      summary("automatic", 0, 1000, 1), summary("step", 0, 1000, 0.5)).reason)
  end)

  it("takes far shorter worst frames where hardly more are over", function()
    local now = summary("automatic", 66, 20000, 133)
    assert.equal("spare", recommended(now,
      summary("spare", 69, 20000, 11)).policy)
    assert.equal("spare", recommended(now,
      summary("spare", 83, 20000, 60)).policy)
    assert.equal("automatic", recommended(now,
      summary("spare", 83, 20000, 70)).policy)
    assert.equal("automatic", recommended(now,
      summary("spare", 95, 20000, 11)).policy) -- clearly more
    assert.equal("automatic", recommended(summary("automatic", 4, 20000, 133),
      summary("spare", 7, 20000, 11)).policy) -- not, but of few
  end)

  it("rather go by the time that is left than by a fixed step, which longer "
    .. "frames outgrow, unless it is clearly worse", function()
    local now = summary("automatic", 110, 10000)
    local step = summary("step", 0, 10000, 1.8)
    assert.equal("spare", recommended(now, step,
      summary("spare", 1, 10000, 2)).policy)
    assert.equal("step", recommended(now, step,
      summary("spare", 30, 10000, 2)).policy)
    assert.equal("step", recommended(now, step,
      summary("spare", 1, 10000, 3)).policy)
  end)

  it("can't tell after few frames of which the worst are close to the budget",
    function()
      local said = recommended(summary("automatic", 0, 1000, 1.7),
        summary("spare", 0, 1000, 1.9))
      assert.is_true(said.unclear)
      assert.equal(5000, said.play)
      assert.equal("can't tell: 0 of 1,000 frames over the budget, the worst "
        .. "thousandth 1.70 ms, p99 1.00 ms; play 5,000", said.reason)
      assert.is_nil(recommended(summary("automatic", 0, 20000, 1.7),
        summary("spare", 0, 20000, 1.9)).unclear)
    end)

  it("can't tell where more frames may show a difference", function()
    local said = recommended(summary("automatic", 9, 1000),
      summary("step", 3, 1000))
    assert.is_true(said.unclear)
    assert.equal("automatic", said.policy)
    assert.equal("can't tell: 9 of 1,000 frames are over the budget as it is, "
      .. "and 3 of 1,000 under 'step'; play 5,000", said.reason)
    said = recommended(summary("automatic", 45, 5000),
      summary("step", 15, 5000))
    assert.equal("step", said.policy)
    assert.is_nil(said.unclear)
  end)

  -- Frames over the budget in so many stretches, each at a collection.
  local function clustered(policy, over, stretches)
    local made = summary(policy, over, 20000)
    made.over = summaries.share(over, 20000, over / stretches)
    return made
  end

  it("can't tell where the hitches came in too few stretches", function()
    local said = recommended(clustered("automatic", 176, 2),
      clustered("step", 30, 1))
    assert.is_true(said.unclear)
    assert.equal("automatic", said.policy)
    assert.is_true(said.play > 20000)
    assert.equal(("can't tell: 176 of 20,000 frames are over the budget as it "
      .. "is, and 30 of 20,000 under 'step', but in some 3 stretches only; "
      .. "play %d,000"):format(said.play / 1000), said.reason)
    -- Four events in one and none in the other happen by chance (1 of 8).
    assert.is_true(recommended(clustered("automatic", 176, 4),
      clustered("step", 0, 1)).unclear)
    assert.equal("step", recommended(clustered("automatic", 176, 30),
      clustered("step", 30, 5)).policy)
  end)

  it("takes far shorter worst frames all the same", function()
    local now, spare = clustered("automatic", 176, 2), clustered("spare", 30, 1)
    now.low01.ms, spare.low01.ms = 76, 8
    local said = recommended(now, spare)
    assert.equal("spare", said.policy)
    assert.is_nil(said.unclear)
  end)

  it("say how many frames would do for as large a difference", function()
    local made = { clustered("automatic", 176, 2), clustered("step", 30, 1) }
    local play = recommended(made[1], made[2]).play
    for _, one in ipairs(made) do
      one.frames, one.over.frames = play, one.over.frames * play / 20000
    end
    assert.equal("step", recommended(made[1], made[2]).policy)
    for _, one in ipairs(made) do one.frames = play / 2 end
    assert.is_true(recommended(made[1], made[2]).unclear)
  end)

  it("know such stretches in frames that were recorded", function()
    -- Frames of 1 ms, and hitches of 9 ms in a row, so many rows of so many.
    local function recorded(policy, rows, hitches)
      local recorder = tare.frames { budget_ms = 2 }
      for frame = 0, 19999 do
        local row = rows > 0 and math.floor(frame * rows / 20000) or 0
        local first = rows > 0 and math.ceil((row + 0.5) * 20000 / rows) or 0
        local is_hitch = rows > 0 and frame >= first and frame < first + hitches
        recorder:push(is_hitch and 9e6 or 1e6)
      end
      local made = recorder:result()
      made.policy, made.cycles = policy, 9
      return made
    end
    local said = recommended(recorded("automatic", 2, 88),
      recorded("step", 1, 30))
    assert.is_true(said.unclear)
    assert.matches("^can't tell: 176 of 20,000 .* 30 of 20,000 under 'step'",
      said.reason)
    assert.equal("step", recommended(recorded("automatic", 88, 2),
      recorded("step", 15, 2)).policy)
  end)

  it("ask for as many frames as three whole cycles will take", function()
    for _, case in ipairs {
      -- frames, cycles, heap at the first and the last, frames that are asked
      { 1000, 1, nil, nil, 3000 }, { 1234, 1, 9, 9, 3800 },
      { 1000, 0, 1e6, 1.1e6, 30000 }, -- of 100 bytes: the heap as much again
      { 1000, 0, 1e6, 3e6, 6000 }, -- twice as many frames at least
      { 400, 0, 2e6, 2.4e6, 6000 }, { 1000, 0, 1e6, 1e6 },
      { 1000, 0, 1e6, 0.9e6 }, { 1000, 0 },
    } do
      local now = summary("automatic", 5, case[1])
      now.cycles = case[2]
      now.heap_bytes = case[3] and { max = 4e6, first = case[3],
        last = case[4] }
      local said = recommended(now, summary("step", 0, 1000))
      assert.is_true(said.unclear)
      assert.equal(case[5], said.play)
      assert.matches(case[5] and (case[2] == 1 and "only one" or "no")
        .. " collection ended in .* play " or "make no garbage", said.reason)
    end
  end)

  it("are played on where they may be the best, or had no cycle", function()
    local unknown = summary("generational", 50, 1000)
    unknown.cycles = 1
    assert.same({ automatic = true, generational = true, step = false,
      spare = true }, summaries.contenders { summary("automatic", 40, 1000),
      unknown, summary("step", 50, 1000), summary("spare", 3, 1000) })
  end)

  it("take the shorter worst frames of two with as many over the budget",
    function()
      assert.equal("spare", recommended(
        summary("automatic", 4, 20000, 50), summary("step", 4, 20000, 49),
        summary("spare", 4, 20000, 4)).policy)
    end)

  it("take none whose heap grows beyond twice what it is", function()
    assert.equal("automatic", recommended(summary("automatic", 90, 1000, 9, 10),
      summary("step", 0, 1000, 1, 21)).policy)
  end)

  it("share has Wilson's interval", function()
    -- Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263
    local share = summaries.share(81, 263)
    assert.near(0.2553, share.low, 5e-5)
    assert.near(0.3662, share.high, 5e-5)
  end)
end)
