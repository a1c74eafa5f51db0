-- What a bootstrap costs from Lua, beside a resample and refit written in Lua;
-- and how many digits of NIST's certified regressions are reached.
local core = require "tare.core"
local columns_of = require "spec.support.nist_columns"
local digits = require "spec.support.digits"
local stats = core.stats

local ROWS, RESAMPLES, PLAIN = 1000, 10000, 200

local function rows()
  local x, y = {}, {}
  for i, row in ipairs(stats.draws(ROWS, { seed = 3 })[1]) do
    x[i], y[i] = i, 40 + 3 * i + row / 10
  end
  return x, y
end

local function refit(x, y)
  local mx, my, xx, xy, yy, rss = 0, 0, 0, 0, 0, 0
  for i = 1, ROWS do mx, my = mx + x[i] / ROWS, my + y[i] / ROWS end
  for i = 1, ROWS do
    local dx, dy = x[i] - mx, y[i] - my
    xx, xy, yy = xx + dx * dx, xy + dx * dy, yy + dy * dy
  end
  local slope = xy / xx
  for i = 1, ROWS do rss = rss + (y[i] - my - slope * (x[i] - mx)) ^ 2 end
  return slope, my - slope * mx, 1 - rss / yy
end

local function plain(x, y)
  for _ = 1, PLAIN do
    local drawn_x, drawn_y = {}, {}
    for i = 1, ROWS do
      local row = math.random(ROWS)
      drawn_x[i], drawn_y[i] = x[row], y[row]
    end
    refit(drawn_x, drawn_y)
  end
end

-- The fastest of several turns, in ns for each drawn row.
local function best(f, resamples)
  local least = math.huge
  for _ = 1, 5 do
    local start = os.clock()
    f()
    least = math.min(least, os.clock() - start)
  end
  return least * 1e9 / ROWS / resamples
end

local x, y = rows()
local own = best(function()
  stats.bootstrap(y, { x }, { resamples = RESAMPLES })
end, RESAMPLES)
local other = best(function() plain(x, y) end, PLAIN)
print(("  %-34s %6.2f %9.2f %8.0fx"):format("the first, called from Lua",
  own, other, other / own))

print("\ndigits of NIST's certified values: coefficients, deviations, R2")
for _, set in ipairs(dofile "spec/data/nist_linear.lua") do
  local fit = stats.ols(set.y, columns_of(set),
    { intercept = set.intercept ~= nil })
  local coefficient, deviation = 16, digits(fit.residual_sd, set.residual_sd)
  for i, expected in ipairs(set.coefficients) do
    coefficient = math.min(coefficient, digits(fit.coefficients[i], expected))
    deviation = math.min(deviation, digits(fit.stderr[i], set.stderr[i]))
  end
  print(("  %-10s %5.1f %5.1f %5.1f"):format(set.name, coefficient, deviation,
    digits(fit.r2, set.r2)))
end
