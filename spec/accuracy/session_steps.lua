-- How well a session keeps to its budget: steps of 2 ms, and the share of them
-- that end more than half a millisecond late, beside as many loops that only
-- wait for 2 ms to pass: what the machine itself does to such a step. By CPU
-- time only what the step itself did is late. Analysis is part of the steps.
-- And whether it finds what an uninterrupted run finds. Prints; judges nothing.
-- 'make budget'.
--   lua spec/accuracy/session_steps.lua [steps]
local core = require "tare.core"
local tare = require "tare"

local BUDGET_MS, LATE_MS = 2, 0.5
local wanted = tonumber((...)) or 2000

local function new_suite()
  local suite = tare.suite "steps"
  local list = {}
  for i = 1, 50 do list[i] = (i * 7919) % 101 end
  suite:bench("concat", function() return table.concat(list, ",") end)
  suite:bench("sort", function()
    local copy = {}
    for i = 1, #list do copy[i] = list[i] end
    table.sort(copy)
    return copy
  end)
  suite:bench("format", function() return ("%d:%s"):format(list[3], "x") end)
  return suite
end

-- A host's frame between steps: some garbage, and a wait.
local waste -- luacheck: ignore
local function wait()
  local began_ns = core.now_ns()
  for i = 1, 200 do waste = { i } end
  while core.now_ns() - began_ns < BUDGET_MS * 1e6 do end -- luacheck: ignore
  return (core.now_ns() - began_ns) / 1e6
end

local took_ms, cpu_ms, waited_ms, sessions = {}, {}, {}, {}
while #took_ms < wanted do
  local session = tare.session(new_suite(), { quota = "1s" })
  repeat
    local cpu_ns, began_ns = core.cpu_ns(), core.now_ns()
    local done = session:step(BUDGET_MS)
    took_ms[#took_ms + 1] = (core.now_ns() - began_ns) / 1e6
    cpu_ms[#cpu_ms + 1] = (core.cpu_ns() - cpu_ns) / 1e6
    waited_ms[#waited_ms + 1] = wait()
  until done
  sessions[#sessions + 1] = session
end

local function tell(what, list)
  local late, total_ms = 0, 0
  for _, ms in ipairs(list) do
    if ms > BUDGET_MS + LATE_MS then late = late + 1 end
    total_ms = total_ms + ms
  end
  table.sort(list)
  print(("%d %s of %g ms: %.2f %% more than %g ms late; mean %.2f, p99 %.2f, "
    .. "longest %.2f ms"):format(#list, what, BUDGET_MS, 100 * late / #list,
    LATE_MS, total_ms / #list, list[math.ceil(0.99 * #list)], list[#list]))
end
tell("steps", took_ms)
tell("steps by CPU time", cpu_ms)
tell("waits", waited_ms)

local began_ns = core.now_ns()
local report = sessions[1]:report()
print(("report: %.0f ms"):format((core.now_ns() - began_ns) / 1e6))

local whole = tare.session(new_suite(), { quota = "1s" })
repeat until whole:step(1e6)
for i, result in ipairs(whole:report().results) do
  local a, b = report.results[i].time, result.time
  print(("%-14s in steps %.1f (%.1f to %.1f) ns, at once %.1f (%.1f to %.1f)")
    :format(result.id, a.value, a.low, a.high, b.value, b.low, b.high))
end
