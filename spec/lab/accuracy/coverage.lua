-- Do the intervals of costs hold? Of runs in processes of their own, spread
-- over time, each interval should hold the median of all runs.
--   coverage.lua collect FOLDER RUN   measures run number RUN
--   coverage.lua judge FOLDER         prints figures
local store = require "tare.store"
local estimate = require "tare.analysis.estimate"
local core = require "tare.core"

local stats = core.stats
local BENCH = "spec/lab/accuracy/costs_bench.lua"

local function collect(folder, run)
  local lua = os.getenv("TARE_LUA") or "lua5.4"
  os.execute(("%s lua/tare/cli/bin.lua run %s --quota 1s --quiet --seed %s "
    .. "--save %s/%s.json >%s/log"):format(lua, BENCH, run, folder, run,
    folder))
end

local function read_all(folder)
  local reports = {}
  for run = 1, 100000 do
    local report = store.read(("%s/%d.json"):format(folder, run))
    if not report then break end
    reports[run] = report
  end
  return reports
end

-- Estimate of a run by name: a slope of tare's with its interval, or least
-- squares with the bootstrap's, as the peers have it.
local ESTIMATES = {
  { "default", function(samples, column)
    return estimate.per_call(samples, column, { confidence = 0.95 })
  end },
  { "default, this run alone", function(samples, column)
    local found = estimate.per_call(samples, column, { confidence = 0.95 })
    local seen = math.sqrt((found.high - found.value) ^ 2 - found.unseen ^ 2)
    return { value = found.value, low = found.value - seen,
      high = found.value + seen }
  end },
  { "least squares, bootstrap", function(samples, column)
    return stats.bootstrap(samples[column], { samples.iters },
      { resamples = 1000 }).coefficients[1]
  end },
}

local function judge_one(reports, index, column, take)
  local values, found, widths, held = {}, {}, {}, 0
  for run, report in ipairs(reports) do
    found[run] = take(report.results[index].samples, column)
    values[run] = found[run].value
  end
  local truth = stats.median(values)
  for run, one in ipairs(found) do
    if one.low <= truth and truth <= one.high then held = held + 1 end
    widths[run] = (one.high - one.low) / 2 / one.value
  end
  return truth, 100 * stats.mad(values) / truth, 100 * held / #found,
    100 * stats.median(widths)
end

local function judge(folder)
  local reports = read_all(folder)
  print(("%d runs in %s"):format(#reports, folder))
  for _, entry in ipairs(ESTIMATES) do
    for _, column in ipairs { "cycles", "wall_ns" } do
      print(("  %s, %s"):format(entry[1], column))
      for index, result in ipairs(reports[1].results) do
        print(("    %-8s %10.4g  CV %4.1f %%, holds in %3.0f %%, half-width "
          .. "%.1f %%"):format(result.name,
          judge_one(reports, index, column, entry[2])))
      end
    end
  end
end

if arg[1] == "collect" then
  collect(arg[2], arg[3])
else
  judge(arg[2])
end
