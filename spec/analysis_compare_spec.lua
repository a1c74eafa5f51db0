local compare = require "tare.analysis.compare"

local SETTINGS = { confidence = 0.95, tolerance = 0.01 }

-- A result whose calls take these times, one batch a round.
local function result(id, times, more)
  local samples = { iters = {}, wall_ns = {}, round = {} }
  for i, ns in ipairs(times) do
    samples.iters[i], samples.wall_ns[i], samples.round[i] = 10, ns * 10, i
  end
  local made = { id = id, samples = samples, compared = "g" }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function spread(base, step)
  local times = {}
  for i = 1, 40 do times[i] = base + (i * 7 % 10) * step end
  return times
end

describe("a comparison", function()
  it("takes the ratio within each round, whatever the machine does", function()
    local a, b = {}, {}
    for i = 1, 40 do
      local speed = i % 3 == 0 and 1.8 or 1
      a[i], b[i] = 50 * speed + i * 1e-3, 100 * speed
    end
    local found = compare.pair(result("a", a), result("b", b), SETTINGS)
    assert.near_relative(0.5, found.ratio.value, 1e-3)
    assert.equal("faster", found.verdict)
    assert.equal(40, found.rounds)
  end)

  it("holds nothing of one sitting against another", function()
    local a, b = spread(50, 1), spread(100, 1)
    assert.is_table(compare.pair(result("a", a, { sitting = 2 }),
      result("b", b, { sitting = 2 }), SETTINGS))
    assert.is_nil(compare.pair(result("a", a, { sitting = 2 }),
      result("b", b), SETTINGS))
  end)

  it("says same only when the whole interval is close to 1", function()
    assert.equal("same", compare.verdict(
      { value = 1, low = 0.995, high = 1.005 }, 0.01))
    assert.equal("unclear", compare.verdict(
      { value = 1, low = 0.95, high = 1.05 }, 0.01))
  end)

  it("says faster or slower only when the interval leaves 1 out", function()
    assert.equal("faster", compare.verdict(
      { value = 0.9, low = 0.85, high = 0.95 }, 0.01))
    assert.equal("slower", compare.verdict(
      { value = 1.1, low = 1.05, high = 1.15 }, 0.01))
    assert.equal("unclear", compare.verdict({ value = 2 }, 0.01))
  end)

  it("skips what failed", function()
    assert.is_nil(compare.pair(result("a", { 1 }, { error = "x" }),
      result("b", { 1 }), SETTINGS))
  end)

  it("compares a group with its baseline, each pair once", function()
    local found = compare.all({
      result("a", spread(100, 1)),
      result("b", spread(200, 1), { baseline = true }),
      result("c", spread(300, 1)),
    }, SETTINGS)
    assert.equal(2, #found)
    assert.same({ "a", "b", "faster" },
      { found[1].a, found[1].b, found[1].verdict })
    assert.same({ "c", "b", "slower" },
      { found[2].a, found[2].b, found[2].verdict })
  end)

  it("compares pair by pair where there is no baseline", function()
    local results = { result("a", spread(1, 0)), result("b", spread(1, 0)),
      result("c", spread(1, 0)) }
    assert.equal(0, #compare.all(results, SETTINGS))
    assert.equal(3, #compare.all(results, SETTINGS, true))
  end)

  it("widens intervals when there are several pairs", function()
    local function width(results)
      local found = compare.all(results, SETTINGS, true)[1].ratio
      return found.high - found.low
    end
    local a, b = result("a", spread(100, 1)), result("b", {})
    for i = 1, 40 do
      b.samples.iters[i], b.samples.round[i] = 10, i
      b.samples.wall_ns[i] = 1000 + (i * 13 % 40)
    end
    local more = { a, b }
    for i = 3, 8 do more[i] = result("x" .. i, spread(100, i)) end
    assert.is_true(width(more) > width({ a, b }))
  end)
end)
