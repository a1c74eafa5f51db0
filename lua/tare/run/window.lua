-- The cells that are measured at the same time, in turn: all are prepared and
-- warmed up, planned, and then take batches round by round, forth and back,
-- what is compared next to each other.
local Trial = require "tare.run.trial"

local Window = {}
Window.__index = Window

local FEWEST_SHARED_ROWS = 24
local EMPTY_SHARE = 0.1 -- of the quota, for the empty loop
local PLAN_NS = 3e5 -- what planning one cell may take
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

-- Plans the group whose turn it is; after the last one the rounds begin.
function Window:_plan()
  local group = self.groups[self.turn]
  if not group then
    self.state, self.turn = "rounds", #self.trials + 1
    return
  end
  local planned = {}
  for _, trial in ipairs(group) do
    if trial.stage == "planned" then planned[#planned + 1] = trial end
  end
  plan_group(planned)
  for _, trial in ipairs(planned) do
    trial:start()
    self.most_rows = math.max(self.most_rows, trial.rows)
  end
  self.turn = self.turn + 1
end

-- Says whose turn it is, for progress and for who looks after this process.
function Window:_turn_to(trial)
  self.current = trial
  if self.context.on_turn then self.context.on_turn(trial) end
end

-- The next trial that is neither planned nor done; nil after the last.
function Window:_unprepared()
  local trial = self.trials[self.turn]
  while trial and (trial.stage == "planned" or trial.stage == "done") do
    self.turn = self.turn + 1
    trial = self.trials[self.turn]
  end
  return trial
end

function Window:_prepare()
  local trial = self:_unprepared()
  if trial then
    self:_turn_to(trial)
    return trial:step()
  end
  if self.state == "prepare" then return self:_add_empty_loops() end
  self.state, self.turn, self.most_rows = "plan", 1, 1
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

-- The trial whose turn it is, nil after the last: odd rounds run forth, even
-- ones back.
function Window:_player()
  local trials = self.trials
  while self.turn <= #trials do
    local trial = trials[self.round % 2 == 1 and self.turn
      or #trials + 1 - self.turn]
    if self:_takes_part(trial) then return trial end
    self.turn = self.turn + 1
  end
end

function Window:_play()
  local trial = self:_player()
  if not trial then return self:_next_round() end
  self:_turn_to(trial)
  if not trial:step(self.round) then self.turn = self.turn + 1 end
end

local STEPS = { prepare = Window._prepare, prepare_empty = Window._prepare,
  plan = Window._plan, rounds = Window._play }

--- Does one unit of work.
---@return boolean done
function Window:step()
  if self.state ~= "done" then STEPS[self.state](self) end
  return self.state == "done"
end

--- What the next unit of work is expected to take.
---@return number? due_ns nil where nothing is known
function Window:due_ns()
  if self.state == "plan" then
    return #(self.groups[self.turn] or {}) * PLAN_NS
  end
  local trial
  if self.state == "rounds" then
    trial = self:_player()
  elseif self.state ~= "done" then
    trial = self:_unprepared()
  end
  if not trial then return 0 end
  return trial:due_ns()
end

--- Ends the measuring early: what is left are the teardowns.
function Window:stop()
  for _, trial in ipairs(self.trials) do trial:stop() end
  self.state, self.turn = "rounds", #self.trials + 1
end

return Window
