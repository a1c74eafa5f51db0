local core = require "tare.core"
local summaries = require "tare.analysis.frames"
local tare = require "tare"

-- A collector on a clock moved by hand: running, it pauses for 5 ms every 50
-- frames; stopped, its steps take as long as what they collect.
local KB_A_FRAME, PAUSE_NS, EVERY = 100, 5e6, 50

local function made_up()
  local meter = core.meter { manual_tick_ns = 1 }
  local debt_kb, running = 0, true
  local function collect(kb)
    meter:advance(PAUSE_NS * kb / (EVERY * KB_A_FRAME))
    debt_kb = debt_kb - kb
  end
  local gc = {
    stop = function() running = false end,
    restart = function() running = true end,
    full = function() debt_kb = 0 end,
    heap_kb = function() return 20000 + debt_kb end,
    step = function(kb)
      collect(math.min(debt_kb, math.max(kb, 8)))
      return debt_kb <= 0
    end,
    state = function() end, apply = function() end, restore = function() end,
  }
  local function frame()
    meter:advance(1e6)
    debt_kb = debt_kb + KB_A_FRAME
    if running and debt_kb >= EVERY * KB_A_FRAME then collect(debt_kb) end
  end
  return frame, { meter = meter, collector = gc, budget_ms = 4, frames = 1000 }
end

describe("recorded frames", function()
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
    assert.near_relative(1, result.p50, 1e-9)
    assert.near_relative(6, result.max, 1e-9)
    assert.is_true(result.over.low < 0.02 and result.over.high > 0.02)
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
    local wall_ns, gc_major = {}, {}
    for i = 1, 1000 do
      wall_ns[i] = 1e6 + i % 7 * 1e3
      gc_major[i] = i % EVERY == 0 and 1 or 0
      wall_ns[i] = wall_ns[i] + gc_major[i] * PAUSE_NS
    end
    local said = summaries.summary({ wall_ns = wall_ns, gc_major = gc_major },
      4).collections
    assert.equal(20, said.frames)
    assert.near_relative(PAUSE_NS / 1e6, said.longer_by_ms.value, 0.01)
    assert.is_true(said.longer_by_ms.low <= 5 and said.longer_by_ms.high >= 5)
    assert.near_relative(20 * 5 / 1103, said.share, 0.01)
    assert.is_nil(summaries.summary({ wall_ns = wall_ns }, 4).collections)
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

  it("have no result before the first, and end only what began", function()
    local recorder = tare.frames()
    assert.is_nil(recorder:result())
    assert.has_error(function() recorder:finish() end,
      "tare.frames: finish() without begin()")
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
          "'collector_ns' must be a number of at least 0, got ")
      end
      assert.is_nil(recorder:result())
    end)
end)

describe("frames under policies", function()
  it("recommend one that halves p99, with its numbers", function()
    local frame, given = made_up()
    local result = tare.frames(frame, given)
    local best = result.recommendation
    assert.equal("step", best.policy)
    assert.is_true(best.p99.after <= best.p99.before / 2)
    assert.near_relative(6, best.p99.before, 0.1)
    assert.same({ before = 0.02, after = 0 }, best.over)
    assert.matches("p99 is 1.10 instead of 6.00 ms", best.reason)
  end)

  it("tell the collector's part where tare drives it", function()
    local frame, given = made_up()
    local result = tare.frames(frame, given)
    for _, summary in ipairs(result.policies) do
      if summary.policy == "step" then
        assert.near_relative(0.1, summary.collector.p50, 0.05)
        assert.near_relative(1 / 11, summary.collector.share, 0.05)
      elseif summary.policy == "spare" then
        assert.equal(0, summary.over.value)
      end
    end
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
    for i = 1, 1e6 do
      if next(watch) == nil then break end
      kept = { tostring(i) }
    end
    assert.is_table(kept)
    assert.is_nil(next(watch))
  end)

  it("keep what there is where nothing is gained", function()
    local function summary(policy, p99)
      return { policy = policy, p99 = p99, over = summaries.share(0, 1000) }
    end
    local best = summaries.recommend { summary("automatic", 1),
      summary("step", 0.95) }
    assert.equal("automatic", best.policy)
  end)

  it("share has Wilson's interval", function()
    -- Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263
    local share = summaries.share(81, 263)
    assert.near(0.2553, share.low, 5e-5)
    assert.near(0.3662, share.high, 5e-5)
  end)
end)
