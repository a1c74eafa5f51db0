-- The story of the vector, from reports of examples/vector_bench.lua: the time
-- for an element by the size of what it is part of, with the collector's part
-- and without.
--   story.lua REPORT.json...
local store = require "tare.store"
local tare = require "tare"
local verdict = require "spec.lab.story.verdict"

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

-- Prints a row for each size, '-' where there is no figure; returns the
-- largest over the smallest.
local function print_row(kind, name, results, value_of)
  local values, texts = {}, {}
  for i, result in ipairs(results) do
    values[i] = value_of(result)
    texts[i] = values[i] and ("%8.1f"):format(values[i]) or "       -"
  end
  local bend = verdict.bend(values)
  print(("  %-7s%-9s%s %6s"):format(kind, name, table.concat(texts),
    bend and ("%.2f"):format(bend) or "-"))
  return bend
end

local VALUES = {
  time = function(result) return result.time.value / result.params.n end,
  net = function(result)
    return result.net and result.net.value / result.params.n or false
  end,
  -- Length of a core cycle beside its batches, in ps: equal, if the sizes had
  -- the same machine.
  machine = function(result)
    return 1e3 * tare.stats.median(result.samples.cycle_ns)
  end,
}

local bends, refusals = { net = {}, time = {}, machine = {} }, {}
for run, path in ipairs(arg) do
  local kinds = kinds_of(assert(store.read(path)))
  local sizes = {}
  for i, result in ipairs(kinds.vector) do
    sizes[i] = ("%d"):format(result.params.n)
  end
  print(("run %d: ns for an element, of %s; largest over smallest"):format(run,
    table.concat(sizes, ", ")))
  for _, kind in ipairs { "vector", "list" } do
    for _, name in ipairs { "time", "net", "machine" } do
      local bend = print_row(kind, name, kinds[kind], VALUES[name])
      table.insert(bends[name], bend)
    end
    for _, result in ipairs(kinds[kind]) do
      local why = verdict.refused(result)
      refusals[#refusals + 1] = why and ("run %d, %s of %d: %s"):format(run,
        kind, result.params.n, why)
    end
  end
end
local passed, why = verdict.of(bends.net, bends.time, refusals)
print(why)
os.exit(passed)
