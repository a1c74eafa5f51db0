-- What the pacer does depends on the heap: run in a process of its own, whose
-- heap is known (see c_pacer_spec.lua), with the name of a trial:
--   cycles ROUNDS ITERS LIVE apart|turns|alone [MODE]
--     Prints the collections that happen by themselves, and those that pacing
--     drives, of as many calls beside LIVE tables: first all of the ones and
--     then all of the others, or in turn; alone: twice as many by themselves.
--   shapes ROUNDS ITERS ring|large
--     The same in turn, incremental; ring: of calls that each replace one of
--     10,000 tables, so that some batches end in the midst of a sweep; large:
--     of calls that make 2,000 tables each, beside 20,000.
--   finalizers ROUNDS ITERS none|turns [MODE]
--     Prints the collections that a watch counts in batches that make objects
--     with finalizers, and how many there were; turns: with paced ones between.
--   kept
--     Prints, of minor collections where all dies and where all stays: their
--     number, their time, that of the collector, and what share they kept.
--   looks
--     Prints in how many pieces four batches were run, in generational mode and
--     beside 200,000 tables.
--   inside
--     Prints, of 20 calls that make 20,000 tables each: collections with the
--     steps between calls, and with the steps inside them; and of as many
--     coroutines the same.
local core = require "tare.core"

local trials = {}

-- The sink is a table: what is in a local LuaJIT need not even make.
local sink = {} -- luacheck: ignore 241
local function pair(a, b) return { a, b } end
local function loop(n)
  for i = 1, n do sink[1] = pair(i, i) end
end

local meter, samples, pacer = core.meter(), core.samples(2), core.pacer()
local function last(name) return samples:get(-1, name) end

local function paced_collections(iters, run)
  assert(pacer:run(samples, meter, run or loop, iters))
  return last "gc_minor" + last "gc_major"
end

local function own_collections(iters, watch, run)
  watch:arm()
  local minor, major = watch:counts();
  (run or loop)(iters)
  local minor_after, major_after = watch:counts()
  watch:disarm()
  return minor_after - minor + major_after - major
end

function trials.inside()
  local function large(n) for _ = 1, n do loop(2e4) end end
  local function threads(n)
    for _ = 1, n do coroutine.wrap(function() loop(2e4) end)() end
  end
  for _, calls in ipairs { large, threads } do
    for _, is_inside in ipairs { false, true } do
      for _ = 1, 3 do
        assert(pacer:run(samples, meter, calls, 20, calls, is_inside))
      end
      print(("%d"):format(last "gc_minor" + last "gc_major"))
    end
  end
end

function trials.cycles(rounds, iters, live, order, mode)
  if mode then collectgarbage(mode) end
  local watch, kept = core.gcwatch(), {}
  for i = 1, live do kept[i] = { i } end
  loop(iters)
  local own, paced = 0, 0
  if order == "apart" then
    for _ = 1, rounds do own = own + own_collections(iters, watch) end
    for _ = 1, rounds do paced = paced + paced_collections(iters) end
  elseif order == "alone" then
    for _ = 1, 2 * rounds do own = own + own_collections(iters, watch) end
  else
    for _ = 1, rounds do
      own = own + own_collections(iters, watch)
      paced = paced + paced_collections(iters)
    end
  end
  print(own, paced, #kept)
end

function trials.shapes(rounds, iters, shape)
  collectgarbage "incremental"
  local watch, kept, at = core.gcwatch(), {}, 0
  local function ring(n)
    for _ = 1, n do
      at = at % 10000 + 1
      kept[at] = { at, at }
    end
  end
  local function large(n)
    for _ = 1, n do loop(2000) end
  end
  if shape == "large" then
    for i = 1, 20000 do kept[i] = { i } end
  end
  local run = shape == "ring" and ring or large
  run(2 * iters)
  local own, paced = 0, 0
  for _ = 1, rounds do
    own = own + own_collections(iters, watch, run)
    paced = paced + paced_collections(iters, run)
  end
  print(own, paced, #kept)
end

-- What tells of a collection without a finalizer: a weak reference.
local seen, weak = 0, setmetatable({}, { __mode = "v" })
local function look()
  if weak[1] == nil then seen, weak[1] = seen + 1, {} end
end

function trials.finalizers(rounds, iters, order, mode)
  if mode then collectgarbage(mode) end
  local make = rawget(_G, "newproxy") and function()
    local object = newproxy(true) -- luacheck: ignore 113
    getmetatable(object).__gc = function() end
    return object
  end or function() return setmetatable({}, { __gc = function() end }) end
  -- Arming the watch allocates: a collection may end there, before the batch.
  local before
  local function churn(n)
    look()
    before = before or seen
    for i = 1, n do
      sink[1] = make()
      if i % 5 == 0 then look() end
    end
  end
  local watching, counted, there = core.meter { watch = true }, 0, 0
  local own = core.pacer(watching)
  for _ = 1, rounds do
    before = nil
    assert(watching:time(samples, churn, iters))
    look()
    there = there + seen - before
    counted = counted + last "gc_minor" + last "gc_major"
    if order == "turns" then assert(own:run(samples, meter, churn, iters)) end
  end
  print(counted, there)
end

function trials.looks()
  local live, pieces = {}, 0
  for i = 1, 2e5 do live[i] = { i } end
  local function counted(n)
    pieces = pieces + 1
    loop(n)
  end
  collectgarbage "generational"
  for batch = 1, 12 do
    if batch == 9 then pieces = 0 end
    assert(pacer:run(samples, meter, counted, 3e4))
  end
  print(pieces, #live)
end

function trials.kept()
  local SIZE = 80000
  local old, at = {}, 0
  local function replaces_old(n)
    for _ = 1, n do
      at = at % SIZE + 1
      old[at] = { at }
    end
  end
  replaces_old(SIZE)
  collectgarbage "generational"
  for _, f in ipairs { loop, replaces_old } do
    for _ = 1, 3 do assert(pacer:run(samples, meter, f, 2e5)) end
    print(last "gc_minor", last "minor_ns", last "collector_ns",
      last "promoted_bytes" / last "nursery_bytes", #old)
  end
end

trials[arg[1]](tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4]) or arg[4],
  arg[5], arg[6])
