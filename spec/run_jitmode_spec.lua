local Jitmode = require "tare.run.jitmode"
local measure = require "tare.run.measure"
local options = require "tare.base.options"
local Suite = require "tare.bench.suite"
local jit = require("tare.base.compat").jit()

local function measured(params, run)
  local suite = Suite.new "s"
  suite:bench("f", { params = params, run = run })
  local settings = assert(options.resolve({ quota = "60x", resamples = 50 },
    "spec"))
  return measure.cells(suite:cells(), settings).results
end

describe("the option 'jit'", function()
  if not jit then
    it("can only be off where there is no compiler", function()
      local results = measured({ jit = { true, false } }, function() end)
      assert.equal("jit: this Lua has no compiler that could be on",
        results[1].error)
      assert.is_nil(results[2].error)
    end)
    return
  end

  it("switches the compiler for the batches, and leaves it as it was",
    function()
      local seen = {}
      local results = measured({ jit = { true, false } }, function(p)
        seen[tostring(p.jit)] = jit.status()
      end)
      assert.is_true(jit.status())
      assert.same({ ["true"] = true, ["false"] = false }, seen)
      assert.is_true(results[1].jit)
      assert.is_false(results[2].jit)
    end)

  it("leaves a compiler off that the host has switched off", function()
    jit.off()
    local mode = Jitmode.new()
    mode:enter(nil)
    local within = jit.status()
    mode:enter(true)
    local asked = jit.status()
    mode:leave()
    local after = jit.status()
    jit.on()
    assert.same({ false, true, false }, { within, asked, after })
  end)
end)
