-- Frames with a large live heap and a collector that pauses: what each policy
-- does to them, and what is recommended. Prints; judges nothing.
--   lua spec/accuracy/frames_policies.lua
local tare = require "tare"

local kept = {}
for i = 1, 60000 do kept[i] = { i } end

if _VERSION == "Lua 5.4" then -- a whole cycle in one step, about each 50 frames
  collectgarbage("incremental", 150, 400, 30)
else
  collectgarbage("setpause", 150)
  collectgarbage("setstepmul", 100000)
end

local function update()
  for i = 1, 600 do local _ = { i, {} } end
end

local result = tare.frames(update, { budget_ms = 4, frames = 1000 })
for _, summary in ipairs(result.policies) do
  print(("%-12s p50 %.2f p95 %.2f p99 %.2f max %.2f ms, over %.2f %% (%.2f to "
    .. "%.2f), heap at most %.1f MB"):format(summary.policy, summary.p50,
    summary.p95, summary.p99, summary.max, 100 * summary.over.value,
    100 * summary.over.low, 100 * summary.over.high,
    summary.heap_bytes.max / 2^20))
end
print(("collector's part: %.1f %%, p99 %.2f ms"):format(
  100 * result.collector.share, result.collector.p99))
print(result.recommendation.policy, result.recommendation.reason)
return kept
