-- Medians over runs of tare.lite and of tare run.
--   compare.lua FOLDER RUNS
local stats = require("tare").stats
local store = require "tare.store"

local names, walls = {}, {}
for _, kind in ipairs { "tare", "lite" } do
  for run = 1, tonumber(arg[2]) do
    local report = assert(store.read(("%s/%s-%d.json"):format(arg[1], kind,
      run)))
    for _, result in ipairs(report.results) do
      local wall = result.wall or result.time
      if not walls[result.name] then
        walls[result.name] = { tare = {}, lite = {} }
        names[#names + 1] = result.name
      end
      if wall then table.insert(walls[result.name][kind], wall.value) end
    end
  end
end
for _, name in ipairs(names) do
  local tare = stats.median(walls[name].tare)
  local lite = stats.median(walls[name].lite)
  print(("%-12s tare %10.2f ns, lite %10.2f ns: %.3f"):format(name, tare, lite,
    lite / tare))
end
