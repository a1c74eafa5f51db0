local compat = require "tare.base.compat"
local loop = require "tare.bench.loop"

describe("the inline loop", function()
  it("calls so often, with the arguments", function()
    local seen = {}
    local repeated = loop.unrolled(1, function(a, b)
      seen[#seen + 1] = { a, b }
    end, 1, nil)
    repeated(2)
    assert.same({ { 1, nil }, { 1, nil } }, seen)
  end)

  it("calls never for a count of 0", function()
    local calls = 0
    loop.unrolled(1, function() calls = calls + 1 end)(0)
    assert.equal(0, calls)
  end)

  it("calls so often with several calls in its body, too", function()
    for n = 0, 20 do
      local seen = {}
      loop.unrolled(8, function(a, b) seen[#seen + 1] = a + b end, 1, 2)(n)
      assert.equal(n, #seen)
      assert.is_true(n == 0 or seen[n] == 3)
    end
  end)

  it("passes many arguments", function()
    local got
    loop.unrolled(1, function(...) got = select("#", ...) end,
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)(1)
    assert.equal(12, got)
  end)

  it("keeps LuaJIT from deleting what makes the result", function()
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    loop.unrolled(1, function() return {} end)(10000)
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_true(grown > 300, "grew by " .. grown .. " KiB")
  end)

  it("is one bytecode for all benches, but on LuaJIT", function()
    loop.unrolled(3, function() end)
    local compiled, load_text = 0, compat.load_text
    compat.load_text = function(...)
      compiled = compiled + 1
      return load_text(...)
    end
    local sum = 0
    local first = loop.unrolled(3, function() sum = sum + 1 end)
    local second = loop.unrolled(3, function() sum = sum + 100 end)
    compat.load_text = load_text
    first(4)
    second(5)
    assert.equal(504, sum)
    assert.equal(compat.jit() and 2 or 0, compiled)
  end)
end)

describe("the loop over prepared inputs", function()
  it("calls with each input and keeps each result", function()
    local inputs, results = { 1, 2, 3 }, { 0, 0, 0 }
    loop.each(function(x, y) return x * y end, inputs, results, false, 10)(3)
    assert.same({ 10, 20, 30 }, results)
  end)

  it("passes over those that were called already", function()
    local inputs, results = { 1, 2, 3 }, { 0, 0, 0 }
    loop.each(function(x) return x end, inputs, results, false)(2, 1)
    assert.same({ 0, 2, 3 }, results)
  end)

  it("has the input second where there is a state", function()
    local inputs, results = { 1, 2 }, { 0, 0 }
    loop.each(function(state, x, y) return state .. x .. y end, inputs,
      results, true, "s", "y")(2)
    assert.same({ "s1y", "s2y" }, results)
  end)
end)

if not compat.jit() then
  describe("the copy of a function", function()
    it("is not made on stock Lua, which compiles nothing", function()
      assert.is_nil(loop.twin(function() end))
    end)
  end)
  return
end

describe("the copy of a function", function()
  it("shares its variables, both ways", function()
    local count = 0
    local function add(by) count = count + by return count end
    local twin = loop.twin(add)
    assert.not_equal(add, twin)
    assert.equal(2, twin(2))
    assert.equal(5, add(3))
    count = 10
    assert.equal(11, twin(1))
  end)

  it("has its environment", function()
    local function read() return answer end -- luacheck: ignore 113
    setfenv(read, { answer = 42 })
    assert.equal(42, loop.twin(read)())
  end)

  it("makes functions, takes any number of values and raises as it does",
    function()
      local twin = loop.twin(function(...)
        local n = select("#", ...)
        if n == 0 then error("none", 0) end
        return function() return n end
      end)
      assert.equal(3, twin(nil, nil, nil)())
      assert.same({ false, "none" }, { pcall(twin) })
    end)

  it("is not made of a function of C", function()
    assert.is_nil(loop.twin(print))
  end)
end)
