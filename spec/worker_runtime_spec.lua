-- What a batch asks of the collector and of LuaJIT's compiler.
local collector = require "spec.support.collector"
local compat = require "tare.base.compat"
local core = require "tare.core"
local gc_option = require "tare.base.gc_option"
local Runtime = require "tare.worker.runtime"

local HEAP = "tare.worker.heap"
local jit = compat.jit()
local tells_running = _VERSION ~= "Lua 5.1" or jit -- stock 5.1 does not

local function options(more)
  local all = { gc = "natural" }
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

describe("the buffer in which strings are made", function()
  -- How many full collections make it small, where the heap has these sizes
  -- before and after each.
  local function collections(sizes)
    local own, known, count = collectgarbage, package.loaded[HEAP], 0
    local function made_up(what)
      if what == "count" then return sizes[math.min(count + 1, #sizes)] end
      count = count + 1
    end
    rawset(_G, "collectgarbage", made_up)
    package.loaded[HEAP] = nil
    local ok, message = pcall(function() require(HEAP).settle() end)
    rawset(_G, "collectgarbage", own)
    package.loaded[HEAP] = known
    assert(ok, message)
    return count
  end

  it("is halved until the heap is no smaller after it, sixteen times at most, "
    .. "where collections halve it", function()
    local endless = {}
    for i = 1, 40 do endless[i] = 100 - i end
    for _, case in ipairs { { { 100, 100 }, 1 }, { { 100, 101, 90 }, 1 },
      { { 100, 90, 90 }, 2 }, { { 100, 90, 80, 80, 70 }, 3 },
      { endless, 16 } } do
      assert.equal(compat.HALVES_BUFFER and case[2] or 0,
        collections(case[1]))
    end
  end)
end)

describe("the collector, around a batch", function()
  it("is left alone with --gc natural", function()
    local runtime, before = Runtime.new(), core.gc_state()
    assert(runtime:enter(options()))
    assert.same(before, core.gc_state())
    runtime:leave(options())
    assert.same(before, core.gc_state())
  end)

  it("is stopped, and runs again after it", function()
    local runtime, kept = Runtime.new(), {}
    assert(runtime:enter(options { gc = "stopped" }))
    local before = collectgarbage "count"
    for _ = 1, 20000 do kept[1] = {} end -- stored, or LuaJIT would make none
    local grown = collectgarbage "count" - before
    runtime:leave(options { gc = "stopped" })
    assert.is_table(kept[1])
    assert.is_true(grown > 500)
    if tells_running then assert.is_true((select(3, core.gc_settings()))) end
  end)

  it("has nothing left to collect with --gc collect and stopped", function()
    for _, mode in ipairs { "collect", "stopped" } do
      local runtime = Runtime.new()
      local weak = setmetatable({ {} }, { __mode = "v" })
      assert(runtime:enter(options { gc = mode }))
      assert.is_nil(weak[1])
      runtime:leave(options { gc = mode })
    end
  end)

  it("is as before after a batch, whatever the bench does", function()
    local runtime = Runtime.new()
    local before = { core.gc_settings() }
    assert(runtime:enter(options()))
    collectgarbage "stop"
    collector.set("pause", 500)
    collector.set("stepmul", 500)
    runtime:leave(options())
    runtime:after_cell()
    assert.same(before, { core.gc_settings() })
  end)

  if tells_running then
    it("stays stopped where the host has stopped it", function()
      collectgarbage "stop"
      local runtime, seen = Runtime.new(), {}
      for _, mode in ipairs(gc_option.names) do
        assert(runtime:enter(options { gc = mode }))
        runtime:leave(options { gc = mode })
        runtime:after_cell()
        seen[#seen + 1] = collectgarbage "isrunning"
      end
      runtime:restore()
      seen[#seen + 1] = collectgarbage "isrunning"
      collectgarbage "restart"
      assert.equal(#gc_option.names + 1, #seen)
      for _, runs in ipairs(seen) do assert.is_false(runs) end
    end)
  end

  it("has the settings of a cell, then those of the host again", function()
    local runtime, before = Runtime.new(), core.gc_state()
    local own = options { gc_pause = 100 }
    for _ = 1, 3 do
      assert(runtime:enter(own))
      assert.equal(100, (core.gc_settings()))
      runtime:leave(own)
    end
    assert(runtime:enter(options()))
    assert.same(before, core.gc_state())
    runtime:leave(options())
    assert(runtime:enter(own))
    runtime:leave(own)
    runtime:after_cell()
    runtime:restore()
    assert.same(before, core.gc_state())
  end)

  it("has none that were refused, the next time neither", function()
    local runtime, before = Runtime.new(), core.gc_state()
    for _ = 1, 2 do
      assert.is_false((pcall(runtime.enter, runtime,
        options { gc_pause = -1 })))
    end
    runtime:restore()
    assert.same(before, core.gc_state())
  end)

  it("keeps what the host changes between its steps", function()
    local runtime = Runtime.new()
    local pause = collector.set("pause", 300)
    runtime:refresh()
    assert(runtime:enter(options { gc_pause = 100 }))
    runtime:leave(options { gc_pause = 100 })
    runtime:restore()
    local kept = collector.set("pause", pause)
    assert.equal(300, kept)
  end)

  if _VERSION >= "Lua 5.4" then
    it("is in the mode asked for, and in its own again", function()
      local before = core.gc_state()
      local other = before.mode == "incremental" and "generational"
        or "incremental"
      local runtime = Runtime.new()
      assert(runtime:enter(options { gc_mode = other }))
      assert.equal(other, core.gc_state().mode)
      runtime:leave(options { gc_mode = other })
      runtime:restore()
      assert.same(before, core.gc_state())
    end)

    it("is in its mode again after a cell that changed it", function()
      local runtime, before = Runtime.new(), core.gc_state()
      assert(runtime:enter(options()))
      collectgarbage(before.mode == "incremental" and "generational"
        or "incremental")
      runtime:leave(options())
      runtime:after_cell()
      assert.same(before, core.gc_state())
    end)
  else
    it("refuses a mode that this Lua lacks, each time", function()
      local runtime = Runtime.new()
      for _ = 1, 2 do
        local ok, message = runtime:enter(options { gc_mode = "generational" })
        assert.is_nil(ok)
        assert.truthy(message:find("generational", 1, true))
      end
      runtime:restore()
    end)
  end

  it("tells settings that the mode makes no use of", function()
    local runtime = Runtime.new()
    local function ignores(mode, name)
      return runtime:ignores(options { gc_mode = mode, [name] = 100 })
    end
    assert.is_true(ignores("generational", "gc_pause"))
    assert.is_true(ignores("generational", "gc_step_size"))
    assert.is_true(ignores("incremental", "gc_minor_multiplier"))
    assert.is_false(ignores("incremental", "gc_step_multiplier"))
    assert.is_false(ignores("generational", "gc_major_multiplier"))
    assert.is_false(ignores("generational", "quota"))
  end)

  it("tells which cells may alternate from batch to batch", function()
    local key = Runtime.key_of
    assert.equal(key(options()), key(options { quota = { ns = 1 } }))
    for name, value in pairs { gc = "stopped", gc_mode = "incremental",
      gc_pause = 100, jit = false } do
      assert.are_not.equal(key(options()), key(options { [name] = value }))
    end
  end)
end)

describe("a hook of the host", function()
  after_each(function() debug.sethook() end)

  it("is there again after a batch that set its own, or none", function()
    local runtime = Runtime.new()
    local function host() end
    for _, change in ipairs { function() debug.sethook() end,
      function() debug.sethook(print, "", 1e6) end } do
      debug.sethook(host, "", 1e5)
      assert(runtime:enter(options()))
      change()
      runtime:leave(options())
      local hook, _, count = debug.gethook()
      assert.same({ host, 1e5 }, { hook, count })
    end
  end)
end)

if not jit then
  describe("the option 'jit'", function()
    it("can only be off where there is no compiler", function()
      local runtime = Runtime.new()
      assert.same({ nil, "jit: this Lua has no compiler that could be on" },
        { runtime:enter(options { jit = true }) })
      assert(runtime:enter(options { jit = false }))
      runtime:leave(options { jit = false })
    end)
  end)
  return
end

describe("the option 'jit'", function()
  local function within(runtime, wanted)
    assert(runtime:enter(options { jit = wanted }))
    local status = jit.status()
    runtime:leave(options { jit = wanted })
    return status
  end

  it("switches the compiler for the batches, and leaves it as it was",
    function()
      local runtime = Runtime.new()
      for _, wanted in ipairs { true, false, true } do
        assert.equal(wanted, within(runtime, wanted))
        assert.is_true((jit.status()))
      end
    end)

  it("leaves a compiler off that the host has switched off", function()
    jit.off()
    local runtime = Runtime.new()
    local seen = { within(runtime, nil), within(runtime, true) }
    seen[3] = jit.status()
    runtime:restore()
    seen[4] = jit.status()
    jit.on()
    assert.same({ false, true, false, false }, seen)
  end)

  it("drops what was compiled when it changes, and only then", function()
    local runtime, flushed, flush = Runtime.new(), 0, jit.flush
    jit.flush = function(...) -- luacheck: ignore 122
      flushed = flushed + 1
      return flush(...)
    end
    local seen = {}
    for i, wanted in ipairs { true, true, false, false, true } do
      within(runtime, wanted)
      seen[i] = flushed
    end
    jit.flush = flush -- luacheck: ignore 122
    assert.same({ 0, 0, 1, 1, 2 }, seen)
  end)
end)
