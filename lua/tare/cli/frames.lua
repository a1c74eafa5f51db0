-- tare frames: what a recorder of frames knew, shown, compared, and gated on.
local capture = require "tare.store.capture"
local judge = require "tare.judge.frames"
local output = require "tare.cli.output"
local summaries = require "tare.analysis.frames"
local verdicts = require "tare.cli.verdicts"

local command = {}

-- What makes two sessions no fair comparison.
local function notes_of(new, old)
  local notes = {}
  if new.budget_ms ~= old.budget_ms then
    notes[1] = ("the budgets differ: %.4g ms, and %.4g ms before"):format(
      new.budget_ms, old.budget_ms)
  end
  local now, before = new.record.lua, old.record.lua
  if now ~= before then
    notes[#notes + 1] = ("%s now, %s before"):format(tostring(now),
      tostring(before))
  end
  return notes
end

-- Reads all that is asked for.
local function prepare(given)
  local outputs, message = output.asked_for(given)
  if not outputs then return nil, message end
  local rules = nil
  if given.fail_on then
    rules, message = judge.rules(given.fail_on, given.files[2] ~= nil)
    if not rules then return nil, "--fail-on: " .. message end
  end
  local read = {}
  for i, path in ipairs(given.files) do
    local record
    record, message = capture.read(path)
    if not record then return nil, message end
    read[i] = summaries.summary(record)
  end
  return { outputs = outputs, rules = rules, new = read[1], old = read[2] }
end

--- Runs the command; what it returns is read in tare.cli.
function command.run(given, complain)
  local ready, message = prepare(given)
  if not ready then return nil, message end
  local new, old, shown = ready.new, ready.old, { notes = {} }
  local compared = old and judge.compare(new, old)
  if old then
    shown.notes = notes_of(new, old)
    shown.against = { summary = old, compared = compared,
      name = given.files[2], new_name = given.files[1] }
  end
  if ready.rules then
    local found = judge.gate(ready.rules, new, compared)
    shown.failures, shown.checked = found.failures, found.checked
    -- Whatever can't be judged of a session fails: nobody knows how it was.
    shown.not_judged, shown.lost = found.notes, found.notes
    for _, note in ipairs(found.notes) do table.insert(shown.notes, note) end
  end
  return verdicts.show(ready.outputs, new, given, complain, shown)
end

return command
