local fixtures = require "spec.support.fixtures"
local json = require "tare.report.json"
local store = require "tare.store"

describe("the JSON report", function()
  it("is what the store reads, without loss", function()
    local report = fixtures.report()
    assert.same(report, assert(store.decode(json.render(report))))
  end)
end)
