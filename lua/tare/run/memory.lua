-- Keeps the batches of a stopped collector below the memory cap: they are made
-- short enough by what a call was seen to allocate, and one that allocates more
-- than that all at once is ended by the meter.
local units = require "tare.base.units"

local memory = {}

local HEADROOM = 0.5 -- of the cap, for calls that allocate more than usual

local function too_much(cap_bytes)
  return ("one call allocated more than the memory cap of %s with the "
    .. "collector stopped"):format(units.bytes(cap_bytes))
end

-- After a batch that met the cap: shorter ones, or an error.
local function after_cap(trial, iters)
  trial.warnings.memory_cap = true
  if iters == 1 then return nil, too_much(trial.options.memory_cap) end
  trial.policy:at_most(math.floor(iters / 2))
  return true, "again"
end

--- Times a batch of a trial. The meter's limit is taken back by who calls
--- this, for it may raise.
---@param trial table
---@param iters integer
---@return true? ok
---@return any error value; or "again" where the batch was too long and left no
---  row
function memory.time(trial, iters)
  local meter, cap_bytes = trial.meter, trial.options.memory_cap
  if trial.options.gc ~= "stopped" then
    return trial.fixture:time(meter, trial.samples, iters)
  end
  meter:limit(cap_bytes)
  local ok, message = trial.fixture:time(meter, trial.samples, iters)
  if not ok and meter:reached_limit() then return after_cap(trial, iters) end
  if not ok then return nil, message end
  local growth_bytes = trial.samples:get(-1, "growth_bytes")
  if growth_bytes > 0 then
    trial.policy:at_most(math.max(1,
      math.floor(cap_bytes * HEADROOM / growth_bytes * iters)))
  end
  return true
end

return memory
