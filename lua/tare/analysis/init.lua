-- From samples to a result: rows -> estimate -> the collector's part. Every
-- figure here can be computed again from what a stored report holds, except
-- those of a result with an error: whether some launch measured it all the same
-- ('is_measured') is not stored, so tare report keeps such a result as it is.
-- Pure: no clock, no I/O.
--
--   reference  times at the reference clock
--   rows       which rows count
--   estimate   what a call costs, and its interval: the path through levelled,
--              spans, slope, launch_mean and uncertainty
--   overhead   the empty loop's cost
--   collector  its part of the time, and the function's own
--   headline   later changes of time, cycles and wall time
--   fits       regressions
--   noise      what disturbed the samples; clusters of launches
--   ratio      comparisons; sweeps: series, their laws, crossovers
--   precision  whether an interval is as narrow as was asked for
--   plan       how many launches, and how long; asked by the conductor
local collector = require "tare.analysis.collector"
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local estimate = require "tare.analysis.estimate"
local fits = require "tare.analysis.fits"
local gc_option = require "tare.base.gc_option"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local measured = require "tare.base.measured"
local metrics = require "tare.base.metrics"
local noise = require "tare.analysis.noise"
local overhead = require "tare.analysis.overhead"
local precision = require "tare.analysis.precision"
local ratio = require "tare.analysis.ratio"
local reference = require "tare.analysis.reference"
local rest = require "tare.base.rest"
local rows = require "tare.analysis.rows"
local sweeps = require "tare.analysis.sweeps"
local unpack = require("tare.base.compat").unpack

local analysis = {}

local FLAT = 0.25 -- of the time per call: a smaller slope is hardly one

local function add_warning(result, code)
  if not lists.has(result.warnings, code) then
    table.insert(result.warnings, code)
  end
end

-- An estimate as a figure of a result.
local function in_unit(found, unit, factor)
  factor = factor or 1
  return { value = found.value * factor, unit = unit,
    low = found.low and found.low * factor,
    high = found.high and found.high * factor }
end

-- The share of the variance of the batches that count which the headline's line
-- explains; nil where their sizes don't differ, or the line explains nothing.
-- Least squares have an intercept of their own, not the fixed cost of a batch.
local function r2_of(found, clean, estimator)
  local x, y = {}, {}
  for i, row in ipairs(clean.list) do
    x[i], y[i] = clean.samples.iters[row], clean.samples.time_ns[row]
  end
  if #x < 3 or not columns.varies(x) then return nil end
  local mean, total, left = core.stats.mean(y), 0, 0
  local intercept = found.fixed
  if estimator == "ols" then
    intercept = mean - found.value * core.stats.mean(x)
  end
  for i = 1, #x do
    total = total + (y[i] - mean) ^ 2
    left = left + (y[i] - intercept - found.value * x[i]) ^ 2
  end
  return total > 0 and left <= total and 1 - left / total or nil
end

-- TIME, and the same by other clocks.
local function add_costs(result, samples, clean, settings, clock)
  local function found_in(column)
    local found = estimate.per_call(samples, column, settings, nil, clean)
    rest.here()
    return found
  end
  local time = found_in("time_ns")
  if not time then return end
  result.time = in_unit(time, "ns")
  result.time.unseen = time.unseen
  result.r2 = r2_of(time, clean, settings.estimator)
  if result.time_from == "cycles" then
    result.cycles = in_unit(time, "cycles", 1 / clock.reference_ns)
    local wall = found_in("wall_ns")
    result.wall = wall and in_unit(wall, "ns")
  else
    result.wall = in_unit(time, "ns")
    local cycles = found_in("cycles")
    result.cycles = cycles and in_unit(cycles, "cycles")
  end
  result.cycles_from = result.cycles and "chain" or nil
  local cpu = found_in("cpu_ns")
  result.cpu_time = cpu and in_unit(cpu, "ns")
  if columns.complete(samples.wait_ns, #samples.iters)
    and columns.sum(samples.wait_ns) > 0 then
    result.wait = in_unit(found_in("wait_ns"), "ns")
  end
  if rows.has_launches(samples) and #time.launch_values > 1 then
    result.launch_values = time.launch_values
    result.groups = noise.clusters(time.launch_values)
  end
end

-- How far launches let the median be from a value: the ends of its interval. A
-- few of them may differ so much that it would reach beyond all batches. Then
-- it is Student's t over the logarithms of their own medians.
local function ends_by_launches(call_ns, draws, value, confidence)
  local stats = core.stats
  local half = interval.half_of_share(call_ns, draws, value, confidence) or 0
  if half < 0.5 then
    return stats.quantile(call_ns, 0.5 - half),
      stats.quantile(call_ns, 0.5 + half)
  end
  local list, logs, launches = {}, {}, {}
  for row in ipairs(draws) do list[row] = row end
  for i, members in ipairs(lists.grouped(list, function(row)
    return draws[row]
  end)) do
    local values = {}
    for k, row in ipairs(members) do values[k] = call_ns[row] end
    logs[i], launches[i] = math.log(stats.median(values)), i
  end
  local factor = math.exp(interval.half_of_mean(logs, launches, confidence))
  return value / factor, value * factor
end

-- The median of the batches' times per call. Its interval is that of
-- independent batches, or the one from how launches differ, if that is wider.
local function median_of(call_ns, draws, confidence)
  local stats = core.stats
  if stats.quantile(call_ns, 0) <= 0 then -- the clock stood still in some
    return { value = stats.median(call_ns), unit = "ns" }
  end
  local found = stats.sign_interval(call_ns, confidence)
  local median = { value = found.value, low = found.low, high = found.high,
    unit = "ns" }
  if found.low and columns.varies(draws) then
    rest.here()
    local low, high = ends_by_launches(call_ns, draws, found.value, confidence)
    median.low = math.min(found.low, low)
    median.high = math.max(found.high, high)
  end
  return median
end

-- The distribution of the batches' times per call.
local function add_distribution(result, samples, confidence)
  local stats, draws = core.stats, {}
  local call_ns = columns.ratio(samples.time_ns, samples.iters)
  for row = 1, #call_ns do draws[row] = rows.draw(samples, row) end
  result.median = median_of(call_ns, draws, confidence)
  rest.here()
  result.mean = { value = stats.mean(call_ns), unit = "ns" }
  result.min = stats.quantile(call_ns, 0)
  result.outliers = stats.outliers(call_ns)
  result.outliers.variance = stats.outlier_variance(call_ns)
  if #call_ns == 1 then return end
  result.stddev = { value = stats.stddev(call_ns), unit = "ns" }
  result.mad = stats.mad(call_ns)
  result.density = stats.density(call_ns)
end

local function add_counts(result, samples)
  local function add(name, total, calls)
    result[name] = { value = total / calls, unit = metrics.find(name).unit }
  end
  for _, name in ipairs { "gc_minor", "gc_major" } do
    if columns.complete(samples[name], #samples.iters) then
      add(name, columns.sum(samples[name]), columns.sum(samples.iters))
    end
  end
  local passes = result.passes or {}
  local census, counted = passes.census, passes.instructions
  if census then
    add("bytes", census.bytes, census.iters)
    add("allocs", census.allocs, census.iters)
  end
  local traces = result.traces
  if traces and traces.aborts then
    result.aborts = { value = #traces.aborts, unit = "places" }
    result.traced = { value = traces.compiled or 0, unit = "traces" }
  end
  if counted then
    add("instructions", counted.instructions, counted.iters)
  end
end

-- Counters of the processor. They are slopes, as the time is, and so without
-- the fixed cost of a batch. The deviation between processes is known for times
-- only, so these figures have no intervals.
local function add_counters(result, samples, clean, settings)
  local function per_call(name)
    local found = estimate.per_call(samples, name, settings, nil, clean)
    return found and math.max(0, found.value)
  end
  local function add(name, value)
    result[name] = value and { value = value, unit = metrics.find(name).unit }
      or nil
  end
  local cycles, instructions = per_call "hw_cycles", per_call "hw_instructions"
  add("ipc", cycles and cycles > 0 and instructions and instructions / cycles)
  add("branch_misses", per_call "branch_misses")
  add("cache_misses", per_call "cache_misses")
end

local function add_fit(result, samples, regression, settings, pass)
  local fit, code, message = fits.fit(samples, regression, settings)
  if fit then
    fit.pass = pass
    table.insert(result.fits, fit)
  else
    result.fit_errors = result.fit_errors or {}
    table.insert(result.fit_errors, { responder = regression.responder,
      predictors = regression.predictors, code = code, message = message })
  end
  if code == "collinear" or fit and fit.collinear then
    add_warning(result, "collinear_counts")
  end
end

-- The places, from 1 to 'count', that no row of these samples has; nil where
-- none is missing.
local function places_without(samples, count)
  local list, is_here = {}, {}
  for _, place in ipairs(samples.place) do is_here[place] = true end
  for place = 1, count do
    if not is_here[place] then list[#list + 1] = place end
  end
  return list[1] and list or nil
end

-- Time on calls; then on calls and collections, in the short batches made for
-- this (the pass 'counts') or else in the timed ones; then the regressions that
-- were asked for.
local function add_fits(result, samples, passes, settings, best_width)
  local counts = passes.counts and passes.counts.samples
  local clean = counts and rows.clean(counts, best_width)
  counts = clean and rows.only(clean.samples, clean.list)
  local pass = counts and "counts" or nil
  result.fits = {}
  add_fit(result, samples, fits.of_time(samples), settings)
  rest.here()
  if counts then
    add_fit(result, counts, fits.of_time(counts), settings, pass)
    rest.here()
  end
  local regression = fits.of_collections(counts or samples)
  if regression then
    add_fit(result, counts or samples, regression, settings, pass)
    rest.here()
  end
  for _, extra in ipairs(result.regress or settings.regress or {}) do
    add_fit(result, samples, extra, settings)
    rest.here()
  end
end

-- Whether batches of more calls take hardly longer: the slope of the time over
-- the calls, between the smaller and the larger half of the batches, is less
-- than a quarter of the time per call.
local function is_flat(samples)
  local places = {}
  for i, ns in ipairs(samples.time_ns or {}) do
    if ns == ns then places[#places + 1] = i end
  end
  table.sort(places, function(a, b) return samples.iters[a] < samples.iters[b]
  end)
  local half = math.floor(#places / 2)
  local function medians(from, to)
    local iters, ns = {}, {}
    for i = from, to do
      iters[#iters + 1] = samples.iters[places[i]]
      ns[#ns + 1] = samples.time_ns[places[i]]
    end
    return core.stats.median(iters), core.stats.median(ns)
  end
  if half < rows.FEWEST / 2 then return false end
  local few, few_ns = medians(1, half)
  local many, many_ns = medians(#places - half + 1, #places)
  return many >= 1.2 * few
    and many_ns - few_ns < FLAT * (many - few) * few_ns / few
end

local function add_warnings(result, samples, clean)
  if result.loop == "batch" and is_flat(samples) then
    add_warning(result, "no_loop")
  end
  for _, code in ipairs(noise.diagnose(samples, clean, result.thinned)) do
    add_warning(result, code)
  end
  if (clean.stood_still or 0) > 0 then add_warning(result, "stood_still") end
  if not clean.trusted then add_warning(result, "crowded_run") end
  if #samples.iters < rows.FEWEST then add_warning(result, "few_samples") end
  local complaint = precision.complaint(result)
  if complaint then add_warning(result, complaint) end
  if gc_option.of(result.gc).fresh then
    add_warning(result, "stopped_is_biased")
  end
end

--- A result with everything that follows from its samples.
---@param record table a record, or a stored result
---@param settings table confidence, resamples, seed, estimator?, discard?,
---  regress?, net_of_loop?
---@param clock { reference_ns: number?, best_width: number? }? of the machine;
---  without it times are those of the plain clock
---@return table result a new one; the samples are shared
function analysis.analyse(record, settings, clock)
  local result = { warnings = {} }
  for _, name in ipairs(measured.names) do result[name] = record[name] end
  result.passes = result.passes or {}
  for _, code in ipairs(record.measured_warnings or record.warnings or {}) do
    add_warning(result, code)
  end
  result.measured_warnings = { unpack(result.warnings) }
  result.rounds = #record.samples.iters
  if result.error and not (record.is_measured and result.rounds > 0) then
    return result
  end
  if result.rounds == 0 then
    add_warning(result, "few_samples")
    return result
  end

  -- ROWS: at the reference clock, and those that count
  local best_width = clock and clock.best_width
  local samples, is_scaled = reference.samples(record.samples, clock)
  samples.place = {} -- of each row among all that were measured
  for row = 1, result.rounds do samples.place[row] = row end
  rest.here()
  local passes = reference.passes(record.passes, clock)
  rest.here()
  result.discard = record.discard or settings.discard -- for its ratios, too
  local kept, dropped, causes = rows.discard(samples, result.discard)
  result.discarded = kept ~= samples and dropped or nil
  result.discarded_by = causes
  if dropped > 0 then
    add_warning(result, kept ~= samples and "dropped_rows" or "none_dropped")
  end
  samples = kept
  rest.here()
  local clean = rows.clean(samples, best_width)
  rest.here()
  local clean_samples = rows.only(clean.samples, clean.list)
  rest.here()
  result.crowded, result.preempted = clean.crowded, clean.preempted
  result.disturbed = clean.disturbed
  result.clean_batches = #clean.list
  result.left_out = places_without(clean_samples, result.rounds)
  result.time_from = is_scaled and "cycles" or "wall"

  -- THE ESTIMATE (tare.analysis.estimate), and figures beside it
  local of_time = precision.of_time(result, settings)
  add_costs(result, samples, clean, of_time, clock)
  add_distribution(result, samples, settings.confidence)
  rest.here()
  add_counts(result, samples)
  add_counters(result, samples, clean, of_time)
  rest.here()
  add_fits(result, clean_samples, passes, settings, best_width)

  -- THE EMPTY LOOP and THE COLLECTOR: their parts of the time
  result.loop_cost = overhead.cost(passes.empty and passes.empty.samples,
    of_time, best_width) or record.loop_cost
  rest.here()
  if result.time then overhead.add(result, settings) end
  rest.here()
  collector.add(result, { samples = samples, passes = passes,
    best_width = best_width }, of_time)
  rest.here()
  overhead.subtract(result, settings)
  rest.here()
  add_warnings(result, samples, clean)
  return result
end

--- Comparisons of a run: each group is compared with its baseline; with
--- 'every', groups without a baseline are compared pair by pair.
---@param results table[]
---@param settings table confidence, tolerance
---@param every boolean?
---@param clock_of (fun(result: table): { best_width: number? }?)? the clock of
---  a result's machine
---@return table[] comparisons
function analysis.compare(results, settings, every, clock_of)
  return ratio.all(results, settings, every, clock_of)
end

--- A report of records: each is analysed, and those that belong together are
--- compared.
---@param records table[]
---@param settings table resolved options
---@param fingerprint table of tare.env, with the clock that times are at; the
---  share of crowded batches is added
---@param every boolean? compare all pairs, with or without a baseline
---@return table report
function analysis.report(records, settings, fingerprint, every)
  local results, clock = {}, fingerprint.clock
  local function clock_of() return clock end
  for i, record in ipairs(records) do
    results[i] = analysis.analyse(record, settings, clock)
    rest.here()
  end
  local crowded = {}
  for _, result in ipairs(results) do crowded[#crowded + 1] = result.crowded end
  fingerprint.crowded = crowded[1] and core.stats.mean(crowded)
  local comparisons = analysis.compare(results, settings, every, clock_of)
  rest.here()
  return { schema = measured.SCHEMA, env = fingerprint, options = settings,
    results = results, comparisons = comparisons,
    sweeps = sweeps.read(results, { comparisons = comparisons,
      confidence = settings.confidence, clock_of = clock_of }) }
end

return analysis
