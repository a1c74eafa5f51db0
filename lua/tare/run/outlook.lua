-- What is to come of a trial: how long its next step takes, how much of the
-- whole is done, and whether what was measured is enough.
local looks = require "tare.analysis.looks"

local outlook = {}

local MARGIN = 1.2 -- on what a batch is expected to take

--- What the next unit of work is expected to take.
---@param trial table
---@return number? due_ns nil where nothing is known
function outlook.due_ns(trial)
  local policy, iters = trial.policy, nil
  if trial.stage == "measure" then
    local pacing = trial.pacing
    if pacing and pacing:is_due(trial) then
      iters = pacing:weight()
    else
      iters = policy:next() or 0
    end
  elseif trial.stage == "warmup" and policy.calls > 1 then
    iters = policy:next()
  elseif trial.stage == "finish" and not trial.cell.spec.teardown then
    iters = 0
  end
  return iters and (iters * (policy.call_ns or 0) + trial.beside_ns) * MARGIN
end

--- Share of the quota that is spent, in [0, 1].
---@param trial table
---@return number
function outlook.progress(trial)
  if trial.stage == "done" or trial.stage == "finish" then return 1 end
  local policy = trial.policy
  return math.min(1, math.max(policy.spent_ns / policy.quota_ns,
    policy.calls / policy.quota_calls))
end

--- Whether the interval is as narrow as was asked for. To look takes time of
--- the quota.
---@param trial table
---@return boolean
function outlook.is_precise(trial)
  local samples, options = trial.samples, trial.options
  if not options.precision or not looks.due(#samples) then return false end
  local began_ns = trial.meter:now()
  local is_narrow = looks.narrow(samples:columns(), options)
  trial.policy:spend(trial.meter:now() - began_ns)
  return is_narrow
end

return outlook
