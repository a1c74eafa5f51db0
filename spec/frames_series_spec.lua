-- Series of frames whose figures are known: what does the recorder say?
local core = require "tare.core"
local summaries = require "tare.analysis.frames"
local tare = require "tare"

local MS = 1e6

-- A recorder that was given n frames of ms(i) milliseconds, and their list.
local function recorded(n, ms, given)
  local recorder, list = tare.frames(given or { budget_ms = 16.67 }), {}
  for i = 1, n do
    list[i] = ms(i)
    recorder:push(list[i] * MS)
  end
  return recorder:result(), list, recorder
end

-- Random numbers in [0, 1), the same everywhere.
local function random_from(seed)
  return function()
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  end
end

local function is_known(said, list)
  for name, q in pairs { p50 = 0.5, p95 = 0.95, p99 = 0.99 } do
    assert.near_relative(core.stats.quantile(list, q), said[name], 0.01)
  end
  assert.near_relative(core.stats.quantile(list, 1), said.max, 1e-12)
  local over = 0
  for _, ms in ipairs(list) do
    if ms > said.budget_ms then over = over + 1 end
  end
  assert.equal(over, said.over.frames)
  assert.equal(#list, said.frames)
  local slowest, sum = {}, 0
  for i, ms in ipairs(list) do slowest[i] = ms end
  table.sort(slowest, function(a, b) return a > b end)
  local most = math.max(1, math.floor(0.01 * #list))
  for i = 1, most do sum = sum + slowest[i] end
  assert.near_relative(sum / most, said.low1.ms, 0.01)
  assert.near_relative(1000 * most / sum, said.low1.fps, 0.01)
end

describe("frames of a known series", function()
  it("keep every hitch of 100 ms among 36,000 frames", function()
    local said, list = recorded(36000, function(i)
      return i % 1000 == 0 and 100 or 8 + i % 13 / 10
    end)
    is_known(said, list)
    assert.equal(36, said.over.frames)
    assert.equal(36, said.stutters.frames)
    assert.near_relative(36 * (100 - 8.6), said.lost_ms, 0.01)
    assert.equal(999, said.best_run.frames)
    assert.near(0, said.best_run.start_ms, 1e-6)
    assert.is_true(said.over.low < 0.001 and said.over.high > 0.001)
    assert.equal(10, #said.worst)
    for i, worst in ipairs(said.worst) do
      assert.equal(100, worst.ms)
      assert.equal(1000 * i, worst.frame)
      assert.near_relative(8.6, worst.usual_ms, 0.1)
    end
    assert.equal(1000, #said.samples.wall_ns)
    assert.equal(35000, said.dropped)
  end)

  it("know slow ones every 50th", function()
    local said, list = recorded(36000, function(i)
      return i % 50 == 0 and 25 or 10
    end)
    is_known(said, list)
    assert.equal(0.02, said.over.value)
    assert.is_true(said.over.high < 0.0225)
    assert.equal(720, said.stutters.frames)
  end)

  it("know when the longest run within the budget was", function()
    local said = recorded(100, function(i)
      return (i == 30 or i == 80 or i == 90) and 40 or 10
    end)
    assert.equal(49, said.best_run.frames)
    assert.near(490, said.best_run.ms, 1e-6)
    assert.near(29 * 10 + 40, said.best_run.start_ms, 1e-6)
  end)

  it("call no stutter what alternates", function()
    local said, list = recorded(36000, function(i)
      return i % 2 == 0 and 8 or 25
    end)
    is_known(said, list)
    assert.equal(0, said.stutters.frames)
    assert.equal(1, said.best_run.frames)
  end)

  it("know one that drifts, and one of two kinds", function()
    is_known(recorded(36000, function(i) return 8 + i / 3000 end))
    local random = random_from(7)
    local said, list = recorded(36000, function()
      return (random() < 0.3 and 14 or 6) * (0.95 + random() / 10)
    end)
    is_known(said, list)
  end)

  it("are as exact for a million, in memory that does not grow", function()
    local random = random_from(11)
    local recorder = tare.frames { frames = 100 }
    local count, most, kb = 0, 0, nil
    for i = 1, 1e6 do
      local ns = 5 * MS - math.log(1 - random()) * 2 * MS
      if ns > 1000 / 60 * MS then count = count + 1 end
      most = math.max(most, ns)
      recorder:push(ns)
      if i == 1000 then
        collectgarbage()
        collectgarbage()
        kb = collectgarbage "count"
      end
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(collectgarbage "count" < kb + 4)
    local said = recorder:result()
    assert.equal(1e6, said.frames)
    assert.equal(count, said.over.frames)
    assert.near_relative(most / MS, said.max, 1e-12)
    -- The generator's own distribution: quantile q at 5 - 2 log(1 - q).
    assert.near_relative(5 - 2 * math.log(0.5), said.p50, 0.01)
    assert.near_relative(5 - 2 * math.log(0.01), said.p99, 0.01)
    assert.is_true(#recorder:record().blocks <= 64)
  end)

  it("have intervals that hold though neighbours are alike", function()
    -- Calm and busy stretches of some 40 frames each, a tenth of them busy: of
    -- those half are over the budget, of the others none.
    local random = random_from(5)
    local held, ends = { over = 0, p50 = 0, p95 = 0, low1 = 0 }, 0
    local calm = 1 - 0.5 / 0.9 -- below the median, of a calm frame's range
    local median, p95 = 8 + 4 * (1 - calm), 12.5 + 10 * 0.5
    for _ = 1, 100 do
      local is_busy = random() < 0.1
      local said = recorded(4000, function()
        if random() < 0.025 then is_busy = random() < 0.1 end
        return is_busy and 12.5 + 10 * random() or 8 + 4 * random()
      end, { budget_ms = 17.5 })
      if said.over.low <= 0.05 and 0.05 <= said.over.high then
        held.over = held.over + 1
      end
      -- 22: the slowest 1 % are uniform on 21.5 to 22.5
      for name, truth in pairs { p50 = median, p95 = p95, low1 = 22 } do
        local interval = said.intervals[name] or said[name]
        -- an end that is left open holds, but says little
        ends = ends + (interval.low and 1 or 0) + (interval.high and 1 or 0)
        if (interval.low or 0) <= truth
          and truth <= (interval.high or 1/0) then
          held[name] = held[name] + 1
        end
      end
    end
    -- 95 expected; fewer than 88 would be seen once in 400.
    for name, count in pairs(held) do
      assert.is_true(count >= 88, name .. " held in " .. count)
    end
    assert.is_true(ends >= 540, ends .. " of 600")
  end)

  it("have a wide interval of the share over the budget where few scenes made "
    .. "it",
    function()
      local said = recorded(8192, function(i)
        local is_slow = i > 3000 and i <= 3100 or i > 6000 and i <= 6020
        return is_slow and 20 or 8
      end)
      assert.equal(120, said.over.frames)
      -- two scenes of 8,192 frames, one of them small: there may be five
      assert.is_true(said.over.high > 5 * said.over.value)
    end)

  it("have Student's t for it, with a degree of freedom less than there are "
    .. "pieces of the session where these are all as far off", function()
    for _, stretch in ipairs { 512, 256, 128, 64 } do
      local over = recorded(1024, function(i)
        return math.floor((i - 1) / stretch) % 2 == 0 and 20 or 8
      end).over
      assert.equal(512, over.frames)
      -- 16 pieces of four blocks of 16 frames, each with 32 slow ones more or
      -- fewer than half of it
      local effect = 16 * 32 ^ 2 * 16 / 15 / (1024 / 4)
      local expected = summaries.share(512, 1024, effect,
        core.stats.t_quantile(0.975, 15))
      assert.near(expected.low, over.low, 1e-9)
      assert.near(expected.high, over.high, 1e-9)
    end
  end)

  it("have the jackknife's interval of the slowest, over 64 blocks", function()
    for _, slow in ipairs { 3, 5, 8 } do -- blocks with a frame of 1 s
      local low1 = recorded(1024, function(i)
        return i % math.floor(1024 / slow) == 30 and 1000 or 20
      end).low1
      -- without a block: the mean of the slowest of 1,008 frames
      local function mean_of(long)
        local most = 0.01 * 1008
        return math.log((long * 1000 + (most - long) * 20) / most)
      end
      local change = mean_of(slow) - mean_of(slow - 1)
      local p = slow / 64
      local squares = 64 * p * (1 - p) * change ^ 2
      -- fewer degrees of freedom than 63, by the kurtosis of what is summed
      local kurtosis = (1 - 3 * p * (1 - p)) / (p * (1 - p))
      local reach = core.stats.t_quantile(0.975, 2 * 64 / (kurtosis - 1))
        * math.sqrt(63 / 64 * squares)
      assert.near_relative(reach, math.log(low1.high / low1.ms), 0.01)
      assert.near_relative(reach, math.log(low1.ms / low1.low), 0.01)
    end
  end)

  it("have intervals of the slowest that hold though those come in few scenes",
    function()
      -- The logarithm of the duration is an autoregression: scenes of some 50
      -- frames are heavy or light, and few of them hold the slowest 1 %.
      local random = random_from(3)
      local function normal()
        return math.sqrt(-2 * math.log(1 - random()))
          * math.cos(2 * math.pi * random())
      end
      local again, held = 0.98, 0
      -- The mean of a lognormal beyond its 99th percentile (2.3263).
      local truth = 8 * math.exp(0.35 ^ 2 / 2) * 0.0240577 / 0.01
      for _ = 1, 100 do
        local now = normal()
        local low1 = recorded(9000, function()
          now = again * now + math.sqrt(1 - again ^ 2) * normal()
          return 8 * math.exp(0.35 * now)
        end).low1
        if low1.low <= truth and truth <= low1.high then held = held + 1 end
      end
      -- as above
      assert.is_true(held >= 88, "held in " .. held)
    end)

  it("have marks with what came after each", function()
    local recorder = tare.frames { budget_ms = 10 }
    recorder:mark "menu"
    for _ = 1, 10 do recorder:push(5 * MS) end
    recorder:mark "level 1"
    for i = 1, 20 do recorder:push((i % 4 == 0 and 30 or 8) * MS) end
    local marks = recorder:result().marks
    assert.equal(2, #marks)
    assert.same({ "menu", 1, 10, 0, 5 }, { marks[1].name, marks[1].first,
      marks[1].frames, marks[1].over, marks[1].max })
    assert.same({ "level 1", 11, 20, 0.25, 30 }, { marks[2].name,
      marks[2].first, marks[2].frames, marks[2].over, marks[2].max })
    assert.near(50, marks[2].start_ms, 1e-9)
    recorder:mark "level 2"
    recorder:push(15 * MS)
    recorder:mark "the end" -- of no frame
    marks = recorder:result().marks
    assert.same({ 1, 1, 15, 15 }, { marks[3].frames, marks[3].over,
      marks[3].mean, marks[3].max })
    assert.same({ 0, 0 }, { marks[4].frames, marks[4].max })
    assert.is_nil(marks[4].over)
    assert.is_nil(marks[4].mean)
    for i = 1, 100 do recorder:mark("again " .. i) end
    assert.equal(64, #recorder:result().marks)
    assert.equal(40, recorder:result().lost_marks)
  end)

  it("weigh the one longest frame once among the slowest", function()
    local _, _, recorder = recorded(1000, function(i)
      return i == 500 and 100 or 10
    end)
    local now = recorder:live({})
    assert.near_relative((100 + 9 * 10) / 10, now.low1, 0.01)
    assert.equal(100, now.low01)
    _, _, recorder = recorded(200, function(i)
      return i == 50 and 100 or i == 150 and 50 or 10
    end)
    assert.near_relative((100 + 50) / 2, recorder:live({}).low1, 0.01)
  end)

  it("are live in a table that is filled without garbage", function()
    local _, _, recorder = recorded(5000, function(i)
      return i % 100 == 0 and 40 or 10
    end)
    local now = recorder:live({})
    assert.equal(5000, now.frames)
    assert.equal(50, now.over)
    assert.equal(40, now.max)
    assert.near_relative(10, now.p50, 0.01)
    assert.near_relative(40, now.low1, 0.01)
    local said = recorder:result()
    assert.near_relative(said.p99, now.p99, 1e-9)
    assert.near_relative(said.low01.ms, now.low01, 1e-9)
    local jit = rawget(_G, "jit")
    if jit then jit.off() end -- its traces take memory of the heap
    collectgarbage()
    collectgarbage "stop"
    local least_kb = math.huge -- of some tries: busted allocates at times too
    for _ = 1, 10 do
      local kb = collectgarbage "count"
      for _ = 1, 20 do recorder:live(now) end
      least_kb = math.min(least_kb, collectgarbage "count" - kb)
    end
    collectgarbage "restart"
    if jit then jit.on() end
    assert.equal(0, least_kb)
  end)

  it("refuse what is no frame, and no name", function()
    local recorder = tare.frames()
    assert.error_matches(function() recorder:push() end,
      "push%(%) takes the frame's nanoseconds")
    assert.error_matches(function() recorder:push(-1) end,
      "push%(%): 'ns' must be a number from 0 to 1e18, got %-1")
    assert.error_matches(function() recorder:mark(3) end,
      "mark%(%): the name must be a string, got number")
    assert.error_matches(function() recorder:live() end,
      "live%(%) takes a table to fill")
    assert.is_nil(recorder:result())
  end)
end)
