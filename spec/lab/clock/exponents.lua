-- How the time of a call goes with the length of a core cycle, over the clean
-- batches of all runs: 1 is proportional, 0 independent of the core's clock.
-- Usage: exponents.lua REPORT.json...
local clock = require "tare.env.clock"
local core = require "tare.core"
local rows = require "tare.analysis.rows"
local store = require "tare.store"

local of_machine = clock.load { path = "/nonexistent/machine" }
local reports = {}
for i, path in ipairs(arg) do
  reports[i] = assert(store.read(path))
  for _, result in ipairs(reports[i].results) do
    of_machine:observe_samples(result.samples)
  end
end

local ids, points = {}, {}
for _, report in ipairs(reports) do
  for _, result in ipairs(report.results) do
    local id, samples = result.id, result.samples
    if not points[id] then
      ids[#ids + 1], points[id] = id, { x = {}, y = {} }
    end
    local list = points[id]
    local clean = rows.clean(samples, of_machine.best_width)
    for _, row in ipairs(clean.trusted and clean.list or {}) do
      list.x[#list.x + 1] = math.log(samples.cycle_ns[row])
      list.y[#list.y + 1] = math.log(samples.wall_ns[row] / samples.iters[row])
    end
  end
end
local stats = core.stats
for _, id in ipairs(ids) do
  local x, y = points[id].x, points[id].y
  local fit = #x > 10 and stats.ols(y, { x }, { intercept = true })
  print(fit and ("%-24s %6d batches, cycle of %.3f to %.3f ns: exponent %.2f")
    :format(id, #x, math.exp(stats.quantile(x, 0.05)),
      math.exp(stats.quantile(x, 0.95)), fit.coefficients[1])
    or id .. ": too few clean batches")
end
