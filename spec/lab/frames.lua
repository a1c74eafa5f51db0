-- Frames with a known pause, by CPU time and by the clock.
-- Frames of 1 ms with a pause of about 5 ms every fiftieth. First the pause is
-- made on purpose, and timed: what does the recorder say of it? Then it is the
-- automatic collector's, on a large live heap that is collected in one go: what
-- does each policy do to the frames, and what is recommended? By CPU time, so
-- that what else the machine does is no pause; by the clock with 'wall'.
-- Prints; judges nothing.
--   make lab NAME=frames [ARGS=wall]
local core = require "tare.core"
local tare = require "tare"

local PAUSE_NS, EVERY, FRAMES, FRAME_NS = 5e6, 50, 1000, 1e6

local is_wall = (...) == "wall"
local now_ns = is_wall and core.now_ns or core.cpu_ns

local function frames_options()
  return { budget_ms = 4, frames = FRAMES,
    meter = core.meter { by_cpu = not is_wall } }
end

local function collection_ns()
  local began_ns = now_ns()
  collectgarbage()
  return now_ns() - began_ns
end

-- A live heap that takes so long to collect.
local kept = {}
repeat
  for _ = 1, 5000 do kept[#kept + 1] = { #kept } end
  collectgarbage()
  local least_ns = math.min(collection_ns(), collection_ns(), collection_ns())
until least_ns >= PAUSE_NS
local live_kb = collectgarbage("count")

local ring = {}
local function work(kb)
  local began_ns = now_ns()
  local most_kb = collectgarbage("count") + kb
  while collectgarbage("count") < most_kb do
    for i = 1, 8 do ring[i] = { i, {} } end
    if now_ns() - began_ns > FRAME_NS then break end
  end
  while now_ns() - began_ns < FRAME_NS do end -- luacheck: ignore
end

-- The pause on purpose.
local pauses_ns = {}
local recorder = tare.frames(frames_options())
collectgarbage("stop")
for frame = 1, FRAMES do
  recorder:begin()
  work(1)
  if frame % EVERY == 0 then pauses_ns[#pauses_ns + 1] = collection_ns() end
  recorder:finish()
end
collectgarbage("restart")
local said = recorder:result()
print(("on purpose: %.2f %% of the frames, median %.2f ms"):format(
  100 * #pauses_ns / FRAMES, core.stats.median(pauses_ns) / 1e6))
print(("recorded:   pauses %.2f %%, %.2f ms longer; with collections %.2f %%, "
  .. "%.2f ms longer (%.2f to %.2f), %.1f %% of the time"):format(
  100 * said.pauses.value, said.pauses.typical_ms,
  100 * said.collections.frames / FRAMES, said.collections.longer_by_ms.value,
  said.collections.longer_by_ms.low, said.collections.longer_by_ms.high,
  100 * said.collections.share))

-- The collector's own, one cycle at a time.
if _VERSION == "Lua 5.4" then
  collectgarbage("incremental", 150, 400, 30)
else
  collectgarbage("setpause", 150)
  collectgarbage("setstepmul", 10000000)
end
local each_kb = 0.5 * live_kb / EVERY
local result = tare.frames(function() work(each_kb) end,
  frames_options())
for _, summary in ipairs(result.policies) do
  print(("%-12s p50 %.2f p95 %.2f p99 %.2f max %.2f ms, over %.2f %% (%.2f to "
    .. "%.2f), heap at most %.1f MB"):format(summary.policy, summary.p50,
    summary.p95, summary.p99, summary.max, 100 * summary.over.value,
    100 * summary.over.low, 100 * summary.over.high,
    summary.heap_bytes.max / 2^20))
end
if result.collector then
  print(("collector's part, paced: %.1f %% of the time, p99 %.2f ms a frame")
    :format(100 * result.collector.share, result.collector.p99))
end
print("recommended: " .. result.recommendation.policy,
  result.recommendation.reason)
return kept, ring
