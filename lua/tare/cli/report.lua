-- tare report: a stored report again, in other formats, or analysed anew with
-- other options.
local EXIT = require "tare.cli.exit"
local analysis = require "tare.analysis"
local compat = require "tare.base.compat"
local compare = require "tare.judge.compare"
local lists = require "tare.base.lists"
local machine = require "tare.base.machine"
local output = require "tare.cli.output"
local settings = require "tare.cli.settings"
local store = require "tare.store"
local sweeps = require "tare.analysis.sweeps"
local unicode = require "tare.base.unicode"

local command = {}

-- A result analysed with these options, as it was where it has no samples.
local function analysed(result, read, clock)
  local samples = result.samples
  if result.error or not (samples and samples.iters and samples.wall_ns) then
    return result
  end
  local ok, made = compat.interpreted(analysis.analyse, result, read, clock)
  if ok then return made end
  return nil, ("%s can't be analysed: %s"):format(unicode.visible(result.id),
    tostring(made):gsub("^[^ ]*:%d+: ", ""))
end

-- The stored comparisons that can't be made anew: with another report, and of
-- results without samples. They hold for the figures as these were.
local function kept(stored)
  local of_id = lists.by_id(stored.results)
  local function lacks_samples(id)
    return not (of_id[id] and of_id[id].samples)
  end
  return lists.those(stored.comparisons, function(one)
    return one.between ~= nil or lacks_samples(one.a) or lacks_samples(one.b)
  end)
end

--- A stored report, its samples analysed with other options, if any are asked
--- for, and compared. The report that is given stays as it is.
---@param stored table Report
---@param read table resolved options of the analysis
---@param is_asked boolean whether any of them was asked for
---@return table? report
---@return string? message
function command.again(stored, read, is_asked)
  local new, clock_of = lists.copy(stored), machine.clocks(stored)
  -- How it was measured is not what this command would measure by, and nothing
  -- is said of what the report does not know.
  new.options, new.results = lists.copy(stored.options), {}
  for name in pairs(settings.OF_ANALYSIS) do new.options[name] = read[name] end
  for i, result in ipairs(stored.results) do
    local made, message = result, nil
    if is_asked or not result.time then
      made, message = analysed(result, read, clock_of(result))
    end
    if not made then return nil, message end
    new.results[i] = made
  end
  -- A run of tare.compare compares all pairs, with or without a baseline.
  local old = kept(stored)
  local every = #stored.comparisons > #old
    and #analysis.compare(stored.results, read, false, clock_of) == 0
  new.comparisons = analysis.compare(new.results, read, every, clock_of)
  if not is_asked then lists.append(new.comparisons, old) end
  new.sweeps = sweeps.read(new.results, { comparisons = new.comparisons,
    confidence = read.confidence, clock_of = clock_of })
  if type(stored.refs) == "table" then -- as the run had them
    local of_refs = {}
    for _, one in ipairs(compare.revisions(new, read.tolerance)) do
      lists.append(of_refs, one.comparisons)
    end
    new.comparisons = of_refs
  end
  return new
end

-- Reads all that is asked for.
local function prepare(given, complain)
  given.quiet = true -- a table only where nothing else is asked for
  local outputs, message = output.asked_for(given)
  if not outputs then return nil, message end
  local stored, note = store.read(given.file)
  if not stored or note and not stored.results[1] then return nil, note end
  if note then complain("note: " .. note) end
  local read
  read, message = settings.read(given, settings.stored(stored.options))
  if not read then return nil, message end
  -- In place of what was asked for then.
  for _, result in ipairs(stored.results) do
    if given.regress and given.regress[1] then result.regress = nil end
    if given.discard then result.discard = nil end
  end
  local again
  again, message = command.again(stored, read, settings.any_of_analysis(given))
  if not again then return nil, given.file .. ": " .. message end
  return outputs, again
end

--- Runs the command; what it returns is read in tare.cli.
function command.run(given, complain)
  local outputs, report = prepare(given, complain)
  if not outputs then return nil, report end
  local can_resume = report.interrupted
    or lists.first(report.results, function(result)
      return lists.has(result.warnings, "interrupted")
    end)
  local verdict = { interrupted = can_resume and { file = given.file } or nil }
  return output.write(outputs, report, given, complain, verdict) and EXIT.done
    or EXIT.unusable
end

return command
