-- What the experiments on costs measure: from nothing to much garbage.
local tare = require "tare"

local suite = tare.suite "costs"
local floor = math.floor
local parts = {}
for i = 1, 100 do parts[i] = "item " .. i end

local function alone(name, run) -- in a group of its own: nothing is compared
  suite:group(name, function(group) group:bench(name, run) end)
end

alone("empty", function() end)
alone("floor", function() return floor(3.7) end)
alone("fill", function()
  local t = {}
  for i = 1, 100 do t[i] = i end
  return t
end)
alone("concat", function()
  local s = ""
  for i = 1, 100 do s = s .. parts[i] end
  return s
end)
alone("table", function() return { 1, 2 } end)

return tare.main(suite, ...)
