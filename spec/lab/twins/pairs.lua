-- What comparisons of twins say: stored reports of pairs_bench.lua, each a run.
-- Usage: pairs.lua REPORT.json...
local analysis = require "tare.analysis"
local clock = require "tare.env.clock"
local core = require "tare.core"
local lists = require "tare.base.lists"
local store = require "tare.store"

local SETTINGS = { confidence = 0.95, tolerance = 0.01 }

local reports, of_machine = {}, clock.load { path = "/nonexistent/machine" }
for _, path in ipairs(arg) do
  local report = store.read(path)
  if report then
    reports[#reports + 1] = report
    for _, result in ipairs(report.results) do
      of_machine:observe_samples(result.samples)
    end
  end
end
of_machine:save()

local all = {}
for _, report in ipairs(reports) do
  for _, one in ipairs(analysis.compare(report.results, SETTINGS, false,
    function() return of_machine end)) do
    all[#all + 1] = one
  end
end
print(("%d runs; %.3f GHz, width %.2f"):format(#reports,
  of_machine.reference_ghz, of_machine.best_width))
print(("%-36s %6s %8s %10s %9s %9s %9s"):format("twins", "runs", "refused",
  "different", "beyond 1%", "furthest", "half"))
local total, different, beyond = 0, 0, 0
for _, group in ipairs(lists.grouped(all, function(one) return one.a end)) do
  local refused, off, far, furthest, halves = 0, 0, 0, 0, {}
  for _, one in ipairs(group) do
    local found = one.ratio
    if not found.low then
      refused = refused + 1
    else
      total = total + 1
      halves[#halves + 1] = (found.high - found.low) / 2
      furthest = math.max(furthest, math.abs(math.log(found.value)))
      if one.verdict == "faster" or one.verdict == "slower" then
        off = off + 1
      end
      if found.low > 1.01 or found.high < 1 / 1.01 then far = far + 1 end
    end
  end
  different, beyond = different + off, beyond + far
  print(("%-36s %6d %8d %10d %9d %8.2f%% %8.2f%%"):format(group[1].a, #group,
    refused, off, far, 100 * furthest, halves[1]
    and 100 * core.stats.median(halves) or 0 / 0))
end
print(("of %d with an interval: %d called different, %d beyond 1 %%"):format(
  total, different, beyond))
