-- Measures the benches of a file with tare.lite, by the clock of tare's core.
--   run.lua FILE SECONDS OUT
local core = require "tare.core"
local lite = require "tare.lite"

local list = {}
package.loaded.tare = { suite = function()
  return { bench = function(_, name, run)
    list[#list + 1] = { name = name, run = run }
  end }
end }
dofile(arg[1])
local file = assert(io.open(arg[3], "w"))
file:write(lite.run("ten", list, { quota = tonumber(arg[2]),
  clock = function() return core.now_ns() / 1e9 end }))
file:close()
