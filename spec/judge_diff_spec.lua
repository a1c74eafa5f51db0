local diff = require "tare.judge.diff"
local fixtures = require "spec.support.fixtures"

local function report(...)
  return { env = { cpu = "X" }, results = { ... } }
end

local function bench(id, ns, more)
  local result = { id = id, time = fixtures.estimate(ns, 0.01, "ns") }
  for key, value in pairs(more or {}) do result[key] = value end
  return result
end

describe("comparing stored reports", function()
  it("gives a ratio and a verdict for each bench that both have", function()
    local result = diff.reports(
      report(bench("a", 50), bench("b", 100), bench("new", 1)),
      report(bench("b", 100.1), bench("a", 100), bench("old", 1)))
    assert.equal(2, #result.comparisons)
    local c = result.comparisons[1]
    assert.same({ "a", "a", "faster", "time", "reports" },
      { c.a, c.b, c.verdict, c.metric, c.between })
    assert.near(0.5, c.ratio.value, 1e-12)
    assert.is_true(c.ratio.low < 0.5 and c.ratio.high > 0.5)
    assert.equal("unclear", result.comparisons[2].verdict)
    assert.same({ "new" }, result.only_a)
    assert.same({ "old" }, result.only_b)
  end)

  it("finds a report the same as itself within the tolerance", function()
    local data = report(bench("a", 50))
    assert.equal("same", diff.reports(data, data,
      { tolerance = 0.05 }).comparisons[1].verdict)
    assert.equal("unclear", diff.reports(data, data).comparisons[1].verdict)
  end)

  it("prefers cycles where both were counted alike", function()
    local function counted(ns, cycles, from)
      return bench("a", ns, { cycles = fixtures.estimate(cycles, 0.01),
        cycles_from = from })
    end
    local slow_day = diff.reports(report(counted(140, 300, "chain")),
      report(counted(100, 300, "chain")), { tolerance = 0.05 })
    assert.equal("cycles", slow_day.comparisons[1].metric)
    assert.equal("same", slow_day.comparisons[1].verdict)
    local other = diff.reports(report(counted(140, 300, "chain")),
      report(counted(100, 300, "hardware")))
    assert.equal("time", other.comparisons[1].metric)
    assert.equal("slower", other.comparisons[1].verdict)
  end)

  it("leaves out what can't be compared, and says why", function()
    local a, b = report(bench("a", 1)), report(bench("a", 1))
    b.env = { cpu = "Y" }
    local result = diff.reports(a, b)
    assert.same({}, result.comparisons)
    assert.same({ "a" }, result.refused)
    assert.matches("^cpu is 'X'", result.differences[1].message)
    result = diff.reports(a, b, { force = true })
    assert.equal(1, #result.comparisons)
    assert.same({}, result.refused)
    assert.equal(1, #result.differences)
  end)

  it("skips what failed or has no time", function()
    local result = diff.reports(report(bench("a", 0), { id = "b" }),
      report(bench("a", 1), { id = "b" }))
    assert.same({}, result.comparisons)
  end)

  it("is unclear where an interval is missing", function()
    local a = report { id = "a", time = { value = 5 } }
    local c = diff.reports(a, report(bench("a", 1))).comparisons[1]
    assert.equal("unclear", c.verdict)
    assert.is_nil(c.ratio.high)
  end)
end)
