-- Exact figures of a few calls, each in a pass of its own: what is counted
-- here would cost time if it were counted in the timed batches.
local compat = require "tare.base.compat"
local core = require "tare.core"
local timing = require "tare.run.timing"

local probe = {}

local CENSUS_CALLS = 16 -- always as many, so that the figures repeat exactly
local CENSUS_TRIES = 4 -- on LuaJIT, until two of them agree
local CENSUS_SHARE = 0.1 -- of the quota; what would take longer is called once
local TIMEOUT_SHARE = 1 / (2 * CENSUS_TRIES) -- of the timeout, at most
local RETAINED_SHARE = 0.05 -- of the quota, for what stays after the calls
local RETAINED_CALLS, RETAINED_BYTES = 1024, 2^24 -- that are made for it, most
local SPARE_BYTES = 4096
local HOOK_SLOWDOWN = 60 -- of a call under a count hook, at most
local HOOK_SHARE = 0.02 -- of the quota, for counting instructions unasked

--- How many calls a census takes.
---@param call_ns number
---@param quota_ns number
---@param limit_ns number? the longest that it may take, if that is limited
---@param before integer? that another census took, which this one is to be held
---  against: as many, if the quota and the limit allow
---@return integer calls
function probe.census_calls(call_ns, quota_ns, limit_ns, before)
  if before == 1 then return 1 end
  local share = before == CENSUS_CALLS and 1 or CENSUS_SHARE
  local most_ns = math.min(share * quota_ns, limit_ns or math.huge)
  return CENSUS_CALLS * call_ns < most_ns and CENSUS_CALLS or 1
end

--- How often as many calls are counted, at most.
---@return integer
function probe.census_tries() return compat.jit() and CENSUS_TRIES or 1 end

-- The compiler allocates too, while it makes a trace: a census that one fell
-- into is told by the next. The least that two agree upon is the function's.
local function settled_census(take)
  local least, message = take()
  for _ = 2, least and CENSUS_TRIES or 1 do
    local again = take()
    if not again then break end
    local agrees = again.allocs == least.allocs and again.bytes == least.bytes
    if again.allocs < least.allocs then least = again end
    if agrees then break end
  end
  return least, message
end

-- On LuaJIT the loop is counted as it was compiled, for it may sink tables.
local function take_census(fixture, iters)
  if probe.census_tries() == 1 then return fixture:apply(core.census, iters) end
  local body, calls = fixture:repeater(), fixture.calls
  return settled_census(function()
    return calls:within(core.census, body, 1, iters)
  end)
end

-- A full collection, and what it costs with all that the bench keeps alive.
local function full_collection()
  local before = collectgarbage "count"
  local began = core.now_ns()
  collectgarbage()
  local ns = core.now_ns() - began
  local after = collectgarbage "count"
  return { ns = ns, heap_bytes = after * 1024,
    freed_bytes = math.max(0, before - after) * 1024 }
end

-- What of some calls a full collection leaves: {bytes, iters}; nil where that
-- can't be told, with what they raised, if they did. Each collection
-- also frees half of Lua's spare call frames, and the count leaves a little of
-- its own, so that less than SPARE_BYTES is nothing. The last result, which a
-- loop may keep, is there before.
local function retained(fixture, census, most_calls)
  if fixture.per_call then return nil end -- the results are kept until later
  local each = math.max(census.bytes / census.iters, 1)
  local calls = math.floor(math.min(RETAINED_CALLS, RETAINED_BYTES / each,
    most_calls))
  if calls < CENSUS_CALLS then return nil end
  local body, collector = fixture:repeater(), collectgarbage
  for _ = 1, 2 do collector() end -- what has a finalizer takes two
  local before = collector "count"
  local done, message = fixture.calls:within(core.census, body, 1, calls)
  if not done then return nil, message end
  for _ = 1, 2 do collector() end
  local bytes = (collector "count" - before) * 1024
  return { iters = calls, bytes = bytes > SPARE_BYTES and bytes or 0 }
end

--- What so many calls allocate. They start from a collected heap, and the
--- collector waits, until Collector:leave(): when it runs decides which short
--- strings are made anew. That full collection is timed, and what the calls
--- leave after another one is told where those are short.
--- Where batches are limited nothing is collected: that takes as long as the
--- heap is large.
---@param fixture table prepared
---@param iters integer
---@param batch_ns number? the longest that a batch may take, if that is limited
---@param quota_ns number?
---@param call_ns number?
---@return table? census totals over 'iters' calls
---@return any error what the function raised
function probe.census(fixture, iters, batch_ns, quota_ns, call_ns)
  local full = not batch_ns and full_collection() or nil
  core.gc_run(false)
  local census, message = take_census(fixture, iters)
  if not census then return nil, message end
  census.iters, census.full_collection = iters, full
  local left_ns = RETAINED_SHARE * (quota_ns or 1e9)
    - 4 * (full and full.ns or math.huge)
  if call_ns and left_ns > 0 then
    census.retained, message = retained(fixture, census, left_ns / call_ns)
    if message then return nil, message end
  end
  return census
end

--- Instructions of the virtual machine that so many calls execute.
---@param fixture table prepared
---@param iters integer
---@return table? counts nil where they can't be had
function probe.instructions(fixture, iters)
  local count = fixture:apply(core.instructions, iters)
  return count and { iters = iters, instructions = count }
end

-- Under the same hooks as a batch. What may have been called counts.
local function probed(trial, pass, iters, calls, take)
  local quota, call_ns = trial.options.quota, trial.policy.call_ns
  local _, spent_ns = timing.charged(trial, iters, function(n)
    local figures, message = take(trial.fixture, n, trial.context.batch_ns,
      quota.ns or quota.calls * call_ns, call_ns)
    trial.passes[pass] = figures
    return figures ~= nil or message == nil, message
  end)
  local after = (trial.passes[pass] or {}).retained
  trial.policy:observe_extra(calls + (after and after.iters or 0), spent_ns)
end

local function counts_instructions(trial, call_ns)
  local options, needs_ns = trial.options, call_ns * HOOK_SLOWDOWN
  if needs_ns > (trial.context.batch_ns or math.huge) then return false end
  if options.instructions ~= nil then return options.instructions end
  return needs_ns < (options.quota.ns or 1e9) * HOOK_SHARE
end

-- How long a census may take: a host's batch, and well within the timeout.
local function limit_of(trial)
  local timeout_ns = trial.options.timeout or math.huge
  return math.min(trial.context.batch_ns or math.huge,
    TIMEOUT_SHARE * timeout_ns)
end

--- The exact figures of a trial, into its passes. How many calls are counted
--- follows the quickest of the warm-up's batches: what disturbed the others is
--- not to change exact figures.
---@param trial table
function probe.run(trial)
  local policy, quota = trial.policy, trial.options.quota
  local call_ns = math.max(policy.quickest_ns or policy.call_ns, 1)
  local iters = probe.census_calls(call_ns, quota.ns or quota.calls * call_ns,
    limit_of(trial), trial.cell.census_calls)
  local calls = iters * probe.census_tries()
  if not policy:has_room(calls) then return end
  probed(trial, "census", iters, calls, probe.census)
  if not trial.error and policy:has_room(1)
    and counts_instructions(trial, call_ns) then
    probed(trial, "instructions", 1, 1, probe.instructions)
  end
end

return probe
