-- How the command line measures: through a conductor and its workers, or, with
-- --launches 0, in its own process. What is finished goes to a file at once,
-- that of --save or one without a name, so that memory does not grow with the
-- number of benches; what tables are made of is read from there in the end.
local EXIT = require "tare.cli.exit"
local analysis = require "tare.analysis"
local core = require "tare.core"
local clock_file = require "tare.env.clock"
local compat = require "tare.base.compat"
local env = require "tare.env"
local lists = require "tare.base.lists"
local machine = require "tare.base.machine"
local precision = require "tare.analysis.precision"
local Process = require "tare.worker.process"
local progress = require "tare.cli.progress"
local read_regular = require("tare.cli.files").read_regular
local schema = require "tare.store.schema"
local signals = require "tare.cli.signals"
local store = require "tare.store"
local story = require "tare.conductor.story"
local sweeps = require "tare.analysis.sweeps"

local measure = {}

local Run = {}
Run.__index = Run

local FEWEST_ROWS = 10 -- of an interrupted bench that is worth keeping
local CLOCK_NS = 6e7 -- to read the clock of a machine that is not known yet

-- The command that starts a bench file that runs by itself: its interpreter's
-- options and its own name; nil if that is not known.
local function self_run_variant()
  local arg = rawget(_G, "arg")
  if type(arg) ~= "table" or not arg[0] or not arg[-1] then return nil end
  local file = io.open(arg[0], "rb")
  if not file then return nil end
  file:close()
  local first, options = -1, {}
  while arg[first - 1] do first = first - 1 end
  for i = first + 1, -1 do options[#options + 1] = arg[i] end
  return { options = options }, arg[0]
end

-- Where nothing is known of the clock, what it is at this moment, before
-- anything is measured.
local function read_clock(clock)
  local steps = core.chain_steps()
  if clock.reference_ns or not steps then return end
  local until_ns = core.now_ns() + CLOCK_NS
  repeat
    local cycle_ns, width = core.chain_read(steps)
    if type(cycle_ns) == "number" then clock:observe(cycle_ns, width) end
  until core.now_ns() >= until_ns
  clock:settle()
end

--- In place of an exit code: a file that is watched has changed, so what was
--- measured is thrown away.
measure.CHANGED = "changed"

-- A job for launches, as plain data.
local function job_of(given, settings, files, names)
  return { files = files, settings = settings, names = names or {},
    filter = given.filter or {}, match = given.match, param = given.param,
    text = given.text,
    expressions = (given.expression or {})[1] and given.expression,
    setup = given.setup, flags = given.flags }
end

-- In this very process: what benches print goes to stderr, which keeps reports
-- on stdout clean. Returns what undoes that.
local function print_to_stderr()
  local old = { print = print, stdout = io.stdout, output = io.output() }
  function _G.print(...)
    for i = 1, select("#", ...) do
      io.stderr:write(i > 1 and "\t" or "", tostring((select(i, ...))))
    end
    io.stderr:write "\n"
  end
  io.stdout = io.stderr -- luacheck: ignore 122
  if old.output == old.stdout then io.output(io.stderr) end
  return function()
    _G.print, io.stdout = old.print, old.stdout -- luacheck: ignore 122
    pcall(io.output, old.output)
  end
end

--- Whether benches are measured in this very process: where that is asked for,
--- and where no other can load them.
---@param asked { settings: table, suites: table[]? }
---@return boolean
function measure.is_in_process(asked)
  return asked.settings.launches == 0 or not pcall(require, "luv")
    or asked.suites ~= nil and not self_run_variant()
end

--- A run over bench files; its cells are known, nothing is measured yet.
---@param asked { given: table, settings: table, files: string[]?, names:
---  table<string, string[]>?, suites: table[]?, variants: table[]?, calls:
---  integer? } calls: each bench makes so many, and nothing is measured
---@param complain fun(message: string)
---@return table? run with 'cells'
---@return string? message
---@return integer|string|nil code to exit with, or measure.CHANGED
function measure.open(asked, complain)
  local uv = select(2, pcall(require, "luv"))
  uv = type(uv) == "table" and uv or nil
  local steps = core.chain_steps()
  local files, variants = asked.files, asked.variants
  local in_process = measure.is_in_process(asked)
  if in_process and variants then
    return nil, "--lua: interpreters need processes of their own"
  end
  if asked.suites then
    local variant, file = self_run_variant()
    variants, files = variants or { variant }, { file }
  end
  local self = setmetatable({ given = asked.given, settings = asked.settings,
    complain = complain, in_process = in_process,
    signals = signals.watch(asked.given.changed, in_process),
    clock = clock_file.load { uv = uv, read = read_regular,
      look = function()
        if steps then return core.chain_read(steps) end
      end } }, Run)
  self.story = asked.calls and story.call or story.run
  self.job = job_of(asked.given, asked.settings, files or {}, asked.names)
  local cells, message, broken
  if in_process then
    self.print_again = print_to_stderr()
    local loader = require "tare.worker.cells"
    if asked.suites then
      cells, message = loader.of_suites(asked.suites, self.job)
    else
      cells, message, broken = loader.of(self.job)
    end
  else
    local Conductor = require "tare.conductor"
    local start = require("tare.conductor.launch").start
    local Printed = require "tare.cli.printed"
    self.printed = Printed.new(function(text)
      if self.line then self.line:clear() end
      io.stderr:write(text)
    end)
    self.conductor = Conductor.new(self.job, { variants = variants,
      start = function(variant, job, random, signalled)
        return start(variant, job, random, signalled, self.printed)
      end,
      story = self.story,
      signals = self.signals, analysis = precision.meanwhile(self.clock),
      count_machine = not asked.calls and asked.given.machine_instructions
        and function(variant, job, cell, signalled)
          return require("tare.conductor.callgrind").count(variant, job, cell,
            signalled, self.printed)
        end or nil,
      is_one_window = asked.calls ~= nil,
      resolution_ns = core.clock_resolution() })
    cells, message, broken = self.conductor:cells()
  end
  self.broken = broken or {}
  if not cells then
    for _, text in ipairs(self.broken) do
      if text ~= message then complain(text) end
    end
    self:close()
    return nil, message, self.signals.changed and measure.CHANGED
      or self.signals.signal and EXIT.interrupted or EXIT.unusable
  end
  for _, text in ipairs(self.broken) do complain(text) end
  self.signals:attend(false)
  self.cells = cells
  return self
end

--- Why cells can't be measured in this run as asked for.
---@param cells table[] of run.cells
---@return string? message
function Run:refusal(cells)
  return self.in_process and Process.refusal(cells, self.settings) or nil
end

--- Ends what still runs.
function Run:close()
  if self.print_again then self.print_again() end
  if self.conductor then self.conductor:close() end
  self.signals:close()
end

-- The environment of each interpreter that runs benches.
function Run:_environments()
  read_clock(self.clock)
  local fields, list = env.fingerprint { uv = self.clock.uv }, {}
  fields.clock, fields.counters = self.clock:fields(), env.counters()
  if not self.conductor then return { fields } end
  fields.jit = nil -- of the conductor, whose interpreter may be another
  for i, interpreter in ipairs(self.conductor.interpreters) do
    list[i] = lists.copy(fields)
    for name, value in pairs(interpreter) do list[i][name] = value end
  end
  return list
end

--- A report of nothing yet: what is in it whatever is measured. With several
--- interpreters 'envs' has the environment of each.
---@return table head
function Run:head()
  local envs = self:_environments()
  local options = lists.copy(self.settings)
  options.flags = self.given.flags_in_use -- of the bench file
  self.started = self.started or os.date "!%Y-%m-%d %H:%M UTC"
  if self.commit == nil then
    self.commit = not self.in_process
      and require("tare.cli.worktree").commit(self.job.files[1]) or false
  end
  return { schema = schema.NAME, env = envs[1], envs = envs[2] and envs or nil,
    options = options, started = self.started, commit = self.commit or nil }
end

-- A result of a record whose figures can't be used.
local function without_figures(record, message, settings, clock)
  record.error = message
  record.samples, record.passes = { iters = {}, wall_ns = {} }, {}
  record.is_measured, record.traces, record.profile = nil, nil, nil
  return analysis.analyse(record, settings, clock)
end

-- A result of a record. Figures that make no sense (a bench can send any, in
-- its worker's name) lose that bench only.
local function result_of(record, settings, clock)
  local ok, result = compat.interpreted(analysis.analyse, record, settings,
    clock)
  if ok then return result end
  return without_figures(record, "its figures can't be analysed: "
    .. tostring(result), settings, clock)
end

-- Stores a result. What no report can have loses only the bench that has it.
function Run:_store(result, record, clock, stamp)
  stamp(result)
  local is_plain, ok, message = pcall(self.file.add, self.file, result)
  if not is_plain then
    record.params, record.throughput = {}, nil
    result = without_figures(record, "its result can't be stored: "
      .. tostring(ok), self.settings, clock)
    stamp(result)
    ok, message = self.file:add(result)
  end
  if not ok and message ~= self.complaint then
    self.complain(message)
    self.complaint = message
  end
  self.has_failed = self.has_failed or not ok
end

-- Comparisons of a group, and the results whose figures can't be compared:
-- a bench can send any. The others are compared without these.
local function compared(group, settings, clock_of)
  local function compare(results)
    return pcall(analysis.compare, results, settings, false, clock_of)
  end
  local ok, found = compare(group)
  if ok then return found, {} end
  local refused, sound = {}, lists.those(group, function(one)
    return one.baseline
  end)
  local baselines = lists.copy(sound)
  for _, one in ipairs(group) do
    local with_one = lists.copy(baselines)
    with_one[#with_one + 1] = one
    if not one.baseline then
      table.insert(compare(with_one) and sound or refused, one)
    end
  end
  ok, found = compare(sound)
  return ok and found or {}, refused
end

-- Analyses records and stores them.
function Run:_add(records, stamp)
  for _, record in ipairs(records) do
    if record.samples then
      pcall(self.clock.observe_samples, self.clock, record.samples)
    end
  end
  local clock = self.clock:fields()
  for _, record in ipairs(records) do
    record.in_process = self.in_process
    local result = result_of(record, self.settings, clock)
    -- Not worth keeping: what was interrupted in its first batches.
    if result.error or not lists.has(result.warnings, "interrupted")
      or #result.samples.iters >= FEWEST_ROWS then
      self:_store(result, record, clock, stamp)
    end
  end
end

--- Takes cells through the story of the run, in launches or in this process.
---@param cells table[] of run.cells
---@param on_records fun(records: table[]) called with what is finished
---@param line table? that shows how far it is
---@return string? failure why the rest was not reached
function Run:conduct(cells, on_records, line)
  self.signals:attend(true)
  if not self.in_process then
    local failure = self.conductor:measure(cells, on_records, line
      and function(conductor) line:show(conductor) end)
    self.signals:attend(false)
    return failure
  end
  local direct, taken = require("tare.conductor.direct").new(cells,
    self.settings, nil, self.story), 0
  local locale = self.given.locale -- that benches run in
  if locale ~= "C" then os.setlocale(locale) end
  on_records(direct:run(function()
    if line then line:show(direct) end
    local finished = direct:counts()
    if finished > taken then on_records(direct:take_records()) end
    taken = finished
    return self.signals:seen()
  end))
  os.setlocale "C"
  self.signals:attend(false)
end

--- Measures cells; what is finished is stored.
---@param cells table[] of run.cells
---@param file table of tare.store.file
---@param stamp fun(result: table) adds what only the command line knows
---@return string? signal that ended it early
function Run:measure(cells, file, stamp)
  self.file, self.complaint = file, nil
  local line = progress.new(self.given.quiet and "never"
    or self.given.progress)
  self.line = line
  local function add(records) self:_add(records, stamp) end
  local ok, message = pcall(function()
    local failure = self:conduct(cells, add, line)
    if self.in_process then return end
    if line then line:clear() end
    for _, note in ipairs(self.conductor.notes) do self.complain(note) end
    local note = self.printed:note(true)
    if note and note ~= self.note then self.complain(note) end
    self.note = note -- not again where more is measured (--confirm)
    if failure then
      self.complain(failure)
      self.has_failed = true
    end
  end)
  self.line = nil
  if line then line:close() end
  if not ok then error(message, 0) end
  return self.signals.signal
end

--- The report of what is stored, with comparisons and sweeps. Its results lack
--- their samples, unless 'whole'. Where there are several environments
--- (interpreters, or machines of a run that was resumed), 'env_places' says
--- where in 'envs' those of this run are.
---@param file table of tare.store.file
---@param places table<string, number> order of the results, by id
---@param whole boolean?
---@param envs table[]?
---@param env_places integer[]?
---@return table report
function Run:report(file, places, whole, envs, env_places)
  local settings, report = self.settings, self:head()
  if envs then
    local own = report.envs or { report.env }
    report.envs = lists.copy(envs)
    for i, place in ipairs(env_places) do
      report.envs[place] = own[i] -- with what is known of the clock now
    end
  end
  local clock_of = machine.clocks(report)
  report.results, report.comparisons = {}, {}
  local sizes, waiting, keys = {}, {}, {}
  local crowded, count = 0, 0 -- the sum of shares, and of how many results
  local add_to_sweeps, found = sweeps.of_stream {
    confidence = settings.confidence, comparisons = report.comparisons,
    clock_of = clock_of }
  report.sweeps = found
  local has_baseline = {} -- only such a group is compared, and so kept whole
  for _, cell in ipairs(self.cells) do
    sizes[cell.compared] = (sizes[cell.compared] or 0) + 1
    has_baseline[cell.compared] = has_baseline[cell.compared] or cell.baseline
  end
  local function add_comparisons(group)
    local comparisons, refused = compared(group, settings, clock_of)
    lists.append(report.comparisons, comparisons)
    for _, one in ipairs(refused) do
      self.complain(one.id .. ": its figures can't be compared")
    end
  end
  for result in file:each(places) do
    table.insert(report.results, whole and result or store.slim(result))
    local key = result.compared or result.id
    if has_baseline[key] or not sizes[key] then
      local group = waiting[key]
      if not group then
        group, keys[#keys + 1] = {}, key
      end
      waiting[key], group[#group + 1] = group, result
      if #group == sizes[key] then
        add_comparisons(group)
        waiting[key] = nil
      end
    end
    add_to_sweeps(result)
    if result.crowded then
      crowded, count = crowded + result.crowded, count + 1
    end
  end
  add_to_sweeps(nil)
  -- What is not complete, and what the file has of cells that this run lacks.
  for _, key in ipairs(keys) do
    add_comparisons(waiting[key] or {})
    waiting[key] = nil
  end
  report.launches = self.conductor and self.conductor.layouts or nil
  if count > 0 then report.env.crowded = crowded / count end
  return report
end

return measure
