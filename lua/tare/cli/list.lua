-- tare list: one id per line, nothing run but the bench files themselves.
local EXIT = require "tare.cli.exit"
local files = require "tare.cli.files"
local measure = require "tare.cli.measure"
local settings = require "tare.cli.settings"
local stdout = require "tare.cli.stdout"
local unicode = require "tare.base.unicode"

local list = {}

--- Runs the command; what it returns is read in tare.cli.
function list.run(given, complain)
  local asked = { given = given, suites = given.suites,
    settings = settings.read {} }
  local opened, message, code
  if not given.suites then
    asked.files, message, asked.names = files.given(given)
    if not asked.files then return nil, message end
  end
  opened, message, code = measure.open(asked, complain)
  if not opened then return nil, message, code end
  opened:close()
  local lines = {}
  for i, cell in ipairs(opened.cells) do
    lines[i] = unicode.visible(cell.id) .. "\n"
  end
  local ok
  ok, message = stdout.write(table.concat(lines))
  if not ok then return nil, message end
  return #opened.broken == 0 and EXIT.done or EXIT.unusable
end

return list
