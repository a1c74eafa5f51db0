-- A measurement in a host's own loop: each step does as many whole batches as
-- fit its budget and hands control back. Between steps nothing of the state is
-- changed: no hook, no collector setting, no sentinel.
local measure = require "tare.run.measure"
local Runner = require "tare.run.runner"

local Session = {}
Session.__index = Session

local BATCH_SHARE = 0.5 -- of a step's budget, that one batch takes at most
local MIN_BUDGET_NS = 1e3

--- A session; nothing of the benches is run yet.
---@param cells table[] of suite:cells()
---@param settings table resolved options
---@param context table? of Runner.context()
---@return table session
function Session.new(cells, settings, context)
  context = context or Runner.context()
  return setmetatable({ settings = settings, context = context,
    runner = Runner.new(cells, settings, context), is_done = false,
    steps = 0, stepping = false }, Session)
end

function Session:_check(who)
  if self.closed then error("tare: " .. who .. ": the session is closed", 3) end
  if self.stepping then
    error("tare: " .. who .. ": called from within a step", 3)
  end
end

-- Units of work until the next one would not fit. What is known to be too long,
-- or not known, has a step of its own to begin in.
function Session:_work(budget_ns)
  local runner, meter = self.runner, self.context.meter
  local began, units = meter:now(), 0
  repeat
    if runner:step() then return true end
    units = units + 1
    local left_ns = budget_ns - (meter:now() - began)
    local due_ns = runner:due_ns()
  until not due_ns or due_ns >= left_ns
  return false
end

--- Measures for about so long. Batches are planned to fit; a bench whose single
--- call does not is given up after a few, with the warning 'budget_exceeded'.
--- What the bench's own hooks take is not limited.
---@param budget_ms number milliseconds; may differ from step to step
---@return boolean done whether all is measured
---@return number progress in [0, 1]
function Session:step(budget_ms)
  self:_check("session:step")
  if type(budget_ms) ~= "number" or budget_ms ~= budget_ms
    or budget_ms * 1e6 < MIN_BUDGET_NS then
    error("tare: session:step: 'budget_ms' must be a number of at least 0.001, "
      .. "got " .. tostring(budget_ms), 2)
  end
  if self.is_done then return true, 1 end
  local context, budget_ns = self.context, budget_ms * 1e6
  context.step_ns, context.batch_ns = budget_ns, budget_ns * BATCH_SHARE
  self.stepping, self.steps = true, self.steps + 1
  context.collector:refresh()
  local ok, done = pcall(self._work, self, budget_ns)
  self.stepping = false
  context.collector:restore()
  if not ok then
    self:_finish()
    error(done, 0)
  end
  if done then self:_finish() end
  return self.is_done, self.is_done and 1 or self.runner:progress()
end

-- Runs the teardowns that are left.
function Session:_finish()
  if self.is_done then return end
  self.is_done = true
  self.runner:close()
end

--- Ends the measuring; what was measured until now can be reported. Teardowns
--- of what was set up run now. Again does no harm.
function Session:cancel()
  self:_check("session:cancel")
  self.cancelled = self.cancelled or not self.is_done
  self:_finish()
end

--- The report of what was measured until now. This analyses every sample, some
--- tens of milliseconds a bench: for a loading screen, or the end.
---@return table report
function Session:report()
  self:_check("session:report")
  return measure.report(self.runner.trials, self.settings)
end

--- Cancels, and lets go of all that was measured. Again does no harm.
function Session:close()
  if self.closed then return end
  self:_check("session:close")
  self:_finish()
  self.closed, self.runner, self.context = true, nil, nil
end

return Session
