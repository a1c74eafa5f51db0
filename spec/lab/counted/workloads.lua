-- What is measured against the collector that counts: benches by name, each
-- { run, leaves_nothing? (next to no garbage, so that hardly a collection is
-- counted) }, for live heaps of any size. LIVE in the environment: so many
-- small tables are alive beside them.
local workloads = {}

local kept = {}
for i = 1, tonumber(os.getenv "LIVE") or 0 do kept[i] = { i, i } end
package.loaded["counted.kept"] = kept

local words = {}
for i = 1, 1000 do words[i] = "word " .. i end
local counter = 0

local function tree(low, high)
  if low == high then return { low, low } end
  local middle = math.floor((low + high) / 2)
  return { tree(low, middle), tree(middle + 1, high) }
end

local ring, at = {}, 0
local weak = setmetatable({}, { __mode = "v" })

local list = {
  { "small tables", function() return { 1, 2 } end },
  { "strings interned", function()
    counter = counter % 500 + 1
    return "key" .. counter
  end, leaves_nothing = true }, -- but 500 short strings in each cycle
  { "strings", function()
    counter = counter + 1
    return "a longer string that is made but once, number " .. counter
  end },
  { "closures", function()
    local n = counter
    return function() return n end
  end },
  { "mixed", function()
    counter = counter + 1
    local t = { name = "n" .. counter % 97, at = { counter, 2 } }
    return function() return t end
  end },
  { "growing arrays", function()
    local t = {}
    for i = 1, 100 do t[i] = i end
    return t
  end },
  { "coroutines", function()
    local co = coroutine.wrap(function(a) coroutine.yield(a) end)
    return co(1)
  end },
  { "finalizers", function()
    -- With nothing beside it the heap of an incremental collector grows without
    -- end: what has a finalizer outlives a cycle.
    return { gcobject() } -- luacheck: ignore 113
  end },
  { "weak table", function()
    counter = counter % 1000 + 1
    weak[counter] = { counter }
    return weak
  end },
  { "ring of 10,000", function()
    at = at % 10000 + 1
    ring[at] = { at, at }
    return ring
  end },
  { "ten collections", function()
    local rest = false
    for i = 1, 60000 do rest = { i, rest } end
    return rest
  end },
  { "tree of 4,096", function() return tree(1, 4096) end },
  { "concatenate 1,000", function()
    local s = ""
    for i = 1, 1000 do s = s .. words[i] end
    return s
  end },
}

for _, entry in ipairs(list) do
  workloads[#workloads + 1] = { name = entry[1], run = entry[2],
    leaves_nothing = entry.leaves_nothing }
end

return workloads
