-- The second arm of the two-arm design: batches with the collector stopped
-- among those in which it runs. What they save is its part, so far as fresh
-- memory costs no more than memory that was used before: where a regression on
-- counts can't tell, and as a check of the paced rounds.
local core = require "tare.core"

local Arm = {}
Arm.__index = Arm

local HEADROOM = 0.5 -- of the memory cap, for calls that allocate more

--- The arm of a trial whose calls were counted.
---@param trial table
---@return table arm 'most_calls' fit a batch
function Arm.new(trial)
  local census, cap = trial.passes.census, trial.options.memory_cap
  local each = math.max(1, census.bytes / census.iters)
  return setmetatable({ cap_bytes = cap,
    most_calls = math.max(1, math.floor(cap * HEADROOM / each)) }, Arm)
end

--- One batch. What it leaves is collected after it, outside of the clock: the
--- next batch with the collector is not to pay for it.
---@param fixture table
---@param meter table
---@param samples table
---@param iters integer
---@return true?
---@return any error value
function Arm:run(fixture, meter, samples, iters)
  local _, _, was_running = core.gc_settings()
  core.gc_run(false)
  meter:limit(self.cap_bytes)
  local ok, message = fixture:time(meter, samples, iters)
  meter:limit()
  core.gc_run(was_running)
  collectgarbage()
  return ok, message
end

return Arm
