local Calls = require "tare.bench.calls"
local Contain = require "tare.host.contain"

describe("what contains a bench", function()
  it("leaves os.exit and the output as they were", function()
    local exit, output = os.exit, io.output()
    local contain = Contain.new {}
    assert.are_not.equal(exit, os.exit)
    local ok, message = pcall(os.exit, 3)
    assert.is_false(ok)
    assert.matches("it called os.exit%(3%)", message)
    contain:close()
    assert.equal(exit, os.exit)
    assert.equal(output, io.output())
  end)

  it("keeps the library sound between the calls of a bench, and no other sees "
    .. "what it made of it", function()
    local context = {}
    local contain = Contain.new(context)
    local function calls()
      local made = Calls.new()
      made:keep(context.sound)
      return made
    end
    local bad, good, ipairs_before = calls(), calls(), _G.ipairs
    local mine = function() end
    bad:try(function()
      _G.ipairs, string.rep = mine, nil -- luacheck: ignore 122
      debug.setmetatable("", nil)
      error "after that"
    end)
    assert.equal(ipairs_before, _G.ipairs)
    assert.equal("xx", ("x"):rep(2))
    local _, seen = good:try(function() return _G.ipairs end)
    assert.equal(ipairs_before, seen)
    _, seen = bad:try(function() return _G.ipairs end)
    assert.equal(mine, seen)
    _, seen = bad:try(function() return string.rep == nil end)
    assert.is_true(seen)
    contain:close()
    assert.equal(ipairs_before, _G.ipairs)
  end)
end)
