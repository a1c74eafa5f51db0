-- tare list: one id a line, nothing run.
local files = require "tare.cli.files"
local stdout = require "tare.cli.stdout"

local list = {}

local function lines_of(cells)
  local lines = {}
  for i, cell in ipairs(cells) do lines[i] = cell.id .. "\n" end
  return table.concat(lines)
end

--- Runs the command.
---@return integer exit code
function list.run(given, complain)
  local suites, message = files.suites(given.files)
  local cells, ok
  if suites then cells, message = files.cells(suites, given) end
  if cells then ok, message = stdout.write(lines_of(cells)) end
  if ok then return 0 end
  complain(message)
  return 1
end

return list
