local contrast = require "tare.report.contrast"
local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"
local pages = require "spec.support.pages"
local words = require "tare.report.words"

local count, part_of = pages.count, pages.part_of

describe("the HTML report", function()
  local page = html.render(fixtures.report())

  it("is one page that asks for nothing else", function()
    assert.equal(1, page:find("<!DOCTYPE html>\n<html lang", 1, true))
    assert.equal("</html>\n", page:sub(-8))
    for _, outside in ipairs { "http:", "https:", "url(", " src=", "@import",
      "<link" } do
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

  it("says what comparisons found", function()
    for _, comparison in ipairs(fixtures.report().comparisons) do
      assert.equal(2, count(page, contrast.sentence(comparison)))
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

  it("marks no best of one series", function()
    local one = fixtures.report()
    one.sweeps[1].series = { one.sweeps[1].series[1] }
    one.sweeps[1].crossovers = {}
    assert.equal(0, count(html.render(one), 'class="n best"'))
  end)

  it("lists environment and options, nested ones too", function()
    assert.truthy(page:find("<dt>collector.mode</dt><dd>generational</dd>",
      1, true))
    assert.truthy(page:find("<dt>resamples</dt><dd>10000</dd>", 1, true))
  end)

  it("tells the environments of a merged Report apart", function()
    local merged = fixtures.many(3)
    merged.envs = { { lua = "Lua 5.4" }, { lua = "Lua 5.4" },
      { lua = "LuaJIT" } }
    for i, result in ipairs(merged.results) do result.env_index = i end
    local text = html.render(merged)
    assert.equal(1, count(text, "<h3>Environment 1</h3>"))
    assert.equal(1, count(text, "<h3>Environment 2</h3>"))
    assert.equal(2, count(text, ">environment 1</span>"))
    assert.equal(1, count(part_of(text, 3), ">environment 2</span>"))
    assert.equal(0, count(page, ">environment 1</span>"))
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
end)
