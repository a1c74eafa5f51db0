-- Run by an interpreter whose collector counts (see spec/accuracy/counted.lua):
--   inside_truth.lua MODE LIVE ROUNDS
-- Of calls that each have collections: what a pacer with steps inside calls
-- says of the collector, over what was counted of the same calls by themselves.
-- Prints a line each: name, collections a call, ratio of the collector's time
-- (median of interleaved rounds), ratio of collections.
local core = require "tare.core"

local mode, live, rounds = arg[1], tonumber(arg[2]), tonumber(arg[3])
local counters = gccounters -- luacheck: ignore 113
collectgarbage(mode)
local kept = {}
for i = 1, live do kept[i] = { i, i } end

local function list()
  local rest = false
  for i = 1, 8192 do rest = { i, rest } end
  return rest
end

local function tree(low, high)
  if low == high then return { low, low } end
  local middle = math.floor((low + high) / 2)
  return { tree(low, middle), tree(middle + 1, high) }
end

local words = {}
for i = 1, 1000 do words[i] = "word " .. i end
local function concat()
  local s = ""
  for i = 1, 1000 do s = s .. words[i] end
  return s
end

local CASES = {
  { "list of 8,192", list, 60 },
  { "tree of 4,096", function() return tree(1, 4096) end, 40 },
  { "concatenate 1,000", concat, 200 },
}

local function median(values)
  table.sort(values)
  return values[math.floor(#values / 2) + 1]
end

local meter, samples = core.meter(), core.samples(2)

for _, case in ipairs(CASES) do
  local name, call, calls = case[1], case[2], case[3]
  local pacer, ratios, seen, counted = core.pacer(), {}, 0, 0
  local function loop(n) for _ = 1, n do call() end end
  for round = 0, rounds do
    local _, minor, major, before = counters()
    loop(calls)
    local _, minor_after, major_after, after = counters()
    assert(pacer:run(samples, meter, loop, calls, loop, true))
    if round > 0 then
      ratios[round] = samples:get(-1, "collector_ns") / (after - before)
      seen = seen + samples:get(-1, "gc_minor") + samples:get(-1, "gc_major")
      counted = counted + minor_after - minor + major_after - major
    end
  end
  print(("%s|%.2f|%.3f|%.3f"):format(name, counted / rounds / calls,
    median(ratios), seen / counted))
end
assert(#kept == live)
