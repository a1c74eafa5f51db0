local compat = require "tare.base.compat"
local core = require "tare.core"
local gc_modes = require "tare.base.gc_modes"
local options = require "tare.base.options"

local function text_of(name)
  local file = assert(io.open(name))
  local text = file:read "*a"
  file:close()
  return text
end

describe("the modes of Lua's collector", function()
  it("are the values of the option gc_mode, and its help names them",
    function()
      for _, name in ipairs(gc_modes.names) do
        assert.equal(name, options.read("gc_mode", name))
        assert.truthy(options.by_name.gc_mode.help:find(name, 1, true), name)
      end
      assert.is_nil((options.read("gc_mode", "concurrent")))
    end)

  it("are points of an axis 'gc_mode', and in the types", function()
    local cells = require("tare.sweep").cells { gc_mode = gc_modes.names }
    assert.equal(#gc_modes.names, #cells)
    local listed = text_of "lua/tare/meta/types.lua"
      :match "@field gc_mode string%? ([^\n]*)"
    for _, name in ipairs(gc_modes.names) do
      assert.truthy(listed:find(('"%s"'):format(name), 1, true), name)
    end
  end)

  it("are those that the core has, in its order", function()
    local names = {}
    for name in text_of "csrc/bind/bind_gc.c":match("modes%[%] = (%b{})")
      :gmatch '"(%w+)"' do names[#names + 1] = name end
    assert.same(gc_modes.names, names)
    if not compat.HAS_GC_MODES then return end
    assert.is_true(gc_modes.has(core.gc_state().mode))
  end)

  it("are each said what they ignore of the collector's settings", function()
    for _, name in ipairs(gc_modes.names) do
      for _, unused in ipairs(gc_modes.of(name).unused) do
        assert.truthy(options.by_name[unused], unused)
      end
    end
  end)

  it("are incremental where a Lua has none, and in a report of another name",
    function()
      assert.equal("incremental", gc_modes.of(nil).name)
      assert.equal("incremental", gc_modes.of("of tomorrow").name)
    end)
end)
