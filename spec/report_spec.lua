local fixtures = require "spec.support.fixtures"
local report = require "tare.report"

describe("rendering", function()
  it("knows every format of the command line", function()
    assert.same({ "action", "bmf", "csv", "gbench", "html", "json", "junit",
      "markdown", "pyperf", "text" }, report.formats())
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
    for _, format in ipairs { "text", "markdown", "csv", "json", "junit",
      "gbench", "pyperf", "bmf", "action" } do
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
end)
