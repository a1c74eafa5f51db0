local compare = require "tare.analysis.compare"
local uneven = require "tare.analysis.uneven"

local ROUNDS = 400

-- A stream of numbers in [0, 1), the same each time.
local function stream()
  local state = 7
  return function()
    state = (state * 16807) % 2147483647
    return state / 2147483647
  end
end

-- Rounds of two benches of 100 ns a call; in every tenth, a's batch takes
-- 'extra' more, and now and then the machine doubles a time, of a or of b.
local function rounds(extra, disturbed)
  local list, random = {}, stream()
  for i = 1, ROUNDS do
    local a = 1000 + i % 7 + (i % 10 == 5 and extra or 0)
    local b = 1000 + i % 5
    if disturbed and random() < 0.1 then a = a * 2 end
    if disturbed and random() < 0.1 then b = b * 2 end
    list[i] = { a = { ns = a, calls = 10 }, b = { ns = b, calls = 10 },
      ratio = a / b }
  end
  return list
end

local function result(id, side, of, minors, bytes)
  local samples = { iters = {}, wall_ns = {}, round = {}, gc_minor = {} }
  for i, round in ipairs(of) do
    samples.iters[i], samples.wall_ns[i] = 10, round[side].ns
    samples.round[i], samples.gc_minor[i] = i, minors(i)
  end
  return { id = id, samples = samples,
    passes = { census = { iters = 16, bytes = bytes * 16 } } }
end

local function first(list, count)
  local few = {}
  for i = 1, count do few[i] = list[i] end
  return few
end

describe("what a median of paired ratios passes over", function()
  it("is the share of the rounds in which collections fell", function()
    local shift, doubt = uneven.shift(rounds(2000), 1, 0.95)
    assert.near(math.log(1.2), shift, 0.003)
    assert.is_true(doubt > 0 and doubt < 0.02)
  end)

  it("is a doubt where it can't be told from what the machine does",
    function()
      local shift, doubt = uneven.shift(rounds(20, true), 1, 0.95)
      assert.equal(0, shift)
      assert.is_true(doubt > 0.01)
      local _, half = uneven.shift(rounds(20, true), 0.5, 0.95)
      assert.near(doubt / 2, half, 1e-12)
    end)

  it("is nothing where both allocate alike", function()
    assert.same({ 0, 0 }, { uneven.shift(rounds(20, true), 0.01, 0.95) })
  end)

  it("is not known from a handful of rounds", function()
    local shift, doubt = uneven.shift(first(rounds(2000), 7), 1, 0.95)
    assert.equal(0, shift)
    assert.is_nil(doubt)
  end)
end)

describe("a comparison of what allocates with what doesn't", function()
  local function none() return 0 end
  local function every_tenth(i) return i % 10 == 5 and 1 or 0 end
  local SETTINGS = { confidence = 0.95, tolerance = 0.01 }

  local function compared(made, minors, bytes_of_b)
    return compare.pair(result("a", "a", made, minors, 100),
      result("b", "b", made, none, bytes_of_b or 0), SETTINGS)
  end

  it("has the collections in its ratio, though few rounds have any", function()
    local found = compared(rounds(2000), every_tenth)
    assert.near(1.2, found.ratio.value, 0.005)
    assert.is_true(found.ratio.low < 1.2 and found.ratio.high > 1.2)
    assert.equal("slower", found.verdict)
  end)

  it("never calls them the same for want of rounds", function()
    for _, count in ipairs { 7, 12, 30, 60 } do
      local found = compared(first(rounds(2000), count), every_tenth)
      assert.not_equal("same", found.verdict)
      assert.not_equal("faster", found.verdict)
    end
  end)

  it("is a median alone where no bench has rare collections", function()
    local found = compared(rounds(2000), none)
    assert.near(1, found.ratio.value, 0.005)
    assert.is_true(found.ratio.high - found.ratio.low < 0.02)
  end)

  it("is a median alone where both allocate alike", function()
    local found = compared(rounds(20, true), every_tenth, 100)
    assert.is_true(found.ratio.high - found.ratio.low < 0.02)
  end)
end)
