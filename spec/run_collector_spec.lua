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

  it("has nothing left to collect in mode 'collect'", function()
    local collector = Collector.new()
    do local _ = ("x"):rep(2^20) .. tostring {} end
    collector:enter { gc = "collect" }
    local before = collectgarbage "count"
    collectgarbage()
    assert.is_true(before - collectgarbage "count" < 16)
    collector:leave { gc = "collect" }
  end)
end)
