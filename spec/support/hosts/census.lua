-- Prints, for some functions, what a census says and what the host's allocator
-- saw: name, then allocations, bytes, bytes freed and peak of each.
local core = require "tare.core"
local host = rawget(_G, "host")

if rawget(_G, "jit") then require("jit").off() end

local newproxy = rawget(_G, "newproxy")
local WORDS, SUM, calls, cache, ring, list = {}, {}, 0, {}, {}, {}
for i = 1, 2000 do WORDS[i] = "word " .. i end
for i = 1, 10000 do ring[i] = false end
function SUM.__add(a, b) return setmetatable({ a[1] + b[1] }, SUM) end

local FUNCTIONS = {
  { "nothing", function() end },
  { "a table", function() return { 1, 2, x = 3 } end },
  { "a growing table", function()
    local t = {}
    for i = 1, 100 do t[i] = i end
    return t
  end },
  { "a growing hash", function()
    local t = {}
    for i = 1, 100 do t[i * 0.5] = i end
    return t
  end },
  { "a closure", function(n) return function() return n end end },
  { "a coroutine", function()
    return coroutine.wrap(function(a) return a + 1 end)(1)
  end },
  { "a megabyte", function() return ("x"):rep(2^20) end },
  { "numbers as strings", function()
    for i = 1, 50 do local _ = i .. "." end
  end },
  { "a chunk", function()
    return (loadstring or load)("local a = ... return a and a.b")
  end },
  { "an error", function() return pcall(error, { "message" }) end },
  { "a sorted list", function()
    local t = {}
    for i = 1, 30 do t[i] = { (i * 7) % 31 } end
    table.sort(t, function(a, b) return a[1] < b[1] end)
    return table.concat({ t[1][1], t[30][1] }, ",")
  end },
  { "buffers of strings", function()
    return (table.concat(WORDS, ","):gsub("1", "one"):rep(3, ";"))
  end },
  { "variable arguments", function()
    local function packed(...) return { n = select("#", ...), ... } end
    return packed(1, nil, 3, WORDS[1], nil)
  end },
  { "objects of metamethods", function()
    return setmetatable({ 1 }, SUM) + setmetatable({ 2 }, SUM)
  end },
  { "userdata", function()
    return newproxy and newproxy(true) or io.open(arg[0]):close()
  end },
  { "a cache that fills", function()
    calls = calls + 1
    cache[calls % 5] = cache[calls % 5] or { calls }
  end },
  { "a ring of 10,000", function()
    calls = calls + 1
    local place = calls % 10000 + 1
    ring[place] = { ring[place] and calls }
  end },
  { "a list that grows", function() list[#list + 1] = 1 end },
}

local seen = {}

-- Ten calls, between two looks at the host's counters; nothing else allocates.
local function looked_at(f)
  local a, b, c, d
  return function()
    host.start()
    for _ = 1, 10 do f(1) end
    a, b, c, d = host.counted()
    seen[1], seen[2], seen[3], seen[4] = a, b, c, d
  end
end

for _ = 1, 4 do seen[#seen + 1] = 0 end
for _, case in ipairs(FUNCTIONS) do
  local run = looked_at(case[2])
  collectgarbage()
  collectgarbage "stop"
  local c = assert(core.census(run, 1))
  collectgarbage "restart"
  assert(host.is_mine(), "the allocator is not put back")
  print(("%s:%d %d %d %d:%d %d %d %d"):format(case[1], c.allocs, c.bytes,
    c.freed_bytes, c.peak_bytes, seen[1], seen[2], seen[3], seen[4]))
end
