-- How times fare on a machine that is crowded most of the time: stored reports
-- of the same benches, each a run. For each bench the true time, how many runs
-- have an interval, how many of these hold the true time, and how far times are
-- off. True is the low quarter of all batches of all runs around which the core
-- was free; for functions that LuaJIT compiles and that allocate, of which that
-- quarter has no collections, the median of the runs.
-- Usage: crowded.lua REPORT.json...
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local reference = require "tare.analysis.reference"
local rows = require "tare.analysis.rows"
local store = require "tare.store"
local uncertainty = require "tare.analysis.uncertainty"

local stats = core.stats
local SETTINGS = { confidence = 0.95 }
local FREE = 0.985 -- of the best width, of a batch and of those beside it
local FEWEST_FREE = 20 -- batches, for a true time

-- Adds the times per call of the batches with a free core.
local function add_free(list, samples, best_width)
  local order = rows.all(samples)
  for i, row in ipairs(order) do
    local is_free = true
    for at = i - 1, i + 1 do
      local other = order[at]
      if other and rows.launch(samples, other) == rows.launch(samples, row)
        and samples.width[other] < FREE * best_width then
        is_free = false
      end
    end
    if is_free then
      list[#list + 1] = samples.time_ns[row] / samples.iters[row]
    end
  end
end

local ids, benches = {}, {}
for _, path in ipairs(arg) do
  local report, message = store.read(path)
  if not report then error(message, 0) end
  local clock = report.env.clock
  for _, result in ipairs(report.results) do
    -- Both twins of pairs_bench.lua are runs of one function.
    local id = result.id:match("^(.*)/")
    if not result.error then
      if not benches[id] then
        ids[#ids + 1], benches[id] = id, { free = {}, runs = {} }
      end
      local bench = benches[id]
      local samples = reference.samples(result.samples, clock)
      local clean = rows.clean(samples, clock.best_width)
      add_free(bench.free, samples, clock.best_width)
      bench.allocates_compiled = uncertainty.follows_memory(samples)
      table.insert(bench.runs, { is_trusted = clean.trusted,
        time = estimate.per_call(samples, "time_ns", SETTINGS, nil, clean) })
    end
  end
end

local function true_time(bench)
  if not bench.allocates_compiled then
    return bench.free[FEWEST_FREE] and stats.quantile(bench.free, 0.25)
  end
  local values = {}
  for _, run in ipairs(bench.runs) do
    if run.is_trusted then values[#values + 1] = run.time.value end
  end
  return values[1] and stats.median(values)
end

local all, told, held, halves, ratios = 0, 0, 0, {}, {}
for _, id in ipairs(ids) do
  local bench = benches[id]
  local truth, of_bench = true_time(bench), {}
  for _, run in ipairs(truth and bench.runs or {}) do
    local time = run.time
    all = all + 1
    if run.is_trusted and time.low then
      told, of_bench[#of_bench + 1] = told + 1, time.value / truth
      ratios[#ratios + 1] = time.value / truth
      halves[#halves + 1] = (time.high - time.low) / 2 / time.value
      if time.low <= truth and truth <= time.high then held = held + 1 end
    end
  end
  io.write(("%-24s %10.4g ns, %3d of %3d runs"):format(id, truth or 0 / 0,
    #of_bench, #bench.runs))
  io.write(of_bench[1] and (", %.3f, %.3f to %.3f of it\n"):format(
    stats.median(of_bench), stats.quantile(of_bench, 0),
    stats.quantile(of_bench, 1)) or "\n")
end
if told > 0 then
  io.write(("%d of %d have an interval, %.0f %% of these hold the time, "
    .. "half-width %.1f %%; times %.3f to %.3f of it (5 to 95 %%)\n"):format(
    told, all, 100 * held / told, 100 * stats.median(halves),
    stats.quantile(ratios, 0.05), stats.quantile(ratios, 0.95)))
end
