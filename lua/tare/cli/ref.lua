-- tare compare --ref REV FILE...: the benches of the working tree against
-- those of a git revision, in child processes that take turns.
local analysis = require "tare.analysis"
local gather = require "tare.host.gather"
local ref_launches = require "tare.cli.ref_launches"
local output = require "tare.cli.output"
local progress = require "tare.cli.progress"
local settings = require "tare.cli.settings"
local signals = require "tare.cli.signals"
local verdicts = require "tare.cli.verdicts"
local versions = require "tare.judge.pairs"
local Worktree = require "tare.host.worktree"

local ref = {}

local PAIRS = 10 -- of launches, unless --launches tells
local INTERRUPTED = 130

-- The files that both sides have, as each calls them; a file that is new has
-- nothing to be compared with.
local function place_files(tree, given, complain)
  local files, placed = {}, {}
  for _, file in ipairs(given.files) do
    local path, message = tree:place(file)
    if not path then return nil, message end
    if require("luv").fs_stat(path) then
      files[#files + 1], placed[#placed + 1] = file, path
    else
      complain(("note: not in %s, so not compared: %s"):format(given.ref, file))
    end
  end
  return files, placed
end

-- The pairs of launches, measured in a worktree.
local function measure_in(tree, given, job, complain)
  local files, placed = place_files(tree, given, complain)
  if not files then return nil, placed end
  job.new = { name = "the working tree", files = files }
  job.old = { name = given.ref, files = placed, folder = tree.folder }
  job.nothing = #files == 0
  if job.nothing then return {} end
  return ref_launches.measure(job)
end

-- Measures beside a worktree that goes away on every path, however often
-- Ctrl-C is pressed: the children are what it ends.
local function beside(given, job, complain)
  job.interrupt = signals.watch(true)
  local tree, message = Worktree.add(given.ref)
  if not tree then
    local interrupted = job.interrupt:seen()
    job.interrupt:close()
    if interrupted then return {} end
    return nil, "--ref: " .. message
  end
  job.line = progress.new(given.quiet and "never" or "auto")
  local ok, list, why = pcall(measure_in, tree, given, job, complain)
  if job.line then job.line:close() end
  tree:remove()
  job.interrupt:close()
  if not ok then error(list, 0) end
  return list, why
end

local function prepare(given)
  local outputs, message = output.plan(given)
  if not outputs then return nil, message end
  local rules
  rules, message = verdicts.rules(given)
  if rules == nil then return nil, message end
  local read
  read, message = settings.read(given)
  if not read then return nil, message end
  local count = read.launches > 1 and read.launches or PAIRS
  return { outputs = outputs, rules = rules, settings = read, count = count,
    words = ref_launches.words(given, read, count) }
end

-- The report of the working tree: the samples of all its launches.
local function merged(list, job)
  local launches, report = {}, {}
  for i, pair in ipairs(list) do
    launches[i] = pair.new.results
  end
  for key, value in pairs(list[1].new) do report[key] = value end
  report.options, report.results = job.settings, gather.results(launches)
  for i, result in ipairs(report.results) do
    report.results[i] = analysis.analyse(result, job.settings)
  end
  return report
end

-- The new report with what the pairs say, and the gates.
local function judge(list, job, given)
  local name = given.ref
  local comparisons = versions.compare(list, { name = name,
    confidence = job.settings.confidence, tolerance = job.settings.tolerance })
  local new, old = versions.reports(list, comparisons)
  local verdict = verdicts.between(new, old, job.rules,
    { names = { "the working tree", name } })
  local shown = merged(list, job)
  shown.comparisons, shown.sweeps = comparisons, nil
  return shown, verdict
end

--- Runs the command.
---@return integer exit code
function ref.run(given, complain)
  local job, message = prepare(given)
  local list
  if job then list, message = beside(given, job, complain) end
  if not list then
    complain(message)
    return 1
  end
  if job.nothing then return 0 end
  if #list == 0 then return INTERRUPTED end
  local shown, verdict = judge(list, job, given)
  local written = output.write(job.outputs, shown, given, complain, verdict)
  local code = verdicts.tell(verdict, complain)
  if job.interrupt.signal then return INTERRUPTED end
  return code == 0 and not written and 1 or code
end

return ref
