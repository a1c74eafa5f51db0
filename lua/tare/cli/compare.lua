-- tare compare: a stored report held against another.
local diff = require "tare.judge.diff"
local output = require "tare.cli.output"
local reports = require "tare.cli.reports"
local settings = require "tare.cli.settings"
local verdicts = require "tare.cli.verdicts"

local command = {}

local function prepare(given)
  if #given.files ~= 2 then
    return nil, ("compare: needs two stored reports, got %d"):format(
      #given.files)
  end
  local outputs, message = output.plan(given)
  if not outputs then return nil, message end
  local rules
  rules, message = verdicts.rules(given)
  if rules == nil then return nil, message end
  local list
  list, message = reports.read(given.files)
  if not list then return nil, message end
  local read
  read, message = settings.read(given, settings.stored(list[1].options))
  if not read then return nil, message end
  return { outputs = outputs, rules = rules, settings = read,
    new = list[1], old = list[2] }
end

-- The first report, with what it says against the second.
local function shown(new, found)
  local copy = {}
  for name, value in pairs(new) do copy[name] = value end
  copy.comparisons, copy.sweeps = found.comparisons, nil
  return copy
end

--- Runs the command.
---@return integer exit code
function command.run(given, complain)
  if given.ref then return require("tare.cli.ref").run(given, complain) end
  local ready, message = prepare(given)
  if not ready then
    complain(message)
    return 1
  end
  local found = diff.reports(ready.new, ready.old, { force = given.force,
    tolerance = ready.settings.tolerance, names = given.files })
  local verdict = verdicts.of(ready.new, ready.old, ready.rules, found, {
    force = given.force, names = given.files, tell_missing = true })
  if #found.comparisons == 0 then
    verdicts.refuse(found, given.files, complain)
    return 1
  end
  local written = output.write(ready.outputs, shown(ready.new, found), given,
    complain, verdict)
  local code = verdicts.tell(verdict, complain)
  return code == 0 and not written and 1 or code
end

return command
