-- Ten small benches that every Lua can run.
local suite = require "tare".suite "ten"

local list, text, number = {}, ("hello world "):rep(10), 3
for i = 1, 100 do list[i] = i end

suite:bench("empty call", function() end)
suite:bench("add", function()
  local sum = number
  for i = 1, 50 do sum = sum + i end
  return sum
end)
suite:bench("table new", function() return { x = 1, y = 2 } end)
suite:bench("sum list", function()
  local sum = 0
  for i = 1, #list do sum = sum + list[i] end
  return sum
end)
suite:bench("concat", function() return text .. number end)
suite:bench("format", function() return ("%d-%s"):format(number, "abc") end)
suite:bench("gsub", function() return (text:gsub("o", "0")) end)
suite:bench("closure", function()
  local kept = number
  return function() return kept end
end)
suite:bench("sort", function()
  local made = {}
  for i = 1, 20 do made[i] = (i * 7) % 20 end
  table.sort(made)
  return made
end)
suite:bench("pcall", function() return pcall(math.floor, 3.5) end)

return suite
