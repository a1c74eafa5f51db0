-- What the collector explains, live: R2 of time on calls, and on calls and
-- collections, where small tables die beside 20,000 live objects (Core_bench's
-- regression, which examples/gc_regression_bench.lua draws).
local tare = require "tare"

local RUNS = tonumber(arg[1]) or 20
local ENOUGH = 0.98 -- of the time is explained

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

local function print_row(name, list)
  table.sort(list)
  local enough = 0
  for _, r2 in ipairs(list) do
    if r2 >= ENOUGH then enough = enough + 1 end
  end
  print(("  %-27s %.4f %.4f %.4f   %d of %d"):format(name, list[1] or 0,
    tare.stats.median(list), list[#list], enough, #list))
end

local alone, counted = {}, {}
for run = 1, RUNS do
  local result = tare.measure(pair, { gc_mode = "generational", seed = run,
    resamples = 500, quota = "2s" })
  local one, more = fit_of(result, 1), fit_of(result, 2) or fit_of(result, 3)
  if one and more then
    alone[#alone + 1], counted[#counted + 1] = one.r2, more.r2
  end
end
print(("R2 of time on               least median  largest   at least %.2f")
  :format(ENOUGH))
print_row("calls", alone)
print_row("calls and collections", counted)
