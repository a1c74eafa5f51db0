-- The right cost: what tare says of four functions, against hand-written loops
-- of many calls, timed in alternation with it.
--   costs.lua collect FILE   alternates once with each, adds lines
--   costs.lua judge FILE     prints figures
-- While a loop by hand runs, its core may be taken away for another process;
-- tare leaves such batches out. So the loop is timed by CPU time as well: none
-- of these functions waits for anything. And it is timed twice, in the heap as
-- it is and in one just collected, as tare leaves it before it measures: what
-- is allocated lies elsewhere then.
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

-- Times a call by a loop of so many: on the wall clock and in CPU time, ns.
local function time_by_hand(by_hand, calls)
  by_hand(math.floor(calls / 10))
  local began, began_cpu = core.now_ns(), core.cpu_ns()
  by_hand(calls)
  local cpu_ns = (core.cpu_ns() - began_cpu) / calls
  return (core.now_ns() - began) / calls, cpu_ns
end

local COLUMNS = { "wall", "cpu", "collected", "tare" } -- of the file, in ns

local function collect(path)
  local file = assert(io.open(path, "a"))
  for index, case in ipairs(CASES) do
    local calls, fn, by_hand = case[2], case[3], case[4]
    -- First by tare: what it loads is then alive in all. Its result is not
    -- kept: in generational mode a heap that is a fifth larger has a fifth
    -- fewer collections, of more garbage each.
    local tare_ns = tare.measure(fn, { quota = "500ms", split = false,
      instructions = false }).time.value
    collectgarbage()
    local wall_ns, cpu_ns = time_by_hand(by_hand, calls)
    collectgarbage()
    collectgarbage()
    local _, collected_ns = time_by_hand(by_hand, calls)
    file:write(("%d %.17g %.17g %.17g %.17g\n"):format(index, wall_ns, cpu_ns,
      collected_ns, tare_ns))
  end
  file:close()
end

-- By case, then by column: a list of ns.
local function read(path)
  local cases = {}
  for index in ipairs(CASES) do
    cases[index] = {}
    for _, name in ipairs(COLUMNS) do cases[index][name] = {} end
  end
  for line in io.lines(path) do
    local index, rest = line:match("^(%d+) (.*)")
    local at = 0
    for number in rest:gmatch("%S+") do
      at = at + 1
      table.insert(cases[tonumber(index)][COLUMNS[at]], tonumber(number))
    end
  end
  return cases
end

local function ratios(a, b)
  local all = {}
  for i = 1, #a do all[i] = a[i] / b[i] end
  return all
end

local function range_of(list)
  return ("%.3f (%.3f to %.3f)"):format(stats.median(list),
    stats.quantile(list, 0), stats.quantile(list, 1))
end

local function judge(path)
  local cases = read(path)
  for index, case in ipairs(CASES) do
    local ns = cases[index]
    print(("cost: %-20s by hand %9.2f ns, tare %9.2f ns; over the CPU time by "
      .. "hand %s, in a collected heap %s; over its wall time %.3f"):format(
      case[1], stats.median(ns.cpu), stats.median(ns.tare),
      range_of(ratios(ns.tare, ns.cpu)),
      range_of(ratios(ns.tare, ns.collected)),
      stats.median(ratios(ns.tare, ns.wall))))
  end
end

if arg[1] == "collect" then collect(arg[2]) else judge(arg[2]) end
