-- Medians over runs of tare.lite and of tare run, with the extremes.
--   compare.lua FOLDER RUNS
local stats = require("tare").stats
local store = require "tare.store"

local names, times = {}, {}
local function add(kind, path)
  for _, result in ipairs(assert(store.read(path)).results) do
    -- lite's clock is that of the processor's time
    local time = kind == "tare" and result.cpu_time or result.time
    if not times[result.name] then
      times[result.name] = { tare = {}, lite = {} }
      names[#names + 1] = result.name
    end
    table.insert(times[result.name][kind], time.value)
  end
end
for run = 1, tonumber(arg[2]) do
  add("tare", ("%s/tare-%d.json"):format(arg[1], run))
  for i = 1, #names do
    add("lite", ("%s/lite-%d-%d.json"):format(arg[1], run, i))
  end
end
for _, name in ipairs(names) do
  local tare = stats.median(times[name].tare)
  local function shares(kind)
    local list = times[name][kind]
    return ("%.3f (%.2f to %.2f)"):format(stats.median(list) / tare,
      math.min((table.unpack or unpack)(list)) / tare,
      math.max((table.unpack or unpack)(list)) / tare)
  end
  print(("%-12s tare %8.2f ns, %s; lite %s"):format(name, tare,
    shares "tare", shares "lite"))
end
