local returned = require "tare.worker.returned"
local lite = require "tare.lite"
local numerals = require "tare.base.numerals"
local options = require "tare.base.options"
local report = require "tare.report"
local sweep = require "tare.sweep"
local units = require "tare.base.units"

describe("numerals", function()
  it("write numbers and round them", function()
    assert.equal("1.500", numerals.fixed(1.5, 3))
    assert.equal("-12", numerals.fixed(-12.3, 0))
    assert.equal("1.5e+20", numerals.format("%.2g", 1.5e20))
    assert.equal(3, numerals.exponent(9999.4, 4))
    assert.equal(4, numerals.exponent(9999.6, 4))
    assert.equal(-5, numerals.exponent(1.2e-5, 2))
    assert.near(1230, numerals.rounded(1234, 3), 1e-9)
    assert.near(0.00457, numerals.rounded(0.0045678, 3), 1e-12)
    assert.near(-1230, numerals.rounded(-1234, 3), 1e-9)
    assert.equal(0, numerals.rounded(0, 3))
  end)

  -- Calls a function in a locale with a comma, whether one is installed or not:
  -- what it changes is string.format, and that tonumber takes no point.
  local function with_comma(fn)
    local format, to_number = string.format, tonumber
    string.format = function(form, ...) -- luacheck: ignore
      local text = format(form, ...)
      return form:find("%%[%d.]*[fge]") and text:gsub("(%d)%.(%d)", "%1,%2")
        or text
    end
    tonumber = function(s, base) -- luacheck: ignore
      if type(s) == "string" then
        if s:find(".", 1, true) then return nil end
        s = s:gsub(",", ".")
      end
      return to_number(s, base)
    end
    local ok, wrong = pcall(fn)
    string.format, tonumber = format, to_number -- luacheck: ignore
    assert(ok, wrong)
  end

  it("have a point in every locale", function()
    with_comma(function()
      assert(string.format("%.1f", 0.5) == "0,5")
      assert(units.duration(1234) == "1.234 us", units.duration(1234))
      assert(units.percent(0.0131) == "1.3%")
      assert(units.thousands(1234.5) == "1,234.5")
      assert(numerals.format("%.3g", 1.25) == "1.25")
      local result = { id = "a", suite = "s", time = { value = 1234.5,
        low = 1230.5, high = 1238.5 }, r2 = 0.999, instructions =
        { value = 2.5 } }
      for _, name in ipairs { "text", "markdown", "html", "junit" } do
        local text = report.render({ results = { result } }, name, {})
        assert(text:find("1.23", 1, true), name)
        assert(not text:gsub("{.-}", ""):find("1,23", 1, true), name)
      end
    end)
  end)

  it("are read with a point in every locale", function()
    with_comma(function()
      assert.equal(1.5e6, (units.parse_duration "1.5ms"))
      assert.equal(0.015, (units.parse_percent "1.5%"))
      assert.equal(0.5, numerals.read "0.5")
      assert.equal(-2500, numerals.read "-2.5e3")
      assert.is_nil(numerals.read "1.5x")
      assert.same({ kind = "geometric", factor = 1.5 },
        options.by_name.schedule.parse "geometric:1.5")
    end)
  end)

  it("have a point in ids of cells and in answers",
    function()
      with_comma(function()
        local cells = sweep.cells({ { "n", { 0.5, 1e-9, 0.1 + 0.2 } } }, {})
        local labels = {}
        for i, cell in ipairs(cells) do labels[i] = cell.label end
        assert.same({ "{n=0.5}", "{n=1e-09}", "{n=0.30000000000000004}" },
          labels)
        assert.equal("the result is 0.5 there, and 0.25 here",
          returned.difference(returned.of { n = 1, 0.5 },
            returned.of { n = 1, 0.25 }))
      end)
    end)

  it("are the same in what lite makes", function()
    local function made()
      local time = 0
      local function clock()
        time = time + 1.1e-7
        return time
      end
      local text = lite.run("s", { { name = "a", run = clock } },
        { quota = 0.001, clock = clock })
      return (text:gsub('"%a+_bytes":%b[]', "")) -- they are of this process
    end
    local expected = made()
    with_comma(function() assert.equal(expected, made()) end)
  end)
end)
