-- What a state of its own does under refused memory (memory.lua): opens tare
-- and measures.
if rawget(_G, "jit") then require("jit").off() end -- see memory.lua
local tare = require "tare"
local core = require "tare.core"
local samples, meter = core.samples(10), core.meter { watch = true }
meter:time(samples, function(n) for _ = 1, n do local _ = {} end end, 10)
core.pacer():run(samples, meter, function() end, 3)
core.census(function() return {} end, 3)
return tare
