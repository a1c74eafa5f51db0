-- The right cost: what tare says of four functions, against hand-written loops
-- of many calls, timed in alternation with it.
--   costs.lua [ALTERNATIONS = 10]
local core = require "tare.core"
local tare = require "tare"

local alternations = tonumber(arg[1]) or 10
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
    function(n) for _ = 1, n do empty() end end },
  { "math.floor(3.7)", 1e7, function() return floor(3.7) end, function(n)
    local f = function() return floor(3.7) end
    for _ = 1, n do f() end
  end },
  { "fill a table of 100", 1e5, fill,
    function(n) for _ = 1, n do fill() end end },
  { "concatenate 100", 1e5, concat,
    function(n) for _ = 1, n do concat() end end },
}

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

for _, case in ipairs(CASES) do
  local name, calls, fn, by_hand = case[1], case[2], case[3], case[4]
  local hand, measured, ratios = {}, {}, {}
  by_hand(math.floor(calls / 10))
  for i = 1, alternations do
    collectgarbage()
    local began = core.now_ns()
    by_hand(calls)
    hand[i] = (core.now_ns() - began) / calls
    measured[i] = tare.measure(fn, { quota = "500ms", split = false,
      instructions = false }).time.value
    ratios[i] = measured[i] / hand[i]
  end
  print(("cost: %-20s by hand %9.2f ns, tare %9.2f ns, ratio %.3f "
    .. "(%.3f to %.3f)"):format(name, median(hand), median(measured),
    median(ratios), ratios[1], ratios[#ratios]))
end
