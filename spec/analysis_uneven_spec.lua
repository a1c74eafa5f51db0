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

local function result(id, side, of, minors)
  local samples = { iters = {}, wall_ns = {}, round = {}, gc_minor = {} }
  for i, round in ipairs(of) do
    samples.iters[i], samples.wall_ns[i] = 10, round[side].ns
    samples.round[i], samples.gc_minor[i] = i, minors(i)
  end
  return { id = id, samples = samples }
end

describe("what a median of paired ratios passes over", function()
  it("is the share of the rounds in which collections fell", function()
    local shift, doubt = uneven.shift(rounds(2000), 0.95)
    assert.near(math.log(1.2), shift, 0.003)
    assert.is_true(doubt > 0 and doubt < 0.02)
  end)

  it("is nothing where it can't be told from what the machine does", function()
    assert.same({ 0, 0 }, { uneven.shift(rounds(20, true), 0.95) })
  end)

  it("is nothing where the rounds are few", function()
    local few = {}
    for i, round in ipairs(rounds(2000)) do
      if i <= 60 then few[i] = round end
    end
    assert.same({ 0, 0 }, { uneven.shift(few, 0.95) })
  end)
end)

describe("a comparison of what allocates with what doesn't", function()
  local function none() return 0 end
  local function every_tenth(i) return i % 10 == 5 and 1 or 0 end
  local SETTINGS = { confidence = 0.95, tolerance = 0.01 }

  it("has the collections in its ratio, though few rounds have any", function()
    local made = rounds(2000)
    local found = compare.pair(result("a", "a", made, every_tenth),
      result("b", "b", made, none), SETTINGS)
    assert.near(1.2, found.ratio.value, 0.005)
    assert.is_true(found.ratio.low < 1.2 and found.ratio.high > 1.2)
    assert.equal("slower", found.verdict)
  end)

  it("is a median alone where no bench has rare collections", function()
    local made = rounds(2000)
    local found = compare.pair(result("a", "a", made, none),
      result("b", "b", made, none), SETTINGS)
    assert.near(1, found.ratio.value, 0.005)
  end)
end)
