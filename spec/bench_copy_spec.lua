local copy = require "tare.bench.copy"

if not rawget(_G, "jit") then
  return describe("the copy of a function", function()
    it("is not made on stock Lua, which compiles nothing", function()
      assert.is_nil(copy.of(function() end))
    end)
  end)
end

describe("the copy of a function", function()
  it("shares its variables, both ways", function()
    local count = 0
    local function add(by) count = count + by return count end
    local twin = copy.of(add)
    assert.not_equal(add, twin)
    assert.equal(2, twin(2))
    assert.equal(5, add(3))
    count = 10
    assert.equal(11, twin(1))
  end)

  it("has its environment", function()
    local function read() return answer end -- luacheck: ignore 113
    setfenv(read, { answer = 42 })
    assert.equal(42, copy.of(read)())
  end)

  it("makes functions, takes any number of values and raises as it does",
    function()
      local twin = copy.of(function(...)
        local n = select("#", ...)
        if n == 0 then error("none", 0) end
        return function() return n end
      end)
      assert.equal(3, twin(nil, nil, nil)())
      assert.same({ false, "none" }, { pcall(twin) })
    end)

  it("is not made of a function of C", function()
    assert.is_nil(copy.of(print))
  end)
end)
