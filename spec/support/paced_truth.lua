-- Run by an interpreter whose collector counts (see c_pacer_spec.lua):
--   paced_truth.lua MODE LIVE ROUNDS ITERS
-- Prints, as medians over interleaved rounds, paced over counted time of the
-- mutator and of the collector, and the sum of collections over those counted.
local core = require "tare.core"

local mode, live, rounds, iters = arg[1], tonumber(arg[2]), tonumber(arg[3]),
  tonumber(arg[4])
local counters = gccounters -- luacheck: ignore 113
collectgarbage(mode)
local kept = {}
for i = 1, live do kept[i] = { i, i } end

local function pair(a, b) return { a, b } end
local function loop(n)
  local sink
  for i = 1, n do sink = pair(i, i) end
  return sink
end

local function median(list)
  table.sort(list)
  return list[math.floor(#list / 2) + 1]
end

local meter, pacer, samples = core.meter(), core.pacer(), core.samples(2)
local mutator, collector, seen, counted = {}, {}, 0, 0
for round = 0, rounds do
  local _, _, _, before = counters()
  local start = core.now_ns()
  loop(iters)
  local finish = core.now_ns()
  local _, minor, major, after = counters()
  assert(pacer:run(samples, meter, loop, iters))
  local _, minor_after, major_after = counters()
  local function row(name) return samples:get(-1, name) end
  if round > 0 then
    mutator[round] = row "mutator_ns" / (finish - start - (after - before))
    collector[round] = row "collector_ns" / (after - before)
    seen = seen + row "gc_minor" + row "gc_major"
    counted = counted + minor_after - minor + major_after - major
  end
end
assert(#kept == live)
print(median(mutator), median(collector), seen / counted)
