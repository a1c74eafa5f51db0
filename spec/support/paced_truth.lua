-- Run by an interpreter whose collector counts (see c_pacer_spec.lua):
--   paced_truth.lua MODE LIVE ROUNDS ITERS
-- Prints, as medians over interleaved rounds, paced over counted time of the
-- mutator and of the collector, and the sum of collections over those counted;
-- then how many natural batches there were, and in how many of them tare's
-- counts of minor and major collections are not those of the counters.
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
local SLICES = 5 -- of a round, natural and paced in turn: both see the same

-- One natural slice and then one paced, added to the sums of a round.
local function slice(n, sum)
  local _, _, _, before = counters()
  local start = core.now_ns()
  loop(n)
  local finish = core.now_ns()
  local _, minor, major, after = counters()
  assert(pacer:run(samples, meter, loop, n))
  local _, minor_after, major_after = counters()
  local function add(name, value) sum[name] = (sum[name] or 0) + value end
  add("mutator_ns", samples:get(-1, "mutator_ns"))
  add("collector_ns", samples:get(-1, "collector_ns"))
  add("true_mutator_ns", finish - start - (after - before))
  add("true_collector_ns", after - before)
  add("seen", samples:get(-1, "gc_minor") + samples:get(-1, "gc_major"))
  add("counted", minor_after - minor + major_after - major)
end

local mutator, collector, seen, counted = {}, {}, 0, 0
for round = 0, rounds do
  local sum = {}
  for _ = 1, SLICES do slice(iters / SLICES, sum) end
  if round > 0 then
    mutator[round] = sum.mutator_ns / sum.true_mutator_ns
    collector[round] = sum.collector_ns / sum.true_collector_ns
    seen, counted = seen + sum.seen, counted + sum.counted
  end
end

local BATCHES = 60

local function grow(n)
  local list = {}
  for i = 1, n do list[i] = pair(i, i) end
  return list
end

local function wrong_batches()
  local watch, wrong = core.gcwatch(), 0
  for batch = 1, BATCHES do
    watch:arm()
    local minor, major = watch:counts()
    local _, true_minor, true_major = counters()
    if batch % 7 == 0 then grow(2e5) else loop(3e4) end
    local minor_after, major_after = watch:counts()
    local _, true_minor_after, true_major_after = counters()
    watch:disarm()
    if minor_after - minor ~= true_minor_after - true_minor
      or major_after - major ~= true_major_after - true_major then
      wrong = wrong + 1
    end
  end
  return wrong
end

local wrong = wrong_batches()
assert(#kept == live)
print(median(mutator), median(collector), seen / counted, BATCHES, wrong)
