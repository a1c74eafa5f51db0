-- What one report says against another: comparisons, gates, and what could
-- not be held against each other, and why.
local diff = require "tare.judge.diff"
local gate = require "tare.judge.gate"
local lists = require "tare.base.lists"
local unicode = require "tare.base.unicode"

local verdicts = {}

local EXIT = { passed = 0, unheld = 1, met = 3 }

local FEW = 3 -- benches that a note names before it counts the others

--- The rules of --fail-on: none without it.
---@param given table of the parser
---@return table[]|false|nil rules false where none are asked for
---@return string? message
function verdicts.rules(given)
  if not given.fail_on then return false end
  local rules, message = gate.parse(given.fail_on)
  if not rules then return nil, "--fail-on: " .. message end
  return rules
end

local function named(ids) return unicode.visible(lists.named(ids, FEW)) end

local function add_missing(notes, ids, name)
  if #ids > 0 then
    notes[#notes + 1] = ("only in %s: %s"):format(name, named(ids))
  end
end

local function ids_of(differences)
  local ids = {}
  for i, one in ipairs(differences) do ids[i] = one.id end
  return ids
end

-- Differences, a line each; benches that differ in the same share a line.
local function lines_of(differences)
  local lines = {}
  for i, alike in ipairs(lists.grouped(differences, function(one)
    return one.field == "source" and one.field or one.reason
  end)) do
    local first, ids = alike[1], ids_of(alike)
    if first.field == "source" then
      lines[i] = "the source has changed: " .. named(ids)
    else
      lines[i] = (ids[1] and named(ids) .. ": " or "") .. first.reason
    end
  end
  return lines
end

local function notes_of(found, options)
  local notes = lines_of(found.differences)
  if options.tell_missing then
    add_missing(notes, found.only_a, options.names[1])
    add_missing(notes, found.only_b, options.names[2])
  end
  if #found.refused > 0 then
    notes[#notes + 1] = "not compared: " .. named(found.refused)
  end
  return notes
end

--- What stands beside the comparisons of judge.diff: notes, and the gates that
--- were met. Names the second report in each comparison.
---@param new table Report
---@param old table Report
---@param rules table[]|false of verdicts.rules
---@param found table of diff.reports
---@param options { names: string[], force: boolean?, tell_missing: boolean? }
---@return { notes: string[], failures: table[]?, checked: integer?,
---  unheld: string[]?, lost: string[]? }
function verdicts.of(new, old, rules, found, options)
  for _, comparison in ipairs(found.comparisons) do
    comparison.other = options.names[2]
  end
  local verdict = { notes = notes_of(found, options) }
  if not rules then return verdict end
  local held = gate.evaluate(new, old, rules, { force = options.force })
  verdict.failures, verdict.checked = held.failures, held.checked
  for _, note in ipairs(held.notes) do table.insert(verdict.notes, note) end
  verdict.unheld, verdict.lost = held.notes, held.lost
  return verdict
end

--- What two reports of one run say: notes and gates.
---@param new table Report
---@param old table Report
---@param rules table[]|false
---@param options { names: string[] }
---@return table verdict as of verdicts.of
function verdicts.between(new, old, rules, options)
  local found = diff.reports(new, old, { names = options.names })
  return verdicts.of(new, old, rules, found, { names = options.names,
    tell_missing = true })
end

--- Says on stderr which gates were met, a line each; which on counts could not
--- be held for a bench, or that none could be held at all: what looks away must
--- not pass.
---@param verdict table of verdicts.of
---@param complain fun(message: string)
---@return integer exit code: 0 passed, 1 not held, 3 met
function verdicts.tell(verdict, complain)
  if not verdict.failures then return EXIT.passed end
  for _, note in ipairs(verdict.unconfirmed or {}) do
    complain("note: " .. note)
  end
  for _, failure in ipairs(verdict.failures) do complain(failure.message) end
  local lost = verdict.lost
  if verdict.checked > 0 then
    for _, text in ipairs(lost) do complain(text) end
  end
  if #verdict.failures > 0 then return EXIT.met end
  if verdict.checked > 0 then
    return #lost > 0 and EXIT.unheld or EXIT.passed
  end
  local reason = verdict.unheld[1] or "there is no bench"
  complain("no gate could be held: " .. (reason:gsub("^not gated: ", "")))
  return EXIT.unheld
end

--- Says why nothing of two reports could be compared, line by line.
---@param found table of diff.reports
---@param names string[]
---@param complain fun(message: string)
function verdicts.refuse(found, names, complain)
  if #found.refused == 0 then
    return complain(("%s and %s have no bench in common that was measured")
      :format(names[1], names[2]))
  end
  local blocking = {}
  for _, line in ipairs(found.differences) do
    if line.blocks then blocking[#blocking + 1] = line end
  end
  for _, line in ipairs(lines_of(blocking)) do complain(line) end
end

return verdicts
