local columns = require "tare.report.columns"
local command = require "spec.support.command"
local fixtures = require "spec.support.fixtures"
local formats = require "spec.support.formats"
local report = require "tare.report"
local store = require "tare.store"

describe("rendering", function()
  it("knows every format of the command line", function()
    assert.same({ "action", "bmf", "csv", "folded", "gbench", "html", "json",
      "junit", "markdown", "perfetto", "pyperf", "speedscope", "text" },
      report.formats())
  end)

  it("has each format in the manual, and where tare.render is described",
    function()
      local rows = {}
      for name in command.read("docs/formats.md"):gmatch "\n| `(%w+)` |" do
        rows[#rows + 1] = name
      end
      table.sort(rows)
      assert.same(report.formats(), rows)
      local text = command.read "lua/tare/meta/tare.lua"
      for _, name in ipairs(report.formats()) do
        assert.truthy(text:find("%-%-%-[^\n]*%f[%w]" .. name .. "%f[%W]"), name)
      end
    end)

  it("knows how a file of each format is called", function()
    assert.equal("xml", report.extension("junit"))
    assert.equal("json", report.extension("pyperf"))
    assert.equal("txt", report.extension("text"))
  end)

  it("refuses a format that there is not, naming those there are", function()
    local text, message = report.render(fixtures.report(), "yaml")
    assert.is_nil(text)
    assert.matches("^no format 'yaml'; there are: action, bmf", message)
    assert.is_nil((report.extension("yaml")))
  end)

  it("tells beforehand whether columns and order are known", function()
    assert.is_true(report.check { columns = "+time,bytes", sort = "-time" })
    assert.is_true(report.check { sort = "none" })
    assert.is_true(report.check {})
    assert.matches("no column 'x'", select(2, report.check { columns = "x" }))
    assert.matches("can't sort by 'x'", select(2, report.check { sort = "x" }))
  end)

  it("leaves the Report as it was", function()
    local data = fixtures.report()
    for _, format in ipairs(formats) do
      assert.is_string(report.render(data, format))
    end
    assert.same(fixtures.report(), data)
  end)

  it("renders a Report in which almost everything is absent", function()
    local bare = { schema = "tare/1", results = { { id = "a" } } }
    for _, format in ipairs { "text", "markdown", "csv", "json", "junit",
      "gbench", "bmf", "action" } do
      assert.is_string(report.render(bare, format))
      assert.is_string(report.render({ results = {} }, format))
    end
  end)

  it("knows which format a file's name asks for", function()
    assert.equal("junit", report.format_of("a/b.XML"))
    assert.equal("markdown", report.format_of("x.md"))
    assert.is_nil(report.format_of("x"))
    assert.is_nil(report.format_of("x.what"))
  end)

  it("needs samples where a format shows what only they say", function()
    local needs = report.needs_samples
    for _, format in ipairs { "html", "json", "csv", "pyperf", "gbench",
      "junit" } do
      assert.is_true(needs(format, {}, 9), format)
    end
    for _, format in ipairs { "text", "markdown", "bmf", "action" } do
      assert.is_false(needs(format, {}, 9), format)
    end
    assert.is_true(needs("text", {}, 1))
    assert.is_true(needs("text", { plot = true }, 9))
    assert.is_true(needs("markdown", { columns = "time,+p99" }, 9))
    assert.is_false(needs("text", { columns = "time,gc" }, 9))
  end)

  it("needs them for each column that would be empty without", function()
    local whole = fixtures.report().results[1]
    whole.time_from, whole.mean = "wall", { value = 10, unit = "ns" }
    whole.stddev, whole.samples = { value = 1, unit = "ns" }, { iters = {},
      wall_ns = {} }
    for i = 1, 400 do
      whole.samples.iters[i], whole.samples.wall_ns[i] = 100, 1000 + i
    end
    local slim, found = store.slim(whole), {}
    local context = { options = {}, relations = {} }
    for _, name in ipairs(columns.names()) do
      local column = columns.find(name)
      local function text(result)
        local cell = column.cell and column.cell(result, context, true) or {}
        return tostring(cell.text) .. tostring(cell.more)
      end
      if name ~= "compared" and text(whole) ~= text(slim) then
        found[#found + 1] = name
        assert.is_true(report.needs_samples("text", { columns = name }, 9),
          name)
      end
    end
    assert.same({ "mean", "sd", "p95", "p99", "max", "batches",
      "distribution" }, found)
  end)

  it("says which of its options are wrong", function()
    assert.is_nil(report.wrong_option { plot = true, checked = 0, against = {},
      columns = { "time" }, width = 80, interrupted = {} })
    assert.equal("unknown option 'colour'; did you mean 'color'?",
      report.wrong_option { colour = true })
    assert.equal("option 'width' must be 1 or more, got 0",
      report.wrong_option { width = 0 })
    assert.equal("option 'columns' must be a string or a table, got 1",
      report.wrong_option { columns = 1 })
  end)

  it("refuses what is no report, result or comparison", function()
    assert.equal("expected a report, got number", report.refusal(1))
    assert.equal("expected a report, got a table without 'results'",
      report.refusal {})
    assert.equal("expected a report, but results[1] is no result",
      report.refusal { results = { {} } })
    assert.is_nil(report.refusal { id = "a" })
    assert.is_nil(report.refusal { a = "x", b = "y", ratio = { value = 1 } })
  end)

  it("renders a single result and a comparison in every format", function()
    local result = fixtures.report().results[1]
    local comparison = fixtures.report().comparisons[1]
    for _, format in ipairs(formats) do
      assert.is_string(report.render(result, format))
      local text, message = report.render(comparison, format)
      assert.is_string(text or message)
    end
  end)
end)
