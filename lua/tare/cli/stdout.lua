-- Text for stdout.
local stdout = {}

local file = io.stdout -- as it is before any bench
local BROKEN_PIPE = 32 -- EPIPE: the reader has gone, which is its right

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
