local command = require "spec.support.command"
local core = require "tare.core"
local unpack = require("tare.base.compat").unpack

local generational = _VERSION >= "Lua 5.4"

local function in_mode(mode, f)
  local before = generational and collectgarbage(mode)
  local ok, message = pcall(f)
  if generational and before ~= mode then collectgarbage(before) end
  if not ok then error(message, 0) end
end

-- Whether the collector acts by itself.
local function runs_by_itself()
  local watch = core.gcwatch()
  watch:arm()
  local kept = {}
  for i = 1, 3e5 do kept[i % 8] = { i } end
  watch:disarm()
  local minor, major = watch:counts()
  return #kept > 0 and minor + major > 0
end

-- The sink is a table: what is stored in a closed upvalue is kept by the
-- collector, and what is in a local LuaJIT need not even make.
local sink = {} -- luacheck: ignore 241
local function pair(a, b) return { a, b } end
local function loop(n)
  for i = 1, n do sink[1] = pair(i, i) end
end

-- Calls of a batch with several cycles, also beside all that the specs keep.
local LONG = rawget(_G, "jit") and 1e6 or 2e5

describe("the pacer", function()
  local meter, samples, pacer, kept
  before_each(function()
    collectgarbage()
    kept = {}
    for i = 1, 2000 do kept[i] = { i } end
    meter, samples, pacer = core.meter(), core.samples(64), core.pacer()
  end)
  after_each(function() assert(#kept == 2000) end)

  local function last(name) return samples:get(-1, name) end

  it("makes exactly the calls that it was asked for", function()
    local calls = 0
    local function count(n) calls = calls + n end
    for _, iters in ipairs { 1, 2, 7, 1000, 12345 } do
      calls = 0
      assert.is_true(pacer:run(samples, meter, count, iters))
      assert.equal(iters, calls)
      assert.equal(iters, last "iters")
    end
  end)

  it("learns from an empty function what a call costs, if given one", function()
    local least = math.huge
    local function loop_of_one(n) least = math.min(least, n) end
    pacer:run(samples, meter, loop_of_one, 10)
    assert.equal(0, least)
    least = math.huge
    pacer:run(samples, meter, loop_of_one, 10, function() end)
    assert.is_true(least >= 1)
  end)

  if generational then
    it("tells of the nurseries of its own batches how much of them survives",
      function()
        in_mode("generational", function()
          local calls, mine = 0, {} -- luacheck: ignore 241
          for i = 1, 5e4 do mine[i] = false end
          local function half(n)
            for _ = 1, n do
              calls = calls + 1
              local made = pair(calls, calls)
              if calls % 2 == 0 then mine[calls / 2] = made end
            end
          end
          local function survived()
            return last "promoted_bytes" / last "nursery_bytes"
          end
          for _ = 1, 3 do pacer:run(samples, meter, loop, 2e5) end
          assert.is_true(last "nursery_bytes" > 1e6)
          assert.is_true(survived() < 0.002, survived())
          for i = 1, 40000 do kept[2000 + i] = { i } end -- between batches
          collectgarbage()
          pacer:run(samples, meter, loop, 2e5)
          assert.is_true(last "nursery_bytes" > 1e6)
          assert.is_true(survived() < 0.002, survived())
          pacer:run(samples, meter, half, 1e5)
          local share = survived()
          for i = 2001, #kept do kept[i] = nil end
          assert.is_true(share > 0.3 and share < 0.7, share)
        end)
      end)
  end

  it("splits the time of a batch in two", function()
    pacer:run(samples, meter, loop, 2e5)
    assert.is_true(last "mutator_ns" > 0)
    assert.is_true(last "collector_ns" > 0)
    assert.is_true(last "mutator_ns" + last "collector_ns" <= last "wall_ns")
    assert.is_true(last "gc_steps" > 0)
  end)

  it("tells where in a batch the first collection ended, and the last, so that "
    .. "it can be cut there", function()
    in_mode("incremental", function()
      local function parts()
        pacer:run(samples, meter, loop, LONG)
        local between = LONG - last "head_iters" - last "tail_iters"
        return last "head_iters", last "tail_iters",
          between / (last "gc_minor" + last "gc_major" - 1)
      end
      local _, left, calls = parts()
      local first, rest, more_calls = parts()
      assert.near_relative(calls, more_calls, 0.2)
      assert.is_true(rest < 1.2 * calls)
      -- A cycle that begins in one batch ends in the next.
      assert.near_relative(calls, left + first, 0.2)
      assert.is_true(last "head_collector_ns" > 0)
      assert.is_true(last "head_collector_ns" + last "tail_collector_ns"
        < last "collector_ns")
      assert.is_true(last "head_mutator_ns" + last "tail_mutator_ns"
        < last "mutator_ns")
    end)
  end)

  it("has all of a batch in which none ended before that", function()
    pacer:run(samples, meter, loop, 3)
    assert.equal(3, last "head_iters")
    assert.equal(0, last "tail_iters")
    assert.equal(0, last "tail_mutator_ns")
  end)

  -- The numbers that a trial of spec/support/pacer_alone.lua prints.
  local function alone(...)
    local code, out, err = command.shell(table.concat({
      os.getenv "TARE_LUA" or "lua5.4", "spec/support/pacer_alone.lua", ...
    }, " "))
    assert.equal(0, code, err)
    local numbers = {}
    for number in out:gmatch "%S+" do
      numbers[#numbers + 1] = tonumber(number)
    end
    return numbers
  end

  if generational then
    it("looks no more often where the heap is large", function()
      assert.is_true(alone("looks")[1] < 1200)
    end)
  end

  -- The collectors of 5.2 and 5.3 are coarse, and that of 5.1 can't be let go
  -- in a pause (state/pace.h): natural batches may begin a cycle more, which
  -- the paced ones after them then lack. 5.5 does not tell where in a cycle it
  -- is, after batches in which it ran by itself.
  local COARSE = { ["Lua 5.2"] = 1, ["Lua 5.3"] = 0.2, ["Lua 5.1"] = 0.1,
    ["Lua 5.5"] = 0.03 }
  local coarse = not rawget(_G, "jit") and COARSE[_VERSION]
  local few = coarse and (_VERSION == "Lua 5.1" and 8 or 4) or 1
  local iters = rawget(_G, "jit") and 1e6 or 4e5

  -- Beside 11 MB, where cycles are few and each counts, and beside little.
  local function assert_as_often(order, mode)
    for live, limit in pairs { [2000] = 0.03, [150000] = 0.05 } do
      local counts = alone("cycles", 6, iters, live, order, mode)
      local own, paced = counts[1], counts[2]
      assert.equal(live, counts[3])
      assert.is_true(own > 0)
      assert.is_true(math.abs(paced - own)
        <= math.max(few, (coarse or limit) * own),
        paced .. " against " .. own)
    end
  end

  for _, order in ipairs { "apart", "turns" } do
    it("collects as often as the collector by itself, " .. order, function()
      assert_as_often(order)
    end)
  end

  if generational then
    it("goes on with a cycle where others have left it, also in its sweep",
      function()
        local own, paced = unpack(alone("shapes", 100, 17100, "ring"))
        assert.near_relative(own, paced, 0.35)
      end)

    it("does all the steps that a call has made due", function()
      local own, paced = unpack(alone("shapes", 40, 61, "large"))
      assert.near_relative(own, paced, 0.2)
    end)
  end

  -- The pace survives: neither kind of batch leaves more or less of a cycle to
  -- the other.
  for _, mode in ipairs(generational and { "incremental", "generational" }
    or { "" }) do
    it("leaves as many to natural batches as there are without it, " .. mode,
      function()
        for live, calls in pairs { [2000] = iters, [500000] = 6 * iters } do
          local alone_count = alone("cycles", 2, calls, live, "alone", mode)[1]
          local counts = alone("cycles", 2, calls, live, "turns", mode)
          local own, paced = counts[1], counts[2]
          assert.is_true(alone_count > 0)
          assert.is_true(math.abs(own + paced - alone_count)
            <= math.max(few, (coarse or 0.05) * alone_count),
            ("%d and %d, %d alone"):format(own, paced, alone_count))
        end
      end)
  end

  if generational then
    it("does so in generational mode", function()
      assert_as_often("turns", "generational")
    end)

    -- Where Lua does not tell a step, its time does: a look that the system
    -- interrupts is taken for one.
    it("has a collection a step there, but for interrupted looks", function()
      in_mode("generational", function()
        local fewest = math.huge
        for _ = 1, 5 do
          pacer:run(samples, meter, loop, LONG)
          local more = last "gc_steps" - last "gc_minor" - last "gc_major"
          assert.is_true(more >= 0)
          fewest = math.min(fewest, more)
        end
        assert.equal(0, fewest)
      end)
    end)

    it("tells what minor collections cost, and what they keep", function()
      local numbers = alone "kept"
      assert.equal(10, #numbers)
      for first, share in pairs { [1] = 0, [6] = 1 } do
        local minor, minor_ns, collector_ns, kept_share =
          unpack(numbers, first, first + 3)
        assert.is_true(minor > 0)
        assert.is_true(minor_ns > 0 and minor_ns <= collector_ns)
        assert.is_true(math.abs(share - kept_share) < 0.2,
          kept_share .. " of what is new")
      end
    end)

    it("leaves the mode and a stopped collector as they were", function()
      for _, mode in ipairs { "incremental", "generational" } do
        in_mode(mode, function()
          collectgarbage "stop"
          pacer:run(samples, meter, loop, 1e4)
          assert.is_false(collectgarbage "isrunning")
          collectgarbage "restart"
          pacer:run(samples, meter, loop, 1e4)
          assert.is_true(collectgarbage "isrunning")
          assert.equal(mode, collectgarbage(mode))
        end)
      end
    end)
  end

  -- Lua 5.1 does not tell that its collector is stopped (docs/versions.md).
  if rawget(_G, "jit") or _VERSION ~= "Lua 5.1" then
    it("drives a collector that the host has stopped, which stays so",
      function()
      collectgarbage "stop"
      local before = collectgarbage "count"
      for _ = 1, 3 do assert.is_true(pacer:run(samples, meter, loop, LONG)) end
      local after = collectgarbage "count"
      local by_itself = runs_by_itself()
      collectgarbage "restart"
      assert.is_true(last "gc_minor" + last "gc_major" > 0)
      assert.is_true(after < 4 * before)
      assert.is_false(by_itself)
    end)
  end

  if generational then
    it("sweeps no more in a step than the collector would", function()
      -- A step sweeps about 50,000 objects; a cycle here some 400,000.
      in_mode("incremental", function()
        local live = {}
        for i = 1, 1e5 do live[i] = { i } end
        collectgarbage()
        local function drop(n) -- nothing that it makes is alive afterwards
          for i = 1, n do pair(i, i) end
        end
        assert.is_true(pacer:run(samples, meter, drop, 8e5))
        assert.is_true(last "gc_major" >= 3)
        -- about 8 in each, of which some may be too short to be seen as such
        assert.is_true(last "gc_steps" >= 5 * last "gc_major",
          last "gc_steps" .. " steps, " .. last "gc_major" .. " cycles")
        assert.equal(1e5, #live)
      end)
    end)
  end

  it("keeps the heap as small as the collector would", function()
    in_mode("incremental", function()
      local before = collectgarbage "count"
      pacer:run(samples, meter, loop, 3e5)
      assert.is_true(collectgarbage "count" < 4 * before)
    end)
  end)

  if not rawget(_G, "jit") then -- whose compiled code calls no hooks
    -- One call that makes 20,000 tables, which die at once.
    local function large(n) for _ = 1, n do loop(2e4) end end

    it("takes steps in the midst of calls, of coroutines too", function()
      local counts = alone "inside"
      for first = 1, 3, 2 do
        local between, inside = counts[first], counts[first + 1]
        assert.is_true(between <= 20, between .. " between")
        assert.is_true(inside > 20, inside .. " inside")
      end
    end)

    it("does not tell the mutator's time then: it is slowed down", function()
      pacer:run(samples, meter, large, 2, large, true)
      assert.is_true(last "collector_ns" >= 0)
      assert.are_not.equal(last "mutator_ns", last "mutator_ns") -- NaN
    end)

    it("leaves no hook to coroutines that were made in a batch", function()
      local made
      local function resumes(n)
        made = n > 0 and (made or coroutine.create(function()
          while true do coroutine.yield() end
        end))
        for _ = 1, n do coroutine.resume(made) end
      end
      pacer:run(samples, meter, resumes, 100, resumes, true)
      for _ = 1, 200 do coroutine.resume(made) end -- the next look of the hook
      assert.is_nil((debug.gethook(made)))
    end)

    it("keeps the hook that was set, also after an error in a call", function()
      local seen = 0
      local function hook() seen = seen + 1 end
      local function fail() large(1) error "mine" end
      debug.sethook(hook, "", 1000)
      local ran = pacer:run(samples, meter, large, 2, large, true)
      local failed, message = pcall(pacer.run, pacer, samples, meter, fail, 1,
        loop, true)
      local after, mask, count = debug.gethook()
      debug.sethook()
      assert.is_true(ran)
      assert.is_true(failed)
      assert.is_nil(message)
      assert.equal(hook, after)
      assert.equal("", mask)
      assert.equal(1000, count)
      assert.is_true(runs_by_itself())
    end)

    it("can pace within calls that pace within calls", function()
      local inner = core.pacer()
      local function nested(n)
        for _ = 1, n do
          assert(inner:run(samples, meter, large, 2, loop, true))
          large(1)
        end
      end
      assert.is_true(pacer:run(samples, meter, nested, 3, loop, true))
      assert.is_nil(debug.gethook())
      assert.is_true(runs_by_itself())
    end)
  end

  it("puts the hook back that was set before", function()
    local function hooks() debug.sethook(function() end, "c") end
    assert.is_true(pacer:run(samples, meter, hooks, 10))
    local _, mask = debug.gethook() -- 5.1 remembers the last function
    debug.sethook()
    assert.equal("", mask or "")
  end)

  it("is refused to its own batch, and lets the collector go on", function()
    local message
    local function within(n)
      if n > 0 then
        message = select(2, pcall(pacer.run, pacer, samples, meter, loop, 10))
        error "mine"
      end
    end
    assert.is_nil((pacer:run(samples, meter, within, 1)))
    assert.matches("a batch of the pacer is under way", message)
    assert.is_true(runs_by_itself())
    assert.is_true(pacer:run(samples, meter, loop, 10))
  end)

  it("returns the error of the function, keeps no row", function()
    local function fail(n) if n > 0 then error({ "mine" }) end end
    local ok, e = pacer:run(samples, meter, fail, 10)
    assert.is_nil(ok)
    assert.same({ "mine" }, e)
    assert.equal(0, #samples)
    assert.is_true(runs_by_itself())
  end)

  it("lets the collector go on afterwards", function()
    pacer:run(samples, meter, loop, 1e4)
    assert.is_true(runs_by_itself())
  end)

  it("bears functions that drive the collector themselves", function()
    for _, option in ipairs { "collect", "stop", "restart", "step" } do
      local function drive(n)
        for i = 1, n do
          sink[1] = pair(i, i)
          if i % 50 == 0 then collectgarbage(option) end
        end
      end
      assert.is_true(pacer:run(samples, meter, drive, 500))
    end
    assert.is_true(runs_by_itself())
  end)

  it("copes with calls that allocate nothing, much, or now and then", function()
    local before = collectgarbage "count"
    local function nothing() end
    local function large(n)
      for _ = 1, n do local _ = ("x"):rep(1e5) end
    end
    local calls = 0
    local function seldom(n)
      for _ = 1, n do
        calls = calls + 1
        local _ = calls % 100 == 0 and ("y"):rep(1e4 + calls)
      end
    end
    for _, f in ipairs { nothing, large, seldom } do
      assert.is_true(pacer:run(samples, meter, f, 1000))
    end
    assert.is_true(collectgarbage "count" < 4 * before)
  end)

  it("counts the pauses of all its runs", function()
    assert.is_nil(pacer:pauses())
    pacer:run(samples, meter, loop, 1e5)
    local steps = last "gc_steps"
    pacer:run(samples, meter, loop, 1e5)
    steps = steps + last "gc_steps"
    local pauses = pacer:pauses()
    local total, bins = 0, pauses.histogram
    for _, count in ipairs(bins.counts) do total = total + count end
    assert.equal(steps, total)
    assert.equal(steps, pauses.count)
    assert.equal(#bins.counts + 1, #bins.edges_ns)
    assert.is_true(pauses.max >= bins.edges_ns[#bins.edges_ns - 1]
      and pauses.max <= bins.edges_ns[#bins.edges_ns])
    assert.is_true(pauses.p50 <= pauses.p95 and pauses.p95 <= pauses.p99
      and pauses.p99 <= pauses.max)
    for i = 2, #bins.edges_ns do
      assert.near_relative(10 ^ (1 / 32),
        bins.edges_ns[i] / bins.edges_ns[i - 1], 1e-9)
    end
  end)

  it("joins pauses that are some, and no others", function()
    pacer:run(samples, meter, loop, 1e5)
    local one = pacer:pauses()
    local both = core.pauses { one, one }
    assert.equal(2 * one.count, both.count)
    assert.equal(one.max, both.max)
    local alike = core.pauses { { max = 10, histogram = { edges_ns = { 10 },
      counts = { 3 } } } } -- all in the first bin that there is
    assert.same({ 3 }, alike.histogram.counts)
    for _, bins in ipairs { { edges_ns = { 1 }, counts = {} },
      { edges_ns = { 1 }, counts = { "x" } }, { edges_ns = { 1 } },
      { edges_ns = {}, counts = { 1 } } } do
      assert.has_error(function()
        core.pauses { { max = 1, histogram = bins } }
      end, "bad argument #1 to 'pauses' (must be a list of pauses)")
    end
    assert.has_error(function()
      core.pauses { { max = "x", histogram = one.histogram } }
    end)
  end)

  it("counts with the watch of a meter, where it is given one", function()
    local watching = core.meter { watch = true }
    local before = collectgarbage "count"
    local borrower = core.pacer(watching)
    assert.is_true(collectgarbage "count" >= before) -- nothing was collected
    for _ = 1, 3 do
      assert.is_true(borrower:run(samples, watching, loop, LONG))
      assert.is_true(last "gc_minor" + last "gc_major" > 0)
      assert.is_true(watching:time(samples, loop, LONG))
      assert.is_true(last "gc_minor" + last "gc_major" > 0)
    end
    assert.has_error(function() core.pacer {} end)
    watching = nil -- luacheck: ignore 311
    collectgarbage()
    assert.is_true(borrower:run(samples, meter, loop, LONG))
  end)

  it("refuses what it can't run", function()
    assert.has_error(function() pacer:run(samples, meter, nil, 1) end)
    assert.has_error(function() pacer:run(samples, meter, loop, 0) end)
    assert.has_error(function() pacer:run(samples, meter, loop, 1, 2) end)
    assert.has_error(function() pacer:run(samples, {}, loop, 1) end)
  end)
end)
