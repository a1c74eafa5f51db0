-- What one report says against another: notes, gates, and what could not be
-- compared, and why.
local EXIT = require "tare.cli.exit"
local compare = require "tare.judge.compare"
local gate = require "tare.judge.gate"
local lists = require "tare.base.lists"
local output = require "tare.cli.output"
local trouble = require "tare.report.trouble"
local unicode = require "tare.base.unicode"

local verdicts = {}

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

-- Differences, a line each; benches that differ in the same share a line.
local function lines_of(differences)
  local lines = {}
  for i, alike in ipairs(lists.grouped(differences, function(one)
    return one.field == "source" and one.field or one.reason
  end)) do
    local first, ids = alike[1], {}
    for k, one in ipairs(alike) do ids[k] = one.id end
    if first.field == "source" then
      lines[i] = "the bench file has changed: " .. named(ids)
    else
      lines[i] = (ids[1] and named(ids) .. ": " or "") .. first.reason
    end
  end
  return lines
end

local function notes_of(found, options)
  local notes = lines_of(found.differences)
  if options.tell_missing then
    for i, ids in ipairs { found.only_a, found.only_b } do
      if #ids > 0 then
        notes[#notes + 1] = ("only in %s: %s"):format(options.names[i],
          named(ids))
      end
    end
  end
  if #found.refused > 0 then
    notes[#notes + 1] = "not compared: " .. named(found.refused)
  end
  return notes
end

-- Adds what the gates found to a verdict; none of it without rules.
local function add_gates(verdict, new, old, rules, options)
  if not rules then return end
  local judged = gate.evaluate(new, old, rules, options)
  for name, list in pairs { failures = judged.failures,
    not_judged = judged.notes, lost = judged.lost } do
    verdict[name] = verdict[name] or {}
    lists.append(verdict[name], list)
  end
  -- Of several revisions, a rule's counts are added up.
  verdict.gates = verdict.gates or {}
  for i, one in ipairs(judged.rules) do
    local sum = verdict.gates[i] or { metric = one.metric, text = one.text,
      meaning = one.meaning, checked = 0, unclear = 0, unchecked = 0,
      undecided = {} }
    sum.checked = sum.checked + one.checked
    sum.unclear = sum.unclear + one.unclear
    sum.unchecked, verdict.gates[i] = sum.unchecked + one.unchecked, sum
    lists.append(sum.undecided, one.undecided)
  end
  lists.append(verdict.notes, judged.notes)
  verdict.checked = (verdict.checked or 0) + judged.checked
  verdict.unchecked = (verdict.unchecked or 0) + judged.unchecked
end

--- Takes in what became of failures that were measured again.
---@param verdict table of verdicts.of
---@param failures table[] those that are left
---@param notes string[] on the others
---@param undecided table[] of gate.weigh
function verdicts.weigh(verdict, failures, notes, undecided)
  verdict.failures = failures
  for _, list in ipairs { verdict.notes, verdict.unconfirmed } do
    lists.append(list, notes)
  end
  local of_rule = {}
  for _, one in ipairs(verdict.gates) do of_rule[one.text] = one end
  for _, one in ipairs(undecided) do
    local counts = of_rule[one.rule]
    counts.unclear = counts.unclear + 1
    table.insert(counts.undecided, one)
  end
end

--- The exit code that gates ask for: what looks away must not pass.
---@param verdict table of verdicts.of
---@return integer code EXIT.done, with no gates too; EXIT.unusable if not
---  judged; EXIT.gates
function verdicts.code(verdict)
  if not verdict.failures then return EXIT.done end
  if #verdict.failures > 0 then return EXIT.gates end
  return verdict.checked > 0 and #verdict.lost == 0 and EXIT.done
    or EXIT.unusable
end

--- What is said beside the comparisons of judge.compare: notes, and the gates
--- that failed. Names the second report in each comparison.
---@param new table Report
---@param old table Report
---@param rules table[]|false of verdicts.rules
---@param found table of compare.reports
---@param options { names: string[], force: boolean?, tell_missing: boolean? }
---@return { notes: string[], failures: table[]?, checked: integer?,
---  unchecked: integer?, not_judged: string[]?, lost: string[]? }
function verdicts.of(new, old, rules, found, options)
  for _, comparison in ipairs(found.comparisons) do
    comparison.other = options.names[2]
  end
  local verdict = { notes = notes_of(found, options) }
  add_gates(verdict, new, old, rules, { force = options.force,
    names = options.names })
  return verdict
end

--- What a run says that measured several revisions beside the working tree: how
--- each bench compares with each of them, notes, and the gates that failed.
---@param report table Report; see tare.judge.compare
---@param rules table[]|false
---@param tolerance number?
---@return table[] comparisons
---@return table verdict as in verdicts.of
function verdicts.of_revisions(report, rules, tolerance)
  local comparisons, verdict = {}, { notes = {} }
  for _, one in ipairs(compare.revisions(report, tolerance)) do
    local names = { "the working tree", one.ref }
    lists.append(comparisons, one.comparisons)
    local found = compare.reports(one.new, one.old, { names = names })
    -- That the source has changed is why revisions are compared.
    found.differences = lists.those(found.differences, function(difference)
      return difference.field ~= "source"
    end)
    -- where there are changes, they name what is new and gone
    for _, note in ipairs(notes_of(found, { names = names,
      tell_missing = #one.comparisons == 0 })) do
      table.insert(verdict.notes, note)
    end
    add_gates(verdict, one.new, one.old, rules, { names = names,
      comparisons = one.comparisons })
  end
  return comparisons, verdict
end

--- Says on stderr which gates failed, a line each; which on counts could not be
--- judged for a bench, or that none could be judged at all: what looks away
--- must not pass.
---@param verdict table of verdicts.of
---@param complain fun(message: string)
---@param shown "terminal"|"elsewhere"|nil where the failures can be read
---  already: on the terminal beside it, or where stdout leads
function verdicts.tell(verdict, complain, shown)
  if not verdict.failures then return end
  local failed = #verdict.failures
  for _, note in ipairs(shown and {} or verdict.unconfirmed or {}) do
    complain("note: " .. note)
  end
  for _, failure in ipairs(shown and {} or verdict.failures) do
    complain(failure.message)
  end
  if verdict.checked > 0 then
    for _, text in ipairs(verdict.lost) do complain(text) end
  end
  if failed > 0 and shown ~= "terminal" then
    complain(("%s: exit code %d"):format(trouble.failed_gates(
      verdict.failures), verdict.exit_code))
  end
  if failed > 0 or verdict.checked > 0 then return end
  local reasons = {}
  for i, note in ipairs(verdict.not_judged) do
    reasons[i] = note:gsub("^not checked: ", "")
  end
  complain("no gate could be checked: " .. (reasons[1]
    and table.concat(reasons, "; ") or "there is no bench"))
end

--- Writes what was judged to all that asked for it, and says which gates
--- failed. A bench that failed counts for more than they do, as in a run.
---@param outputs table[] of output.asked_for
---@param shown table Report, or a summary of frames
---@param given table of the parser
---@param complain fun(message: string)
---@param verdict table of verdicts.of
---@return integer code to exit with
function verdicts.show(outputs, shown, given, complain, verdict)
  local has_failed = lists.first(shown.results or {}, function(result)
    return result.error ~= nil
  end)
  local code = has_failed and EXIT.failed or verdicts.code(verdict)
  verdict.exit_code = code
  local written = output.write(outputs, shown, given, complain, verdict)
  verdicts.tell(verdict, complain, output.shows_failures(outputs))
  return code == EXIT.done and not written and EXIT.unusable or code
end

--- Says why nothing of two reports could be compared, line by line.
---@param found table of compare.reports
---@param names string[]
---@param complain fun(message: string)
function verdicts.refuse(found, names, complain)
  if #found.refused == 0 then
    return complain(("%s and %s have no bench in common that was measured")
      :format(names[1], names[2]))
  end
  local blocking = lists.those(found.differences, function(one)
    return one.blocks
  end)
  for _, line in ipairs(lines_of(blocking)) do complain(line) end
end

return verdicts
