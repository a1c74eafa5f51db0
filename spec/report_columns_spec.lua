local columns = require "tare.report.columns"
local metrics = require "tare.base.metrics"

local function keys(names)
  local list = {}
  for i, column in ipairs(assert(columns.chosen(names))) do
    list[i] = column.key
  end
  return list
end

describe("columns", function()
  it("are the usual ones unless others are asked for", function()
    local usual = table.concat(keys(nil), " ")
    for _, key in ipairs { "time", "time:interval", "r2", "net", "gc",
      "gc_minor", "gc_major", "bytes", "allocs", "relative", "histogram" } do
      assert.is_truthy((" " .. usual .. " "):find(" " .. key .. " ", 1, true))
    end
  end)

  it("are those of a list, in its order", function()
    assert.same({ "median", "time" }, keys("median,time"))
    assert.same({ "median", "time" }, keys { "median", "time" })
    assert.same({ "time" }, keys("name, time"))
  end)

  it("get their interval and R2 by a plus", function()
    assert.same({ "net", "time", "time:interval", "r2" }, keys("net,+time"))
    assert.same({ "r2", "time", "time:interval" }, keys("r2,+time"))
    assert.same({ "gc", "r2" }, keys("+gc"))
    assert.same({ "gc" }, keys("share")) -- its name of before
  end)

  it("appear once", function()
    assert.same({ "time", "time:interval", "r2" },
      keys("time,+time,time"))
  end)

  it("that there are not are refused by name", function()
    local list, message = columns.chosen("time,\27nonsense")
    assert.is_nil(list)
    assert.matches("^no column '\\x1bnonsense'; there are: .*allocs", message)
    assert.is_nil((columns.chosen("share:interval")))
  end)

  it("cover every metric, and each explains itself", function()
    for _, metric in ipairs(metrics.all()) do keys(metric.name) end
    for _, name in ipairs(columns.names()) do
      for _, column in ipairs(columns.chosen(name)) do
        assert.is_string(column.explain)
        assert.is_not_nil(column.title)
      end
    end
  end)

  it("sort by any figure, or by name", function()
    assert.equal(5, columns.sorter("time") { time = { value = 5 } })
    assert.is_nil(columns.sorter("time") {})
    assert.equal("a", columns.sorter("name") { id = "a" })
    assert.matches("can't sort by 'histogram'",
      select(2, columns.sorter("histogram")))
    assert.is_nil((columns.sorter("relative")))
    assert.is_nil((columns.sorter("nonsense")))
  end)
end)
