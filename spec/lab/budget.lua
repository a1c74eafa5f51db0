-- Steps of a session against their budget of 2 ms, beside plain waits.
-- How well a session keeps to its budget: steps of 2 ms, and the share of them
-- that end more than half a millisecond late, beside as many loops that only
-- wait for 2 ms to pass, in turn: what the machine itself does to such a step.
-- By CPU time only what the step itself did is late, or the core was slower:
-- how often it is, loops of as many turns show, their median taken as 2 ms.
-- Analysis is part of the steps.
-- And whether it finds what an uninterrupted run finds. Prints; judges nothing.
--   make lab NAME=budget [ARGS=STEPS]
local core = require "tare.core"
local tare = require "tare"

local BUDGET_MS, LATE_MS = 2, 0.5
local wanted = tonumber((...)) or 2000

-- What the manual's session measures.
local function manual()
  local suite = tare.suite "particles"
  local list = {}
  for i = 1, 100 do list[i] = { x = i, vx = 0.5 } end
  suite:bench("in place", { baseline = true, run = function()
    for i = 1, #list do list[i].x = list[i].x + list[i].vx end
  end })
  suite:bench("copied", function()
    local moved = {}
    for i = 1, #list do
      moved[i] = { x = list[i].x + list[i].vx, vx = 0.5 }
    end
    return moved
  end)
  return suite
end

-- Benches that allocate, beside some live objects.
local live = {}
for i = 1, 20000 do live[i] = { i, {} } end
local function allocating()
  local suite = tare.suite "allocating"
  suite:bench("tables", function()
    local list = {}
    for i = 1, 50 do list[i] = { i } end
    return list
  end)
  suite:bench("strings", function()
    local text = ""
    for i = 1, 20 do text = text .. i end
    return text
  end)
  suite:bench("closures", function()
    local list = {}
    for i = 1, 30 do list[i] = function() return i end end
    return list
  end)
  return suite
end

-- Work of about 2 ms, over memory as a collector goes: its CPU time.
local turns = 1e4
local function work()
  local began_ns, sum = core.cpu_ns(), 0
  for i = 1, turns do
    local one = live[i % #live + 1]
    sum = sum + one[1] + #one[2]
  end
  return (core.cpu_ns() - began_ns) / 1e6, sum
end
do
  local took_ms = {}
  for i = 1, 200 do took_ms[i] = work() end
  table.sort(took_ms)
  turns = math.ceil(turns * BUDGET_MS / took_ms[100])
end

-- A host's frame between steps: some garbage, and a wait.
local waste -- luacheck: ignore
local function wait()
  local began_ns = core.now_ns()
  for i = 1, 200 do waste = { i } end
  while core.now_ns() - began_ns < BUDGET_MS * 1e6 do end -- luacheck: ignore
  return (core.now_ns() - began_ns) / 1e6
end

local function tell(what, list)
  local late, total_ms = 0, 0
  for _, ms in ipairs(list) do
    if ms > BUDGET_MS + LATE_MS then late = late + 1 end
    total_ms = total_ms + ms
  end
  table.sort(list)
  print(("%-12s %d of %d (%.2f %%) more than %g ms late; mean %.2f, p99 %.2f, "
    .. "longest %.2f ms"):format(what, late, #list, 100 * late / #list, LATE_MS,
    total_ms / #list, list[math.ceil(0.99 * #list)], list[#list]))
end

for name, new_suite in pairs { manual = manual, allocating = allocating } do
  local took_ms, cpu_ms, waited_ms, waited_cpu_ms = {}, {}, {}, {}
  local worked_ms = {}
  local first
  while #took_ms < wanted do
    local session = tare.session(new_suite(), { quota = "500ms" })
    repeat
      local cpu_ns, began_ns = core.cpu_ns(), core.now_ns()
      local done = session:step(BUDGET_MS)
      took_ms[#took_ms + 1] = (core.now_ns() - began_ns) / 1e6
      cpu_ms[#cpu_ms + 1] = (core.cpu_ns() - cpu_ns) / 1e6
      cpu_ns = core.cpu_ns()
      waited_ms[#waited_ms + 1] = wait()
      waited_cpu_ms[#waited_cpu_ms + 1] = (core.cpu_ns() - cpu_ns) / 1e6
      worked_ms[#worked_ms + 1] = work()
    until done
    if first then session:close() end
    first = first or session
  end
  print(name)
  tell("  steps", took_ms)
  tell("  waits", waited_ms)
  tell("  steps (CPU)", cpu_ms)
  tell("  waits (CPU)", waited_cpu_ms)
  local usual_ms = tare.stats.median(worked_ms) -- caches are cold here
  for i, ms in ipairs(worked_ms) do worked_ms[i] = ms * BUDGET_MS / usual_ms end
  tell("  work (CPU)", worked_ms)
  local whole = tare.session(new_suite(), { quota = "500ms" })
  repeat until whole:step(1e6)
  for i, result in ipairs(whole:report().results) do
    local a, b = first:report().results[i].time, result.time
    print(("  %-22s in steps %.1f (%.1f to %.1f) ns, at once %.1f (%.1f to "
      .. "%.1f)"):format(result.id, a.value, a.low or 0/0, a.high or 0/0,
        b.value, b.low or 0/0, b.high or 0/0))
  end
end
return live
