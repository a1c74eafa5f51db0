local bmf = require "tare.report.bmf"
local cjson = require "cjson"
local fixtures = require "spec.support.fixtures"
local shape = require "spec.support.shape"

-- Bencher's schema: objects of objects of numbers, 'value' required.
local function rendered(report)
  local data = cjson.decode(bmf.render(report))
  for name, measures in pairs(data) do
    assert.is_true(#name <= 1024 and #name > 0)
    assert.is_not_nil(next(measures))
    for measure, metric in pairs(measures) do
      assert.matches("^[%l%-]+$", measure)
      shape.holds(metric, { value = "number", lower_value = "number?",
        upper_value = "number?" }, measure)
    end
  end
  return data
end

describe("the Bencher report", function()
  it("has latency in nanoseconds with its ends", function()
    local report = fixtures.report()
    local time = report.results[1].time
    assert.same({ value = time.value, lower_value = time.low,
      upper_value = time.high },
      rendered(report)["strings/concat"].latency)
  end)

  it("has every measure that the bench has", function()
    local measures = rendered(fixtures.report())["tables/fill{n=10}"]
    assert.equal(4, measures.allocations.value)
    assert.equal(152, measures["allocated-bytes"].value)
    assert.equal(61, measures.instructions.value)
    assert.equal(92, measures["collector-time"].value)
  end)

  it("leaves out what failed", function()
    assert.is_nil(rendered(fixtures.report())["broken/raises"])
    assert.equal("{}\n", bmf.render { results = {} })
  end)

  it("keeps names within Bencher's length, and apart", function()
    local long = ("x"):rep(3000)
    local data = rendered { results = {
      { id = long .. "1", time = { value = 1 } },
      { id = long .. "2", time = { value = 2 } } } }
    local count = 0
    for _ in pairs(data) do count = count + 1 end
    assert.equal(2, count)
  end)
end)
