-- What the collector explains, live: the story of the vector, the time for an
-- element with and without the collector's part (examples/vector_bench.lua);
-- and R2 of time on calls, and on calls and collections, where small tables die
-- beside 20,000 live objects (Core_bench's regression, which
-- examples/gc_regression_bench.lua draws).
local tare = require "tare"

local RUNS = 5

if _VERSION ~= "Lua 5.4" then
  return print "  the collector explains: only of Lua 5.4's generational mode"
end

local grow = {
  vector = function(n)
    local t = {}
    for i = 1, n do t[i] = { i, i } end
    return t
  end,
  list = function(n)
    local rest = false
    for i = 1, n do rest = { i, rest } end
    return rest
  end,
}

-- Largest over smallest.
local function span(list)
  local low, high = math.huge, 0
  for _, value in ipairs(list) do
    low, high = math.min(low, value), math.max(high, value)
  end
  return high / low
end

print "ns for an element, of 64, 256, 1024, 4096 and 8192"
for _, kind in ipairs { "vector", "list" } do
  local cells = {}
  for _, n in ipairs { 64, 256, 1024, 4096, 8192 } do
    cells[("%5d"):format(n)] = function() return grow[kind](n) end
  end
  local report = tare.compare(cells, { gc_mode = "generational",
    quota = "2s", resamples = 500 })
  local total, net = {}, {}
  for _, result in ipairs(report.results) do
    local n = tonumber(result.name)
    total[#total + 1] = { n, result.time.value / n }
    net[#net + 1] = { n, result.net.value / n }
  end
  for name, list in pairs { total = total, net = net } do
    table.sort(list, function(a, b) return a[1] < b[1] end)
    local values, texts = {}, {}
    for i, entry in ipairs(list) do
      values[i], texts[i] = entry[2], ("%6.1f"):format(entry[2])
    end
    print(("  %-6s %-6s%s  largest over smallest %.2f"):format(kind, name,
      table.concat(texts), span(values)))
  end
end

-- Last, so that the heap above is small, as it is in most programs.
local live = {}
for i = 1, 20000 do live[i] = { i, i } end

local function pair() return { live, live } end

local function fit_of(result, predictors)
  for _, fit in ipairs(result.fits) do
    if fit.pass == "counts" and #fit.predictors == predictors then
      return fit
    end
  end
end

local function sorted_text(list)
  table.sort(list)
  local texts = {}
  for i, value in ipairs(list) do texts[i] = ("%.4f"):format(value) end
  return table.concat(texts, " ")
end

local alone, counted = {}, {}
for run = 1, RUNS do
  local result = tare.measure(pair, { gc_mode = "generational", seed = run,
    resamples = 500 })
  local one, more = fit_of(result, 1), fit_of(result, 2) or fit_of(result, 3)
  if one and more then
    alone[#alone + 1], counted[#counted + 1] = one.r2, more.r2
  end
end
print(("\nR2 of %d runs, time on calls:               %s"):format(#alone,
  sorted_text(alone)))
print(("R2 of %d runs, on calls and on collections: %s"):format(#counted,
  sorted_text(counted)))
