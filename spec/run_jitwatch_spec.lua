local copy = require "tare.bench.copy"
local Jitwatch = require "tare.run.jitwatch"
local unpack = require("tare.base.compat").unpack

local jit = rawget(_G, "jit")

if not jit then
  return describe("the watch on the compiler", function()
    it("has nothing to count on stock Lua", function()
      local watch = Jitwatch.new()
      assert.is_false(watch.available)
      assert.equal(0, watch:count())
      watch:close()
    end)
  end)
end

-- Loops that are compiled anew.
local function compile()
  jit.flush()
  local sum = 0
  for i = 1, 1000 do sum = sum + i end
  return sum
end

describe("the watch on the compiler", function()
  it("counts what it does, until closed", function()
    local watch = Jitwatch.new()
    compile()
    local events = watch:count()
    watch:close()
    watch:close()
    assert.is_true(events > 0)
    compile()
    assert.equal(events, watch:count())
  end)

  describe("tells what hangs on the code of another:", function()
    -- A function with a loop, which one loop after the other calls.
    local function summed()
      local list = {}
      for i = 1, 100 do list[i] = i end
      return #list
    end
    local function called(run)
      local text = "local run = ... local sum = 0 "
        .. "for _ = 1, 300 do sum = sum + run() end return sum"
      return loadstring(text)(run)
    end
    local watch
    before_each(function()
      jit.flush()
      watch = Jitwatch.new()
    end)
    after_each(function() watch:close() end)

    local function shares(subject, run)
      watch:follow(subject)
      called(run)
      watch:follow(nil)
      return watch:shares(subject)
    end

    it("the second caller of a function with a loop", function()
      assert.is_false(shares("first", summed))
      assert.is_true(shares("second", summed))
      assert.is_false(watch:shares("second"))
    end)

    it("not the caller of a copy", function()
      shares("first", summed)
      assert.is_false(shares("second", copy.of(summed)))
    end)

    -- Tells the watch of traces as LuaJIT would: whose, how it ended, its
    -- number, and that of the one at whose exit it begins. LuaJIT itself makes
    -- none meanwhile.
    local function tell(traces)
      jit.off()
      for _, trace in ipairs(traces) do
        local subject, last, number, parent = unpack(trace)
        watch:follow(subject)
        watch.callback("start", number, summed, 0, parent)
        watch.callback(last, number, summed)
      end
      watch:follow(nil)
      jit.on()
    end

    it("a trace that is made, but none that is given up", function()
      tell { { "first", "stop", 1 }, { "second", "abort", 2, 1 } }
      assert.is_false(watch:shares "second")
      tell { { "second", "stop", 2, 1 } }
      assert.is_true(watch:shares "second")
    end)

    it("not what hangs on a trace whose number was given up", function()
      tell { { "first", "stop", 1 }, { "second", "abort", 1 },
        { "first", "stop", 2, 1 } }
      assert.is_false(watch:shares "first")
    end)

    it("nobody, after all traces were flushed", function()
      shares("first", summed)
      jit.flush()
      assert.is_false(shares("second", summed))
    end)
  end)

  describe("leaves a host's own handler", function()
    local heard
    local function host() heard = heard + 1 end
    before_each(function()
      heard = 0
      jit.attach(host, "trace")
    end)
    after_each(function() jit.attach(host) end)

    local function hears()
      heard = 0
      compile()
      return heard > 0
    end

    it("in place", function()
      local watch = Jitwatch.new()
      compile()
      assert.is_true(heard > 0 and watch:count() > 0)
      watch:close()
      assert.is_true(hears())
    end)

    it("under a watch within another", function()
      local first, second = Jitwatch.new(), Jitwatch.new()
      second:close()
      first:close()
      assert.is_true(hears())
    end)

    it("that was attached meanwhile", function()
      local others = 0
      local function other() others = others + 1 end
      local watch = Jitwatch.new()
      jit.attach(other, "trace")
      watch:close()
      compile()
      jit.attach(other)
      assert.is_true(others > 0)
    end)
  end)
end)
