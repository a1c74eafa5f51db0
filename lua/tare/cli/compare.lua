-- tare compare: a stored report against another.
local EXIT = require "tare.cli.exit"
local compare = require "tare.judge.compare"
local lists = require "tare.base.lists"
local options = require "tare.base.options"
local output = require "tare.cli.output"
local settings = require "tare.cli.settings"
local store = require "tare.store"
local verdicts = require "tare.cli.verdicts"

local command = {}

-- What has no meaning for reports that are stored: what measures, and what
-- analyses samples anew; their figures are compared as they are.
local MEASURES, ANALYSES = { "save", "filter", "param" }, {}
for _, definition in ipairs(options) do
  local name = definition.name
  if name ~= "tolerance" then
    table.insert(settings.OF_ANALYSIS[name] and ANALYSES or MEASURES, name)
  end
end

-- The first of some options that is given, as a refusal begins; or nil.
local function refused(given, names)
  local name = lists.first(names, function(name)
    local value = given[name]
    return value ~= nil and not (type(value) == "table" and #value == 0)
  end)
  return name and ("--%s: only with --ref; "):format((name:gsub("_", "-")))
end

-- Reads all that is asked for.
local function prepare(given, complain)
  if #given.files ~= 2 then
    return nil, ("compare: needs two stored reports, NEW.json OLD.json, or "
      .. "--ref REVISION and bench files; got %d %s"):format(#given.files,
      #given.files == 1 and "file" or "files")
  end
  local wrong = refused(given, MEASURES)
  if wrong then return nil, wrong .. "stored reports are not measured" end
  wrong = refused(given, ANALYSES)
  if wrong then
    return nil, wrong .. "stored figures are compared as they are: 'tare "
      .. "report' analyses each report anew"
  end
  local outputs, message = output.asked_for(given)
  if not outputs then return nil, message end
  local rules
  rules, message = verdicts.rules(given)
  if rules == nil then return nil, message end
  local reports = {}
  for i, path in ipairs(given.files) do
    -- the first one is shown, with its samples where the format has any
    local note
    reports[i], note = store.read(path, i > 1 and store.slim or nil)
    if not reports[i] or note and not reports[i].results[1] then
      return nil, note
    end
    if note then complain("note: " .. note) end
  end
  local read
  read, message = settings.read(given, settings.stored(reports[1].options))
  if not read then return nil, message end
  return { outputs = outputs, rules = rules, settings = read,
    new = reports[1], old = reports[2] }
end

--- Runs the command; what it returns is read in tare.cli.
function command.run(given, complain)
  if given.ref and given.ref[1] then
    return require("tare.cli.ref").run(given, complain)
  end
  local ready, message = prepare(given, complain)
  if not ready then return nil, message end
  local found = compare.reports(ready.new, ready.old, { force = given.force,
    tolerance = ready.settings.tolerance, names = given.files })
  local verdict = verdicts.of(ready.new, ready.old, ready.rules, found, {
    force = given.force, names = given.files })
  if given.files[1] == given.files[2] then
    table.insert(verdict.notes, 1, ("%s is compared with itself; 'compare' "
      .. "takes NEW.json and OLD.json"):format(given.files[1]))
  end
  verdict.against = { results = ready.old.results, report = ready.old,
    name = given.files[2], new_name = given.files[1] }
  -- Where no times can be compared, counts may be: gates on them are judged.
  if #found.comparisons == 0 and (verdict.checked or 0) == 0 then
    verdicts.refuse(found, given.files, complain)
    return EXIT.unusable
  end
  local shown = lists.copy(ready.new)
  shown.comparisons, shown.sweeps = found.comparisons, nil
  return verdicts.show(ready.outputs, shown, given, complain, verdict)
end

return command
