-- The benches of a file, each measured by tare.lite in one call: in a worker of
-- 'tare run --iters 1', so beside what a worker has loaded, and alone.
--   LITE_FILE, LITE_QUOTA (seconds), LITE_FOLDER: where reports go, by number
local lite = require "tare.lite"
local tare = require "tare"

local list, own = {}, tare.suite
tare.suite = function()
  return { bench = function(_, name, run)
    list[#list + 1] = { name = name, run = run }
  end }
end
dofile(os.getenv "LITE_FILE")
tare.suite = own

local suite = tare.suite "lite"
for i, bench in ipairs(list) do
  suite:bench(bench.name, function()
    local file = assert(io.open(("%s/%d.json"):format(
      os.getenv "LITE_FOLDER", i), "w"))
    file:write(lite.run("ten", { bench }, { clock = os.clock,
      quota = tonumber(os.getenv "LITE_QUOTA") }))
    file:close()
  end)
end
return suite
