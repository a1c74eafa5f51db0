-- Comparisons in one run: how often two identical closures are called
-- different, what the interval of their ratio covers, and how often a function
-- made 3 % slower is called slower.
--   ratios.lua collect FILE [SAME = 2] [SLOWER = 1]   compares, adds lines
--   ratios.lua judge FILE                             prints figures
local core = require "tare.core"
local tare = require "tare"

local median = core.stats.median
local BEYOND = 0.01

-- A closure of its own each time: 'turns' of a loop, and one table.
local function work(turns)
  return function()
    local s = 0
    for i = 1, turns do s = s + i % 7 end
    return { s }
  end
end

local function add(path, kind, turns, quota)
  local found = tare.compare({ a = work(turns), b = work(200) },
    { quota = quota, split = false, instructions = false }).comparisons[1]
  local ratio = found.ratio
  local file = assert(io.open(path, "a"))
  file:write(("%s %s %.17g %.17g %.17g\n"):format(kind, found.verdict,
    ratio.value, ratio.low or 0, ratio.high or math.huge))
  file:close()
end

local function read(path)
  local kinds = { same = {}, slower = {} }
  for line in io.lines(path) do
    local kind, verdict, value, low, high =
      line:match("^(%S+) (%S+) (%S+) (%S+) (%S+)")
    table.insert(kinds[kind], { verdict = verdict, value = tonumber(value),
      low = tonumber(low), high = tonumber(high) or math.huge })
  end
  return kinds
end

local function count(list, holds)
  local n = 0
  for _, one in ipairs(list) do if holds(one) then n = n + 1 end end
  return n
end

local function take(list, what)
  local values = {}
  for i, one in ipairs(list) do values[i] = what(one) end
  return values
end

local function judge_same(same)
  local different = count(same, function(one)
    return one.verdict == "faster" or one.verdict == "slower"
  end)
  local distances = take(same, function(one)
    return math.abs(math.log(one.value))
  end)
  table.sort(distances)
  print(("A/A: %d comparisons at 1 s: %d called different (%.1f %%), %d "
    .. "beyond 1 %% (furthest %.2f %%)"):format(#same, different,
    100 * different / #same, count(distances, function(far)
      return far > BEYOND
    end), 100 * distances[#distances]))
  print(("ratios: the 95 %% interval holds 1 in %.1f %%, median half-width "
    .. "%.2f %%"):format(100 * count(same, function(one)
      return one.low <= 1 and one.high >= 1
    end) / #same, 100 * median(take(same, function(one)
      return (one.high - one.low) / 2
    end))))
end

local function judge_slower(slower)
  print(("power: 3 %% more turns called slower in %d of %d at 2 s, median "
    .. "ratio %.4f"):format(count(slower, function(one)
      return one.verdict == "slower"
    end), #slower, median(take(slower, function(one) return one.value end))))
end

if arg[1] == "collect" then
  for _ = 1, tonumber(arg[3]) or 2 do add(arg[2], "same", 200, "1s") end
  for _ = 1, tonumber(arg[4]) or 1 do add(arg[2], "slower", 206, "2s") end
else
  local kinds = read(arg[2])
  if #kinds.same > 0 then judge_same(kinds.same) end
  if #kinds.slower > 0 then judge_slower(kinds.slower) end
end
