local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"
local words = require "tare.report.words"

local function count(text, plain)
  local found, from = 0, 1
  while true do
    from = text:find(plain, from, true)
    if not from then return found end
    found, from = found + 1, from + #plain
  end
end

-- The part of the page about one result.
local function part_of(page, index)
  local from = assert(page:find('<details class="card result" id="r' .. index,
    1, true))
  local to = page:find('<details class="card result"', from + 1, true)
  return page:sub(from, (to or #page + 1) - 1)
end

describe("the HTML report", function()
  local page = html.render(fixtures.report())

  it("is one page that asks for nothing else", function()
    assert.equal(1, page:find("<!DOCTYPE html>\n<html lang", 1, true))
    assert.equal("</html>\n", page:sub(-8))
    for _, outside in ipairs { "http", "url(", " src=", "@import", "<link" } do
      assert.equal(0, count(page, outside), outside)
    end
  end)

  it("leaves every name text, whatever it holds", function()
    assert.equal(1, count(page, "</script>"))
    assert.equal(1, count(page, "<script>"))
    assert.equal(0, count(page, '<b>"x"'))
    assert.equal(0, count(page, "<i>"))
    assert.equal(0, count(page, "<!-- "))
    assert.truthy(page:find("&lt;/script&gt;&lt;b&gt;&quot;x&quot;", 1, true))
  end)

  it("tells control characters by their codes", function()
    assert.is_nil(page:find("[%z\1-\8\11-\31\127]"))
    assert.truthy(page:find("]]&gt;|\\r\\n\\t%s\\x01", 1, true))
  end)

  it("keeps the lines of an error apart", function()
    local failed = { id = "a", error = "one <\ntwo\r\27[0m" }
    assert.truthy(html.render { results = { failed } }
      :find('"error">one &lt;\ntwo\\r\\x1b[0m</pre>', 1, true))
  end)

  it("tells which gates were not passed, and why others were not held",
    function()
      local gated = html.render(fixtures.many(1), {
        failures = { { id = "a", message = "a: time rose <much>" } },
        notes = { "not gated: b" } })
      assert.truthy(gated:find('<li class="bad">a: time rose &lt;much&gt;', 1,
        true))
      assert.truthy(gated:find("<li>not gated: b</li>", 1, true))
    end)

  it("explains the figures that it has, and no others", function()
    assert.truthy(page:find("<dt>instr</dt><dd>instructions of the", 1, true))
    local plain = html.render(fixtures.many(2))
    assert.truthy(plain:find("<dt>time</dt><dd>wall time a call", 1, true))
    assert.equal(0, count(plain, "<dt>instr</dt>"))
  end)

  it("has an overview that links to each result", function()
    local results = #fixtures.report().results
    for i = 1, results do
      assert.equal(1, count(page, '<a href="#r' .. i .. '">'))
      assert.equal(1, count(page, 'id="r' .. i .. '"'))
    end
    assert.truthy(page:find("time <span class=\"unit\">ns</span>", 1, true))
  end)

  it("leaves out columns that no result has", function()
    assert.equal(1, count(page, ">instr</th>"))
    local plain = html.render(fixtures.many(3))
    assert.equal(0, count(plain, ">instr</th>"))
    assert.equal(0, count(plain, ">collector</th>"))
  end)

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

  it("says what comparisons found", function()
    for _, comparison in ipairs(fixtures.report().comparisons) do
      assert.equal(2, count(page, words.verdict(comparison)))
    end
    assert.equal(1, count(page, '<div class="ratio slower">'))
  end)

  it("reads sweeps: laws, crossovers and a table", function()
    local sweep = fixtures.report().sweeps[1]
    local law = words.law(sweep.series[2].law):gsub("'", "&#39;")
    assert.truthy(page:find(law, 1, true))
    assert.truthy(page:find(words.crossover(sweep.crossovers[1], "n"), 1,
      true))
    assert.equal(7, count(page, 'class="n best"'))
  end)

  it("lists environment and options, nested ones too", function()
    assert.truthy(page:find("<dt>collector.mode</dt><dd>generational</dd>",
      1, true))
    assert.truthy(page:find("<dt>resamples</dt><dd>10000</dd>", 1, true))
  end)

  it("is the same page each time", function()
    assert.equal(page, html.render(fixtures.report()))
  end)

  it("leaves the Report as it was", function()
    local report = fixtures.report()
    html.render(report)
    assert.same(fixtures.report(), report)
  end)

  it("renders a Report without results", function()
    local empty = html.render { schema = "tare/1", results = {} }
    assert.truthy(empty:find("Nothing was measured", 1, true))
  end)

  it("takes a title, and results folded or not", function()
    local report = { results = { fixtures.result("a", "b") } }
    assert.truthy(html.render(report, { title = "<x>" })
      :find("<h1>&lt;x&gt;</h1>", 1, true))
    assert.truthy(html.render(report):find('id="r1" open>', 1, true))
    assert.truthy(html.render(fixtures.many(17)):find('id="r1">', 1, true))
  end)

  it("refuses what is no Report", function()
    assert.has_error(function() html.render {} end,
      "tare.report.html: a Report with 'results' is expected")
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
