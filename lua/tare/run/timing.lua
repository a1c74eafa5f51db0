-- The batches of a trial: timed under the settings of its cell, between its
-- hooks, and charged to its quota with all that they took.
local core = require "tare.core"
local memory = require "tare.run.memory"

local timing = {}

local debug = rawget(_G, "debug")

-- What a debugger or a coverage tool has set from Lua stands in a table of
-- Lua's, which a bench that sets a hook writes over.
local function hook_now()
  if debug then return debug.gethook() end
end

local function put_hook(hook, mask, count)
  if debug and debug.gethook() ~= hook then
    pcall(debug.sethook, hook, mask, count)
  end
end

-- Calls 'run' under the cell's settings; raises nothing, and leaves all as it
-- was even where memory is out, and the meter without a limit.
local function settled(trial, run, iters)
  local context, options = trial.context, trial.options
  local ready, wrong = context.collector:apply(options)
  if not ready then return nil, wrong end
  ready, wrong = context.jitmode:enter(options.jit)
  if not ready then return nil, wrong end
  local hook, mask, count = hook_now()
  context.events:follow(trial.fixture.code)
  local ok, done, message = core.guard(function()
    context.collector:enter(options)
    return run(iters)
  end)
  trial.meter:limit()
  if options.gc == "stopped" then -- 5.1 does not tell that, nor is it put back
    core.gc_run(context.collector.host.running)
  end
  context.events:follow(nil)
  put_hook(hook, mask, count)
  context.jitmode:leave()
  if not ok then return nil, done end
  return done, message
end

--- Runs 'run' as a batch under the cell's settings. A failure ends the trial.
---@param trial table
---@param iters integer
---@param run fun(iters: integer): any, any  true, or nil and an error value
---@return true? ok
---@return number spent_ns hooks and all
function timing.charged(trial, iters, run)
  local meter = trial.meter
  local began = meter:now()
  local ok, message = trial.fixture:around(iters, function(n)
    return settled(trial, run, n)
  end)
  if not ok then trial:fail(message) end
  return ok, meter:now() - began
end

-- Times a batch into a new row: how long it was, and what the compiler did in
-- it; nil after an error, or where the batch left no row.
local function timed(trial, iters)
  local watch = trial.context.events
  local events, again = watch:count(), nil
  local ok, spent_ns = timing.charged(trial, iters, function(n)
    local done, message = memory.time(trial, n)
    again = message == "again"
    return done, message
  end)
  if not ok then return nil end
  if again then
    trial.policy:spend(spent_ns)
    return nil
  end
  local wall_ns = trial.samples:get(-1, "wall_ns")
  trial.beside_ns = math.max(0, spent_ns - wall_ns)
  trial.policy:spend(trial.beside_ns)
  return wall_ns, watch:count() - events
end

-- Where what was compiled hangs on the code of another bench, a copy of the
-- function is measured instead, whose code is its own; where that can't be, or
-- doesn't help, the result says so.
local function keep_apart(trial)
  if not trial.context.events:shares(trial.fixture.code) then return end
  if trial.copied or trial.stage ~= "warmup" or not trial.fixture:copy() then
    trial.warnings.shared_traces = true
  end
  trial.copied = true
end

-- Whether one call is longer than the host's step, so long as that is so.
local function exceeds(trial, iters, wall_ns)
  local too_long = iters == 1 and wall_ns > (trial.context.step_ns or math.huge)
  trial.too_long = too_long and trial.too_long + 1 or 0
  return too_long
end

--- One batch of the warm-up or of the plan, with a row where it is to be kept.
---@param trial table
---@param iters integer
---@return boolean ok false after an error
function timing.batch(trial, iters)
  local wall_ns, events = timed(trial, iters)
  if not wall_ns then return trial.error == nil end
  keep_apart(trial)
  local keep = trial.policy:observe(iters, wall_ns, events)
  if exceeds(trial, iters, wall_ns) then keep = true end
  if not keep then
    trial.samples:drop()
    return true
  end
  trial.samples:set(-1, "round", trial.round)
  if trial.context.events.available then
    trial.samples:set(-1, "jit_events", events)
  end
  return true
end

--- One batch that is no part of the plan, and leaves no row.
---@param trial table
---@param iters integer
function timing.extra(trial, iters)
  local wall_ns = timed(trial, iters)
  if not wall_ns then return end
  trial.policy:observe_extra(iters, wall_ns)
  trial.samples:drop()
end

return timing
