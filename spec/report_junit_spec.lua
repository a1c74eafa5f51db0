local fixtures = require "spec.support.fixtures"
local junit = require "tare.report.junit"
local found, lxp = pcall(require, "lxp")

-- Elements of a document in order, each with its attributes and text, as
-- expat reads them.
local function elements(text)
  local list, open = {}, {}
  local parser = lxp.new {
    StartElement = function(_, name, attributes)
      local element = { tag = name, text = "", parent = open[#open] }
      for i = 1, #attributes do
        element[attributes[i]] = attributes[attributes[i]]
      end
      list[#list + 1], open[#open + 1] = element, element
    end,
    EndElement = function() open[#open] = nil end,
    CharacterData = function(_, data)
      open[#open].text = open[#open].text .. data
    end,
  }
  assert(parser:parse(text))
  assert(parser:parse())
  parser:close()
  return list
end

local function called(list, name)
  local picked = {}
  for _, element in ipairs(list) do
    if element.tag == name then picked[#picked + 1] = element end
  end
  return picked
end

local FAILURES = {
  { id = "strings/gsub", metric = "time",
    message = 'time is 1.3x of the baseline & more than "5%"' },
  { id = "strings/gsub", metric = "allocs", message = "allocs 3 > 2" },
}

describe("the JUnit report", function()
  if not found then
    pending("needs lua-expat to read XML")
    return
  end

  it("has a testsuite a section and a testcase a bench", function()
    local report = fixtures.report()
    local list = elements(junit.render(report))
    assert.equal("testsuites", list[1].tag)
    assert.equal(tostring(#report.results), list[1].tests)
    assert.equal(#report.results, #called(list, "testcase"))
    local suites = called(list, "testsuite")
    assert.same({ "strings", "4", "0", "0" }, { suites[1].name,
      suites[1].tests, suites[1].failures, suites[1].errors })
    local case = called(list, "testcase")[5]
    assert.equal("tables/array", case.classname)
    assert.is_true(tonumber(case.time) > 0)
  end)

  it("has the time of a bench with its interval, none of it below zero",
    function()
      local function said(time)
        local result = { id = "a/b", suite = "a", name = "b", time = time }
        return called(elements(junit.render { results = { result } }),
          "system-out")[1].text
      end
      assert.equal("7.00 ns per call (5.00 to 9.00 ns)",
        said { value = 7, low = 5, high = 9 })
      assert.equal("7.00 ns per call (0 to 15.0 ns)",
        said { value = 7, low = -1, high = 15 })
      assert.equal("7.00 ns per call", said { value = 7 })
    end)

  it("shows a bench that raised as an error", function()
    local list = elements(junit.render(fixtures.report()))
    local errors = called(list, "error")
    assert.equal(1, #errors)
    assert.equal("broken_bench.lua:7: attempt to index a nil value",
      errors[1].message)
    assert.equal("broken", errors[1].parent.classname)
    assert.equal("1", list[1].errors)
  end)

  it("shows what a gate stopped as failures of their bench", function()
    local list = elements(junit.render(fixtures.report(),
      { failures = FAILURES }))
    local failures = called(list, "failure")
    assert.equal(2, #failures)
    assert.equal(FAILURES[1].message, failures[1].message)
    assert.equal(FAILURES[1].message, failures[1].text)
    assert.equal("allocs", failures[2].type)
    assert.equal("1", list[1].failures) -- testcases, not messages
  end)

  it("is XML whatever a bench is called", function()
    local list = elements(junit.render(fixtures.report()))
    local cases = called(list, "testcase")
    assert.matches("</script><b>\"x\" & 'y', <!-- ]]>|\\r\\n\\t%s\\x01",
      cases[#cases].classname, 1, true)
    elements(junit.render { results = { { id = "\255\0", suite = "]]>",
      error = "\27[31m" } } })
    local odd = "a\239\191\190b\239\191\191c\216\156d\240\159\191\190e"
    local odd_ones = elements(junit.render { results = { { id = odd,
      suite = odd, error = odd } } })
    local case = called(odd_ones, "testcase")[1]
    assert.equal("a\\u{fffe}b\\u{ffff}c\\u{61c}d\\u{1fffe}e", case.name)
  end)

  it("of no benches is well-formed", function()
    assert.equal("0", elements(junit.render { results = {} })[1].tests)
  end)
end)
