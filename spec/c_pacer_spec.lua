local core = require "tare.core"

local generational = _VERSION == "Lua 5.4"

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

local ROUNDS = 6 -- of batches, natural and paced in turn
-- Calls of such a batch: several cycles, also beside all that the specs keep.
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

  it("splits the time of a batch in two", function()
    pacer:run(samples, meter, loop, 2e5)
    assert.is_true(last "mutator_ns" > 0)
    assert.is_true(last "collector_ns" > 0)
    assert.is_true(last "mutator_ns" + last "collector_ns" <= last "wall_ns")
    assert.is_true(last "gc_steps" > 0)
  end)

  -- Collections that happen by themselves, and those that pacing drives, of
  -- as many calls.
  local function collections_of_both()
    local watch = core.gcwatch()
    local function collections(f)
      watch:arm()
      local minor, major = watch:counts()
      f()
      local minor_after, major_after = watch:counts()
      watch:disarm()
      return minor_after - minor + major_after - major
    end
    loop(1e5)
    local natural, paced = 0, 0
    for _ = 1, ROUNDS do
      natural = natural + collections(function() loop(LONG) end)
      pacer:run(samples, meter, loop, LONG)
      paced = paced + last "gc_minor" + last "gc_major"
    end
    return natural, paced
  end

  -- A round may have one more or less: a large heap has few in all.
  local function assert_as_often(tolerance)
    local natural, paced = collections_of_both()
    assert.is_true(math.abs(paced - natural) <= tolerance * natural + ROUNDS,
      paced .. " against " .. natural)
  end

  it("collects as often as the collector does by itself", function()
    local coarse = _VERSION == "Lua 5.2" or _VERSION == "Lua 5.3"
    in_mode("incremental", function() assert_as_often(coarse and 0.6 or 0.16)
    end)
  end)

  if generational then
    it("does so in generational mode", function()
      in_mode("generational", function()
        assert_as_often(0.06)
        assert.equal(last "gc_minor" + last "gc_major", last "gc_steps")
      end)
    end)

    it("tells what minor collections cost", function()
      collectgarbage()
      if collectgarbage "count" > 6000 then -- minor collections are rare then
        return pending "beside so large a heap of other specs"
      end
      local old, at = {}, 0
      local function replaces_old(n)
        for _ = 1, n do
          at = at % 80000 + 1
          old[at] = { at }
        end
      end
      replaces_old(80000)
      in_mode("generational", function()
        for _, f in ipairs { loop, replaces_old } do
          for _ = 1, 3 do pacer:run(samples, meter, f, 2e5) end
          assert.is_true(last "gc_minor" > 0)
          assert.is_true(last "minor_ns" > 0)
          assert.is_true(last "minor_ns" <= last "collector_ns")
          assert.is_true(last "nursery_bytes" > 0)
        end
      end)
      assert.equal(80000, #old)
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

  it("keeps the heap as small as the collector would", function()
    in_mode("incremental", function()
      local before = collectgarbage "count"
      pacer:run(samples, meter, loop, 3e5)
      assert.is_true(collectgarbage "count" < 4 * before)
    end)
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

  it("counts with the watch of a meter, where it is given one", function()
    local watching = core.meter { watch = true }
    local before = collectgarbage "count"
    local borrower = core.pacer(watching)
    assert.is_true(collectgarbage "count" >= before) -- nothing was collected
    for _ = 1, 3 do
      assert.is_true(borrower:run(samples, watching, loop, 2e5))
      assert.is_true(last "gc_minor" + last "gc_major" > 0)
      assert.is_true(watching:time(samples, loop, 2e5))
      assert.is_true(last "gc_minor" + last "gc_major" > 0)
    end
    assert.has_error(function() core.pacer {} end)
    watching = nil -- luacheck: ignore 311
    collectgarbage()
    assert.is_true(borrower:run(samples, meter, loop, 2e5))
  end)

  it("refuses what it can't run", function()
    assert.has_error(function() pacer:run(samples, meter, nil, 1) end)
    assert.has_error(function() pacer:run(samples, meter, loop, 0) end)
    assert.has_error(function() pacer:run(samples, meter, loop, 1, 2) end)
    assert.has_error(function() pacer:run(samples, {}, loop, 1) end)
  end)
end)

-- TARE_COUNTING_LUA names a lua5.4 whose collector tells the truth ('make
-- counted' builds one): its global gccounters() returns the steps that
-- allocation caused, the minor and the major collections of any cause, and the
-- nanoseconds spent in those steps.
describe("against a collector that counts for itself", function()
  local counting = os.getenv "TARE_COUNTING_LUA"
  if not counting or _VERSION ~= "Lua 5.4" then
    return it("is right", function()
      pending("TARE_COUNTING_LUA names no such interpreter")
    end)
  end
  for _, mode in ipairs { "incremental", "generational" } do
    for _, live in ipairs { 100, 20000 } do
      it("is right for " .. live .. " objects, " .. mode, function()
        local run = "%s spec/support/paced_truth.lua %s %d 20 500000"
        local pipe = io.popen(run:format(counting, mode, live))
        local mutator, collector, collections, _, wrong = pipe:read("*n",
          "*n", "*n", "*n", "*n")
        pipe:close()
        assert.near_relative(1, collections, 0.002)
        assert.equal(0, wrong)
        assert.near_relative(1, mutator, 0.05)
        assert.near_relative(1, collector, 0.05)
      end)
    end
  end
end)
