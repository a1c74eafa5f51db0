local compare = require "tare.judge.compare"
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
    local result = compare.reports(
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
    assert.equal("same", compare.reports(data, data,
      { tolerance = 0.05 }).comparisons[1].verdict)
    assert.equal("unclear", compare.reports(data, data).comparisons[1].verdict)
  end)

  it("prefers cycles where both were counted alike", function()
    local function counted(ns, cycles, from)
      return bench("a", ns, { cycles = fixtures.estimate(cycles, 0.01),
        cycles_from = from })
    end
    local slow_day = compare.reports(report(counted(140, 300, "chain")),
      report(counted(100, 300, "chain")), { tolerance = 0.05 })
    assert.equal("cycles", slow_day.comparisons[1].metric)
    assert.equal("same", slow_day.comparisons[1].verdict)
    local other = compare.reports(report(counted(140, 300, "chain")),
      report(counted(100, 300, "hardware")))
    assert.equal("time", other.comparisons[1].metric)
    assert.equal("slower", other.comparisons[1].verdict)
  end)

  it("leaves out what can't be compared, and says why", function()
    local a, b = report(bench("a", 1)), report(bench("a", 1))
    b.env = { cpu = "Y" }
    local result = compare.reports(a, b)
    assert.same({}, result.comparisons)
    assert.same({ "a" }, result.refused)
    assert.matches("^cpu is 'X'", result.differences[1].message)
    result = compare.reports(a, b, { force = true })
    assert.equal(1, #result.comparisons)
    assert.same({}, result.refused)
    assert.equal(1, #result.differences)
  end)

  it("skips what failed or has no time", function()
    local result = compare.reports(report(bench("a", 0), { id = "b" }),
      report(bench("a", 1), { id = "b" }))
    assert.same({}, result.comparisons)
  end)

  it("is unclear where an interval is missing", function()
    local a = report { id = "a", time = { value = 5 } }
    local c = compare.reports(a, report(bench("a", 1))).comparisons[1]
    assert.equal("unclear", c.verdict)
    assert.is_nil(c.ratio.high)
  end)
end)

describe("revisions that were measured beside the working tree", function()
  local function cell(id, ns, ref, more)
    local result = bench(id, ns, { params = { ref = ref, n = 1 } })
    for key, value in pairs(more or {}) do result[key] = value end
    return result
  end
  local function in_lockstep(a, b, value, low, high, verdict)
    return { a = a, b = b, ratio = { value = value, low = low, high = high },
      verdict = verdict, metric = "time", rounds = 9 }
  end

  it("are compared as the lockstep did, whichever way round", function()
    local data = report(cell("s/a{n=1}", 300), cell("s/a{n=1,ref=main}", 100,
      "main"), cell("s/b", 300), cell("s/b{ref=main}", 100, "main"))
    data.comparisons = {
      in_lockstep("s/a{n=1}", "s/a{n=1,ref=main}", 2, 1.9, 2.1, "slower"),
      in_lockstep("s/b{ref=main}", "s/b", 4, 2, 5, "slower"),
      in_lockstep("s/a{n=1}", "s/b", 7, 7, 7, "slower") }
    local found = compare.revisions(data)
    assert.equal(1, #found)
    assert.equal("main", found[1].ref)
    assert.same({ { a = "s/a{n=1}", b = "s/a{n=1,ref=main}", metric = "time",
      rounds = 9, ratio = { value = 2, low = 1.9, high = 2.1 },
      verdict = "slower", between = "revisions", other = "main" },
      { a = "s/b", b = "s/b{ref=main}", metric = "time", rounds = 9,
        ratio = { value = 0.25, low = 0.2, high = 0.5 }, verdict = "faster",
        between = "revisions", other = "main" } }, found[1].comparisons)
    for _, side in ipairs { found[1].new, found[1].old } do
      assert.same({ "s/a{n=1}", "s/b" }, { side.results[1].id,
        side.results[2].id })
    end
    assert.equal(100, found[1].old.results[1].time.value)
  end)

  it("are compared as the lockstep did, slower or not, at any ratio", function()
    for _, value in ipairs { 0.5, 1, 2 } do
      local data = report(cell("s/a", 300), cell("s/a{ref=main}", 100, "main"))
      data.comparisons = { in_lockstep("s/a{ref=main}", "s/a", value,
        value / 2, value * 2, "unclear") }
      local one = compare.revisions(data)[1].comparisons[1]
      assert.same({ value = 1 / value, low = 0.5 / value, high = 2 / value },
        one.ratio)
    end
    local data = report(cell("s/a", 300), cell("s/a{ref=main}", 100, "main"))
    data.comparisons = { in_lockstep("s/a{ref=main}", "s/a", 0, 0, 0,
      "faster") }
    assert.near(3, compare.revisions(data)[1].comparisons[1].ratio.value, 1e-12)
  end)

  it("may have a comparison of the lockstep without a ratio", function()
    local data = report(cell("s/a", 300), cell("s/a{ref=main}", 100, "main"),
      cell("s/b", 300), cell("s/b{ref=main}", 100, "main"))
    data.comparisons = { { a = "s/a", b = "s/a{ref=main}", ratio = {},
      verdict = "same" }, { a = "s/b{ref=main}", b = "s/b", ratio = {},
      verdict = "same" } }
    local found = compare.revisions(data)[1].comparisons
    assert.same({ "same", "slower" }, { found[1].verdict, found[2].verdict })
    assert.is_nil(found[1].ratio.value)
    assert.near(3, found[2].ratio.value, 1e-12)
  end)

  it("are compared by their figures where there was no lockstep", function()
    local one = compare.revisions(report(cell("s/a", 50),
      cell("s/a{ref=v1}", 100, "v1")))[1].comparisons[1]
    assert.near(0.5, one.ratio.value, 1e-12)
    assert.same({ "faster", "revisions", "v1" },
      { one.verdict, one.between, one.other })
  end)

  it("may be several, and lack benches or have others", function()
    local found = compare.revisions(report(cell("s/a", 50), cell("s/b", 50),
      cell("s/a{ref=x}", 100, "x"), cell("s/a{ref=y}", 25, "y"),
      cell("s/old{ref=y}", 25, "y"), { id = "s/b{ref=y}", error = "no",
        params = { ref = "y" } }))
    assert.same({ "x", "y" }, { found[1].ref, found[2].ref })
    assert.same({ 1, 1 }, { #found[1].comparisons, #found[2].comparisons })
    assert.same({ "faster", "slower" }, { found[1].comparisons[1].verdict,
      found[2].comparisons[1].verdict })
    assert.same({ "s/a", "s/old", "s/b" }, { found[2].old.results[1].id,
      found[2].old.results[2].id, found[2].old.results[3].id })
  end)

  it("are none in a report of one tree", function()
    assert.same({}, compare.revisions(report(bench("s/a", 1))))
  end)
end)
