local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"
local pages = require "spec.support.pages"

local count, part_of = pages.count, pages.part_of

describe("a result on the page", function()
  local page = html.render(fixtures.report())

  it("draws what was measured of a bench", function()
    local part = part_of(page, 5)
    for _, title in ipairs { "Distribution", "Time against batch size",
      "Samples over time", "The collector&#39;s share",
      "Pauses of the collector", "Allocation by type", } do
      assert.equal(1, count(part, "<figcaption>" .. title), title)
    end
    assert.equal(4, count(part, 'class="plot"'))
  end)

  it("draws no part of a collector that has none", function()
    local idle = fixtures.report().results[5]
    idle.collector = fixtures.estimate(0, 0, "ns")
    idle.passes = { census = { iters = 9, allocs = 0, bytes = 0 } }
    local part = part_of(html.render { results = { idle } }, 1)
    assert.equal(3, count(part, "<figure>"))
    assert.equal(0, count(part, 'class="share"'))
  end)

  it("marks the batches in which collections ended", function()
    assert.truthy(part_of(page, 5):find('<path class="dots minor" d="M', 1,
      true))
    assert.truthy(part_of(page, 5):find('<path class="dots major" d="M', 1,
      true))
    assert.equal(0, count(part_of(page, 7), "dots minor"))
  end)

  it("gives each launch a mark of its own", function()
    local part = part_of(page, 1)
    for launch = 1, 4 do
      assert.equal(1, count(part, '<path class="dots m' .. launch))
      assert.equal(1, count(part, "launch " .. launch))
    end
  end)

  it("explains warnings and shows errors", function()
    assert.truthy(part_of(page, 4):find("<b>two speeds</b> ", 1, true))
    assert.truthy(page:find("<b>no known code&lt;i&gt;</b>", 1, true))
    local failed = part_of(page, 6)
    assert.truthy(failed:find('<pre class="error">broken_bench.lua:7: ', 1,
      true))
    assert.equal(0, count(failed, "<figure"))
  end)

  it("keeps the lines of an error apart", function()
    local failed = { id = "a", error = "one <\ntwo\r\27[0m" }
    assert.truthy(html.render { results = { failed } }
      :find('"error">one &lt;\ntwo\\r\\x1b[0m</pre>', 1, true))
  end)

  it("spends fewer points a plot the more benches there are", function()
    local function points(report)
      return count(part_of(html.render(report), 1), "h0")
    end
    local long = fixtures.result("a", "b", { rows = 900, growth = 1.001 })
    assert.is_true(points { results = { long } } <= 1200)
    local many = fixtures.many(300)
    many.results[1] = long
    assert.is_true(points(many) <= 120)
  end)
end)
