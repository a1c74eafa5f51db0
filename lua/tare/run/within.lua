-- What a measurement within the process can be asked for: a library has no
-- child processes, and not everywhere can it end a bench.
local deadline = require "tare.run.deadline"
local options = require "tare.base.options"

local within = {}

--- Options over their defaults.
---@param given table?
---@param who string whom a message names
---@return table? settings
---@return string? message what is wrong with them
function within.settings(given, who)
  local settings, message = options.resolve(given, who)
  if not settings then return nil, message end
  if settings.launches > 1 then
    return nil, who .. ": launches: only 'tare run' and tare.main have child "
      .. "processes"
  end
  return settings
end

--- Why cells can't be measured as asked for: a timeout that would not be kept.
---@param cells table[] of suite:cells()
---@param settings table resolved options
---@param who string
---@return string? message nil where they can
function within.refusal(cells, settings, who)
  local why = deadline.is_asked(cells, settings) and deadline.refusal()
  return why and ("%s: timeout: %s"):format(who, why) or nil
end

return within
