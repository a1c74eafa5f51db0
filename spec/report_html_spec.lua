local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"

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

  it("shows control characters as their pictures", function()
    assert.is_nil(page:find("[%z\1-\8\11-\31\127]"))
    assert.truthy(page:find("%s\226\144\129", 1, true))
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
    assert.equal(1, count(page, ">instructions</th>"))
    local plain = html.render(fixtures.many(3))
    assert.equal(0, count(plain, ">instructions</th>"))
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
    assert.truthy(page:find("strings/buffer is faster than strings/concat: "
      .. "it takes 0.490 (0.483 to 0.497) of its time.", 1, true))
    assert.equal(1, count(page, '<div class="ratio slower">'))
  end)

  it("reads sweeps: laws, crossovers and a table", function()
    assert.truthy(page:find("grows like n log n (n can&#39;t be ruled out), "
      .. "exponent 1.12 (1.08 to 1.16).", 1, true))
    assert.truthy(page:find("impl=append overtakes impl=insert at n = 1,300 "
      .. "(1,100 to 1,600).", 1, true))
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
