-- tare compare --ref REV FILE...: the benches of the working tree against
-- those of a git revision, in child processes that take turns.
local analysis = require "tare.analysis"
local child = require "tare.host.child"
local gather = require "tare.host.gather"
local options = require "tare.base.options"
local output = require "tare.cli.output"
local settings = require "tare.cli.settings"
local signals = require "tare.cli.signals"
local store = require "tare.store"
local verdicts = require "tare.cli.verdicts"
local versions = require "tare.judge.pairs"
local Worktree = require "tare.host.worktree"

local ref = {}

local PAIRS = 10 -- of launches, unless --launches tells
local INTERRUPTED = 130

local function flag_name(name) return "--" .. (name:gsub("_", "-")) end

local function add_all(words, name, values)
  for _, value in ipairs(type(values) == "table" and values or { values }) do
    words[#words + 1], words[#words + 2] = flag_name(name), value
  end
end

-- What each child is told of the command line.
local function words_of(given, read, pairs_count)
  local words, own = { "run", "--quiet" }, { quota = true, launches = true }
  local unit, amount = next(read.quota)
  amount = amount / pairs_count
  add_all(words, "quota", unit == "ns" and ("%.0fns"):format(amount)
    or ("%dx"):format(math.max(1, math.floor(amount))))
  for _, definition in ipairs(options) do
    local name, value = definition.name, given[definition.name]
    if definition.metavar and not own[name] then
      add_all(words, name, value)
    elseif value ~= nil and not own[name] then
      words[#words + 1] = flag_name((value and "" or "no_") .. name)
    end
  end
  for _, name in ipairs { "filter", "match", "param" } do
    add_all(words, name, given[name])
  end
  return words
end

-- One launch of one side: its report, or nil and why there is none.
local function launch(job, side)
  local path = os.tmpname()
  local words = { (table.unpack or unpack)(job.words) }
  add_all(words, "format", "json")
  add_all(words, "output", path)
  for _, file in ipairs(side.files) do words[#words + 1] = file end
  local ended, message = child.run(assert(child.tare(words)), {
    cwd = side.folder,
    should_stop = function() return job.interrupt:seen() end })
  local report
  if ended and (ended.code == 0 or ended.code == 2) then
    report, message = store.read(path)
  elseif ended then
    message = ended.err:gsub("^tare: ", ""):match("^[^\n]*")
    message = side.name .. ": " .. (message ~= "" and message
      or child.ending(ended))
  end
  os.remove(path)
  return report, message
end

-- Both sides, forth and back: what drifts steadily is divided evenly.
local function launch_pair(job, number)
  local order = number % 2 == 1 and { "new", "old" } or { "old", "new" }
  local pair = {}
  for _, name in ipairs(order) do
    local report, message = launch(job, job[name])
    if not report then return nil, message end
    pair[name] = report
  end
  return pair
end

local function measure(job)
  local list = {}
  for number = 1, job.count do
    local pair, message = launch_pair(job, number)
    if job.interrupt:seen() then break end
    if not pair then return nil, message end
    list[number] = pair
  end
  return list
end

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
  return measure(job)
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
  local ok, list, why = pcall(measure_in, tree, given, job, complain)
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
    words = words_of(given, read, count) }
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
