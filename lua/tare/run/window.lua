-- The cells that are measured at the same time, in turn: all are prepared and
-- warmed up, then their empty loops, then all are planned and take batches
-- round by round.
local Collector = require "tare.run.collector"
local empty = require "tare.run.empty"
local lists = require "tare.base.lists"
local plan = require "tare.run.plan"
local Trial = require "tare.run.trial"
local Turns = require "tare.run.turns"

local Window = {}
Window.__index = Window

local PLAN_NS = 3e5 -- what planning one cell may take

--- A window over groups of cells; nothing is run yet.
---@param groups table[][] cells; those of one group are compared
---@param settings table resolved options
---@param context table what trials share
---@return table window
function Window.new(groups, settings, context)
  local self = setmetatable({ groups = {}, trials = {}, turn = 1,
    state = "prepare", settings = settings, context = context }, Window)
  for g, cells in ipairs(groups) do
    local group = { plans = 0 }
    for c, cell in ipairs(cells) do
      group[c] = Trial.new(cell, settings, context, group)
      self.trials[#self.trials + 1] = group[c]
    end
    self.groups[g] = group
  end
  return self
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

-- Adds the empty loops of all that are ready, once.
function Window:_add_empty_loops()
  local loops = empty.loops(self.trials, self.settings, self.context)
  for _, trial in ipairs(loops) do
    table.insert(self.trials, trial)
    table.insert(self.groups, { trial, plans = 0 })
  end
  self.state = "prepare_empty"
end

function Window:_prepare()
  local trial = self:_unprepared()
  if trial then
    self:_turn_to(trial)
    return trial:step()
  end
  if self.state == "prepare" then return self:_add_empty_loops() end
  self.state, self.turn = "plan", 1
end

-- Trials by the settings that would disturb others.
local function lanes_of(trials)
  return lists.grouped(trials, function(trial)
    return Collector.lane(trial.options)
  end)
end

-- Rounds until the last batch that is planned.
function Window:_rounds()
  local rounds = 1
  for _, trial in ipairs(self.trials) do
    if trial.rows then
      rounds = math.max(rounds, trial.first_round + trial.rows)
    end
  end
  return rounds
end

-- Plans the group whose turn it is; after the last one the rounds begin.
function Window:_plan()
  local group = self.groups[self.turn]
  if not group then
    self.state, self.turns = "rounds", Turns.new(lanes_of(self.trials))
    self.turns:plan(self:_rounds())
    return
  end
  for i = #group, 1, -1 do
    if group[i].stage ~= "planned" then table.remove(group, i) end
  end
  plan.group(group)
  group.plans = 1
  for _, trial in ipairs(group) do trial:start() end
  self.turn = self.turn + 1
end

-- After the rounds of a block: some may have to be planned anew.
function Window:_look_again()
  local again, is_over = false, true
  for _, group in ipairs(self.groups) do
    if plan.again(group, self.turns.round) then again = true end
  end
  if again then self.turns:plan(self:_rounds()) end
  for _, trial in ipairs(self.trials) do
    is_over = is_over and trial.stage == "done"
  end
  if is_over then self.state = "done" end
end

function Window:_play()
  local turns = self.turns
  local trial, is_settling = turns:player()
  if not trial then
    if turns:next_round() then self:_look_again() end
    return
  end
  self:_turn_to(trial)
  if is_settling and trial.stage == "measure" then
    trial:settle()
    turns:pass()
  elseif not trial:step(turns.round) then
    turns:pass()
  end
end

-- Ends what was not planned yet, or all.
function Window:_end()
  for _, trial in ipairs(self.trials) do
    if trial.stage ~= "done" then
      self:_turn_to(trial)
      return trial:step()
    end
  end
  self.state = "done"
end

local STEPS = { prepare = Window._prepare, prepare_empty = Window._prepare,
  plan = Window._plan, rounds = Window._play, ending = Window._end }

--- Does one unit of work.
---@return boolean done
function Window:step()
  if self.state ~= "done" then STEPS[self.state](self) end
  return self.state == "done"
end

-- The trial that the next unit of work is for.
function Window:_next_trial()
  if self.state == "rounds" then return (self.turns:player()) end
  if self.state == "done" or self.state == "ending" then return nil end
  return self:_unprepared()
end

--- What the next unit of work is expected to take.
---@return number? due_ns nil where nothing is known
function Window:due_ns()
  if self.state == "plan" then
    return #(self.groups[self.turn] or {}) * PLAN_NS
  end
  local trial = self:_next_trial()
  if not trial then return 0 end
  return trial:due_ns()
end

--- Ends the measuring early: what is left are the teardowns.
function Window:stop()
  for _, trial in ipairs(self.trials) do trial:stop() end
  self.state = "ending"
end

return Window
