local Jitwatch = require "tare.worker.jitwatch"
local loop = require "tare.bench.loop"
local tare = require "tare"

local jit = rawget(_G, "jit")

if not jit then
  return describe("the watch on the compiler", function()
    it("has nothing to count on stock Lua", function()
      local watch = Jitwatch.new()
      assert.is_false(watch.available)
      assert.equal(0, watch:count())
    end)
  end)
end

-- A loop of its own, which is compiled.
local function compile()
  return loadstring [[local sum = 0
    for i = 1, 1000 do sum = sum + i end
    return sum]]()
end

describe("the watch on the compiler", function()
  local watch
  before_each(function()
    jit.flush()
    watch = Jitwatch.new()
  end)

  it("counts what is compiled while it follows", function()
    compile()
    assert.equal(0, watch:count())
    watch:follow "subject"
    compile()
    watch:follow(nil)
    local made = watch:count()
    assert.is_true(made > 0)
    compile()
    watch:follow "subject"
    watch:follow(nil)
    assert.equal(made, watch:count())
  end)

  it("has no handler, and leaves the host its own", function()
    local seen = 0
    local function host() seen = seen + 1 end
    jit.attach(host, "trace")
    watch:follow "subject"
    compile()
    watch:follow(nil)
    jit.attach(host)
    assert.is_true(seen > 0)
    local handlers = debug.getregistry()._VMEVENTS
    Jitwatch.new()
    assert.is_nil(next(handlers))
  end)

  it("looks without making anything", function()
    watch:follow "subject"
    compile()
    watch:follow(nil)
    collectgarbage()
    collectgarbage "stop"
    jit.off() -- a trace of this very loop takes memory
    local least = math.huge -- of some tries: other traces take some at times
    for _ = 1, 10 do
      local before = collectgarbage "count"
      watch:follow "subject"
      watch:follow(nil)
      least = math.min(least, collectgarbage "count" - before)
    end
    jit.on()
    collectgarbage "restart"
    assert.equal(0, least)
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
      assert.is_false(shares("second", loop.twin(summed)))
    end)

    it("nobody, after all traces were flushed", function()
      shares("first", summed)
      jit.flush()
      assert.is_false(shares("second", summed))
    end)

    -- What LuaJIT would say there is: { number = parent }.
    local function there_are(traces)
      watch.traceir = function(number)
        if traces[number] then return 0, 0, traces[number], 0 end
      end
    end

    it("traces beyond numbers that are free again", function()
      there_are {}
      watch:follow "first"
      there_are { 0, 1, 0, [10] = 3 }
      watch:follow "second"
      assert.equal(4, watch:count())
      there_are { 0, 1, [10] = 3, [11] = 10 }
      watch:follow(nil)
      assert.equal(5, watch:count())
      assert.is_true(watch:shares "second")
      assert.is_false(watch:shares "first")
    end)

    it("a number that another trace has now", function()
      there_are {}
      watch:follow "first"
      there_are { 0, 1 }
      watch:follow "second"
      there_are { 0, 0 }
      watch:follow(nil)
      assert.equal(3, watch:count())
      assert.is_false(watch:shares "second")
    end)
  end)
end)

describe("benches of the same function", function()
  before_each(function() jit.flush() end)

  -- A function of its own for each spec, with a loop in it.
  local function new_function()
    return assert(loadstring [[return function()
      local list = {}
      for i = 1, 50 do list[i] = i end
      return list
    end]])()
  end

  local QUICK = { quota = "20000x", split = false, instructions = false,
    resamples = 100 }

  local function warned(result)
    for _, code in ipairs(result.warnings) do
      if code == "shared_traces" then return true end
    end
    return false
  end

  it("are measured without a warning, for each has a copy", function()
    local run = new_function()
    for _ = 1, 3 do assert.is_false(warned(tare.measure(run, QUICK))) end
  end)

  -- Which traces it makes LuaJIT draws: rarely none of the second bench begins
  -- at an exit of the first one's.
  it("say so where the shared code is called by them", function()
    local said = false
    for _ = 1, 4 do
      jit.flush()
      local shared = new_function()
      tare.measure(function() return shared() end, QUICK)
      said = said
        or warned(tare.measure(function() return #shared() end, QUICK))
    end
    assert.is_true(said)
  end)
end)
