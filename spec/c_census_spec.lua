local core = require "tare.core"

local jit = rawget(_G, "jit")
local typed = not jit and _VERSION ~= "Lua 5.1"

local function figures(f, iters, ...)
  local census = assert(core.census(f, iters or 1, ...))
  return census
end

describe("the census", function()
  -- Traces are allocated too, when they are made.
  setup(function() if jit then jit.off() jit.flush() end end)
  teardown(function() if jit then jit.on() end end)

  it("counts nothing of a function that allocates nothing", function()
    local census = figures(function(x) return x + 1 end, 100, 1)
    assert.equal(0, census.allocs)
    assert.equal(0, census.bytes)
    assert.equal(100, census.iters)
    assert.same({}, census.by_type)
  end)

  it("counts each table of a call", function()
    local one = figures(function() return {} end)
    local many = figures(function() return {} end, 50)
    assert.equal(1, one.allocs)
    assert.equal(50, many.allocs)
    assert.equal(50 * one.bytes, many.bytes)
  end)

  it("tells types apart where the interpreter does", function()
    if not typed then return end
    local census = figures(function(s) return { s .. "x" }, function()
      return s end end, 1, ("y"):rep(100))
    assert.equal(1, census.by_type.table.allocs)
    assert.equal(1, census.by_type.string.allocs)
    assert.equal(1, census.by_type["function"].allocs)
  end)

  it("sees the size of a large string", function()
    local census = figures(function() return ("x"):rep(2^20) end)
    assert.is_true(census.bytes >= 2^20)
    assert.is_true(census.peak_bytes >= 2^20)
  end)

  it("sees how much there was at once, of all that came and went", function()
    local most, count = 2^16 * 40, 40
    collectgarbage()
    local census = figures(function()
      for i = 1, count do
        do local _ = ("x"):rep(most / count * i) end
        collectgarbage()
      end
    end)
    assert.is_true(census.bytes > 20 * most)
    -- A little of what was there before is freed meanwhile.
    assert.is_true(census.peak_bytes >= 0.99 * most)
    assert.is_true(census.peak_bytes < 4 * most) -- as it is made, in a buffer
  end)

  it("counts what is freed, and what stays", function()
    local census = figures(function()
      for _ = 1, 100 do local _ = {} end
      collectgarbage()
    end)
    assert.is_true(census.freed_bytes > 0)
    assert.near_relative(census.bytes - census.freed_bytes,
      census.growth_bytes, 1e-12)
  end)

  it("counts growth of a block as bytes, not as an allocation", function()
    local t = {}
    local census = figures(function() for i = 1, 64 do t[i] = i end end)
    assert.equal(64, #t)
    assert.is_true(census.bytes >= 64 * 8)
    assert.is_true(census.reallocs > 0 or census.allocs > 0)
  end)

  it("hands back what the function raised, and counts no longer", function()
    local raised = {}
    local census, value = core.census(function() error(raised) end, 1)
    assert.is_nil(census)
    assert.equal(raised, value)
    assert.equal(1, figures(function() return {} end).allocs)
  end)

  it("can be nested: each sees its own", function()
    local inner
    local outer = figures(function()
      local before = {}
      inner = core.census(function() return {} end, 1)
      return before
    end)
    assert.equal(1, inner.allocs)
    assert.is_true(outer.allocs > inner.allocs)
    assert.equal(1, figures(function() return {} end).allocs)
  end)

  it("leaves no hook that the function sets", function()
    figures(function() debug.sethook(function() end, "", 1e6) end)
    local _, _, count = debug.gethook() -- LuaJIT keeps the function
    debug.sethook()
    assert.equal(0, count or 0)
  end)

  it("passes arguments, and refuses what is no count", function()
    local got
    figures(function(...) got = select("#", ...) end, 1, nil, 2, nil)
    assert.equal(3, got)
    assert.has_error(function() core.census(print, 0) end)
    assert.has_error(function() core.census("print", 1) end)
  end)
end)
