-- Ten benches whose instructions of the processor are counted again and again.
-- WORK: how much the first two do, in thousandths.
local cjson = require "cjson"
local tare = require "tare"
local suite = tare.suite "ten"

local work = tonumber(os.getenv "WORK" or 1000)
local text = ("the quick brown fox jumps over the lazy dog "):rep(5)
local record = { id = 7, name = "a name", tags = { "x", "y", "z" },
  nested = { a = 1.5, b = true, c = "text" } }
local json = cjson.encode(record)

suite:bench("sum", function()
  local sum = 0
  for i = 1, work do sum = sum + i end
  return sum
end)
suite:bench("fill", function()
  local list = {}
  for i = 1, work do list[i] = i % 7 end
  return list
end)
suite:bench("words", function()
  local counts = {}
  for word in text:gmatch "%a+" do counts[word] = (counts[word] or 0) + 1 end
  return counts
end)
suite:bench("sort", function()
  local list = {}
  for i = 1, 50 do list[i] = i * 7919 % 101 end
  table.sort(list)
  return list
end)
suite:bench("fields", function()
  return { a = 1, b = 2, c = 3, d = 4, x = { e = 5 } }
end)
suite:bench("closures", function()
  local function add(n) return function(x) return x + n end end
  return add(1)(add(2)(3))
end)
suite:bench("concat", function()
  local parts = {}
  for i = 1, 20 do parts[i] = "part " .. i end
  return table.concat(parts, ", ")
end)
suite:bench("methods", function()
  local class = { get = function(self) return self.value end }
  class.__index = class
  local sum = 0
  for i = 1, 20 do
    sum = sum + setmetatable({ value = i }, class):get()
  end
  return sum
end)
suite:bench("encode", function() return cjson.encode(record) end)
suite:bench("decode", function() return cjson.decode(json) end)

return suite
