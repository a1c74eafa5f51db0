local Fixture = require "tare.bench.fixture"
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

describe("a census", function()
  -- Counts a bench's calls, and those of them that were not under a deadline.
  local function watched(run)
    local seen, inside = { calls = 0, beyond = 0 }, false
    local deadline = { call = function(_, f, ...)
      inside = true
      local ok, message = f(...)
      inside = false
      return ok, message
    end }
    local fixture = Fixture.new({ values = {}, spec = { run = function()
      seen.calls = seen.calls + 1
      if not inside then seen.beyond = seen.beyond + 1 end
      return run(seen.calls)
    end } }, "inline", 1, deadline)
    assert(fixture:prepare())
    return fixture, seen
  end

  it("is under the deadline with all that it calls", function()
    local fixture, seen = watched(function() return {} end)
    local census = assert(probe.census(fixture, 16, nil, 1e3 * SECOND, 1))
    collectgarbage "restart"
    assert.is_table(census.retained)
    assert.is_true(seen.calls >= 16 + census.retained.iters)
    assert.equal(0, seen.beyond)
  end)

  it("tells what is raised while it looks for what stays", function()
    local fixture = watched(function(n)
      if n > 100 then error("late", 0) end
      return {}
    end)
    local census, message = probe.census(fixture, 16, nil, 1e3 * SECOND, 1)
    collectgarbage "restart"
    assert.is_nil(census)
    assert.equal("late", message)
  end)
end)
