-- Do ratios and times of sessions in short steps hold? (minutes)
-- A host with live tables measures two functions in steps of 2 ms, and times
-- loops of both, in turn, before and after: CPU time, same heap, same process.
-- RUNS processes for each setting; prints how often the intervals reach what
-- the loops had, from before to after and give or take 8 %, and by how much the
-- values differ. Judges nothing.
--   make lab NAME=short_steps [ARGS="RUNS QUOTA LIVE SETTING..."]
-- 8, 400ms, 20000; a setting is PAIR:MODE:GC:POLICY, and a SETTING a pattern
-- that those which are wanted match
local core = require "tare.core"
local tare = require "tare"

local BUDGET_MS, FRAME_LEFT_MS = tonumber(os.getenv "STEP_MS") or 2, 1.5
local LOOPS, LOOP_NS = 150, 1e6 -- of each function, before and after

local HAS_MODES = _VERSION >= "Lua 5.4"

---------------------------------------------------------------------- host --

local PAIRS = {}

-- What the manual's session measures: one allocates.
function PAIRS.copied()
  local list = {}
  for i = 1, 100 do list[i] = { x = i, vx = 0.5 } end
  return function()
    for i = 1, #list do list[i].x = list[i].x + list[i].vx end
  end, function()
    local moved = {}
    for i = 1, #list do
      moved[i] = { x = list[i].x + list[i].vx, vx = 0.5 }
    end
    return moved
  end
end

-- Both allocate.
function PAIRS.tables()
  local function maker(count)
    return function()
      local list = {}
      for i = 1, count do list[i] = { i } end
      return list
    end
  end
  return maker(20), maker(100)
end

-- Neither does.
function PAIRS.sums()
  local numbers = {}
  for i = 1, 300 do numbers[i] = i % 7 end
  local function adder(count)
    return function()
      local sum = 0
      for i = 1, count do sum = sum + numbers[i] * numbers[count - i + 1] end
      return sum
    end
  end
  return adder(100), adder(300)
end

-------------------------------------------------------------------- a child --

local heap = {} -- the host's live tables

local function loop(f, calls)
  local began_ns = core.cpu_ns()
  for _ = 1, calls do f() end
  return core.cpu_ns() - began_ns
end

-- Loops of both functions in turn: nanoseconds of a call of each. With the
-- collector as it is; stopped, all is collected between them, untimed.
local function by_hand(functions, is_stopped)
  local calls, total_ns = {}, { 0, 0 }
  for k, f in ipairs(functions) do
    loop(f, 100)
    calls[k] = math.max(1, math.ceil(LOOP_NS * 100 / loop(f, 100)))
  end
  for _ = 1, LOOPS do
    for k, f in ipairs(functions) do
      total_ns[k] = total_ns[k] + loop(f, calls[k])
      if is_stopped then
        collectgarbage()
        collectgarbage "stop"
      end
    end
  end
  return total_ns[1] / calls[1] / LOOPS, total_ns[2] / calls[2] / LOOPS
end

local function child(quota, live, pair, mode, gc, policy_name)
  for i = 1, live do heap[i] = { i } end
  if HAS_MODES then collectgarbage(mode) end
  local functions = { PAIRS[pair]() }
  local suite = tare.suite "steps"
  suite:bench("a", { baseline = true, run = functions[1] })
  suite:bench("b", functions[2])

  local policy = policy_name ~= "none" and tare.frames.policy(policy_name)
  local hand = { a = {}, b = {}, ratio = {} }
  local function loops() -- a policy stops the collector, for a session, too
    local a, b = by_hand(functions, policy)
    table.insert(hand.a, a)
    table.insert(hand.b, b)
    table.insert(hand.ratio, b / a)
  end

  loops()
  local session = tare.session(suite, { quota = quota, gc = gc })
  local waste -- luacheck: ignore
  local steps = 0
  repeat
    for i = 1, 200 do waste = { i } end
    local done = session:step(BUDGET_MS)
    if policy then policy:after(FRAME_LEFT_MS) end
    steps = steps + 1
  until done
  loops()
  if policy then policy:close() end

  local report = session:report()
  local function say(name, found, before, after)
    print(("%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g"):format(name, before or 0,
      after or 0, found and found.value or 0, found and found.low or 0,
      found and found.high or 0))
  end
  local comparison = report.comparisons[1]
  say("ratio", comparison and comparison.ratio, hand.ratio[1], hand.ratio[2])
  local warnings = {}
  for k, name in ipairs { "a", "b" } do
    local result = report.results[k]
    say(name, result.time, hand[name][1], hand[name][2])
    say(name .. " share", result.collector_share)
    local seen = 0
    for i, count in ipairs(result.samples.gc_major or {}) do
      seen = seen + count + result.samples.gc_minor[i]
    end
    say(name .. " rows", { value = #result.samples.iters, low = seen,
      high = result.clean_batches })
    warnings[k] = table.concat(result.warnings, ",")
  end
  print(("warnings\t%s\t%s"):format(warnings[1], warnings[2]))
  print("steps\t" .. steps)
end

if arg[1] == "child" then
  child(arg[2], tonumber(arg[3]), arg[4], arg[5], arg[6], arg[7])
  return heap
end

----------------------------------------------------------------- all of them --

local RUNS, QUOTA = tonumber(arg[1]) or 8, arg[2] or "400ms"
local LIVE = tonumber(arg[3]) or 20000

local settings = {}
for _, policy in ipairs { "none", "spare", "step" } do
  for _, gc in ipairs { "natural", "paced" } do
    for _, mode in ipairs(HAS_MODES and { "incremental", "generational" }
      or { "incremental" }) do
      for _, pair in ipairs { "copied", "tables", "sums" } do
        local is_wanted = policy == "none" or mode == "incremental"
          and pair ~= "sums"
        local name = ("%s:%s:%s:%s"):format(pair, mode, gc, policy)
        for k = 4, #arg do
          if not name:find(arg[k]) then is_wanted = false end
        end
        if is_wanted then
          settings[#settings + 1] = { name = name, pair = pair, mode = mode,
            gc = gc, policy = policy }
        end
      end
    end
  end
end

local function median(list)
  if #list == 0 then return 0 / 0 end
  return tare.stats.median(list)
end

for _, one in ipairs(settings) do
  local found, warnings, steps = {}, {}, {}
  for _ = 1, RUNS do
    local pipe = assert(io.popen(("%s spec/lab/short_steps.lua child %s %d %s "
      .. "%s %s %s"):format(os.getenv "TARE_LUA" or "lua5.4", QUOTA, LIVE,
      one.pair, one.mode, one.gc, one.policy)))
    for line in pipe:lines() do
      local name, rest = line:match "^([^\t]+)\t(.*)$"
      if name == "warnings" then
        for code in rest:gmatch "[%w_]+" do
          warnings[code] = (warnings[code] or 0) + 1
        end
      elseif name == "steps" then
        steps[#steps + 1] = tonumber(rest)
      elseif name then
        local before, after, value, low, high =
          rest:match "(%S+)\t(%S+)\t(%S+)\t(%S+)\t(%S+)"
        before, after = tonumber(before), tonumber(after)
        found[name] = found[name] or {}
        table.insert(found[name], { truth = (before + after) / 2,
          least = math.min(before, after), most = math.max(before, after),
          value = tonumber(value), low = tonumber(low),
          high = tonumber(high) })
      end
    end
    pipe:close()
  end
  print(one.name .. (", %.0f steps"):format(median(steps)))
  for _, name in ipairs { "ratio", "a", "b" } do
    local truths, values, off, halves = {}, {}, {}, {}
    local held, near, known = 0, 0, 0
    for i, run in ipairs(found[name] or {}) do
      truths[i], values[i] = run.truth, run.value
      off[i] = run.value / run.truth
      if run.high > 0 then
        known = known + 1
        halves[#halves + 1] = (run.high - run.low) / 2 / run.value
        if run.low <= run.most and run.high >= run.least then
          held = held + 1
        end
        if run.low <= 1.08 * run.most and 1.08 * run.high >= run.least then
          near = near + 1
        end
      end
    end
    table.sort(off)
    print(("  %-6s reaches %d and %d of %d (%d have none), +-%.0f %%; %.4g, by "
      .. "hand %.4g; off by %.2f (%.2f to %.2f)"):format(name, held, near,
      known, #truths - known, 100 * median(halves), median(values),
      median(truths), median(off), off[1] or 0, off[#off] or 0))
  end
  for _, name in ipairs { "a", "b" } do
    local shares, rows, seen, clean = {}, {}, {}, {}
    for _, run in ipairs(found[name .. " share"] or {}) do
      if run.high > 0 then shares[#shares + 1] = run.value end
    end
    for i, run in ipairs(found[name .. " rows"] or {}) do
      rows[i], seen[i], clean[i] = run.value, run.low, run.high
    end
    print(("  %-6s %.0f batches, %.0f of them clean, %.0f cycles; collector's "
      .. "share %.2f in %d"):format(name, median(rows), median(clean),
      median(seen), median(shares), #shares))
  end
  local list = {}
  for code, count in pairs(warnings) do
    list[#list + 1] = code .. " " .. count
  end
  table.sort(list)
  print("  " .. table.concat(list, ", "))
end
