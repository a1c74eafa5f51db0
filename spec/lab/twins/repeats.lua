-- How well times repeat: stored reports of the same benches, each a run. For
-- each bench the share of runs whose interval holds the median of all, how wide
-- they are, and how far apart runs lie. Each run is at its own reference clock,
-- as its reader saw it. Usage: repeats.lua REPORT.json...
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local noise = require "tare.analysis.noise"
local reference = require "tare.analysis.reference"
local rows = require "tare.analysis.rows"
local store = require "tare.store"

local stats = core.stats
local SETTINGS = { confidence = 0.95 }

local reports, slowest, quickest = {}, math.huge, 0
for _, path in ipairs(arg) do
  local report, message = store.read(path)
  if report then
    reports[#reports + 1] = report
    local ghz = (report.env.clock or {}).reference_ghz or 0 / 0
    slowest, quickest = math.min(slowest, ghz), math.max(quickest, ghz)
  else
    io.stderr:write(message, "\n")
  end
end
io.write(("%d runs at %.3f to %.3f GHz\n"):format(#reports, slowest, quickest))

-- What a run says of a bench: by cycles, and by the plain clock.
local function run_of(result, clock)
  local samples = reference.samples(result.samples, clock)
  local clean = rows.clean(samples, clock and clock.best_width)
  local function found(column)
    return estimate.per_call(samples, column, SETTINGS, nil, clean)
  end
  return { time = found "time_ns", wall = found "wall_ns", clean = clean,
    rows = #samples.iters }
end

local ids, runs = {}, {}
for _, report in ipairs(reports) do
  for _, result in ipairs(report.results) do
    if not result.error then
      -- With TWINS=1 both twins of pairs_bench.lua are runs of one function.
      local id = os.getenv "TWINS" and result.id:match("^(.*)/") or result.id
      if not runs[id] then
        ids[#ids + 1] = id
        runs[id] = {}
      end
      table.insert(runs[id], run_of(result, report.env.clock))
    end
  end
end

local function share(list, is_wanted)
  local count = 0
  for _, one in ipairs(list) do if is_wanted(one) then count = count + 1 end end
  return 100 * count / math.max(1, #list)
end

local function summary(list, name)
  local values, halves, told = {}, {}, {}
  for _, run in ipairs(list) do
    local one = run[name]
    if one.low then
      told[#told + 1], values[#values + 1] = one, one.value
      halves[#halves + 1] = (one.high - one.low) / 2 / one.value
    end
  end
  if #values < 3 then return nil end
  local middle = stats.median(values)
  return { median = middle, coverage = share(told, function(one)
    return one.low <= middle and middle <= one.high
  end), half = 100 * stats.median(halves),
    spread = 100 * (select(1, stats.mad(values)) / middle),
    worst = 100 * (stats.quantile(values, 1) / stats.quantile(values, 0) - 1) }
end

io.write(("%-26s %7s %7s %7s %7s | %s\n"):format("bench", "refused",
  "crowded", "free", "launch", "time: ns, holds, half, robust CV, range, "
  .. "between launches | wall: holds, half, CV"))
for _, id in ipairs(ids) do
  local list = runs[id]
  local refused = share(list, function(run) return not run.clean.trusted end)
  local crowded, free, counts, apart = {}, {}, {}, {}
  local grouped = share(list, function(run)
    return noise.clusters(run.time.launch_values) ~= nil
  end)
  for i, run in ipairs(list) do
    crowded[i] = run.clean.crowded or 0
    free[i] = #run.clean.list / run.rows
    counts[i] = #run.time.launch_values
    if counts[i] > 2 and run.clean.trusted then
      apart[#apart + 1] = stats.stddev(run.time.launch_values) / run.time.value
    end
  end
  local time, wall = summary(list, "time"), summary(list, "wall")
  io.write(("%-26s %6.0f%% %6.0f%% %6.0f%% %7.0f | "):format(id, refused,
    100 * stats.median(crowded), 100 * stats.median(free),
    stats.median(counts)))
  if time then
    io.write((
      "%9.4g %4.0f%% %5.2f%% %5.2f%% %5.1f%% %5.2f%% g%.0f%% "
      .. "| %4.0f%% %5.2f%% %5.2f%%\n"):format(time.median, time.coverage,
      time.half, time.spread, time.worst,
      apart[1] and 100 * stats.median(apart) or 0,
      grouped, wall.coverage, wall.half, wall.spread))
  else
    io.write("too few runs that can be trusted\n")
  end
end
