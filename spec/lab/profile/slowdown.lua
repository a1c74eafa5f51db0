-- How many times as long a call takes in each pass of a profile, and a frame
-- that is profiled: the quickest of some stretches, over that without.
local core = require "tare.core"
local probe = require "tare.worker.profiler"
local tare = require "tare"

local jit = rawget(_G, "jit")
local STRETCHES, CALLS = 25, 200

local floor = math.floor
local function empty() end

local benches = {
  { "100 additions", function()
    local sum = 0
    for i = 1, 100 do sum = sum + i end
    return sum
  end },
  { "100 calls of a function", function()
    for _ = 1, 100 do empty() end
  end },
  { "100 calls of math.floor", function()
    for i = 1, 100 do floor(i) end
  end },
  { "100 tables", function()
    local t
    for i = 1, 100 do t = { i } end
    return t
  end },
}

local function quickest_ns(f)
  local least = math.huge
  for _ = 1, STRETCHES do
    local began = core.now_ns()
    f()
    least = math.min(least, core.now_ns() - began)
  end
  return least
end

local function of_frames(work)
  local recorder = tare.frames { budget_ms = 1 }
  for _ = 1, CALLS do
    recorder:begin()
    work()
    recorder:finish()
  end
  local usual_ns = recorder:result().p50 * 1e6
  recorder:profile(CALLS)
  local least = math.huge
  for _ = 1, CALLS do
    local began = core.now_ns()
    recorder:begin()
    work()
    recorder:finish()
    least = math.min(least, core.now_ns() - began)
  end
  recorder:profile()
  return least / usual_ns
end

print(("%-26s %9s %9s %9s %9s"):format("times as long", "allocator",
  "count hook", "profile", "a frame"))
for _, bench in ipairs(benches) do
  local name, work = bench[1], bench[2]
  local names = probe.names()
  local in_frames = of_frames(work) -- against what LuaJIT has compiled
  if jit then jit.off() jit.flush() end
  collectgarbage()
  collectgarbage "stop"
  local plain = quickest_ns(function() for _ = 1, CALLS do work() end end)
  local counted = quickest_ns(function() core.census(work, CALLS) end)
  local hooked = quickest_ns(function() core.instructions(work, CALLS) end)
  local profiled = quickest_ns(function()
    core.profile(work, CALLS, 0, names)
  end)
  collectgarbage "restart"
  if jit then jit.on() end
  print(("%-26s %9.2f %9.1f %9.1f %9.1f"):format(name, counted / plain,
    hooked / plain, profiled / plain, in_frames))
end
