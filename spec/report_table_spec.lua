local layout = require "tare.report.table"

local function plain(s) return s end

local function lines(columns, style)
  local measured = {}
  for i, column in ipairs(columns) do measured[i] = layout.measure(column) end
  return layout.lines(measured, 1, style or plain), layout.width(measured, 1)
end

describe("a table of text", function()
  it("aligns left, right, and by decimal points", function()
    local text, size = lines {
      { title = "name", align = "left", cells = { "a", "long name" } },
      { title = "n", align = "right", cells = { "1", "100" } },
      { title = "time", align = "decimal", cells = { "1.25 ns", "100 ns" } },
    }
    assert.same({
      " name         n       time",
      " a            1    1.25 ns",
      " long name  100  100 ns",
    }, text)
    assert.equal(26, size)
  end)

  it("counts what a character takes, not its bytes", function()
    assert.same({
      " x      y",
      " \195\169      1",
      " \230\151\165\230\156\172  22",
    }, (lines {
      { title = "x", align = "left",
        cells = { "\195\169", "\230\151\165\230\156\172" } },
      { title = "y", align = "right", cells = { "1", "22" } },
    }))
  end)

  it("styles cells after padding them", function()
    assert.same({
      " <title:a >  <title:b>",
      " <bad:x >  1",
      " yy  2",
    }, (lines({
      { title = "a", align = "left", cells = { { "x", "bad" }, "yy" } },
      { title = "b", align = "left", cells = { "1", "2" } },
    }, function(text, name) return "<" .. name .. ":" .. text .. ">" end)))
  end)

  it("aligns signs and shares by their decimal points", function()
    assert.same({ " share", " -1.5%", " 12%" }, (lines {
      { title = "share", align = "decimal", cells = { "-1.5%", "12%" } } }))
  end)
end)
