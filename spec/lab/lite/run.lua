-- Measures the benches of a file with tare.lite, by the clock of tare's core,
-- beside as large a heap as a worker of 'tare run' had: what allocates costs
-- less beside a small one, which the caches hold.
--   run.lua FILE SECONDS OUT REPORT-OF-TARE-RUN
local core = require "tare.core"
local lite = require "tare.lite"

local list = {}
package.loaded.tare = { suite = function()
  return { bench = function(_, name, run)
    list[#list + 1] = { name = name, run = run }
  end }
end }
dofile(arg[1])
local report = assert(io.open(arg[4]))
local heap_bytes = tonumber(report:read "*a":match '"heap_bytes":(%d+)')
report:close()
local live = {}
collectgarbage()
while collectgarbage "count" * 1024 < heap_bytes do
  for _ = 1, 100 do live[#live + 1] = { #live } end
end
local file = assert(io.open(arg[3], "w"))
file:write(lite.run("ten", list, { quota = tonumber(arg[2]),
  clock = function() return core.now_ns() / 1e9 end }))
file:close()
assert(#live > 0)
