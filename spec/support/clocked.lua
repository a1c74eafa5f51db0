-- Measuring on a clock that moves only when a bench says so: how much fits a
-- quota does not depend on the machine.
local core = require "tare.core"
local Direct = require "tare.conductor.direct"
local options = require "tare.base.options"
local Process = require "tare.worker.process"
local Suite = require "tare.bench.suite"

local clocked = {}

-- When LuaJIT compiles is another time each time, and what it compiles is in
-- the growth of the heap: here it compiles nothing.
if jit then jit.off() end
local UNSEEN = { available = false, count = function() return 0 end,
  follow = function() end,
  shares = function() return false end }

--- A process with a clock of its own.
---@param tick_ns number? 1 unless told
---@return table process
---@return table meter whose advance(ns) moves the clock
function clocked.process(tick_ns)
  local meter = core.meter { manual_tick_ns = tick_ns or 1, watch = true }
  local process = Process.new { meter = meter }
  process.watch = UNSEEN
  return process, meter
end

--- Cells of a suite "s", and the settings of their run.
---@param fill fun(suite: table, taking: (fun(ns: number): function), meter:
---  table) adds benches; taking(ns) is a function that takes so long
---@param meter table?
---@param given table? options; a quota of 20 ms unless told
---@return table[] cells
---@return table settings
function clocked.cells(fill, meter, given)
  local suite, own = Suite.new "s", { quota = "20ms" }
  for name, value in pairs(given or {}) do own[name] = value end
  fill(suite, function(ns)
    return function() meter:advance(ns) end
  end, meter)
  local settings = assert(options.resolve(own, "spec"))
  return assert(suite:cells(settings)), settings
end

--- A measurement in this process on such a clock.
---@return table direct
---@return table meter
---@return table process
function clocked.direct(fill, given, tick_ns)
  local process, meter = clocked.process(tick_ns)
  local cells, settings = clocked.cells(fill, meter, given)
  return Direct.new(cells, settings, process), meter, process
end

return clocked
