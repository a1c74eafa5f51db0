-- Functions of which LuaJIT's compiler gives up a line, marked "--!", each for
-- another reason, in LuaJIT's words.
local jit = require "jit"

local aborting = {}
local sink -- luacheck: ignore 231

local function add(name, run, reason, place)
  aborting[#aborting + 1] = { name = name, run = run, reason = reason,
    place = place }
end

add("a closure in a loop", function()
  for i = 1, 100 do
    sink = function() return i end --!
  end
end, "NYI: bytecode FNEW")

add("a loop whose variable a closure may keep", function()
  for i = 1, 100 do
    local x = i
    if i < 0 then sink = function() return x end end --!
  end
end, "NYI: bytecode UCLO")

local tree
local function branch(n) --!
  if n == 0 then return 1 end
  return tree(n - 1) + tree(n - 1)
end
tree = function(n) return branch(n) + 0 end
add("functions that call each other", function() sink = tree(8) end,
  "call unroll limit reached")

local function down(n)
  if n == 0 then return 0 end
  return 1 + down(n - 1) --!
end
add("a recursion that returns", function() sink = down(200) end,
  "down-recursion, restarting")

local function floor_of_table()
  local x = math.floor({}) --!
  return x
end
add("a wrong argument", function()
  for _ = 1, 100 do sink = pcall(floor_of_table) end
end, "bad argument type")

local function interpreted(x) --!
  return x + 1
end
jit.off(interpreted)
add("a function that is not to be compiled", function()
  for i = 1, 100 do sink = interpreted(i) end
end, "blacklisted")

local function store_nil(t, key)
  t[key] = 1 --!
end
add("a store under nil", function()
  for _ = 1, 100 do sink = pcall(store_nil, {}, nil) end
end, "store with nil or NaN key")

local function add_table(t)
  return t + 1 --!
end
add("a sum of a table", function()
  for _ = 1, 100 do sink = pcall(add_table, {}) end
end, "missing metamethod")

local function long(x)
  local statements = { "local x = ... for _ = 1, 100 do " }
  for i = 1, 3000 do statements[i + 1] = "x = x * 3 % 1001 " end
  statements[#statements + 1] = " end return x"
  return assert(loadstring(table.concat(statements), "=long loop"))(x)
end
add("a loop with a long body", function() sink = long(1) end,
  "trace too long", "long loop:1")

add("a loop that ends early", function()
  for i = 1, 200 do --!
    for _ = 1, i % 3 do
      sink = i
    end
  end
end, "leaving loop in root trace")

return aborting
