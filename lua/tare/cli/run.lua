-- tare run: read what is asked for, measure, report, judge.
local EXIT = require "tare.cli.exit"
local compare = require "tare.judge.compare"
local files = require "tare.cli.files"
local gate = require "tare.judge.gate"
local lists = require "tare.base.lists"
local measure = require "tare.cli.measure"
local next_step = require "tare.report.next_step"
local output = require "tare.cli.output"
local read_file = require("tare.base.files").read
local renderers = require "tare.report"
local resume = require "tare.cli.resume"
local settings_of = require "tare.cli.settings"
local shards = require "tare.store.shards"
local stdout = require "tare.cli.stdout"
local store = require "tare.store"
local trouble = require "tare.report.trouble"
local File = require "tare.store.file"
local unicode = require "tare.base.unicode"
local verdicts = require "tare.cli.verdicts"
local watching = require "tare.cli.watching"

local run = {}

-- READ -----------------------------------------------------------------------

--- The rules of gates and the settings that the command line gives.
---@return table? asked 'given' as it was read, and what follows from that
---@return string? message
function run.rules_and_settings(given)
  local asked, message = { given = given, suites = given.suites }
  asked.rules, message = verdicts.rules(given)
  if asked.rules == nil then return nil, message end
  asked.settings, message = settings_of.read(given)
  if not asked.settings then return nil, message end
  message = settings_of.for_rules(asked.settings, given, asked.rules)
  return not message and asked or nil, message
end

--- Where reports go, and what has to be measured for their formats.
---@param asked table gets 'outputs', and such settings
---@return string? message what is wrong
function run.outputs(asked)
  local message
  asked.outputs, message = output.asked_for(asked.given, asked.files)
  for _, one in ipairs(asked.outputs or {}) do
    local needed = renderers.properties(one.format).needs
    if needed then asked.settings[needed] = true end
  end
  return message
end

-- Why what measures nothing can't be stored or judged as was asked for.
local function refusal_of_dry(given)
  local calls = given.iters and "--iters" or given.dry_run and "--dry-run"
  local first = (given.outputs or {})[1]
  local other = given.save and "--save" or given.resume and "--resume"
    or given.fail_on and "--fail-on" or given.baseline and "--baseline"
    or first and (first.format and "--format" or "-o")
  if calls and other then
    return ("%s: measures nothing, so %s has nothing to work on; leave out "
      .. "one of them"):format(calls, other)
  end
end

-- What the command line says, checked before anything is started.
local function read(given, complain)
  local asked, message = run.rules_and_settings(given)
  if not asked then return nil, message end
  message = refusal_of_dry(given)
  if message then return nil, message end
  if given.save and given.resume and given.save ~= given.resume then
    return nil, ("--save: can't be combined with --resume, which adds to %s")
      :format(given.resume)
  end
  if asked.rules and not given.baseline then
    return nil, "--fail-on: needs --baseline, a stored report to compare with"
  end
  if given.baseline then
    asked.baseline, message = store.read(given.baseline, store.slim)
    if not asked.baseline or message and not asked.baseline.results[1] then
      return nil, ("--baseline: %s%s"):format(message,
        not asked.baseline and message:find "No such file"
        and "; it takes a report that --save wrote" or "")
    end
    if message then complain("note: --baseline: " .. message) end
  end
  if not given.suites then
    asked.files, message, asked.names = files.given(given)
    if not asked.files then return nil, message end
  end
  for _, text in ipairs(given.expression or {}) do
    if text:find "^%S+%.lua$" and read_file(text) then
      return nil, ("-e: %s is a file; 'tare run %s' measures its benches, and "
        .. "-e 'dofile \"%s\"' all of it"):format(text, text, text)
    end
    if text:find "^%s*function%s*%(" then
      complain("note: -e: each call makes this function and does not call it; "
        .. "give what is between 'function()' and 'end'")
    end
  end
  message = run.outputs(asked)
  if message then return nil, message end
  if given.iters and not given.iters:find "^%d*[1-9]%d*$" then
    return nil, ("--iters: '%s' is not a number of calls"):format(given.iters)
  end
  asked.calls = tonumber(given.iters) or given.dry_run and 1 or nil
  if asked.calls then -- bench by bench, each once
    asked.settings.order = "sequential"
    if asked.settings.launches ~= 0 then asked.settings.launches = 1 end
  end
  asked.variants, message = run.variants(given)
  if message then return nil, message end
  return asked
end

--- The interpreters that --lua names, each a variant of its own.
---@return table[]? variants nil without --lua
---@return string? message
function run.variants(given)
  if not given.lua then return nil end
  local variants, count, seen = {}, {}, {}
  for item in given.lua:gmatch "[^,%s][^,]*" do
    local text = item:match "^(.-)%s*$"
    -- What begins with a hyphen after a space is its options: 'luajit -joff'.
    local lua, words = text:match "^(.-)%s+(%-.*)$"
    local options = {}
    for word in (words or ""):gmatch "%S+" do options[#options + 1] = word end
    lua = lua or text
    local name = lua:match("([^/\\]+)$") or lua
    if name == lua and lua:find "^[%d.]+$" then
      return nil, ("--lua: '%s' is no command; did you mean 'lua%s'?"):format(
        lua, lua)
    elseif name == lua and lua:find "%S%s+%S" then
      return nil, ("--lua: '%s': a comma is between two interpreters"):format(
        lua)
    end
    if words then name = name .. " " .. table.concat(options, " ") end
    count[name] = (count[name] or 0) + 1
    variants[#variants + 1] = { parameter = "lua", lua = lua, name = name,
      text = text, label = text, options = options,
      is_baseline = #variants == 0 }
  end
  if #variants == 0 then return nil, "--lua: names no interpreter" end
  for _, variant in ipairs(variants) do
    if count[variant.name] > 1 then variant.name = variant.text end
    if seen[variant.name] then
      return nil, ("--lua: names '%s' twice"):format(variant.name)
    end
    seen[variant.name] = true
  end
  return variants
end

-- CHOOSE ---------------------------------------------------------------------

-- Allocations are counted over as many calls as they were in the baseline:
-- what grows now and then is shared by all of them.
local function adopt_census(cells, baseline)
  local before = {}
  for _, result in ipairs(baseline and baseline.results or {}) do
    local census = (result.passes or {}).census
    before[result.id] = census and census.iters
  end
  for _, cell in ipairs(cells) do cell.census_calls = before[cell.id] end
end

-- The cells of this shard.
local function choose_shard(cells, asked)
  if not asked.given.shard then return cells end
  local part, message = shards.parse(asked.given.shard)
  if not part then return nil, "--shard: " .. message end
  local items, chosen = {}, {}
  local known = lists.by_id(asked.baseline and asked.baseline.results or {})
  for i, cell in ipairs(cells) do
    -- Its quota, or its calls at the speed of the baseline; nil: not known.
    local quota, time = cell.options.quota, (known[cell.id] or {}).time
    items[i] = { cell = cell, group = cell.compared,
      cost = quota.ns or time and time.value and quota.calls * time.value }
  end
  for i, item in ipairs(shards.select(items, part)) do chosen[i] = item.cell end
  return chosen
end

-- MEASURE --------------------------------------------------------------------

-- Calls each bench so often, with its hooks; measures nothing.
local function dry_run(opened, cells, asked, complain)
  local code, given = EXIT.done, asked.given
  local is_shown, why = true, nil
  local function say(record)
    if record.error then code = EXIT.failed end
    local how = ("%s: %s"):format(unicode.visible(record.id), record.error
      and "failed: " .. unicode.visible(record.error) or "ok")
    if not given.quiet then
      if is_shown then is_shown, why = stdout.write(how .. "\n") end
    elseif record.error then
      complain(how)
    end
  end
  for _, cell in ipairs(cells) do
    cell.options = lists.copy(cell.options)
    cell.options.quota = { calls = asked.calls }
  end
  local failure = opened:conduct(cells, function(records)
    for _, record in ipairs(records) do say(record) end
  end)
  local note = opened.printed and opened.printed:note(false)
  if note then complain(note) end
  if failure then complain(failure) end
  if why then complain(why) end
  if opened.signals:seen() then
    return opened.signals.changed and measure.CHANGED or EXIT.interrupted
  end
  if code ~= EXIT.done then return code end
  return (failure or why or #opened.broken > 0) and EXIT.unusable or EXIT.done
end

local FEW = 4 -- benches that were not measured that a report names

-- The first of the cells that have no result, by id.
local function missing_of(cells, results)
  local of_id, missing = lists.by_id(results), {}
  for _, cell in ipairs(cells) do
    if not of_id[cell.id] and #missing < FEW then
      missing[#missing + 1] = cell.id
    end
  end
  return missing
end

-- What the report says against its baseline: comparisons and gates.
local function judge(report, asked, given)
  if not asked.baseline then return {}, {} end
  local names = { "this run", given.baseline }
  local found = compare.reports(report, asked.baseline,
    { force = given.force, tolerance = asked.settings.tolerance,
      names = names })
  local verdict = verdicts.of(report, asked.baseline, asked.rules, found,
    { force = given.force, names = names })
  -- A part of the benches lacks others of the baseline on purpose.
  local is_partial = given.shard ~= nil or #(given.filter or {}) > 0
    or next(asked.names or {}) ~= nil or #(given.param or {}) > 0
  verdict.against = { results = asked.baseline.results,
    report = asked.baseline, name = given.baseline, partial = is_partial }
  return verdict, found.comparisons
end

-- Measures again, in fresh processes, what failed at a noisy gate: what doesn't
-- fail there becomes a note.
local function confirm(verdict, report, opened, asked, given, stamp)
  verdict.unconfirmed = {}
  for number = 1, given.confirm do
    local ids = gate.to_confirm(verdict.failures or {}, report.results)
    local cells = lists.those(ids and opened.cells or {}, function(cell)
      return ids[cell.id]
    end)
    if #cells == 0 or opened.signals.signal then break end
    local again = assert(File.create(nil, opened:head()))
    opened.settings.seed = opened.settings.seed + 1000 * number
    local ok, message = pcall(opened.measure, opened, cells, again, stamp)
    local results = {}
    for result in again:each() do results[#results + 1] = store.slim(result) end
    again:abandon()
    if not ok then
      table.insert(verdict.notes, "not measured again: " .. tostring(message))
      break
    end
    local judged = gate.evaluate({ env = report.env, envs = report.envs,
      results = results }, asked.baseline, asked.rules,
      { force = given.force })
    verdicts.weigh(verdict, gate.weigh(verdict.failures, judged, report.results,
      results))
  end
  verdict.failures = verdict.failures
    and gate.with_agreement(verdict.failures)
end

-- Stores what was measured again beside the results it is about.
local function store_again(file, results)
  local again, whole = {}, {}
  for _, result in ipairs(results) do
    again[result.id] = result.measured_again
  end
  if not next(again) then return end
  for result in file:each() do
    if again[result.id] then whole[#whole + 1] = result end
  end
  for _, result in ipairs(whole) do
    result.measured_again = again[result.id]
    file:add(result)
  end
end

-- Opens the stored report: a new one, or that of --resume, whose benches are
-- not measured again. A table: file, head, cells that are left, and stamp,
-- which marks the results of this sitting, and env_places: where among the
-- environments of the head those of this run are; or nil, message.
local function open_store(opened, cells, given)
  local head = opened:head()
  local kept, message = { cells = cells, head = head, env_places = {} }, nil
  for i = 1, #(head.envs or {}) do kept.env_places[i] = i end
  local function resumed()
    kept, message = resume.read(given.resume, head, cells)
    return kept, message
  end
  local file, why = File.create(given.save or given.resume, head,
    given.resume and resumed)
  if not file then return nil, why end
  local by_id = lists.by_id(opened.cells)
  local function stamp(result)
    local cell = by_id[result.id]
    result.source = cell and cell.source
    result.sitting = kept.sitting
    result.env_index = kept.env_places[cell and cell.variant or 1]
      or kept.env_places[1] -- revisions have one interpreter
  end
  return { file = file, head = kept.head, cells = kept.cells, stamp = stamp,
    env_places = kept.env_places }
end

-- Completes the file with what is known at the end. False where it can't be
-- written.
local function finish_store(stored, opened, report, places, complain)
  local head = stored.head
  local env = report.envs and report.envs[1] or report.env
  local ok, why = stored.file:finish({ env = env,
    interrupted = report.interrupted, envs = report.envs,
    started = head.started, commit = head.commit,
    comparisons = report.comparisons, sweeps = report.sweeps,
    launches = report.launches, refs = report.refs }, places)
  if not ok and why ~= opened.complaint then complain(why) end
  return ok and not opened.has_failed and true or false
end

-- What is said on stderr of a run that no table shows, as with --quiet: which
-- benches failed, and that it was interrupted.
local function tell_of_trouble(report, interrupted, given, complain)
  for _, one in ipairs(trouble.failures(report)) do
    complain(("%s: failed: %s"):format(one.name, one.text))
  end
  if not interrupted then return end
  local next_one = interrupted.file and next_step.of(report, {
    command = output.command(given), interrupted = interrupted })
  complain(trouble.interrupted_in_short(report, interrupted, next_one or nil))
end

-- Writes the report, also with those comparisons that are not stored in it.
-- False where a place can't be written.
local function show(report, comparisons, verdict, asked, is_stored, complain)
  local shown = lists.copy(report)
  shown.comparisons = lists.copy(report.comparisons)
  lists.append(shown.comparisons, comparisons)
  local given = asked.given
  local path = given.save or given.resume
  if report.interrupted then
    verdict.interrupted = { file = path or output.stored(asked.outputs) }
  end
  local is_kept = not path or is_stored -- as far as that was asked for
  local written = output.write(asked.outputs, shown, given, complain,
    verdict, is_kept)
  local where = output.shows_failures(asked.outputs)
  if not where and is_kept then
    tell_of_trouble(report, verdict.interrupted, given, complain)
  end
  verdicts.tell(verdict, complain, where)
  return written
end

--- Measures cells that were opened, judges, stores, shows.
---@param opened table of tare.cli.measure
---@param cells table[]
---@param asked table
---@param judged (fun(report: table): table, table[])? verdict and comparisons;
---  those with the baseline, unless given
---@return integer|string|nil exit code, or measure.CHANGED
---@return string? message
function run.finish(opened, cells, asked, complain, judged)
  local given, places = asked.given, {}
  for place, cell in ipairs(opened.cells) do places[cell.id] = place end
  local stored, message = open_store(opened, cells, given)
  if not stored then return nil, message end

  local signal = opened:measure(stored.cells, stored.file, stored.stamp)
  opened.clock:save()
  if opened.signals.changed then -- figures of what is no more
    stored.file:abandon()
    return measure.CHANGED
  end
  local is_whole = lists.first(asked.outputs, function(one)
    return renderers.needs_samples(one.format, given, #stored.cells)
  end) ~= nil
  local report = opened:report(stored.file, places, is_whole,
    stored.head.envs, stored.env_places)

  local verdict, comparisons
  if judged then
    verdict, comparisons = judged(report)
  else
    verdict, comparisons = judge(report, asked, given)
    if not signal and verdict.failures then
      confirm(verdict, report, opened, asked, given, stored.stamp)
      store_again(stored.file, report.results)
    end
  end
  if signal or opened.signals.signal then
    report.interrupted = { of = #cells, -- with those that the file had
      missing = missing_of(cells, report.results) }
  end
  local broken = opened.broken
  verdict.broken = #broken > 0 and (broken.files or #broken) or nil
  verdict.exit_code = opened.signals:seen() and EXIT.interrupted
    or lists.first(report.results, function(result) return result.error end)
      and EXIT.failed
    or verdicts.code(verdict)
  if verdict.exit_code == EXIT.done and verdict.broken then
    verdict.exit_code = EXIT.unusable
  end

  local is_stored = finish_store(stored, opened, report, places, complain)
  local is_shown = show(report, comparisons, verdict, asked, is_stored,
    complain)
  if verdict.exit_code ~= EXIT.done then return verdict.exit_code end
  return is_stored and is_shown and EXIT.done or EXIT.unusable
end

-- Reads, measures, reports, judges.
local function once(given, complain)
  local asked, message = read(given, complain)
  if not asked then return nil, message end
  local opened, why, exit_code = measure.open(asked, complain)
  if not opened then return nil, why, exit_code end
  local function with_cells()
    adopt_census(opened.cells, asked.baseline)
    local cells, wrong = choose_shard(opened.cells, asked)
    wrong = wrong or opened:refusal(cells)
    if wrong then return nil, wrong end
    if asked.calls then return dry_run(opened, cells, asked, complain) end
    return run.finish(opened, cells, asked, complain)
  end
  local ok, code, wrong = pcall(with_cells)
  opened:close()
  if not ok then error(code, 0) end
  return code, wrong
end

-- The bench files that --watch is about; nil and a message where there is none.
local function own_files(given)
  if given.resume then
    return nil, "--watch: can't be combined with --resume"
  end
  local settings, wrong = settings_of.read(given)
  if not settings then return nil, wrong end
  if measure.is_in_process { settings = settings, suites = given.suites } then
    return nil, "--watch: needs processes that load the files again; leave out "
      .. "--launches 0"
  end
  if not given.suites then
    local found, message = files.expand(given.files)
    if not found then return nil, message end
    if #found == 0 then return nil, "--watch: needs a bench file" end
    return found
  end
  local list = {}
  for _, suite in ipairs(given.suites) do list[#list + 1] = suite.file end
  return list
end

--- Runs the command; what it returns is read in tare.cli.
function run.run(given, complain)
  if not given.watch then return once(given, complain) end
  local own, message = own_files(given)
  if not own then return nil, message end
  return watching.run(own, function(changed)
    local copy = lists.copy(given) -- what a run adds is for it alone
    copy.changed = changed
    local code, wrong, other = once(copy, complain)
    if code then return code end
    complain(wrong)
    return other or EXIT.unusable
  end, function(text)
    if not given.quiet then complain(text) end
  end)
end

return run
