-- Frames against a budget: recorded as the host runs them, or driven here
-- under one collector policy after the other. The recorder is the core's: what
-- it keeps lies outside of the Lua heap and does not grow, and to record one
-- allocates nothing.
local compat = require "tare.base.compat"
local core = require "tare.core"
local frame_options = require "tare.frames.options"
local lists = require "tare.base.lists"
local policies = require "tare.frames.policies"
local profiler = require "tare.worker.profiler"
local summaries = require "tare.analysis.frames"

local Frames = {}

local FEWEST_FRAMES, MOST_FRAMES = 1000, 20000 -- for each policy

-- Its methods for the hot path are the core's; these are for reports. What all
-- of them take and give is in tare.meta.tare.
local Recorder = core.frames_methods

function Recorder:result() return Frames.result_of(self:record()) end

local MOST_PROFILED = 1e6

-- The profile of frames that have been profiled, which it forgets.
local function profiled(self)
  local raw, frames, of = core.frames_profiled(self)
  if not frames then
    return nil, "no frames were profiled: recorder:profile(60) takes the "
      .. "next 60"
  elseif not raw then
    return nil, ("%d of %d frames are profiled"):format(frames, of)
  end
  local made = profiler.made(raw, frames)
  made.id, made.per, made.frame_ns = "frames", "frame", of / frames
  local usual_ms = self:live({}).p50 -- NaN, or nil, before the first frame
  made.slowdown = usual_ms and usual_ms > 0 and of / frames / usual_ms / 1e6
    or nil
  return made
end

-- The profile also has 'frame_ns' (mean of those frames) and 'slowdown' (of
-- that over the median of the others).
function Recorder:profile(count)
  if count == nil then return profiled(self) end
  if type(count) ~= "number" or count < 1 or count > MOST_PROFILED
    or count % 1 ~= 0 then
    error("tare.frames: profile(): expected a whole number of frames, 1 to "
      .. ("1,000,000, got %s"):format(tostring(count)), 2)
  end
  local raw, frames, of = core.frames_profiled(self)
  if frames and not raw then
    error(("tare.frames: profile(): one is under way: %d of %d frames"):format(
      frames, of), 2)
  end
  local jit, names = compat.jit(), profiler.names()
  local compiles = jit and jit.status()
  if compiles then -- what is compiled has no instructions
    jit.off()
    jit.flush()
  end
  local ok, message = pcall(core.frames_profile, self, count, names,
    compiles and jit.on or nil)
  if ok then return end
  if compiles then jit.on() end
  error(message, 2)
end

-- What a capture is known by; the number changes with what is in it.
local CAPTURE = "frames 1"

--- Figures of what a recorder knows, which becomes a capture: what
--- `tare frames` reads, once it is stored as JSON.
---@param record table of recorder:record()
---@return table? summary nil before the first frame
function Frames.result_of(record)
  record.tare, record.lua = CAPTURE, compat.FULL_NAME
  return record.all and summaries.summary(record)
end

--- A recorder of frames; nothing is recorded yet.
---@param given table of tare.frames.options
---@return userdata? recorder
---@return string? message why its frames can't be paced
function Frames.new(given)
  local recorder, message = core.frames(given.budget_ms,
    given.frames or FEWEST_FRAMES, given.meter, given.gc == "paced")
  if not recorder then return nil, "tare.frames: gc: " .. message end
  for _, name in ipairs(lists.keys(given.scopes or {})) do
    recorder:scope(name, given.scopes[name])
  end
  return recorder
end

-- Frames under one policy; the collector is timed where the policy drives it.
local function play(fn, policy, given)
  local recorder, meter = Frames.new(given), given.meter
  local budget_ms, is_timed = given.budget_ms, policy.alive_kb ~= nil
  for frame = 1, given.frames do
    local began_ns = meter:now()
    recorder:begin()
    fn(frame)
    local updated_ns = meter:now()
    policy:after(budget_ms - (updated_ns - began_ns) / 1e6)
    recorder:finish(is_timed and meter:now() - updated_ns or nil)
  end
  return recorder
end

local function summary_of(recorder, policy, cycles)
  local summary = recorder:result()
  summary.policy, summary.settings = policy.name, policy.settings
  summary.cycles = cycles or summary.gc_minor + summary.gc_major
  if policy.name == "spare" then
    summary.overruns = { frames = policy.overruns, ms = policy.overrun_ms }
  end
  return summary
end

-- Frames under those policies that are worth it, from a heap without garbage;
-- what is known of the others stays. What was recorded is outside of the heap
-- until all are played: else it would be among what is alive.
local function play_all(fn, given, gc, known)
  local contends = known and summaries.contenders(known)
  local played, list = {}, {}
  local function play_one(i, name)
    local settings
    if name == "incremental" then settings = given.incremental end
    if name == "step" then settings = { step_kb = given.step_kb } end
    gc.full()
    local policy = policies.new(name, settings, gc, given.meter)
    local before = gc.cycles and gc.cycles()
    local ok, recorder = pcall(play, fn, policy, given)
    policy:close()
    if not ok then error(recorder, 0) end
    played[i] = { recorder, policy, before and gc.cycles() - before or nil }
  end
  for i, name in ipairs(policies.names) do
    if not known or contends[name] then play_one(i, name) end
  end
  for i = 1, #policies.names do
    local one = played[i]
    list[i] = one and summary_of(one[1], one[2], one[3]) or known[i]
  end
  return list
end

-- The collector's part of a frame under the automatic collector: driven at its
-- own pace after each frame, and timed.
local function collector_part(fn, given)
  local pacer, samples = core.pacer(), core.samples(given.frames)
  local recorder, frame = Frames.new(given), 0
  local function loop(n)
    for _ = 1, n do
      frame = frame + 1
      fn(frame)
    end
  end
  for _ = 1, given.frames do
    local ok, message = pacer:run(samples, given.meter, loop, 1)
    if not ok then error(message, 0) end
    -- what the reading of a coarse clock leaves may be less than nothing
    local collector_ns = math.max(0, samples:get(-1, "collector_ns"))
    recorder:push(collector_ns + math.max(0, samples:get(-1, "mutator_ns")),
      collector_ns)
  end
  return recorder:result().collector
end

--- Begins a policy: the collector is driven by its after(left_ms) at the end of
--- each frame, until close().
---@param name string|table a name, or a recommendation of tare.frames
---@param given table? settings
---@return table? policy
---@return string? message
function Frames.policy(name, given)
  if type(name) == "table" then name, given = name.policy, name.settings end
  if not lists.has(policies.names, name) then
    return nil, ("expected one of the policies %s, got %s"):format(
      table.concat(policies.names, ", "), tostring(name))
  end
  local wrong = frame_options.wrong_settings(given)
  if wrong then return nil, wrong end
  return policies.new(name, given)
end

--- Runs frames under each policy and recommends one. Where 'frames' is not
--- given, it plays more of them until it can tell. The collector is as it was
--- found afterwards.
---@param fn fun(frame: integer) the host's update
---@param given table of tare.frames.options
---@return table frames the summary of the automatic collector, with 'policies'
---  and 'recommendation'
function Frames.compare(fn, given)
  local own = lists.copy(given)
  own.meter = own.meter or core.meter()
  own.frames = given.frames or FEWEST_FRAMES
  local gc = own.collector or policies.collector
  local list, recommendation
  repeat
    list = play_all(fn, own, gc, list)
    recommendation = summaries.recommend(list, MOST_FRAMES)
    local is_over = given.frames or not recommendation.play
      or own.frames >= MOST_FRAMES
    own.frames = math.min(recommendation.play or 0, MOST_FRAMES)
  until is_over
  local result = list[1]
  if gc == policies.collector then
    own.frames = math.min(result.frames, FEWEST_FRAMES)
    result.collector = collector_part(fn, own)
  end
  local all = lists.copy(result)
  all.policies, all.recommendation = list, recommendation
  return all
end

return Frames
