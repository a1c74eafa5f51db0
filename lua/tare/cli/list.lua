-- tare list: one id a line, nothing run.
local files = require "tare.cli.files"

local list = {}

--- Runs the command.
---@return integer exit code
function list.run(given, complain)
  local suites, message = files.suites(given.files)
  local cells
  if suites then cells, message = files.cells(suites, given) end
  if not cells then
    complain(message)
    return 1
  end
  for _, cell in ipairs(cells) do io.stdout:write(cell.id, "\n") end
  return 0
end

return list
