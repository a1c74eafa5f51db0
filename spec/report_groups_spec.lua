local fixtures = require "spec.support.fixtures"
local groups = require "tare.report.groups"

local function result(id, ns, more)
  local r = { id = id, suite = id:match("^(.-)/"), params = {},
    time = ns and fixtures.estimate(ns, 0.01) }
  for key, value in pairs(more or {}) do r[key] = value end
  return r
end

describe("groups of results", function()
  it("are sections by suite and group, in order of appearance", function()
    local list = { result("b/x"), result("a/y"), result("b/z"),
      result("b/w", 1, { group = { "g", "h" } }) }
    local titles = {}
    for i, section in ipairs(groups.sections(list)) do
      titles[i] = section.title .. ":" .. #section.results
    end
    assert.same({ "b:2", "a:1", "b/g/h:1" }, titles)
  end)

  it("call a result by what its section does not say", function()
    assert.equal("x{n=1}", groups.label({ id = "b/x{n=1}", suite = "b" },
      "b"))
    assert.equal("x", groups.label({ id = "b/g/x", suite = "b" }, "b/g"))
    assert.equal("x", groups.label({ id = "b/x", suite = "b" }, "b/g"))
    assert.equal("x", groups.label({ id = "x" }, ""))
  end)

  it("measure against the fastest", function()
    local slow, fast = result("a/x", 30), result("a/y", 10)
    local references = groups.references { results = { slow, fast } }
    assert.equal(fast, references[slow].result)
    assert.equal("fastest", references[slow].kind)
    assert.near(3, references[slow].ratio.value, 1e-12)
    assert.same({ value = 1 }, references[fast].ratio)
  end)

  it("measure against the baseline where there is one", function()
    local base = result("a/x", 30, { baseline = true })
    local fast = result("a/y", 10)
    local reference = groups.references { results = { fast, base } }[fast]
    assert.equal("baseline", reference.kind)
    assert.near(1 / 3, reference.ratio.value, 1e-12)
  end)

  it("measure only what has the same numbers", function()
    local function cell(impl, n, ns)
      return result(("a/x{impl=%s,n=%d}"):format(impl, n), ns,
        { params = { impl = impl, n = n } })
    end
    local list = { cell("p", 1, 5), cell("q", 1, 10), cell("p", 2, 40),
      cell("q", 2, 20), cell("p", 3, 1) }
    local references = groups.references { results = list }
    assert.equal(list[1], references[list[2]].result)
    assert.equal(list[4], references[list[3]].result)
    assert.is_nil(references[list[5]]) -- without rivals
  end)

  it("measure what the run says is compared", function()
    local list = { result("a/x{doc=p}", 5, { compared = "p" }),
      result("a/y{doc=p}", 10, { compared = "p" }),
      result("a/x{doc=q}", 1, { compared = "q" }) }
    local references = groups.references { results = list }
    assert.equal(list[1], references[list[2]].result)
    assert.is_nil(references[list[3]])
  end)

  it("prefer the ratio of an interleaved comparison", function()
    local x, y = result("a/x", 30), result("a/y", 10)
    local ratio = { value = 2.5, low = 2.4, high = 2.6 }
    local references = groups.references { results = { x, y },
      comparisons = { { a = "a/x", b = "a/y", ratio = ratio } } }
    assert.equal(ratio, references[x].ratio)
  end)

  it("pass over what has no time", function()
    assert.same({}, groups.references { results = { result("a/x"),
      result("a/y", 10) } })
  end)

  it("find cells of a bench that differ in names alone", function()
    local list = { result("a/x{impl=p}", 1, { params = { impl = "p" } }),
      result("a/x{impl=q}", 1, { params = { impl = "q" } }),
      result("a/y{n=1}", 1, { params = { n = 1 } }), result("a/z", 1) }
    local sets = groups.alternatives { results = list }
    assert.equal(1, #sets)
    assert.equal("a/x", sets[1].name)
    assert.same({ list[1], list[2] }, sets[1].results)
  end)
end)
