-- How 'tare run' measures: in this process, in child processes, or as one.
local child = require "tare.host.child"
local Contain = require "tare.host.contain"
local Launch = require "tare.host.launch"
local Mailbox = require "tare.host.mailbox"
local measure = require "tare.run.measure"
local parts = require "tare.run.parts"
local progress = require "tare.cli.progress"
local Runner = require "tare.run.runner"
local signals = require "tare.cli.signals"
local worker = require "tare.host.worker"

local measuring = {}

-- Of a run in child processes that is stored: what is at stake when it is
-- killed, against launches that lie so close that they are alike.
local PART_NS, MOST_SPREAD = 1e10, 6

-- Calls f(line, interrupt) with a progress line (or nil) and a watch over
-- signals, which go away on every path.
local function attended(given, f)
  local line = progress.new(given.quiet and "never" or given.progress)
  local interrupt = signals.watch()
  local ok, result = pcall(f, line, interrupt)
  interrupt:close()
  if line then line:close() end
  if not ok then error(result, 0) end
  return result, interrupt.signal
end

-- Hands what is finished to 'results', between windows or at the end.
local function hand_over(runner, planned, results)
  local trials = runner:take_finished()
  if not trials then return end
  results:add(measure.results(measure.records(trials), planned.settings))
end

local function in_process(planned, given, results)
  local runner = Runner.new(planned.cells, planned.settings)
  local _, signal = attended(given, function(line, interrupt)
    local contain = Contain.new(runner.context)
    local ok, message = pcall(function()
      while not contain:step(runner) do
        if line then line:show(runner) end
        if results:is_eager() then hand_over(runner, planned, results) end
        if interrupt:seen() then break end
      end
    end)
    contain:mend()
    runner:close()
    contain:close()
    if not ok then error(message, 0) end
  end)
  hand_over(runner, planned, results)
  return signal
end

-- What starts this command line again as a child with a job at 'path'. The
-- option goes first, lest a '--' among the arguments hide it.
local function command_of(given)
  return function(path)
    local arguments, after = { "--child", path }, 1
    if not given.suites then
      table.insert(arguments, 1, given.arguments[1]) -- "run"
      after = 2
    end
    for i = after, #given.arguments do
      arguments[#arguments + 1] = given.arguments[i]
    end
    return (given.suites and child.script or child.tare)(arguments)
  end
end

-- Launches that a signal came before are missed by all that were begun.
local function mark_interrupted(records, wanted)
  for _, record in ipairs(records) do
    if (record.launches or 0) < wanted and not record.error then
      table.insert(record.warnings, "interrupted")
    end
  end
end

-- The cells by what is launched at the same time: all, unless each part is to
-- be stored when it is finished.
local function launch_parts(planned, results)
  local most = { cells = math.huge, ns = math.huge }
  if results:is_eager() then
    most.ns = PART_NS * math.min(planned.settings.launches, MOST_SPREAD)
  end
  return parts.of(planned.cells, planned.settings, most)
end

local function flat(groups)
  local cells = {}
  for _, group in ipairs(groups) do
    for _, cell in ipairs(group) do cells[#cells + 1] = cell end
  end
  return cells
end

-- One part of the cells in all its launches; 'before' parts are done.
local function launch_part(job, cells, before)
  local line, interrupt = job.line, job.interrupt
  local shown = { current = function() return job.launch:current() end,
    progress = function()
      local share = job.launch:progress() * #cells
      return (before + share) / #job.planned.cells
    end, counts = function() return before, #job.planned.cells end }
  job.launch = Launch.new(cells, job.planned.settings, job.command, {
    signal = function() return interrupt:seen() and interrupt.signal end,
    on_tick = line and function() line:show(shown) end })
  local records, draws = job.launch:run()
  if interrupt.signal then
    mark_interrupted(records, job.planned.settings.launches)
  end
  job.results:add(measure.results(records, job.planned.settings))
  job.results:add_draws(draws)
end

-- What is finished with its last launch is stored before others begin.
local function in_children(planned, given, results)
  local _, signal = attended(given, function(line, interrupt)
    local job = { planned = planned, results = results, line = line,
      interrupt = interrupt, command = command_of(given) }
    local before = 0
    for _, groups in ipairs(launch_parts(planned, results)) do
      local cells = flat(groups)
      launch_part(job, cells, before)
      before = before + #cells
      if interrupt:seen() then break end
    end
  end)
  return signal
end

--- Measures; what is finished is kept when a signal comes.
---@param planned { cells: table[], settings: table }
---@param given table the command line
---@param results table collection that takes what is finished
---@return string? signal
function measuring.run(planned, given, results)
  if #planned.cells == 0 then return nil end
  if Launch.wanted(planned.cells, planned.settings) then
    return in_children(planned, given, results)
  end
  return in_process(planned, given, results)
end

--- Measures in child processes, whatever the settings say of them.
---@param planned { cells: table[], settings: table }
---@param given table the command line
---@param results table collection that takes what is finished
---@return string? signal
function measuring.again(planned, given, results)
  return in_children(planned, given, results)
end

--- As a child: does the job at the path that the command line gives.
---@return integer exit code
function measuring.work(planned, given, complain)
  local outbox, message = Mailbox.Outbox.open(given.child)
  if not outbox then
    complain(message)
    return 1
  end
  local interrupt = signals.watch()
  local ok
  ok, message = worker.run(planned.cells, planned.settings, outbox,
    function() return interrupt:seen() end)
  interrupt:close()
  if not ok then complain(message) end
  return ok and 0 or 1
end

return measuring
