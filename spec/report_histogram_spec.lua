local histogram = require "tare.report.histogram"

local function bench(wall_ns, iters, more)
  local result = { samples = { iters = iters, wall_ns = wall_ns } }
  for key, value in pairs(more or {}) do result[key] = value end
  return result
end

describe("the histogram", function()
  it("counts the time a call in bins of equal width", function()
    local counts, low, high = histogram.of(bench({ 10, 11, 12, 20 },
      { 1, 1, 1, 1 }), 5)
    assert.same({ 2, 1, 0, 0, 1 }, counts)
    assert.same({ 10, 20 }, { low, high })
  end)

  it("leaves out small batches", function()
    local counts = histogram.of(bench({ 1000, 1000, 1100, 1200, 90 },
      { 100, 100, 100, 100, 1 }), 4)
    assert.same({ 2, 0, 1, 1 }, counts)
  end)

  it("counts what is far off in the outermost bins", function()
    local counts, low, high = histogram.of(bench({ 100, 101, 99, 5000 },
      { 1, 1, 1, 1 }, { median = { value = 100 }, mad = 1 }), 7)
    assert.same({ 99, 106 }, { low, high })
    assert.equal(1, counts[7])
    assert.equal(1, counts[1])
  end)

  it("is none of too few, constant or absent samples", function()
    assert.is_nil(histogram.of(bench({ 1, 2 }, { 1, 1 }), 5))
    assert.is_nil(histogram.of(bench({ 5, 5, 5 }, { 1, 1, 1 }), 5))
    assert.is_nil(histogram.of({}, 5))
    assert.is_nil(histogram.of({ samples = {} }, 5))
    assert.is_nil(histogram.of(bench({ 0/0, 0/0, 0/0 }, { 1, 1, 1 }), 5))
    assert.is_nil(histogram.of(bench({ 1, 2, 3 }, { 0, 0, 0 }), 5))
  end)
end)
