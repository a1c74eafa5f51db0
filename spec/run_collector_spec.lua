local core = require "tare.core"
local Collector = require "tare.run.collector"

describe("the collector, around a batch", function()
  it("is left alone in mode 'natural'", function()
    local collector = Collector.new()
    local collections = 0
    collector:enter { gc = "natural" }
    collections = collections + collectgarbage("count")
    collector:leave { gc = "natural" }
    assert.is_true(collections > 0)
  end)

  it("is stopped, and runs again after it", function()
    local collector = Collector.new()
    collector:enter { gc = "stopped" }
    local before = collectgarbage "count"
    local kept = {} -- stored, or LuaJIT would make none
    for _ = 1, 20000 do kept[1] = {} end
    local grown = collectgarbage "count" - before
    assert.is_table(kept[1])
    collector:leave { gc = "stopped" }
    assert.is_true(grown > 500)
    if _VERSION ~= "Lua 5.1" then
      assert.is_true(collectgarbage "isrunning")
    end
  end)

  it("is as before after a batch, whatever the bench does", function()
    local collector = Collector.new()
    local before = { core.gc_settings() }
    collector:enter { gc = "natural" }
    collectgarbage "stop"
    collectgarbage("setpause", 500)
    collectgarbage("setstepmul", 500)
    collector:leave()
    if _VERSION == "Lua 5.1" and not jit then collectgarbage "restart" end
    assert.same(before, { core.gc_settings() })
  end)

  it("stays stopped where the host has stopped it", function()
    if _VERSION == "Lua 5.1" and not jit then return end -- can't be told
    collectgarbage "stop"
    local collector = Collector.new()
    for _, mode in ipairs { "natural", "stopped", "collect" } do
      collector:enter { gc = mode }
      collector:leave()
      collector:settle { gc = mode }
    end
    collector:restore()
    local is_running = collectgarbage "isrunning"
    collectgarbage "restart"
    assert.is_false(is_running)
  end)

  it("has the settings of a cell, then those of the host again", function()
    local collector = Collector.new()
    local before = core.gc_state()
    collector:enter { gc = "natural", gc_pause = 120 }
    assert.equal(120, (core.gc_settings()))
    collector:leave()
    collector:settle { gc = "natural", gc_pause = 120 }
    collector:restore()
    assert.same(before, core.gc_state())
  end)

  it("keeps what the host changes between its steps", function()
    local collector = Collector.new()
    local pause = collectgarbage("setpause", 240)
    collector:refresh()
    collector:enter { gc = "natural", gc_pause = 120 }
    collector:leave()
    collector:restore()
    local kept = collectgarbage("setpause", pause)
    assert.equal(240, kept)
  end)

  if _VERSION == "Lua 5.4" then
    it("is in its mode again after a cell that changed it", function()
      local collector = Collector.new()
      local before = core.gc_state()
      collector:enter { gc = "natural" }
      collectgarbage(before.mode == "incremental" and "generational"
        or "incremental")
      collector:leave()
      collector:settle { gc = "natural" }
      assert.same(before, core.gc_state())
    end)
  end

  it("has nothing left to collect in mode 'collect'", function()
    local collector = Collector.new()
    do local _ = ("x"):rep(2^20) .. tostring {} end
    collector:enter { gc = "collect" }
    local before = collectgarbage "count"
    collectgarbage()
    assert.is_true(before - collectgarbage "count" < 16)
    collector:leave { gc = "collect" }
  end)

  if _VERSION ~= "Lua 5.4" then
    it("refuses a mode that this Lua lacks, each time", function()
      local collector = Collector.new()
      for _ = 1, 2 do
        local ok, message =
          collector:enter { gc = "natural", gc_mode = "generational" }
        assert.is_nil(ok)
        assert.truthy(message:find("generational", 1, true))
      end
      collector:restore()
    end)
  end

  it("is left alone beside an empty loop", function()
    local options = require "tare.base.options"
    local Runner = require "tare.run.runner"
    local Suite = require "tare.bench.suite"
    local settings = assert(options.resolve({ quota = "5ms" }, "spec"))
    for gc, other in pairs { collect = "natural", stopped = "natural",
      paced = "paced" } do
      local suite = Suite.new "s"
      suite:bench("b", { run = function() end, gc = gc })
      local trials = Runner.new(assert(suite:cells()), settings):run()
      assert.equal(other, trials[1].empty.options.gc)
    end
  end)

  it("tells settings that the mode makes no use of", function()
    local collector = Collector.new()
    local function ignores(mode, name)
      return collector:ignores { gc = "natural", gc_mode = mode, [name] = 100 }
    end
    assert.is_true(ignores("generational", "gc_pause"))
    assert.is_true(ignores("generational", "gc_step_size"))
    assert.is_true(ignores("incremental", "gc_minor_multiplier"))
    assert.is_false(ignores("incremental", "gc_step_multiplier"))
    assert.is_false(ignores("generational", "gc_major_multiplier"))
    assert.is_false(ignores("generational", "quota"))
  end)
end)
