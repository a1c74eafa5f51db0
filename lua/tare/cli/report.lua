-- tare report: a stored report again, in other formats, or analysed anew with
-- other options.
local output = require "tare.cli.output"
local reports = require "tare.cli.reports"
local settings = require "tare.cli.settings"

local command = {}

local function prepare(given)
  given.quiet = true -- a table only where nothing else is asked for
  local outputs, message = output.plan(given)
  if not outputs then return nil, message end
  local list
  list, message = reports.read { given.file }
  if not list then return nil, message end
  local read
  read, message = settings.read(given, settings.stored(list[1].options))
  if not read then return nil, message end
  local again
  again, message = reports.again(list[1], read, settings.any_of_analysis(given))
  if not again then return nil, given.file .. ": " .. message end
  return { outputs = outputs, report = again }
end

--- Runs the command.
---@return integer exit code
function command.run(given, complain)
  local ready, message = prepare(given)
  if not ready then
    complain(message)
    return 1
  end
  return output.write(ready.outputs, ready.report, given, complain) and 0 or 1
end

return command
