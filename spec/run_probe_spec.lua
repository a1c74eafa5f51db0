local probe = require "tare.run.probe"

local SECOND = 1e9

describe("the number of calls that a census takes", function()
  it("is sixteen, or one where that is long against the quota", function()
    assert.equal(16, probe.census_calls(1e3, SECOND))
    assert.equal(1, probe.census_calls(1e7, SECOND))
    assert.equal(1, probe.census_calls(1e3, SECOND, 1e4))
  end)

  it("is that of the baseline, if quota and limit allow", function()
    assert.equal(1, probe.census_calls(1e3, SECOND, nil, 1))
    assert.equal(16, probe.census_calls(1e7, SECOND, nil, 16))
    assert.equal(16, probe.census_calls(6e7, SECOND, nil, 16))
    assert.equal(1, probe.census_calls(6e7, SECOND, 9e8, 16))
    assert.equal(1, probe.census_calls(1e8, SECOND, nil, 16))
    assert.equal(16, probe.census_calls(1e3, SECOND, nil, 0.5))
  end)
end)
