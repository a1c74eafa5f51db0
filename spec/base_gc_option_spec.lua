local gc_option = require "tare.base.gc_option"
local options = require "tare.base.options"

describe("the ways of --gc", function()
  it("have a second pass where no collection comes before each batch",
    function()
      for _, way in ipairs(gc_option.all) do
        assert.equal(not way.collects, way.second ~= nil, way.name)
        assert.equal(way.second ~= nil, way.share ~= nil, way.name)
        if way.stops then assert.is_true(way.collects, way.name) end
      end
    end)

  it("are the values of the option gc, and its help names them", function()
    for _, name in ipairs(gc_option.names) do
      assert.equal(name, options.read("gc", name))
      assert.truthy(options.by_name.gc.help:find(name, 1, true))
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
    local of_ways = page:read("*a"):match "\n## Ways of `%-%-gc`\n(.-)\n\n"
    page:close()
    local described = {}
    for name in ("\n" .. of_ways):gmatch "\n%- `(%w+)`:" do
      described[#described + 1] = name
    end
    assert.same(gc_option.names, described)
  end)

  it("are natural in a report that has another name for one", function()
    assert.equal("natural", gc_option.of("of tomorrow").name)
  end)
end)
