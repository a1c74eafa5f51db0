-- The workloads as a suite; WORKLOAD in the environment: only that one.
dofile "spec/lab/counted/spy.lua"
local tare = require "tare"
local suite = tare.suite "counted"
for _, bench in ipairs(dofile "spec/lab/counted/workloads.lua") do
  if bench.name == (os.getenv "WORKLOAD" or bench.name) then
    suite:bench(bench.name, bench.run)
  end
end
return suite
