local core = require "tare.core"

describe("the column store", function()
  it("starts without rows and without columns", function()
    local s = core.samples(10)
    assert.equal(0, #s)
    assert.same({}, s:columns())
  end)

  it("offers only the columns that have values", function()
    local s = core.samples(10)
    s:push { iters = 1, wall_ns = 10 }
    s:push { iters = 2, wall_ns = 20 }
    assert.same({ iters = { 1, 2 }, wall_ns = { 10, 20 } }, s:columns())
  end)

  it("keeps an absent value as NaN", function()
    local s = core.samples(10)
    s:push { iters = 1 }
    s:push { iters = 2, allocs = 3 }
    local allocs = s:columns().allocs
    assert.is_true(allocs[1] ~= allocs[1])
    assert.equal(3, allocs[2])
  end)

  it("drops every other row when it is full, and counts them", function()
    local s = core.samples(4)
    for i = 1, 6 do s:push { iters = i } end
    assert.same({ iters = { 1, 3, 5, 6 } }, s:columns())
    assert.equal(2, s:thinned())
  end)

  it("keeps the first and the last row of an odd number", function()
    local s = core.samples(5)
    for i = 1, 6 do s:push { iters = i } end
    assert.same({ iters = { 1, 3, 5, 6 } }, s:columns())
    assert.equal(2, s:thinned())
    for i = 7, 8 do s:push { iters = i } end
    assert.same({ iters = { 1, 5, 7, 8 } }, s:columns())
    assert.equal(4, s:thinned())
  end)

  it("reads and writes one value, from either end", function()
    local s = core.samples(4)
    s:push { iters = 7 }
    s:push { iters = 8 }
    s:set(1, "launch", 2)
    assert.equal(2, s:get(1, "launch"))
    assert.equal(8, s:get(-1, "iters"))
  end)

  it("refuses names, rows and sizes that do not exist", function()
    local s = core.samples(4)
    assert.has_error(function() s:push { nonsense = 1 } end)
    assert.has_error(function() s:get(1, "iters") end)
    assert.has_error(function() core.samples(0) end)
  end)

  it("leaves the heap's size alone, whatever its capacity", function()
    collectgarbage()
    local before = collectgarbage("count")
    local s = core.samples(1e5)
    assert.is_true(collectgarbage("count") - before < 16)
    assert.equal(0, #s)
  end)
end)
