-- How much of the wall time of 'tare run' is spent in measured batches and
-- warm-up: duty.lua [QUOTA [OPTION...]]. What the empty loops of a run and the
-- calls before batches that are not timed take is not counted, so the share is
-- too low rather than too high.
local command = require "spec.support.command"
local columns = require "tare.base.sample_columns"
local store = require "tare.store"
local uv = require "luv"

local BENCHES = [[
local tare = require "tare"
local suite = tare.suite "duty"
local function alone(name, run) -- compared with nothing
  suite:group(name, function(group) group:bench("run", run) end)
end
alone("floor", function() return math.floor(3.7) end)
alone("fill", function()
  local list = {}
  for i = 1, 100 do list[i] = i end
  return list
end)
alone("format", function() return ("%d"):format(42) end)
alone("sum", function()
  local sum = 0
  for i = 1, 1e6 do sum = sum + i end
  return sum
end)
return suite
]]

-- The batches of its timed rounds, of the paced ones, and of the pass 'counts'.
local function measured_ns(result)
  local function samples(pass)
    return result.passes[pass] and result.passes[pass].samples or {}
  end
  local paced, counts = samples "paced", samples "counts"
  return result.warmup.ns + columns.sum(result.samples.wall_ns)
    + columns.sum(paced.mutator_ns) + columns.sum(paced.collector_ns)
    + columns.sum(counts.wall_ns)
end

local path = command.file(BENCHES, "_bench.lua")
local began_ns = uv.hrtime()
local code, out, err = command.tare("run", path, "-q", "--format", "json",
  "--quota", arg[1] or "1s", (table.unpack or unpack)(arg, 2))
local wall_ns = uv.hrtime() - began_ns
os.remove(path)
assert(code == 0, err)
local report, total_ns = assert(store.decode(out)), 0
for _, result in ipairs(report.results) do
  local own_ns = measured_ns(result)
  total_ns = total_ns + own_ns
  print(("%-16s %5.3f s in %d batches and warm-up"):format(result.id,
    own_ns / 1e9, #result.samples.iters))
end
print(("duty: %.1f %% of %.2f s"):format(100 * total_ns / wall_ns,
  wall_ns / 1e9))
