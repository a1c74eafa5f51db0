local pairs_of = require "tare.judge.pairs"

local function side(calls, allocs, ns)
  return { env = {}, results = { { id = "a", time = { value = ns },
    allocs = { value = allocs }, passes = { census = { iters = calls } } } } }
end

describe("reports of pairs, for gates,", function()
  local RATIO = { { a = "a", ratio = { value = 2, low = 1.5, high = 3 } } }

  it("have counts of a pair that took them over as many calls", function()
    local new, old = pairs_of.reports({
      { new = side(1, 9, 20), old = side(16, 3, 10) },
      { new = side(16, 4, 40), old = side(16, 2, 30) } }, RATIO)
    assert.same({ 4, 2 }, { new.results[1].allocs.value,
      old.results[1].allocs.value })
    assert.same({ value = 60, low = 45, high = 90 }, new.results[1].time)
    assert.same({ value = 30, low = 30, high = 30 }, old.results[1].time)
  end)

  it("have those of the first where there is no such pair", function()
    local new, old = pairs_of.reports({
      { new = side(1, 9, 20), old = side(16, 3, 10) } }, RATIO)
    assert.same({ 9, 3 }, { new.results[1].allocs.value,
      old.results[1].allocs.value })
  end)

  it("have benches that one side lacks, without a time", function()
    local lone = side(1, 9, 20)
    lone.results[1].id = "b"
    local new = pairs_of.reports({ { new = lone, old = side(1, 3, 10) } }, {})
    assert.same({ "b" }, { new.results[1].id, new.results[1].time })
  end)
end)
