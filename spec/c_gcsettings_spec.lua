local collector = require "spec.support.collector"
local core = require "tare.core"

local has_modes = _VERSION >= "Lua 5.4"

-- What Lua itself tells, asked in a way that restores it.
local function told()
  local pause, multiplier = collector.get "pause", collector.get "stepmul"
  local mode = "incremental"
  if has_modes then
    mode = collectgarbage "incremental"
    if mode == "generational" then collectgarbage "generational" end
  end
  local running = true
  if _VERSION ~= "Lua 5.1" then running = collectgarbage "isrunning" end
  return { pause = pause, step_multiplier = multiplier, mode = mode,
    running = running }
end

local function known_of(state)
  return { pause = state.pause, step_multiplier = state.step_multiplier,
    mode = state.mode, running = state.running }
end

describe("the state of the collector", function()
  local host
  before_each(function() host = core.gc_state() end)
  after_each(function() core.gc_restore(host) end)

  it("is what Lua would tell", function()
    assert.same(told(), known_of(host))
    core.gc_apply { pause = 100, step_multiplier = 300 }
    assert.same(told(), known_of(core.gc_state()))
    assert.equal(100, core.gc_state().pause)
  end)

  it("is not changed by asking", function()
    local before = told()
    for _ = 1, 10 do core.gc_state() end
    assert.same(before, told())
  end)

  it("changes only where it is told to", function()
    local expected = told()
    expected.pause = 300
    assert.same({ true }, { core.gc_apply { pause = 300 } })
    assert.same(expected, told())
  end)

  it("stops and restarts the collector, once", function()
    if _VERSION == "Lua 5.1" and not jit then
      return assert.is_true(core.gc_state().running) -- as it can't tell
    end
    core.gc_apply { running = false }
    assert.is_false(collectgarbage "isrunning")
    core.gc_run(false)
    assert.is_false(select(3, core.gc_settings()))
    core.gc_run(true)
    assert.is_true(collectgarbage "isrunning")
  end)

  it("is partly told without a step", function()
    core.gc_apply { pause = 300, step_multiplier = 400 }
    assert.same({ 300, 400, true }, { core.gc_settings() })
  end)

  it("is put back by a function that returns nothing", function()
    assert.equal(0, select("#", core.gc_put(core.gc_settings())))
  end)

  it("has the pause and the multiplier that are put back, each in its place",
    function()
      core.gc_put(300, 400, true)
      assert.same({ 300, 400, true }, { core.gc_settings() })
    end)

  it("is put back from numbers that C's int can hold", function()
    local before = { core.gc_settings() }
    for _, number in ipairs { 2 ^ 32 + 50, 2 ^ 31, -2 ^ 31 - 1, 2 ^ 53,
      math.huge, -math.huge, 0 / 0, "many" } do
      assert.has_error(function() core.gc_put(number, 400, true) end)
      assert.has_error(function() core.gc_put(300, number, true) end)
    end
    assert.same(before, { core.gc_settings() })
    core.gc_put(-1, -1, true) -- not known: it stays
    assert.same(before, { core.gc_settings() })
  end)

  it("is put back after anything", function()
    local before = told()
    collectgarbage "stop"
    collector.set("pause", 400)
    collector.set("stepmul", 400)
    if has_modes then
      collectgarbage(host.mode == "incremental" and "generational"
        or "incremental")
    end
    core.gc_restore(host)
    assert.same(before, told())
  end)

  if not has_modes then -- 5.4 keeps no number as large
    it("is put back where the host has set more than tare would", function()
      collectgarbage("setstepmul", 10000000)
      local before = core.gc_state()
      core.gc_apply { step_multiplier = 300 }
      core.gc_restore(before)
      assert.equal(10000000, core.gc_state().step_multiplier)
    end)
  end

  it("runs again after a guarded function that has stopped it", function()
    local watch, last = core.gcwatch(), nil
    for _, name in ipairs { "guard", "guard_all" } do
      assert.is_true(core[name](collectgarbage, "stop"))
      watch:arm()
      local minor, major = watch:counts()
      for i = 1, 3e5 do last = { i, last and #last } end
      watch:disarm()
      local minors, majors = watch:counts()
      assert.is_true(minors + majors > minor + major, name)
    end
  end)

  it("stays stopped where what is restored does not say whether it runs",
    function()
      if _VERSION == "Lua 5.1" and not jit then return end -- it can't tell
      for _, running in ipairs { false, true } do
        core.gc_run(running)
        core.gc_restore { pause = 300 }
        assert.equal(running, collectgarbage "isrunning")
        assert.equal(300, (core.gc_settings()))
      end
    end)

  it("refuses what is no setting", function()
    assert.has_error(function() core.gc_apply() end)
    assert.has_error(function() core.gc_apply { pause = "much" } end)
    assert.has_error(function() core.gc_apply { pause = -1 } end)
    assert.has_error(function() core.gc_apply { mode = "fast" } end)
    assert.same(told(), known_of(host))
  end)

  if not has_modes then
    it("has no generational mode here", function()
      local ok, message = core.gc_apply { mode = "generational", pause = 300 }
      assert.is_nil(ok)
      assert.equal("this Lua has no generational collector", message)
      assert.same(told(), known_of(host))
    end)
    return
  end

  it("knows its mode at any moment of a cycle", function()
    local kept = {} -- luacheck: ignore 241
    for _, mode in ipairs { "incremental", "generational", "incremental" } do
      collectgarbage(mode)
      for i = 1, 300 do
        assert.equal(mode, core.gc_state().mode)
        for j = 1, 50 do kept[(i * 50 + j) % 997] = { i, j } end
      end
    end
  end)

  it("knows its mode while the heap grows, after bad collections", function()
    for _, mode in ipairs { "generational", "incremental" } do
      collectgarbage(mode)
      local kept = {} -- luacheck: ignore 241
      for i = 1, 60 do
        for j = 1, 1000 do kept[#kept + 1] = { i, j } end
        assert.equal(mode, core.gc_state().mode)
      end
    end
  end)

  it("takes numbers of the mode that it is not in", function()
    if _VERSION < "Lua 5.4" then return end -- there is one mode
    local before = core.gc_state()
    collectgarbage "incremental"
    core.gc_apply { minor_multiplier = 40 }
    local state = core.gc_state()
    assert.same({ "incremental", 40 }, { state.mode, state.minor_multiplier })
    core.gc_apply { mode = "generational" }
    assert.equal(40, core.gc_state().minor_multiplier)
    core.gc_apply(before)
  end)

  it("remembers what Lua does not tell, through changes of mode", function()
    core.gc_apply { mode = "generational", minor_multiplier = 40,
      major_multiplier = 200 }
    core.gc_apply { mode = "incremental", step_size = 15 }
    local state = core.gc_state()
    assert.equal(40, state.minor_multiplier)
    assert.equal(200, state.major_multiplier)
    assert.equal(15, state.step_size)
    core.gc_restore(host)
    assert.same(host, core.gc_state())
  end)

  it("really sets the minor multiplier", function()
    local watch = core.gcwatch()
    local function minors(multiplier)
      core.gc_apply { mode = "generational", minor_multiplier = multiplier }
      watch:arm()
      local before = watch:counts()
      for i = 1, 3e5 do local _ = { i } end
      watch:disarm()
      return watch:counts() - before
    end
    local often, seldom = minors(10), minors(80)
    assert.is_true(often > 4 * seldom)
  end)

  if _VERSION == "Lua 5.4" then -- which can't report these numbers
    it("is set to no more than Lua keeps in a byte, and that is what is known",
      function()
        core.gc_apply { mode = "incremental", pause = 1024,
          step_multiplier = 2000, step_size = 256 }
        local state = core.gc_state()
        assert.equal(1020, state.pause)
        assert.equal(1020, state.step_multiplier)
        assert.equal(255, state.step_size)
        core.gc_apply { mode = "generational", minor_multiplier = 300,
          major_multiplier = 1024 }
        state = core.gc_state()
        assert.equal(255, state.minor_multiplier)
        assert.equal(1020, state.major_multiplier)
      end)

    it("keeps the multipliers that the host has set by itself", function()
      local watch = core.gcwatch()
      local function minors()
        collectgarbage()
        watch:arm()
        local before = watch:counts()
        for i = 1, 3e5 do local _ = { i } end
        watch:disarm()
        return watch:counts() - before
      end
      collectgarbage("generational", 80, 300)
      local before = minors()
      assert.is_true(core.guard_all(function() end))
      local guarded = minors()
      core.gc_restore(core.gc_state())
      local restored = minors()
      collectgarbage("generational", 20, 100) -- Lua's own
      assert.is_true(before >= 1)
      assert.near(before, guarded, 1)
      assert.near(before, restored, 1)
    end)
  end

  it("is guarded in either mode, whatever is set in the other", function()
    for _, mode in ipairs { "incremental", "generational" } do
      collectgarbage(mode)
      local before = core.gc_state()
      for _, raise in ipairs { false, true } do
        local ok = core.guard_all(function()
          core.gc_apply { mode = "generational", minor_multiplier = 50 }
          core.gc_apply { mode = "incremental", step_size = 10, pause = 300 }
          collectgarbage "stop"
          if raise then error "mine" end
        end)
        assert.equal(not raise, ok)
        assert.same(before, core.gc_state())
      end
    end
  end)

  -- More than a C function has room for: a Lua that checks its API
  -- (LUA_USE_APICHECK) ended here.
  it("is guarded in calls with any number of results", function()
    local list, unpack = {}, rawget(table, "unpack") or rawget(_G, "unpack")
    for i = 1, 300 do list[i] = i end
    for _, name in ipairs { "guard", "guard_all" } do
      for _, count in ipairs { 0, 1, 30, 300 } do
        local results = { core[name](unpack, list, 1, count) }
        assert.is_true(table.remove(results, 1))
        assert.equal(count, #results)
        assert.equal(list[count], results[count])
      end
      assert.same({ false, 7, n = 2 }, (function(...)
        return { n = select("#", ...), ... }
      end)(core[name](error, 7)))
    end
  end)

  it("is guarded in calls of something only", function()
    for _, name in ipairs { "guard", "guard_all" } do
      local _, message = pcall(core[name])
      assert.matches("bad argument #1 to .* %(value expected%)$", message)
    end
  end)

  it("is put back in either mode, whatever was set in the other", function()
    for _, mode in ipairs { "incremental", "generational" } do
      collectgarbage(mode)
      local before = core.gc_state()
      core.gc_apply { mode = "generational", minor_multiplier = 50 }
      core.gc_apply { mode = "incremental", step_size = 10, pause = 300 }
      core.gc_restore(before)
      assert.same(before, core.gc_state())
      assert.equal(mode, told().mode)
    end
  end)
end)
