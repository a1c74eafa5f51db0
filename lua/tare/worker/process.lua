-- Shared by the workers of one process: the meter, the runtime (collector
-- and compiler), the watch over the compiler, deadlines.
local compat = require "tare.base.compat"
local core = require "tare.core"
local Jitwatch = require "tare.worker.jitwatch"
local lists = require "tare.base.lists"
local Runtime = require "tare.worker.runtime"

local Process = {}
Process.__index = Process

-- How long to look for stolen time after a batch, where batches are long. From
-- a hundred batches the stolen share is known to some percent.
local STOLEN_NS = 1e5

local LONGEST_NS = 8e18 -- of a deadline, which the core can count: 250 years

--- A new one.
---@param given { meter: table?, deadlines: boolean?, long: boolean? }? meter:
---  the caller's own, such as a manual one in a spec; deadlines: whether a
---  bench that does not return is ended from within, since no conductor would
---  end it; long: batches are long
---@return table process
function Process.new(given)
  given = given or {}
  local chain_steps = core.chain_steps()
  local meter = given.meter or core.meter { cpu = true, watch = true,
    chain_steps = chain_steps, stolen_ns = given.long and STOLEN_NS or nil }
  return setmetatable({
    meter = meter, is_manual = given.meter ~= nil, chain_steps = chain_steps,
    resolution_ns = meter:resolution(), runtime = Runtime.new(),
    watch = Jitwatch.new(), deadlines = given.deadlines and {} or nil,
  }, Process)
end

--- Why no bench can be ended from within; nil where it can.
---@return string? message
function Process.deadline_refusal()
  if compat.jit() then
    return "what LuaJIT has compiled can't be ended from within, only with "
      .. "its process: by 'tare run', without --launches 0"
  end
  local made, message = core.deadline(1)
  return not made and message or nil
end

--- Why cells can't be measured in this process: a timeout has to be kept.
---@param cells table[]
---@param settings table of the run
---@return string? message
function Process.refusal(cells, settings)
  local has_timeout = settings.timeout ~= nil
    or lists.first(cells, function(cell) return cell.options.timeout ~= nil end)
  local why = has_timeout and Process.deadline_refusal()
  return why and "timeout: " .. why or nil
end

--- The deadline of a cell's calls.
---@param options table of the cell
---@return table? deadline nil if the cell has none, or can have none
function Process:deadline(options)
  local ns, known = options.timeout, self.deadlines
  if not ns or not known or compat.jit() then return nil end
  if known[ns] == nil then
    known[ns] = core.deadline(math.min(math.max(ns, 1),
      LONGEST_NS)) or false
  end
  return known[ns] or nil
end

--- Restores the host's settings.
function Process:close()
  self.runtime:restore()
end

return Process
