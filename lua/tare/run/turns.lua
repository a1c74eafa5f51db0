-- Whose turn it is. In a round each trial has one batch; odd rounds run forth,
-- even ones back, so that what is compared is next to each other, in balance.
--
-- Settings of the collector, or of the compiler, that differ between trials
-- would disturb each other from batch to batch: a change of mode is a full
-- collection. So those that share their settings are a lane, and lanes take
-- blocks of rounds, forth and back as well, each begun by rounds that leave no
-- rows. Rounds keep their numbers: round 7 of one lane and of another are a
-- pair.
local Turns = {}
Turns.__index = Turns

local BLOCKS = 10 -- of rounds, where there are several lanes
local SETTLING_SHARE = 0.1 -- of a block

--- The order of play.
---@param lanes table[][] trials
---@return table turns
function Turns.new(lanes)
  return setmetatable({ lanes = lanes, rounds = 1, first = 1, last = 1,
    block = 1, lane = 1, round = 1, turn = 1, settling = 0 }, Turns)
end

--- Says how many rounds the trials have planned, from this one on.
---@param rounds integer
function Turns:plan(rounds)
  self.rounds = rounds
  if #self.lanes > 1 then
    self.length = math.max(1, math.ceil(rounds / BLOCKS))
    self.settling_rounds = math.max(1, math.floor(self.length * SETTLING_SHARE))
  else
    self.length, self.settling_rounds = 1, 0
  end
  self.last = self.first + self.length - 1
  self:_enter()
end

function Turns:_lane_trials()
  local forth = self.block % 2 == 1
  return self.lanes[forth and self.lane or #self.lanes + 1 - self.lane]
end

-- The first lane of a block is the last one of the block before: no change.
function Turns:_enter()
  local is_change = self.lane > 1 or self.block == 1
  self.settling = is_change and self.settling_rounds or 0
  self.round, self.turn = self.first, 1
end

-- Whether a trial with fewer batches than others has one in this round.
function Turns:_takes_part(trial)
  if trial.stage ~= "measure" then return trial.stage ~= "done" end
  local share = trial.rows / math.max(1, self.rounds - trial.first_round)
  local round = self.round - trial.first_round
  return math.floor(round * share) > math.floor((round - 1) * share)
    or self.round > self.rounds
end

--- The trial whose turn it is, and how; nil after the last of a round.
---@return table? trial
---@return boolean? is_settling whether its batch leaves no row
function Turns:player()
  local trials = self:_lane_trials()
  while self.turn <= #trials do
    local trial = trials[self.round % 2 == 1 and self.turn
      or #trials + 1 - self.turn]
    if self:_takes_part(trial) then return trial, self.settling > 0 end
    self.turn = self.turn + 1
  end
end

--- The trial has had its turn.
function Turns:pass() self.turn = self.turn + 1 end

--- Goes on to the next round.
---@return boolean block_is_over whether all lanes have had these rounds
function Turns:next_round()
  self.turn = 1
  if self.settling > 0 then
    self.settling = self.settling - 1
    return false
  end
  if self.round < self.last then
    self.round = self.round + 1
    return false
  end
  if self.lane < #self.lanes then
    self.lane = self.lane + 1
    self:_enter()
    return false
  end
  self.first, self.last = self.last + 1, self.last + self.length
  self.lane, self.block = 1, self.block + 1
  self:_enter()
  return true
end

return Turns
