-- tare list: one id per line, nothing run but the bench files themselves.
local files = require "tare.cli.files"
local measure = require "tare.cli.measure"
local settings = require "tare.cli.settings"
local stdout = require "tare.cli.stdout"
local unicode = require "tare.base.unicode"

local list = {}

--- Runs the command.
---@return integer exit code
function list.run(given, complain)
  local found, message, names
  if not given.suites then found, message, names = files.expand(given.files) end
  local opened, exit_code
  if found or given.suites then
    opened, message, exit_code = measure.open({ given = given, files = found,
      suites = given.suites, names = names, settings = settings.read {} },
      complain)
  end
  if not opened then
    complain(message)
    return exit_code or 1
  end
  opened:close()
  local lines = {}
  for i, cell in ipairs(opened.cells) do
    lines[i] = unicode.visible(cell.id) .. "\n"
  end
  local ok
  ok, message = stdout.write(table.concat(lines))
  if not ok then complain(message) end
  return ok and #opened.broken == 0 and 0 or 1
end

return list
