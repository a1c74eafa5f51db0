-- A bench on a clock of its own, on which each call takes a microsecond: how
-- much fits a quota does not depend on the machine.
local core = require "tare.core"
local options = require "tare.base.options"
local Runner = require "tare.run.runner"
local Suite = require "tare.bench.suite"

local CALL_NS = 1000

--- A runner of one bench.
---@param run function
---@param given table options
---@return table runner
---@return table settings
return function(run, given)
  local meter = core.meter { manual_tick_ns = 1, watch = true }
  local suite, context = Suite.new "s", Runner.context(meter)
  context.is_manual = false -- its passes are wanted
  suite:bench("b", function()
    run()
    meter:advance(CALL_NS)
  end)
  local settings = assert(options.resolve(given, "spec"))
  return Runner.new(suite:cells(), settings, context), settings
end
