local gc_option = require "tare.base.gc_option"
local options = require "tare.base.options"

describe("the modes of the collector", function()
  it("say the same things, each of them", function()
    local first = gc_option.all[1]
    for _, mode in ipairs(gc_option.all) do
      for field, value in pairs(first) do
        assert.equal(type(value), type(mode[field]), mode.name .. ": " .. field)
      end
      for field in pairs(mode) do
        assert.is_not_nil(first[field], mode.name .. ": " .. field)
      end
    end
  end)

  it("give a second pass some of the time where the collector runs", function()
    for _, mode in ipairs(gc_option.all) do
      local has_second = not (mode.stops or mode.collects)
      assert.equal(has_second, mode.share > 0, mode.name)
      if mode.is_arms then assert.is_true(has_second, mode.name) end
    end
  end)

  it("are biased where the collector never runs while the function does",
    function()
      local biased = {}
      for _, mode in ipairs(gc_option.all) do
        if mode.is_biased then biased[#biased + 1] = mode.name end
      end
      assert.same({ "stopped", "arms" }, biased)
    end)

  it("are the values of the option gc, and its help names them", function()
    for _, name in ipairs(gc_option.names) do
      assert.equal(name, options.read("gc", name))
      assert.truthy(options.gc.help:find(name, 1, true))
    end
    assert.is_nil((options.read("gc", "never")))
  end)

  it("are points of an axis 'gc', and in the types", function()
    local cells = require("tare.sweep").cells { gc = gc_option.names }
    assert.equal(#gc_option.names, #cells)
    local types = assert(io.open "lua/tare/meta/types.lua")
    local listed = types:read("*a"):match("@field gc string%? ([^\n]*)")
    types:close()
    for _, name in ipairs(gc_option.names) do
      assert.truthy(listed:find(('"%s"'):format(name), 1, true), name)
    end
  end)

  it("are natural in a report that has another name for one", function()
    assert.equal("natural", gc_option.of("of tomorrow").name)
  end)
end)
