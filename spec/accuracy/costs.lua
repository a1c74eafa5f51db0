-- The right cost: what tare says of four functions, against hand-written loops
-- of many calls, timed in alternation with it.
--   costs.lua collect FILE   alternates once with each, adds lines
--   costs.lua judge FILE     prints figures
-- While a loop by hand runs, its core may be taken away for another process;
-- tare leaves such batches out. So the loop is timed by CPU time as well: none
-- of these functions waits for anything.
local core = require "tare.core"
local tare = require "tare"

local stats = core.stats
local floor = math.floor

local function empty() end

local function fill()
  local t = {}
  for i = 1, 100 do t[i] = i end
  return t
end

local parts = {}
for i = 1, 100 do parts[i] = "item " .. i end
local function concat()
  local s = ""
  for i = 1, 100 do s = s .. parts[i] end
  return s
end

-- Each by hand: a loop as its author would write it.
local CASES = {
  { "empty function", 1e7, empty,
    function(n)
      local f = empty
      for _ = 1, n do f() end
    end },
  { "math.floor(3.7)", 1e7, function() return floor(3.7) end, function(n)
    local f = function() return floor(3.7) end
    for _ = 1, n do f() end
  end },
  { "fill a table of 100", 1e5, fill,
    function(n) for _ = 1, n do fill() end end },
  { "concatenate 100", 1e5, concat,
    function(n) for _ = 1, n do concat() end end },
}

local function collect(path)
  local file = assert(io.open(path, "a"))
  for index, case in ipairs(CASES) do
    local calls, fn, by_hand = case[2], case[3], case[4]
    -- first by tare: what it keeps is then alive in both
    local measured = tare.measure(fn, { quota = "500ms", split = false,
      instructions = false })
    by_hand(math.floor(calls / 10))
    local began, began_cpu = core.now_ns(), core.cpu_ns()
    by_hand(calls)
    local cpu_ns = (core.cpu_ns() - began_cpu) / calls
    local hand_ns = (core.now_ns() - began) / calls
    file:write(("%d %.17g %.17g %.17g\n"):format(index, hand_ns, cpu_ns,
      measured.time.value))
  end
  file:close()
end

-- Lists by case: by hand on the wall clock, by hand in CPU time, by tare.
local function read(path)
  local hand, cpu, measured = {}, {}, {}
  for index in ipairs(CASES) do
    hand[index], cpu[index], measured[index] = {}, {}, {}
  end
  for line in io.lines(path) do
    local index, hand_ns, cpu_ns, ns = line:match("^(%d+) (%S+) (%S+) (%S+)")
    index = tonumber(index)
    table.insert(hand[index], tonumber(hand_ns))
    table.insert(cpu[index], tonumber(cpu_ns))
    table.insert(measured[index], tonumber(ns))
  end
  return hand, cpu, measured
end

local function ratios(a, b)
  local all = {}
  for i = 1, #a do all[i] = a[i] / b[i] end
  return all
end

local function judge(path)
  local hand, cpu, measured = read(path)
  for index, case in ipairs(CASES) do
    local all = ratios(measured[index], cpu[index])
    print(("cost: %-20s by hand %9.2f ns (CPU %9.2f), tare %9.2f ns; over the "
      .. "CPU time by hand %.3f (%.3f to %.3f), over its wall time %.3f")
      :format(case[1], stats.median(hand[index]), stats.median(cpu[index]),
      stats.median(measured[index]), stats.median(all),
      stats.quantile(all, 0), stats.quantile(all, 1),
      stats.median(ratios(measured[index], hand[index]))))
  end
end

if arg[1] == "collect" then collect(arg[2]) else judge(arg[2]) end
