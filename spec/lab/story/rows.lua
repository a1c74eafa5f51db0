-- The story of the vector, from reports of examples/vector_bench.lua: the time
-- for an element by the size of what it is part of, with the collector's part
-- and without.
--   story.lua REPORT.json...
local store = require "tare.store"
local tare = require "tare"

-- What a report says of each kind: results by growing n.
local function kinds_of(report)
  local kinds = {}
  for _, result in ipairs(report.results) do
    assert(not result.error, result.error)
    kinds[result.name] = kinds[result.name] or {}
    table.insert(kinds[result.name], result)
  end
  for _, results in pairs(kinds) do
    table.sort(results, function(a, b) return a.params.n < b.params.n end)
  end
  return kinds
end

-- Prints a row for each size; returns the largest over the smallest.
local function print_row(kind, name, results, value_of)
  local low, high, texts = math.huge, 0, {}
  for i, result in ipairs(results) do
    local value = value_of(result)
    low, high = math.min(low, value), math.max(high, value)
    texts[i] = ("%8.1f"):format(value)
  end
  print(("  %-7s%-9s%s %6.2f"):format(kind, name, table.concat(texts),
    high / low))
  return high / low
end

local VALUES = {
  time = function(result) return result.time.value / result.params.n end,
  net = function(result)
    return result.net and result.net.value / result.params.n or math.huge
  end,
  -- Length of a core cycle beside its batches, in ps: equal, if the sizes had
  -- the same machine.
  machine = function(result)
    return 1e3 * tare.stats.median(result.samples.cycle_ns)
  end,
}

-- The story fails where the function's own time bends, or the time does not. On
-- a crowded machine it can't be told: sizes have neighbours of their own.
local MOST_NET, LEAST_TIME, MOST_CROWDED = 1.2, 1.4, 0.25
local worst, least_bend, most_crowded = 0, math.huge, 0
for run, path in ipairs(arg) do
  local kinds = kinds_of(assert(store.read(path)))
  local sizes, crowded = {}, {}
  for i, result in ipairs(kinds.vector) do
    sizes[i] = ("%d"):format(result.params.n)
    crowded[i] = result.crowded or 0
  end
  most_crowded = math.max(most_crowded, tare.stats.median(crowded))
  print(("run %d: ns for an element, of %s; largest over smallest"):format(run,
    table.concat(sizes, ", ")))
  for _, kind in ipairs { "vector", "list" } do
    for _, name in ipairs { "time", "net", "machine" } do
      local bend = print_row(kind, name, kinds[kind], VALUES[name])
      if name == "net" then worst = math.max(worst, bend) end
      if name == "time" then least_bend = math.min(least_bend, bend) end
    end
  end
end
print(("net: %.2f at most (%.2f is the limit); time: %.2f at least (%.2f)")
  :format(worst, MOST_NET, least_bend, LEAST_TIME))
if most_crowded > MOST_CROWDED then
  print(("not to be judged: %.0f %% of the batches shared their core"):format(
    100 * most_crowded))
end
os.exit(worst <= MOST_NET and least_bend >= LEAST_TIME
  and most_crowded <= MOST_CROWDED)
