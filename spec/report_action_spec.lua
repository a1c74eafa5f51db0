local action = require "tare.report.action"
local cjson = require "cjson"
local fixtures = require "spec.support.fixtures"
local shape = require "spec.support.shape"

local function rendered(report)
  local entries = cjson.decode(action.render(report))
  for _, entry in ipairs(entries) do
    shape.holds(entry, { name = "string", unit = "string", value = "number",
      range = "string?", extra = "string?" }, "entry")
    if entry.range then -- what the action's own pattern takes
      local figure = entry.range:match("^\194\177 (%d.*)$")
      assert.is_number(tonumber(figure))
    end
  end
  return entries
end

describe("the github-action-benchmark report", function()
  it("has an entry for each figure that should be small", function()
    local by_name = {}
    for _, entry in ipairs(rendered(fixtures.report())) do
      by_name[entry.name] = entry
    end
    assert.equal("ns/call", by_name["strings/concat"].unit)
    assert.equal(4, by_name["tables/fill{n=10} (allocs)"].value)
    assert.equal(61, by_name["tables/fill{n=10} (instructions)"].value)
    assert.is_nil(by_name["broken/raises"])
  end)

  it("is a list even when it is empty", function()
    assert.equal("[]\n", action.render { results = {} })
  end)
end)
