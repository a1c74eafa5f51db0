-- What the collector explains, live: R2 of time on calls, and on calls and
-- collections, where small tables die beside 20,000 live objects (Core_bench's
-- regression, which examples/gc_regression_bench.lua draws).
local tare = require "tare"

local RUNS = 5

if _VERSION ~= "Lua 5.4" then
  return print "  the collector explains: only of Lua 5.4's generational mode"
end

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
print(("R2 of %d runs, time on calls:               %s"):format(#alone,
  sorted_text(alone)))
print(("R2 of %d runs, on calls and on collections: %s"):format(#counted,
  sorted_text(counted)))
