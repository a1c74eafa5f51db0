-- Measures cells, a window of them at a time. A step is one unit of work of
-- one cell, so that a host or a progress bar gets its turn between steps.
local core = require "tare.core"
local Collector = require "tare.run.collector"
local Jitmode = require "tare.run.jitmode"
local jitwatch = require "tare.run.jitwatch"
local parts = require "tare.run.parts"
local Window = require "tare.run.window"

local Runner = {}
Runner.__index = Runner

-- What is interleaved at once; the others wait. A window is stored when it is
-- over, so that it is also the most that is lost when the process is killed.
local WINDOW = { cells = 8, ns = 4e9 }

--- What trials share: the meter and what else looks at the machine.
---@param meter table? a meter of one's own, like a manual one in a spec
---@return table context
function Runner.context(meter)
  local own = meter or core.meter { cpu = true, watch = true,
    chain_steps = core.chain_steps() }
  return {
    meter = own, is_manual = meter ~= nil, resolution_ns = own:resolution(),
    events = jitwatch.new(), collector = Collector.new(),
    jitmode = Jitmode.new(), deadlines = {},
  }
end

local function one_by_one(cells)
  local windows = {}
  for i, cell in ipairs(cells) do windows[i] = { { cell } } end
  return windows
end

--- A runner over cells; nothing is run yet.
---@param cells table[] of suite:cells()
---@param settings table resolved options
---@param context table? of Runner.context()
---@param every boolean? whether all that are in one group will be compared
---@return table runner
function Runner.new(cells, settings, context, every)
  local sequential = settings.order == "sequential"
  return setmetatable({
    settings = settings, context = context or Runner.context(),
    windows = sequential and one_by_one(cells)
      or parts.of(cells, settings, { cells = WINDOW.cells, ns = WINDOW.ns,
        whole = every }),
    opened = 0, total = #cells, taken = 0, trials = {},
  }, Runner)
end

function Runner:_open()
  self.opened = self.opened + 1
  local groups = self.windows[self.opened]
  if not groups then return false end
  self.window = Window.new(groups, self.settings, self.context)
  for _, group in ipairs(self.window.groups) do
    for _, trial in ipairs(group) do self.trials[#self.trials + 1] = trial end
  end
  return true
end

--- Does one unit of work.
---@return boolean done
function Runner:step()
  if not self.window and not self:_open() then return true end
  if self.window:step() then self.window = nil end
  return false
end

--- What the next unit of work is expected to take.
---@return number? due_ns nil where nothing is known
function Runner:due_ns()
  if not self.window then return 0 end
  return self.window:due_ns()
end

--- After a step that raised an error: the cell that had it has failed.
---@param message string
---@return boolean blamed false where no cell had its turn
function Runner:blame(message)
  local trial = self.window and self.window.current
  if not trial then return false end
  trial:blame(message)
  return true
end

-- The teardowns of what is open.
local function finish(window)
  window:stop()
  while not window:step() do end -- luacheck: ignore 542
end

--- Ends the measuring early, or after an error: teardowns run, the collector
--- and whatever else was changed is put back.
function Runner:close()
  local window, ok, message = self.window, true, nil
  self.windows, self.window = {}, nil
  if window then ok, message = pcall(finish, window) end
  self.context.jitmode:leave()
  self.context.collector:restore()
  self.context.events:close()
  if not ok then error(message, 0) end
end

local function run_and_close(self, on_step)
  local ok, message = pcall(function()
    while not self:step() do
      if on_step then on_step(self) end
    end
  end)
  self:close()
  if not ok then error(message, 0) end
end

--- Measures all cells.
---@param on_step fun(runner: table)? called after each step
---@return table[] trials in the order in which they were begun
function Runner:run(on_step)
  local ok, message = core.guard_all(run_and_close, self, on_step)
  if not ok then error(message, 0) end
  return self.trials
end

--- Trials of the windows that are over, each once; nil while a window is open,
--- so that who records and stores them disturbs no measurement.
---@return table[]? trials
function Runner:take_finished()
  local trials = self.trials
  if self.window or #trials == 0 then return nil end
  self.trials, self.taken = {}, self.taken + #trials
  return trials
end

--- The id of the cell that had the last step.
---@return string?
function Runner:current()
  return self.window and self.window.current and self.window.current.cell.id
end

--- Share of the work that is done, in [0, 1].
---@return number
function Runner:progress()
  local share = self.taken
  for _, trial in ipairs(self.trials) do share = share + trial:progress() end
  return self.total == 0 and 1 or share / self.total
end

--- Cells that are finished, and all; those that are interleaved are finished
--- together.
---@return integer finished
---@return integer total
function Runner:counts()
  local finished = self.taken
  for _, trial in ipairs(self.trials) do
    if trial.stage == "done" then finished = finished + 1 end
  end
  return finished, self.total
end

return Runner
