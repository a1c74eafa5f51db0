-- The twelve functions, each a bench of its own.
local tare = require "tare"
local suite = tare.suite "twelve"
local twelve = assert(loadfile((os.getenv "TARE_LAB" or "spec/lab/twins")
  .. "/twelve_functions.lua"))
for _, entry in ipairs(twelve()) do suite:bench(entry.name, entry.run) end
return tare.main(suite, ...)
