-- The story of the vector (examples/vector_bench.lua), three times, as its user
-- would run it: the time for an element by the size of what it is part of, with
-- the collector's part and without. All sizes of one implementation are a
-- group, so they share a window: what the machine does happens to all of them.
local tare = require "tare"

local RUNS = tonumber(arg[1]) or 3
local QUOTA = arg[2] or "2s" -- a bench
local SIZES = { 64, 256, 1024, 4096, 8192 }

-- What the example registers, without its command line.
local function benches()
  local list, main = {}, tare.main
  local suite_of = tare.suite
  tare.suite = function()
    return { bench = function(_, name, spec)
      list[#list + 1] = { name, spec }
    end }
  end
  tare.main = function() end
  dofile "examples/vector_bench.lua"
  tare.main, tare.suite = main, suite_of
  return list
end

local function figures_of(run)
  local cells = {}
  for _, n in ipairs(SIZES) do
    cells[("%d"):format(n)] = function() return run(n) end
  end
  local report = tare.compare(cells, { quota = QUOTA, resamples = 500,
    gc_mode = _VERSION == "Lua 5.4" and "generational" or nil })
  local by_size = {}
  for _, result in ipairs(report.results) do
    assert(not result.error, result.error)
    by_size[tonumber(result.name)] = result
  end
  return by_size
end

local function print_row(kind, name, by_size, value_of)
  local low, high, texts = math.huge, 0, {}
  for i, n in ipairs(SIZES) do
    local value = value_of(by_size[n]) / n
    low, high = math.min(low, value), math.max(high, value)
    texts[i] = ("%7.1f"):format(value)
  end
  print(("  %-7s%-9s%s %6.2f"):format(kind, name, table.concat(texts),
    high / low))
  return high / low
end

-- Length of a core cycle beside the batches of a size, in ps: equal, if the
-- sizes had the same machine.
local function machine(result)
  return tare.stats.median(result.samples.cycle_ns) * tonumber(result.name)
    * 1e3
end

local worst, least_bend = 0, math.huge
print(("ns for an element, of %s; largest over smallest"):format(
  table.concat(SIZES, ", ")))
for run = 1, RUNS do
  print("run " .. run)
  for _, bench in ipairs(benches()) do
    local kind, by_size = bench[1], figures_of(bench[2].run)
    local bend = print_row(kind, "time", by_size,
      function(result) return result.time.value end)
    worst = math.max(worst, print_row(kind, "net", by_size,
      function(result) return result.net.value end))
    least_bend = math.min(least_bend, bend)
    print_row(kind, "machine", by_size, machine)
  end
end
print(("net: %.2f at most (1.20 is the limit); time: %.2f at least"):format(
  worst, least_bend))
