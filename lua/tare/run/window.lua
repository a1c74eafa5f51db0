-- The cells that are measured at the same time, in turn: all are prepared and
-- warmed up, planned, and then take batches round by round, forth and back,
-- what is compared next to each other.
local Trial = require "tare.run.trial"

local Window = {}
Window.__index = Window

local FEWEST_SHARED_ROWS = 24
local EMPTY_SHARE = 0.1 -- of the quota, for the empty loop
local SHARED_RATIO = 2 -- of call times, up to which batches share their sizes

--- A window over groups of cells; nothing is run yet.
---@param groups table[][] cells; those of one group are compared
---@param settings table resolved options
---@param context table what trials share
---@return table window
function Window.new(groups, settings, context)
  local self = setmetatable({ groups = {}, trials = {}, empty = {}, round = 0,
    turn = 1, state = "prepare", settings = settings, context = context },
    Window)
  for g, cells in ipairs(groups) do
    self.groups[g] = {}
    for c, cell in ipairs(cells) do
      local trial = Trial.new(cell, settings, context)
      self.groups[g][c] = trial
      self.trials[#self.trials + 1] = trial
    end
  end
  return self
end

-- Slowest and quickest estimate of a call among trials.
local function span_of(trials)
  local slowest, quickest = 0, math.huge
  for _, trial in ipairs(trials) do
    local call_ns = trial.policy.call_ns
    slowest = math.max(slowest, call_ns)
    quickest = math.min(quickest, call_ns)
  end
  return slowest, quickest
end

-- Trials that are compared get batches of the same sizes in the same rounds;
-- of the same duration, where their calls differ too much for that.
local function plan_group(trials)
  local slowest, quickest = span_of(trials)
  local shared_ns = slowest < quickest * SHARED_RATIO and slowest or nil
  local fewest, most = math.huge, 0
  for _, trial in ipairs(trials) do
    local rows = trial:plan(shared_ns)
    fewest, most = math.min(fewest, rows), math.max(most, rows)
  end
  if fewest ~= most and fewest >= FEWEST_SHARED_ROWS then
    for _, trial in ipairs(trials) do trial:plan(shared_ns, fewest) end
  end
end

local function nothing() end

local function empty_cell(kind, arguments)
  local unpack = table.unpack or unpack -- luacheck: ignore
  return { id = "(empty loop)", name = "(empty loop)", params = {}, values = {},
    settings = { loop = kind, split = false },
    spec = { run = nothing, options = {},
      args = function() return unpack(arguments, 1, arguments.n) end } }
end

-- The empty function in the same loop, with as many arguments: what a call
-- costs before it does anything. One trial serves all that are alike.
function Window:_empty_for(trial)
  local fixture = trial.fixture
  if fixture.kind == "batch" or fixture.per_call or self.context.is_manual then
    return nil
  end
  local key = fixture.kind .. fixture.arguments.n
  if not self.empty[key] then
    local settings = {}
    for name, value in pairs(self.settings) do settings[name] = value end
    for unit, amount in pairs(self.settings.quota) do
      settings.quota = { [unit] = math.max(1, amount * EMPTY_SHARE) }
    end
    self.empty[key] = Trial.new(empty_cell(fixture.kind, fixture.arguments),
      settings, self.context)
    table.insert(self.trials, self.empty[key])
    table.insert(self.groups, { self.empty[key] })
  end
  return self.empty[key]
end

-- Adds the empty loops of all that are ready, once.
function Window:_add_empty_loops()
  for i = 1, #self.trials do
    local trial = self.trials[i]
    if trial.stage == "planned" then trial.empty = self:_empty_for(trial) end
  end
  self.state, self.turn = "prepare_empty", 1
end

function Window:_plan()
  self.most_rows, self.turn = 1, #self.trials + 1
  for _, group in ipairs(self.groups) do
    local planned = {}
    for _, trial in ipairs(group) do
      if trial.stage == "planned" then planned[#planned + 1] = trial end
    end
    plan_group(planned)
    for _, trial in ipairs(planned) do
      trial:start()
      self.most_rows = math.max(self.most_rows, trial.rows)
    end
  end
  self.state = "rounds"
end

-- The next trial that is not yet planned or failed.
function Window:_prepare()
  local trial = self.trials[self.turn]
  while trial and (trial.stage == "planned" or trial.stage == "done") do
    self.turn = self.turn + 1
    trial = self.trials[self.turn]
  end
  if trial then
    self.current = trial
    return trial:step()
  end
  if self.state == "prepare" then return self:_add_empty_loops() end
  self:_plan()
end

-- Whether a trial with fewer batches than others has one in this round.
function Window:_takes_part(trial)
  if trial.stage ~= "measure" then return trial.stage ~= "done" end
  local share = trial.rows / self.most_rows
  return math.floor(self.round * share) > math.floor((self.round - 1) * share)
    or self.round > self.most_rows
end

function Window:_next_round()
  self.round, self.turn = self.round + 1, 1
  for _, trial in ipairs(self.trials) do
    if trial.stage ~= "done" then return end
  end
  self.state = "done"
end

-- One step of the trial whose turn it is; odd rounds run forth, even ones back.
function Window:_play()
  local trials = self.trials
  while self.turn <= #trials do
    local trial = trials[self.round % 2 == 1 and self.turn
      or #trials + 1 - self.turn]
    if self:_takes_part(trial) then
      self.current = trial
      if not trial:step(self.round) then self.turn = self.turn + 1 end
      return
    end
    self.turn = self.turn + 1
  end
  self:_next_round()
end

--- Does one unit of work.
---@return boolean done
function Window:step()
  if self.state == "rounds" then
    self:_play()
  elseif self.state ~= "done" then
    self:_prepare()
  end
  return self.state == "done"
end

--- Ends the measuring early: what is left are the teardowns.
function Window:stop()
  for _, trial in ipairs(self.trials) do trial:stop() end
  self.state, self.turn = "rounds", #self.trials + 1
end

return Window
