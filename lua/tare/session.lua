-- A measurement in a host's own loop: each step does as many whole batches as
-- fit its budget and hands control back; the last ones analyse, in parts that
-- fit it too. Between steps nothing of the state is changed: no hook, no
-- collector setting, no sentinel. What its methods take and give is in
-- tare.meta.tare.
local analysis = require "tare.analysis"
local Direct = require "tare.conductor.direct"
local env = require "tare.env"
local lists = require "tare.base.lists"
local options = require "tare.base.options"
local Process = require "tare.worker.process"
local rest = require "tare.base.rest"

local coroutine = require("tare.base.compat").coroutine

local Session = { kind = "a session" } -- for the messages of the C interface
Session.__index = Session

local BATCH_SHARE = 0.5 -- of a step's budget, that one batch takes at most
local MIN_BUDGET_NS = 1e3
-- A stopped heap that has shrunk before more steps than this was collected by
-- the host itself; before fewer, the host may have loaded a level.
local MOST_COLLECTED = 2
local FEWEST_RESAMPLES = 200 -- of a bootstrap that has to fit a step
local BOOTSTRAP_SHARE = 0.4 -- of a step's budget, that it takes at most
local DRAW_NS = 5 -- for each row that it draws, on a slow machine
-- What is left of a step has to hold so many times what is expected of a
-- further unit: on a busy machine memory is slower for a moment.
local SLOWER = 1.5
-- What a part of the analysis takes is not known before, most are short, and in
-- some the collector runs: one is begun while so much of the step is left.
local PART_SHARE = 0.5
local MEASURING = 0.95 -- of the progress; the rest is analysis
local PARTS_A_RESULT = 50

--- Options of a measurement in this process, over their defaults: it has no
--- launches.
---@param given table?
---@param who string whom a message names
---@return table? settings
---@return string? message what is wrong with them
function Session.settings(given, who)
  local settings, message = options.resolve(given, who)
  if not settings then return nil, message end
  if (settings.launches or 0) > 1 then
    return nil, who .. ": launches: only 'tare run' and tare.main have child "
      .. "processes"
  end
  return settings
end

--- The cells of suites, if they can be measured in this process as asked for.
---@param suites table[]
---@param settings table resolved options
---@param who string whom a message names
---@return table[]? cells
---@return string? message
function Session.cells(suites, settings, who)
  local cells = {}
  for _, suite in ipairs(suites) do
    local found, message = suite:cells(settings)
    if not found then return nil, who .. ": " .. message end
    lists.append(cells, found)
  end
  local why = Process.refusal(cells, settings)
  if why then return nil, who .. ": " .. why end
  return cells
end

--- A session; nothing of the benches is run yet.
---@param cells table[] of suite:cells()
---@param settings table resolved options
---@param process table? of tare.worker.process
---@return table session
function Session.new(cells, settings, process)
  process = process or Process.new { deadlines = true }
  if process.resolution_ns == 0 and not process.is_manual then
    error("tare: the clock stands still: no step of a session would end", 0)
  end
  return setmetatable({ settings = settings, process = process,
    direct = Direct.new(cells, settings, process), is_done = false,
    records = {}, stepping = false }, Session)
end

-- Misuse, at the level of who called the method. No message names one: from C
-- they have other names.
function Session:_check()
  if self.closed then error("tare: the session is closed", 3) end
  if self.stepping and not self.direct.waits then
    error("tare: called from within a step of the session", 3)
  end
end

-- Resamples that one bootstrap has time for, within its share of a step.
local function resamples_for(records, settings, budget_ns)
  local rows = 1
  for _, record in ipairs(records) do
    rows = math.max(rows, #record.samples.iters)
  end
  return math.max(FEWEST_RESAMPLES, math.min(settings.resamples,
    math.floor(budget_ns * BOOTSTRAP_SHARE / (rows * DRAW_NS))))
end

-- All is measured: now the report is made, in parts that end where analysis
-- rests.
function Session:_begin_analysis(budget_ns)
  self:_end_measuring()
  local records, settings = self.records, lists.copy(self.settings)
  settings.resamples = resamples_for(records, settings, budget_ns)
  self.parts = 0
  self.analysis = rest.coroutine(function()
    local fingerprint = env.of_records(records)
    rest.here()
    return analysis.report(records, settings, fingerprint)
  end)
end

-- One unit of work, or one part of the analysis; true after the last.
function Session:_unit(budget_ns)
  if not self.analysis then
    if self.direct:step() then self:_begin_analysis(budget_ns) end
    return false
  end
  local ok, report = coroutine.resume(self.analysis)
  if not ok then error(report, 0) end
  self.parts = self.parts + 1
  self.finished = report
  return report ~= nil
end

-- Whether the next unit fits what is left of a step. What is known to be too
-- long, or not known, has a step of its own to begin in.
function Session:_fits(left_ns, budget_ns)
  if self.analysis then
    return self.parts > 0 and left_ns >= PART_SHARE * budget_ns
  end
  local due_ns = self.direct:due_ns()
  return due_ns and SLOWER * due_ns < left_ns
end

-- Units of work until the next one would not fit.
function Session:_work(budget_ns)
  local meter = self.process.meter
  local began = meter:now()
  repeat
    if self:_unit(budget_ns) then return true end
  until not self:_fits(budget_ns - (meter:now() - began), budget_ns)
  return false
end

-- Whether a host that has stopped its collector collects by itself between
-- steps, as a policy does: then cycles that tare drives are the host's, too.
function Session:_watch_host(limits)
  if limits.gc_is_stopped and collectgarbage "count" < (self.left_kb or 0) then
    self.collected = (self.collected or 0) + 1
    limits.is_collected = self.collected > MOST_COLLECTED
  end
end

function Session:_progress()
  if self.is_done then return 1 end
  if not self.analysis then return MEASURING * self.direct:progress() end
  -- How many there will be is not known: long runs have more.
  local usual = PARTS_A_RESULT * math.max(1, #self.records)
  return MEASURING + (1 - MEASURING) * self.parts / (self.parts + usual)
end

--- One step of the measurement. Batches are planned to fit the budget; a bench
--- whose single call does not fit is given up after a few, with the warning
--- 'budget_exceeded'. Bootstraps take as many resamples as fit ('resamples' of
--- the report's options). The time of the bench's own hooks is not limited.
function Session:step(budget_ms)
  self:_check()
  if type(budget_ms) ~= "number" or budget_ms ~= budget_ms
    or budget_ms * 1e6 < MIN_BUDGET_NS then
    error("tare: 'budget_ms' must be a number of at least 0.001, got "
      .. tostring(budget_ms), 2)
  end
  if self.is_done then return true, 1 end
  if self.direct.waits then
    error("tare: a bench of the session waits: its step is not over", 2)
  end
  local runtime, budget_ns = self.process.runtime, budget_ms * 1e6
  local limits = self.direct.limits
  limits.step_ns, limits.batch_ns = budget_ns, budget_ns * BATCH_SHARE
  self.stepping = true
  limits.gc_is_stopped = not runtime:refresh()
  self:_watch_host(limits)
  local ok, done
  if self.direct:can_yield() then
    ok, done = self.direct:yielding(self._work, self, budget_ns)
    if self.is_done then return true, 1 end -- cancelled while a bench waited
  else
    ok, done = pcall(self._work, self, budget_ns)
  end
  self.stepping = false
  runtime:restore()
  self.left_kb = collectgarbage "count"
  if not ok then
    self:_finish()
    error(done, 0)
  end
  if done then self:_finish() end
  return self.is_done, self:_progress()
end

-- Runs the teardowns that are left.
function Session:_end_measuring()
  if self.has_ended then return end
  self.has_ended = true
  self.direct:close()
  lists.append(self.records, self.direct:take_records())
end

function Session:_finish()
  self.is_done, self.analysis, self.stepping = true, nil, false
  self:_end_measuring()
end

-- Between two steps: the host may have changed settings since the last one, and
-- what is restored after the teardowns must be these.
function Session:_finish_early()
  if not self.has_ended then self.process.runtime:refresh() end
  self:_finish()
end

--- Ends the measurement early: teardowns run now, and its rows are kept.
function Session:cancel()
  self:_check()
  self:_finish_early()
end

--- The report. It costs nothing once the session is done. Before that, and
--- after cancel(), it analyses all samples in one go: for a loading screen.
function Session:report()
  self:_check()
  if self.finished then return self.finished end
  lists.append(self.records, self.direct:take_records())
  local records = lists.copy(self.records)
  lists.append(records, self.direct:open_records())
  return analysis.report(records, self.settings, env.of_records(records))
end

--- Gives up what the session holds; what it has not reported is lost.
function Session:close()
  if self.closed then return end
  self:_check()
  self:_finish_early()
  self.closed, self.direct, self.records, self.finished = true, nil, nil, nil
end

return Session
