-- Plans what is compared together, and looks at the plan again after its first
-- batches: a first call that was slow, or a machine that was, misleads it.
local plan = {}

local FEWEST_SHARED_ROWS = 24
local SHARED_RATIO = 2 -- of call times, up to which batches share their sizes
local LOOK_AFTER = 3 -- batches
local MISLED = 1.5 -- times quicker than planned for: it is planned again
local MOST_PLANS = 3

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

-- Calls of all batches that are planned.
local function planned_calls(trial)
  local calls = 0
  for _, size in ipairs(trial.policy.planned) do calls = calls + size end
  return calls
end

-- The same sizes for all: those of the trial that has room for the least.
local function share_sizes(trials, call_ns)
  local least
  for _, trial in ipairs(trials) do
    trial:plan(call_ns)
    if not least or planned_calls(trial) < planned_calls(least) then
      least = trial
    end
  end
  for _, trial in ipairs(trials) do
    if trial ~= least then trial:follow(least) end
  end
end

-- As many batches for all, each in the time that it has.
local function share_rows(trials)
  local fewest, most = math.huge, 0
  for _, trial in ipairs(trials) do
    local rows = trial:plan()
    fewest, most = math.min(fewest, rows), math.max(most, rows)
  end
  if fewest == most or fewest < FEWEST_SHARED_ROWS then return end
  for _, trial in ipairs(trials) do trial:plan(nil, fewest) end
end

--- Trials that are compared get batches of the same sizes in the same rounds;
--- of the same number, where their calls differ too much for that.
---@param trials table[]
function plan.group(trials)
  local slowest, quickest = span_of(trials)
  if #trials > 1 and slowest < quickest * SHARED_RATIO then
    share_sizes(trials, slowest)
  else
    share_rows(trials)
  end
end

-- Whether a trial has had its first batches, and they were quicker than it was
-- planned for, with calls left for another plan.
local function look(trial)
  local policy = trial.policy
  if trial.stage ~= "measure"
    or #trial.samples < math.min(LOOK_AFTER, trial.rows) then
    return false
  end
  local call_ns = policy:measured_call_ns()
  return true, call_ns ~= nil and call_ns * MISLED < policy.call_ns
    and policy:has_room(trial.rows)
end

--- Plans a group again, once it has had its first batches, if these were much
--- quicker than was planned for; their rows are dropped.
---@param group table trials; 'plans' counts how often it was planned
---@param round integer the last one that is over
---@return boolean again
function plan.again(group, round)
  if group.plans >= MOST_PLANS then return false end
  local misled = false
  for _, trial in ipairs(group) do
    local is_due, quicker = look(trial)
    if not is_due then return false end
    misled = misled or quicker
  end
  group.plans = misled and group.plans + 1 or MOST_PLANS
  if not misled then return false end
  for _, trial in ipairs(group) do
    trial.policy.call_ns = trial.policy:measured_call_ns()
  end
  plan.group(group)
  for _, trial in ipairs(group) do trial:start(round) end
  return true
end

return plan
