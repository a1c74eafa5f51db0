-- Text for stdout.
local paths = require "tare.base.paths"

local stdout = {}

local file = io.stdout -- as it is before any bench
-- The reader has gone, which is its right: EPIPE, for which Windows has EINVAL.
local BROKEN_PIPE = paths.is_windows and 22 or 32

--- Writes to stdout. A reader that has left is no failure.
---@param text string
---@return boolean ok
---@return string? message
function stdout.write(text)
  local ok, message, code = file:write(text)
  if ok then ok, message, code = file:flush() end
  if ok or code == BROKEN_PIPE then return true end
  return false, "stdout: " .. tostring(message)
end

return stdout
