local now_ns = require("tare.core").now_ns
local tare = require "tare"

-- Whether a probe leaves its mark: as many calls and returns.
local function counts(probe)
  local found = probe:result()
  return { found.calls, found.returned }
end

local function spin(ms)
  local from = now_ns()
  while now_ns() - from < ms * 1e6 do end -- luacheck: ignore 542
end

describe("tare.instrument", function()
  it("counts calls, and passes arguments and results through", function()
    local got
    local module = { f = function(...)
      got = { n = select("#", ...), ... }
      return ...
    end }
    local probe = tare.instrument(module, "f")
    assert.same({ 0, 0 }, counts(probe))
    assert.is_nil(probe:result().time)
    local results = { n = select("#", module.f(1, nil, 3, nil)),
      module.f(1, nil, 3, nil) }
    assert.same({ n = 4, 1, nil, 3, nil }, results)
    assert.same({ n = 4, 1, nil, 3, nil }, got)
    assert.equal(0, select("#", module.f()))
    assert.same({ 3, 3 }, counts(probe))
  end)

  it("passes errors through as they are, and counts what returned", function()
    local wrong = { "an error" }
    local module = { f = function(fails)
      if fails then error(wrong) end
      return "fine"
    end }
    local probe = tare.instrument(module, "f")
    for _ = 1, 5 do
      assert.same({ false, wrong }, { pcall(module.f, true) })
      assert.equal("fine", module.f(false))
    end
    assert.same({ 10, 5 }, counts(probe))
  end)

  it("says how long calls took, and how much memory", function()
    local kept = {}
    local module = { f = function(ms)
      spin(ms)
      local list = {} -- a string may lie outside of the heap
      for i = 1, 4000 do list[i] = i end
      kept[#kept + 1] = list
    end }
    local probe = tare.instrument(module, "f")
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, 9 do module.f(1) end
    module.f(20)
    collectgarbage "restart"
    local found = probe:result()
    assert.is_true(found.time.min >= 0.9e6 and found.time.max >= 19e6)
    assert.is_true(found.time.p50 < 19e6 and found.time.p50 > 0.9e6)
    assert.is_true(found.time.p99 >= found.time.p95)
    assert.near_relative(found.time.total, 10 * found.time.mean, 1e-9)
    assert.equal(10, found.bytes.calls)
    assert.is_true(found.bytes.mean > 30000 and found.bytes.mean < 150000)
    assert.is_true(found.overhead > 0 and found.overhead < 1e5)
    assert.matches("^f: 10 calls, %S+ ms each %(p99 %S+ ms%), %S+ KiB each$",
      tostring(probe))
  end)

  it("counts each call's own part where calls nest", function()
    local module = {}
    function module.f(depth)
      spin(4)
      if depth > 1 then module.f(depth - 1) end
    end
    local probe = tare.instrument(module, "f")
    local from = now_ns()
    module.f(5)
    local whole_ns = now_ns() - from
    local found = probe:result()
    assert.equal(5, found.calls)
    -- the sum of inclusive times would be three times as much
    assert.is_true(found.time.total <= whole_ns)
    assert.is_true(found.time.total >= 5 * 4e6)
  end)

  it("does so though one of those inside raised", function()
    local module = {}
    function module.f(what)
      if what == "raise" then error "an error" end
      if what == "make" then
        for i = 1, 4000 do module[i] = i end
        return
      end
      module.f "make"
      pcall(module.f, "raise")
    end
    local probe = tare.instrument(module, "f")
    collectgarbage()
    collectgarbage "stop"
    local before_kb = collectgarbage "count"
    module.f()
    local grown_kb = collectgarbage "count" - before_kb
    collectgarbage "restart"
    local found = probe:result()
    assert.is_true(grown_kb > 30)
    -- An error makes the stack of 5.3 smaller again.
    assert.is_true(found.bytes.mean * found.bytes.calls
      <= 1.5 * grown_kb * 1024)
  end)

  it("keeps each coroutine's calls apart", function()
    local module = { f = function(ms)
      spin(ms)
      coroutine.yield()
      return ms
    end }
    local probe = tare.instrument(module, "f")
    local threads = {}
    for i = 1, 3 do
      threads[i] = coroutine.create(function() return module.f(i) end)
      assert(coroutine.resume(threads[i]))
    end
    assert.same({ 3, 0 }, counts(probe))
    for i = 1, 3 do
      assert.same({ true, i }, { coroutine.resume(threads[i]) })
    end
    assert.same({ 3, 3 }, counts(probe))
    local found = probe:result()
    assert.is_true(found.time.min >= 0)
    assert.is_true(found.time.total >= 5e6)
  end)

  it("makes no garbage of its own", function()
    local module = { f = function(a) return a end }
    tare.instrument(module, "f")
    local f = module.f
    for _ = 1, 100 do f(1) end
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 10000 do f(1) end
    local grown_bytes = (collectgarbage "count" - before) * 1024
    collectgarbage "restart"
    -- LuaJIT compiles meanwhile
    assert.is_true(grown_bytes < (rawget(_G, "jit") and 2e4 or 100),
      tostring(grown_bytes))
  end)

  it("is removed again, and leaves what was inherited to be inherited",
    function()
      local class = { f = function() return 1 end }
      local object = setmetatable({}, { __index = class })
      local before = class.f
      local probe = tare.instrument(object, "f")
      assert.equal(1, object.f())
      assert.is_true(probe:remove())
      assert.is_true(probe:remove())
      assert.is_nil(rawget(object, "f"))
      assert.equal(before, object.f)
      assert.same({ 1, 1 }, counts(probe))
      probe:reset()
      assert.same({ 0, 0 }, counts(probe))
    end)

  it("is removed from behind a proxy, too", function()
    local module = { f = function() return 1 end }
    local before = module.f
    local proxy = setmetatable({}, { __index = module, __newindex = module })
    local probe = tare.instrument(proxy, "f")
    assert.equal(1, module.f())
    assert.is_true(probe:remove())
    assert.equal(before, module.f)
    assert.is_nil(rawget(proxy, "f"))
    assert.same({ 1, 1 }, counts(probe))
  end)

  it("does not undo what others put there", function()
    local module = { f = function() end }
    local probe = tare.instrument(module, "f")
    local function mine() end
    module.f = mine
    local ok, message = probe:remove()
    assert.is_nil(ok)
    assert.matches("'f' was replaced meanwhile", message)
    assert.equal(mine, module.f)
  end)

  it("refuses what is no function of a table, where it is called", function()
    for _, case in ipairs { { nil, "f", "expected a table" },
      { {}, "f", "'f' must be a function, got nil" } } do
      local ok, message = pcall(function()
        local made = tare.instrument(case[1], case[2])
        return made
      end)
      assert.is_false(ok)
      assert.matches("instrument_spec%.lua:%d+: tare%.instrument: ", message)
      assert.truthy(message:find(case[3], 1, true), message)
    end
  end)
end)
