-- Frames against a budget: recorded as the host runs them, or driven here
-- under one collector policy after the other. Rows lie outside of the Lua
-- heap, and recording one allocates nothing.
local core = require "tare.core"
local policies = require "tare.host.policies"
local summaries = require "tare.analysis.frames"

local Frames = {}
Frames.__index = Frames

local PROBE_FRAMES = 10 -- to learn what a frame allocates

--- A recorder of frames; nothing is recorded yet.
---@param given table of tare.host.frame_options
---@return table recorder
function Frames.new(given)
  return setmetatable({
    budget_ms = given.budget_ms, frames = given.frames,
    samples = core.samples(given.frames),
    meter = given.meter or core.meter(), watch = core.gcwatch(),
    gc = given.collector or policies.collector,
  }, Frames)
end

--- The host's update begins. Where the last one did not finish, since it
--- raised an error, it is no frame.
function Frames:begin()
  self.watch:arm()
  self.minor, self.major = self.watch:counts()
  self.heap_kb = self.gc.heap_kb()
  self.began_ns = self.meter:now()
end

--- The host's update has ended; the frame is recorded.
---@param collector_ns number? what of it tare's caller spent on collecting
function Frames:finish(collector_ns)
  local ended_ns, samples = self.meter:now(), self.samples
  if not self.began_ns then
    error("tare.frames: finish() without begin()", 2)
  elseif collector_ns ~= nil
    and not (type(collector_ns) == "number" and collector_ns >= 0) then
    error("tare.frames: finish(): 'collector_ns' must be a number of at least "
      .. "0, got " .. tostring(collector_ns), 2)
  end
  local minor, major = self.watch:counts()
  self.watch:disarm()
  samples:append()
  samples:set(-1, "iters", 1)
  samples:set(-1, "wall_ns", ended_ns - self.began_ns)
  samples:set(-1, "start_ns", self.began_ns)
  samples:set(-1, "heap_bytes", self.heap_kb * 1024)
  samples:set(-1, "gc_minor", minor - self.minor)
  samples:set(-1, "gc_major", major - self.major)
  if collector_ns then samples:set(-1, "collector_ns", collector_ns) end
  self.began_ns = nil
end

--- What the frames said until now: see tare.analysis.frames.
---@return table? summary nil before the first frame
function Frames:result()
  if #self.samples == 0 then return nil end
  local columns = self.samples:columns()
  local summary = summaries.summary(columns, self.budget_ms)
  summary.budget_ms, summary.samples = self.budget_ms, columns
  return summary
end

-- Frames under one policy.
local function play(fn, policy, given)
  local recorder = Frames.new(given)
  local meter, budget_ns = recorder.meter, recorder.budget_ms * 1e6
  local steps = policy.after
  for frame = 1, recorder.frames do
    recorder:begin()
    fn(frame)
    local updated_ns = meter:now()
    steps(budget_ns - (updated_ns - recorder.began_ns))
    recorder:finish(policy.times and meter:now() - updated_ns or nil)
  end
  local summary = recorder:result()
  summary.policy, summary.settings = policy.name, policy.settings
  return summary
end

-- Kilobytes that a frame allocates, with the collector stopped.
local function allocated_kb(fn, gc)
  gc.full()
  gc.stop()
  local before_kb = gc.heap_kb()
  local ok, message = pcall(function()
    for frame = 1, PROBE_FRAMES do fn(frame) end
  end)
  local kb = gc.heap_kb() - before_kb
  gc.restart()
  if not ok then error(message, 0) end
  return math.max(1, math.ceil(kb / PROBE_FRAMES))
end

-- The collector's part of a frame under the automatic collector: driven at its
-- own pace after each frame, and timed.
local function collector_part(fn, recorder)
  local pacer, samples = core.pacer(), core.samples(recorder.frames)
  local frame = 0
  local function loop(n)
    for _ = 1, n do
      frame = frame + 1
      fn(frame)
    end
  end
  for _ = 1, recorder.frames do
    local ok, message = pacer:run(samples, recorder.meter, loop, 1)
    if not ok then error(message, 0) end
  end
  local columns = samples:columns()
  columns.wall_ns = {}
  for i, ns in ipairs(columns.mutator_ns) do
    columns.wall_ns[i] = ns + columns.collector_ns[i]
  end
  return summaries.summary(columns, recorder.budget_ms).collector
end

--- Runs frames under each policy and recommends one. The collector is as it
--- was found afterwards, but running.
---@param fn fun(frame: integer) the host's update
---@param given table of tare.host.frame_options
---@return table frames the summary of the automatic collector, with 'policies'
---  and 'recommendation'
function Frames.compare(fn, given)
  local own = {}
  for name, value in pairs(given) do own[name] = value end
  own.meter = own.meter or core.meter()
  local recorder = Frames.new(own)
  local gc, found = recorder.gc, recorder.gc.state()
  own.step_kb = own.step_kb or allocated_kb(fn, gc)
  local list = {}
  for i, policy in ipairs(policies.all(own, gc, own.meter)) do
    policy.times = policy.name == "step" or policy.name == "spare"
    gc.full()
    policy.begin()
    local ok, summary = pcall(play, fn, policy, own)
    policy.finish()
    gc.restore(found)
    if not ok then error(summary, 0) end
    list[i] = summary
  end
  local result = list[1]
  if gc == policies.collector then
    result.collector = collector_part(fn, recorder)
  end
  local all = {}
  for name, value in pairs(result) do all[name] = value end
  all.policies, all.recommendation = list, summaries.recommend(list)
  return all
end

return Frames
