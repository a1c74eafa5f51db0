-- Twins: each of twelve functions twice, to be called the same (A/A), and a
-- third with 1 % more to do where that can be had exactly.
local tare = require "tare"
local twelve = assert(loadfile((os.getenv "TARE_LAB" or "spec/lab/twins")
  .. "/twelve_functions.lua"))
local first, second = twelve(), twelve()
local suite = tare.suite "twins"
for i, entry in ipairs(first) do
  suite:group(entry.name, function(group)
    group:bench("one", { run = entry.run, baseline = true })
    group:bench("other", { run = second[i].run })
  end)
end
return tare.main(suite, ...)
