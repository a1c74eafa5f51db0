local gc_option = require "tare.base.gc_option"
local options = require "tare.base.options"

describe("the modes of the collector", function()
  it("have a second pass where no collection comes before each batch",
    function()
      for _, mode in ipairs(gc_option.all) do
        assert.equal(not mode.collects, mode.second ~= nil, mode.name)
        assert.equal(mode.second ~= nil, mode.share ~= nil, mode.name)
        if mode.stops then assert.is_true(mode.collects, mode.name) end
      end
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

  it("are those that docs/collector.md describes", function()
    local page = assert(io.open "docs/collector.md")
    local of_modes = page:read("*a"):match "\n## Modes of a bench.-\n(.-)\n\n"
    page:close()
    local described = {}
    for name in ("\n" .. of_modes):gmatch "\n%- `(%w+)`:" do
      described[#described + 1] = name
    end
    assert.same(gc_option.names, described)
  end)

  it("are natural in a report that has another name for one", function()
    assert.equal("natural", gc_option.of("of tomorrow").name)
  end)
end)
