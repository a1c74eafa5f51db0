-- The second arm of the two-arm design: batches with the collector stopped
-- among those in which it runs. What they save is its part, so far as fresh
-- memory costs no more than memory that was used before: where a regression on
-- counts can't tell, and as a check of the paced rounds.
local core = require "tare.core"

local Arm = {}
Arm.__index = Arm

local HEADROOM = 0.5 -- of the memory cap, for calls that allocate more
-- Of the heap: what a batch leaves, so that the memory of the last one serves
-- it again, as it would with the collector.
local GARBAGE, LEAST_BYTES = 0.25, 2^18
local SETTLING = 2 -- times its calls, for the collector to be as usual again

--- The arm of a trial whose calls were counted.
---@param trial table
---@return table arm 'most_calls' fit a batch
function Arm.new(trial)
  local census, cap = trial.passes.census, trial.options.memory_cap
  local each = math.max(1, census.bytes / census.iters)
  local bytes = math.min(cap * HEADROOM,
    math.max(LEAST_BYTES, collectgarbage "count" * 1024 * GARBAGE))
  return setmetatable({ cap_bytes = cap, after = core.samples(2),
    most_calls = math.max(1, math.floor(bytes / each)) }, Arm)
end

--- How much longer a batch takes than its calls.
Arm.DEARER = 1 + SETTLING

--- One batch. What it leaves is collected in others after it that leave no
--- row: those with the collector are not to pay for it.
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
  for _ = 1, ok and not fixture.per_call and SETTLING or 0 do
    ok, message = fixture:time(meter, self.after, iters)
    if not ok then break end
  end
  return ok, message
end

return Arm
