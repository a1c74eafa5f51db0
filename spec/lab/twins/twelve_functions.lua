-- Twelve functions that stand for what people measure: from none of the
-- machine's oddities to all of them (layout, traces, the collector). Run, it
-- gives them anew each time: { { name =, run = }... }.
local list = {}

local function add(name, run) list[#list + 1] = { name = name, run = run } end

add("empty", function() end)

local point = { x = 3 }
function point:get() return self.x end
add("method call", function() return point:get() end)

add("50 additions", function()
  local sum = 0
  for i = 1, 50 do sum = sum + i end
  return sum
end)

local shuffled = {}
for i = 1, 40 do shuffled[i] = i * 17 % 41 end
add("sort of 40", function()
  local sorted = {}
  for i = 1, 40 do sorted[i] = shuffled[i] end
  table.sort(sorted)
  return sorted
end)

local names = {}
for i = 1, 20 do names[i] = "name" .. i end
add("string keys", function()
  local map = {}
  for i = 1, 20 do map[names[i]] = i end
  return map
end)

add("closure", function()
  local n = 0
  local function count(by) n = n + by return n end
  return count(1) + count(2)
end)

local switching = coroutine.wrap(function()
  while true do coroutine.yield() end
end)
add("coroutine switch", function() switching() end)

add("pattern match", function()
  return ("key = value"):match("^(%w+)%s*=%s*(%w+)$")
end)

add("two tables", function() return { 1 }, { 2 } end)

add("concatenation", function()
  local text = ""
  for i = 1, 10 do text = text .. i end
  return text
end)

local ok, cjson = pcall(require, "cjson")
if ok then
  local text = '{"a": [1, 2, 3], "b": {"c": "text", "d": null}}'
  add("cjson decode", function() return cjson.decode(text) end)
end

add("collects inside", function()
  local last
  for i = 1, 200 do last = { i, last and last[1] } end
  return last
end)

return list
