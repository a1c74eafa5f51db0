local core = require "tare.core"
local policies = require "tare.frames.policies"
local tare = require "tare"

local HAS_MODES = _VERSION >= "Lua 5.4"
local IS_5_1 = _VERSION == "Lua 5.1" and not jit

local function frame()
  local list = {}
  for i = 1, 500 do list[i] = { i } end
  return list
end

-- Whether the collector runs by itself, which 5.1 can't be asked.
local function runs()
  local watch = core.gcwatch()
  watch:arm()
  for _ = 1, 1000 do frame() end
  local minor, major = watch:counts()
  watch:disarm()
  return minor + major > 0
end

describe("a policy that is applied", function()
  after_each(function() collectgarbage "restart" end)

  it("collects in its calls alone, and keeps the heap small", function()
    for _, name in ipairs { "step", "spare" } do
      collectgarbage()
      local most_kb = 3 * collectgarbage "count" + 1e4
      local watch = core.gcwatch()
      local policy = tare.frames.policy(name)
      watch:arm()
      local outside = 0
      for _ = 1, 1000 do
        local minor, major = watch:counts()
        frame()
        local later_minor, later_major = watch:counts()
        outside = outside + later_minor + later_major - minor - major
        policy:after(5)
        assert.is_true(collectgarbage "count" < most_kb)
      end
      local minor, major = watch:counts()
      watch:disarm()
      policy:close()
      assert.equal(0, outside)
      assert.is_true(minor + major > 1)
    end
  end)

  it("counts what 'spare' took beyond its time", function()
    local policy = tare.frames.policy "spare"
    for _ = 1, 1000 do
      frame()
      policy:after(0) -- no time at all: it collects where it must
    end
    policy:close()
    assert.is_true(policy.overruns > 0)
    assert.is_true(policy.overrun_ms > 0)
  end)

  it("gives the collector back as it was found", function()
    local before = core.gc_state()
    for _, name in ipairs { "automatic", "incremental", "step", "spare",
      HAS_MODES and "generational" or nil } do
      local policy = tare.frames.policy(name, name ~= "automatic"
        and name ~= "generational" and { pause = 300 } or nil)
      policy:after(1)
      policy:close()
      policy:close()
      policy:after(1)
      assert.same(before, core.gc_state())
    end
  end)

  it("leaves the collector to one that began later, until that is closed too",
    function()
      local before = core.gc_state()
      local first = tare.frames.policy "step"
      local second = tare.frames.policy "spare"
      local third = tare.frames.policy "incremental"
      first:close()
      assert.is_true(runs())
      third:close()
      assert.is_false(runs()) -- before a frame's end could stop it
      second:after(1)
      assert.is_false(runs())
      second:close()
      assert.same(before, core.gc_state())
      assert.is_true(runs())
      first:close()
      third:after(1)
      assert.same(before, core.gc_state())
    end)

  it("starts a collector that the host has stopped, and stops it again",
    function()
      collectgarbage "stop"
      local policy = tare.frames.policy "incremental"
      assert.is_true(runs())
      policy:close()
      assert.equal(IS_5_1, runs())
    end)

  it("is tried from a full collection, after which a stopped collector is "
    .. "still stopped", function()
      local _, _, was_running = core.gc_settings()
      collectgarbage "stop"
      local _, _, before = core.gc_settings() -- 5.1 can't tell
      policies.collector.full()
      local _, _, after = core.gc_settings()
      assert.equal(before, after)
      core.gc_run(was_running)
      policies.collector.full()
      assert.is_true(runs())
    end)

  it("'step' does pieces for 0.6 of what a frame allocates, one at least, from "
    .. "one and a half of what is alive on", function()
    local PIECE_KB = HAS_MODES and 8 or 16
    for _, case in ipairs {
      { alive_kb = 1000, frames = { 499.9 }, pieces = { 0 } },
      -- a tenth of 500 kB, as one frame says little
      { alive_kb = 1000, frames = { 500 }, pieces = { 30 } },
      { alive_kb = 1000, frames = { 533 }, pieces = { 31.98 } }, -- not more
      { alive_kb = 1000, frames = { 534 }, pieces = { 32.04 } },
      { alive_kb = 1000, frames = { 0 }, pieces = { 0 } },
      { alive_kb = 1000, frames = { 500, 500 }, pieces = { 30, 57 } },
      { alive_kb = 1000, frames = { 500, 0 }, pieces = { 30, 27 } },
      { alive_kb = 1000, frames = { 500, -400 }, pieces = { 30, 27 } },
      -- beyond twice what is alive, four times as much
      { alive_kb = 1000, frames = { 1000 }, pieces = { 60 } },
      { alive_kb = 1000, frames = { 1001 }, pieces = { 4 * 60.06 } },
      { alive_kb = 10, frames = { 6 }, pieces = { PIECE_KB } },
      -- of a step that is told
      { step_kb = 40, alive_kb = 1000, frames = { 499 }, pieces = { 0 } },
      { step_kb = 40, alive_kb = 1000, frames = { 500 }, pieces = { 40 } },
      { step_kb = 40, alive_kb = 1000, frames = { 1001 }, pieces = { 160 } },
    } do
      local heap_kb, steps = case.alive_kb, 0
      local gc = { stop = function() end, heap_kb = function()
          return heap_kb
        end,
        step = function() steps = steps + 1 end, apply = function() end,
        state = function() return {} end, restore = function() end }
      local policy = policies.new("step", { step_kb = case.step_kb }, gc,
        core.meter { manual_tick_ns = 1 })
      for i, grown_kb in ipairs(case.frames) do
        heap_kb, steps = heap_kb + grown_kb, 0
        policy:after()
        assert.equal(math.ceil(case.pieces[i] / PIECE_KB - 1e-9), steps)
      end
      policy:close()
    end
  end)

  it("collects nothing while the collector is that of a later one", function()
    local first = tare.frames.policy "step"
    local second = tare.frames.policy "automatic"
    local before = collectgarbage "count"
    for _ = 1, 50 do
      frame()
      first:after(1)
    end
    assert.is_true(collectgarbage "count" > before + 500)
    second:close()
    first:close()
  end)

  it("takes what tare.frames recommends", function()
    local found = tare.frames(frame, { frames = 20 })
    local policy = tare.frames.policy(found.recommendation)
    assert.equal(found.recommendation.policy, policy.name)
    policy:close()
    for _, played in ipairs(found.policies) do
      tare.frames.policy(played.policy, played.settings):close()
    end
  end)

  it("has a name and settings that there are", function()
    local names = "expected one of the policies automatic, incremental, "
      .. (HAS_MODES and "generational, " or "") .. "step, spare, got "
    assert.has_error(function() tare.frames.policy "steps" end,
      "tare: " .. names .. "steps")
    assert.has_error(function() tare.frames.policy() end,
      "tare: " .. names .. "nil")
    assert.error_matches(function()
      tare.frames.policy("step", { step = 1 })
    end, "settings must be a table of step_kb, pause, step_multiplier")
    assert.error_matches(function() tare.frames.policy("step", 3) end,
      "settings must be a table of")
    for _, pause in ipairs { 1024, 1e7 } do
      local ok, message = pcall(function()
        local policy = tare.frames.policy("incremental", { pause = pause })
        policy:close()
      end)
      assert.is_false(ok)
      assert.matches("frames_policy_spec%.lua:%d+: tare: the settings must be "
        .. ".* at most 1000$", message)
    end
  end)
end)

describe("a policy with a made-up collector", function()
  local PIECE_KB = HAS_MODES and 8 or 16

  it("sets what its name says, and what was asked for over that", function()
    local function set_by(name, settings)
      local set
      policies.new(name, settings, { stop = function() end,
        state = function() return {} end, heap_kb = function() return 1 end,
        apply = function(sets) set = sets end })
      return set
    end
    local size = HAS_MODES and 13 or nil -- 8 kB
    assert.is_nil(set_by "automatic")
    -- 5.4 counts 16 bytes as one: the same work in smaller steps
    assert.same({ mode = "incremental", pause = 200, running = true,
      step_multiplier = _VERSION == "Lua 5.4" and 8 or 200, step_size = size },
      set_by "incremental")
    local stepped = { mode = "incremental", pause = 150, step_size = size,
      step_multiplier = _VERSION == "Lua 5.4" and 4 or 200 }
    assert.same(stepped, set_by "step")
    assert.same(stepped, set_by "spare")
    stepped.pause, stepped.step_multiplier = 300, 500
    assert.same(stepped, set_by("step", { pause = 300, step_multiplier = 500,
      step_kb = 9 }))
  end)

  it("leaves stopped what one below has stopped, which 5.1 can't be asked",
    function()
      -- Whether the last of some policies, closed, lets the collector run.
      local function runs_after(...)
        local found
        local gc = { stop = function() end, apply = function() end,
          heap_kb = function() return 1 end, state = function() return {} end,
          restore = function(settings) found = settings end }
        local last
        for _, name in ipairs { ... } do last = policies.new(name, nil, gc) end
        last:close()
        return found.running ~= false
      end
      assert.is_true(runs_after("automatic"))
      assert.is_true(runs_after("automatic", "spare"))
      assert.is_false(runs_after("spare", "incremental"))
      assert.is_false(runs_after("step", "automatic"))
      assert.is_false(runs_after("step", "automatic", "spare"))
      assert.is_true(runs_after("step", "incremental", "spare"))
    end)

  -- A heap of which 10,000 kB are alive, and a collector that frees a piece in
  -- each step, which takes 1 ms, or so many.
  local function made_up(name, settings)
    local meter, steps = core.meter { manual_tick_ns = 1 }, 0
    local heap = { kb = 1e4, step_ms = 1 }
    local policy = policies.new(name, settings, {
      stop = function() end, apply = function() end,
      state = function() return {} end, restore = function() end,
      heap_kb = function() return heap.kb end,
      step = function()
        steps = steps + 1
        meter:advance(1e6 * heap.step_ms)
        heap.kb = heap.kb - PIECE_KB
        local ended = heap.ends
        heap.ends = false
        return ended
      end }, meter)
    -- A frame that allocates so much: the steps after it.
    local function play(kb, left_ms)
      local before = steps
      heap.kb = heap.kb + kb
      policy:after(left_ms)
      return steps - before
    end
    return play, heap, policy
  end

  -- The kilobytes that a number of steps is for, in whole pieces.
  local function pieces_for(kb) return math.ceil(kb / PIECE_KB) end

  it("begins a cycle once the heap is half as large again as what is alive",
    function()
      for _, name in ipairs { "step", "spare" } do
        local play, heap = made_up(name)
        for _ = 1, 49 do assert.equal(0, play(100, 5)) end
        assert.equal(1.49e4, heap.kb)
        assert.is_true(play(100, 5) > 0)
        assert.is_true(play(0, 5) > 0) -- and goes on
      end
    end)

  it("steps for three fifths of what a frame allocates, as far as is known of "
    .. "the last frames", function()
    local play = made_up "step"
    for _ = 1, 50 do play(100) end
    assert.equal(pieces_for(60), play(100))
    assert.equal(pieces_for(60), play(100))
    assert.equal(pieces_for(0.6 * 240), play(1500)) -- a tenth of it counts
    assert.equal(pieces_for(0.6 * 216), play(-100)) -- the host has collected
    for _ = 1, 100 do play(0) end
    assert.equal(1, play(0)) -- one at least
  end)

  it("steps for so much as was asked for", function()
    local play = made_up("step", { step_kb = 160 })
    play(5000)
    assert.equal(pieces_for(160), play(10))
  end)

  it("steps for four times as much where the heap is twice what is alive",
    function()
      local play, heap = made_up("step", { step_kb = 160 })
      play(9990)
      heap.kb = 2e4
      assert.equal(pieces_for(160), play(0))
      heap.kb = 2e4
      assert.equal(pieces_for(640), play(1))
    end)

  it("rests after a cycle until what stayed alive is half as much again",
    function()
      local play, heap = made_up "step"
      play(5000) -- begins it
      for _ = 1, 10 do play(100) end
      heap.kb, heap.ends = 9000, true
      play(0) -- some 8,000 kB are alive, for 1,000 came during the cycle
      local alive_kb = heap.kb - 1000
      heap.kb = 1.5 * alive_kb - 200
      assert.equal(0, play(0))
      assert.equal(0, play(199))
      assert.is_true(play(1) > 0)
    end)

  it("takes an eighth of the heap at least for alive", function()
    local play, heap = made_up "step"
    play(5000)
    play(20000)
    heap.kb, heap.ends = 16000, true
    play(0)
    heap.kb = 0.125 * heap.kb * 1.5 - 1
    assert.equal(0, play(0))
    assert.is_true(play(1) > 0)
  end)

  it("does as many steps as fit nine tenths of the spare time", function()
    local play, heap = made_up "spare"
    play(5000, 0)
    assert.equal(4, play(0, 5)) -- a fifth would end after 4.5 ms
    assert.equal(0, play(0, 1))
    assert.equal(0, play(0)) -- nothing is known to be left
    heap.step_ms = 2
    assert.equal(2, play(0, 5)) -- the third would
  end)

  it("expects a step to be as long as the longest, less with each frame",
    function()
      local play, heap, policy = made_up "spare"
      heap.step_ms = 3
      assert.equal(1, play(5000, 2)) -- of the first nothing is known
      assert.equal(1, policy.overruns)
      assert.near(1, policy.overrun_ms, 1e-3)
      heap.step_ms = 0.5
      for _ = 1, 4 do assert.equal(0, play(0, 2)) end
      assert.is_true(play(0, 2) > 0)
      assert.equal(1, policy.overruns)
    end)

  it("collects where it must though no time is left, and says how much longer "
    .. "it took", function()
    local play, heap, policy = made_up "spare"
    for _ = 1, 100 do play(100, 0) end
    assert.equal(0, policy.overruns)
    heap.kb = 2e4 + 1
    local pieces = pieces_for(4 * 0.6 * 90.1)
    assert.equal(pieces, play(0, 2))
    assert.equal(1, policy.overruns)
    assert.near(pieces - 2, policy.overrun_ms, 1e-3)
    heap.kb = 2e4 + 1
    local more = play(0, 0)
    assert.equal(2, policy.overruns)
    assert.near(pieces - 2 + more, policy.overrun_ms, 1e-3)
  end)
end)
