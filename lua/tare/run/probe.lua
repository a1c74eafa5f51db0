-- Exact figures of a few calls, each in a pass of its own: what is counted
-- here would cost time if it were counted in the timed batches.
local core = require "tare.core"

local probe = {}

local CENSUS_NS = 2e6 -- what the calls of a census may take
local MOST_CALLS = 100
local HOOK_SLOWDOWN = 60 -- of a call under a count hook, at most

--- How many calls a census takes.
---@param call_ns number
---@return integer calls
function probe.census_calls(call_ns)
  return math.max(1, math.min(MOST_CALLS, math.floor(CENSUS_NS / call_ns)))
end

--- What so many calls allocate.
---@param fixture table prepared
---@param iters integer
---@return table? census totals over 'iters' calls
---@return any error what the function raised
function probe.census(fixture, iters)
  local census, message
  if rawget(_G, "jit") then -- the loop as it was compiled: it may sink tables
    census, message = core.census(fixture:repeater(), 1, iters)
  else
    census, message = fixture:apply(core.census, iters)
  end
  if census then census.iters = iters end
  return census, message
end

--- What counting a call's instructions may take, in nanoseconds.
function probe.instructions_ns(call_ns) return call_ns * HOOK_SLOWDOWN end

--- Instructions of the virtual machine that so many calls execute.
---@param fixture table prepared
---@param iters integer
---@return table? counts nil where they can't be had
function probe.instructions(fixture, iters)
  local count = fixture:apply(core.instructions, iters)
  return count and { iters = iters, instructions = count }
end

return probe
