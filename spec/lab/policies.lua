-- Policies on live heaps of some sizes: recommended, then all played again.
-- Frames of a game: a live heap of so many megabytes, of which each frame
-- changes a little, and 70 kB of garbage. tare.frames recommends a policy; then
-- each one is played again, with its settings: how many frames are over the
-- budget, and is one better than the recommended one (95 %)? By CPU time.
-- Prints; judges nothing.
--   make lab NAME=policies [ARGS='MEGABYTES [FRAMES [BUDGET_MS]]']
local core = require "tare.core"
local policies = require "tare.frames.policies"
local summaries = require "tare.analysis.frames"
local tare = require "tare"

local live_mb = tonumber((...)) or 20
local frames = tonumber((select(2, ...))) or 20000
local budget_ms = tonumber((select(3, ...))) or 2

-- The live heap: objects of some fields, in pages of a thousand, so that no
-- table is a hitch by itself.
local pages = {}
collectgarbage()
local least_kb = collectgarbage "count"
while collectgarbage "count" - least_kb < live_mb * 1024 do
  local page = {}
  for i = 1, 1000 do page[i] = { x = i, y = -i, name = "n" .. i % 100, {} } end
  pages[#pages + 1] = page
end
if #pages == 0 then pages[1] = { { x = 1, y = 1, {} } } end
collectgarbage()

local ring, turn = {}, 0
local function frame()
  for i = 1, 40 do
    turn = turn + 1
    local page = pages[turn % #pages + 1]
    page[turn % #page + 1] = { x = i, y = -i, name = "m", {} }
  end
  for i = 1, 400 do ring[i] = { x = i, y = { i, i + 1, i + 2 } } end
end

local function options(count)
  return { budget_ms = budget_ms, frames = count,
    meter = core.meter { by_cpu = true } }
end

local function printed(what, s)
  print(("%-13s %5d of %5d over (%.2f %%), p50 %.2f p99 %.2f worst thousandth "
    .. "%.2f max %.2f ms, heap %.0f MB, %d collections"):format(what,
    s.over.frames, s.frames, 100 * s.over.value, s.p50, s.p99, s.low01.ms,
    s.max, s.heap_bytes.max / 2^20, s.gc_minor + s.gc_major))
end

local function seconds() return core.now_ns() / 1e9 end

local began = seconds()
local found = tare.frames(frame, options())
print(("== %s, %g MB live, budget %g ms; played for %.0f s"):format(
  rawget(_G, "jit") and jit.version or _VERSION, live_mb, budget_ms,
  seconds() - began))
for _, s in ipairs(found.policies) do
  printed(s.policy, s)
  s.samples = nil -- not to be alive in what is played again
end
found.samples = nil
print(("recommended: %s%s: %s"):format(found.recommendation.policy,
  found.recommendation.unclear and " (unclear)" or "",
  found.recommendation.reason))

began = seconds()
local again, chosen = {}, nil
for i, s in ipairs(found.policies) do
  collectgarbage()
  local recorder, meter = tare.frames(options(frames)),
    core.meter { by_cpu = true }
  local policy = policies.new(s.policy, s.settings, nil, meter)
  for _ = 1, frames do
    local began_ns = meter:now()
    recorder:begin()
    frame()
    policy:after(budget_ms - (meter:now() - began_ns) / 1e6)
    recorder:finish()
  end
  policy:close()
  again[i] = recorder:result()
  again[i].samples = nil
  printed("  " .. s.policy, again[i])
  if s.policy == found.recommendation.policy then chosen = again[i] end
end
local verdict = "none is better"
for i, s in ipairs(again) do
  if summaries.is_more(chosen, s) then
    verdict = "better: " .. found.policies[i].policy
  end
end
print(("  played again for %.0f s: %s"):format(seconds() - began, verdict))
return pages, ring
