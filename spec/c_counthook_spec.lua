local core = require "tare.core"

local jit = rawget(_G, "jit")

local function counted(f, iters, ...)
  return assert(core.instructions(f, iters or 1, ...))
end

local function sum(n)
  local s = 0
  for i = 1, n do s = s + i end
  return s
end

describe("the count of instructions", function()
  if jit then
    it("is not available while the JIT compiler is on", function()
      local count, message = core.instructions(sum, 1, 10)
      assert.is_nil(count)
      assert.truthy(message:find("not available"))
    end)
  end

  describe("of interpreted code", function()
    setup(function() if jit then jit.off() jit.flush() end end)
    teardown(function() if jit then jit.on() end end)

    it("is the same each time", function()
      assert.equal(counted(sum, 1, 100), counted(sum, 1, 100))
    end)

    it("grows with calls, and holds nothing of the loop", function()
      local one = counted(sum, 1, 10)
      assert.equal(one * 7, counted(sum, 7, 10))
    end)

    it("grows by the same with each turn of a loop", function()
      local ten, twenty, thirty = counted(sum, 1, 10), counted(sum, 1, 20),
        counted(sum, 1, 30)
      assert.equal(twenty - ten, thirty - twenty)
      assert.is_true(twenty > ten)
    end)

    it("counts coroutines that the function makes", function()
      local plain = counted(function() end)
      local more = counted(function()
        coroutine.wrap(function() sum(1000) end)()
      end)
      assert.is_true(more > plain + 1000)
    end)

    it("puts back the hook that was there, after an error too", function()
      local function hook() end
      debug.sethook(hook, "", 12345)
      counted(sum, 1, 10)
      core.instructions(function() error "x" end, 1)
      local found, mask, count = debug.gethook()
      debug.sethook()
      assert.equal(hook, found)
      assert.equal("", mask)
      assert.equal(12345, count)
    end)

    it("can be nested: the outer has the inner's too", function()
      local inner
      local outer = counted(function() inner = counted(sum, 1, 100) end)
      assert.is_true(outer > inner)
      assert.equal(inner, counted(sum, 1, 100))
    end)

    it("leaves no hook to coroutines that were made meanwhile", function()
      local made
      counted(function()
        made = made or coroutine.create(function()
          while true do coroutine.yield() end
        end)
        coroutine.resume(made)
      end)
      coroutine.resume(made)
      assert.is_nil((debug.gethook(made)))
    end)

    it("hands back what the function raised", function()
      local count, message = core.instructions(function() error("x", 0) end, 1)
      assert.is_nil(count)
      assert.equal("x", message)
    end)
  end)
end)

describe("core.counted", function()
  it("calls a function once, with its arguments", function()
    local seen
    assert.is_true(core.counted(function(...) seen = { ... } end, 1, "x"))
    assert.same({ 1, "x" }, seen)
  end)

  it("returns what the function raised", function()
    local done, message = core.counted(function() error("no", 0) end)
    assert.is_nil(done)
    assert.equal("no", message)
  end)

  it("refuses what is no function", function()
    assert.has_error(function() core.counted(1) end)
  end)
end)
