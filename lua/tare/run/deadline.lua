-- How long a batch or a hook may take before it is ended within the process. A
-- child that measures has none: its parent ends it, whatever it does.
local compat = require "tare.base.compat"
local core = require "tare.core"
local terms = require "tare.bench.terms"

local deadline = {}

--- Why nothing can be ended here; nil where it can.
---@return string? message
function deadline.refusal()
  if compat.jit() then
    return "what LuaJIT has compiled can't be ended from within; 'tare run "
      .. "--timeout' ends its process"
  end
  local made, message = core.deadline(1)
  return not made and message or nil
end

--- Whether any cell may take only so long, by its own timeout or the run's.
---@param cells table[] of suite:cells()
---@param settings table resolved options of the run
---@return boolean
function deadline.is_asked(cells, settings)
  for _, cell in ipairs(cells) do
    if terms.options(cell, settings).timeout then return true end
  end
  return settings.timeout ~= nil
end

--- The deadline of a trial.
---@param options table of the cell
---@param context table of Runner.context(), which keeps those that were made
---@return table? deadline nil where there is none, or none can be
function deadline.of(options, context)
  local ns, known = options.timeout, context.deadlines
  if not ns or not known or compat.jit() then return nil end
  if known[ns] == nil then
    known[ns] = core.deadline(math.max(ns, 1)) or false
  end
  return known[ns] or nil
end

return deadline
