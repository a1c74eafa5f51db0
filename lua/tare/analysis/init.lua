-- From samples to a result: every figure here can be computed again from what
-- a stored report holds. Pure: no clock, no I/O.
local collections = require "tare.analysis.collections"
local columns = require "tare.base.columns"
local discarded = require "tare.analysis.discarded"
local estimate = require "tare.analysis.estimate"
local fits = require "tare.analysis.fits"
local launches = require "tare.analysis.launches"
local looks = require "tare.analysis.looks"
local metrics = require "tare.base.metrics"
local noise = require "tare.noise"
local overhead = require "tare.analysis.overhead"
local split = require "tare.analysis.split"
local spread = require "tare.analysis.spread"
local unpack = require("tare.base.compat").unpack

local analysis = {}

local FEWEST_ROWS = 10 -- below, no interval is to be trusted
local PER_CALL = { { "time", "wall_ns", "ns" }, { "cpu_time", "cpu_ns", "ns" },
  { "cycles", "cycles", "cycles" } }

local MEASURED = { "id", "suite", "group", "name", "params", "compared",
  "baseline", "loop", "gc", "gc_mode", "jit", "launches", "throughput",
  "regress", "warmup", "heap_bytes", "thinned", "error", "samples", "passes",
  "source", "loop_cost", "env_index", "sitting", "failed_launches",
  "precision", "measured_again" }

-- What was measured of a result; analysis computes all else.
local function measured_part(result)
  local base = { warnings = {} }
  for _, name in ipairs(MEASURED) do base[name] = result[name] end
  return base
end

local function add_warning(result, code)
  for _, known in ipairs(result.warnings) do
    if known == code then return end
  end
  table.insert(result.warnings, code)
end

-- What is left of the samples by Keirin's rule, with a word on what went.
local function discard(result, samples, kinds)
  local kept, dropped = discarded.of(samples, kinds)
  result.discarded = kept ~= samples and dropped or nil
  if dropped > 0 then
    add_warning(result, kept ~= samples and "dropped_rows" or "none_dropped")
  end
  return kept
end

-- The headline figures: what a call costs in each measure.
local function add_costs(result, samples, settings, rest)
  local asked = settings
  if result.precision then
    settings = { estimator = asked.estimator,
      confidence = looks.confidence(asked.confidence) }
  end
  for _, entry in ipairs(PER_CALL) do
    local name, column, unit = entry[1], entry[2], entry[3]
    local found = estimate.per_call(samples, column, settings)
    if found then found.unit = unit end
    result[name] = found
    rest()
  end
  result.cycles_from = result.cycles and "chain" or nil
  if result.time then overhead.add(result, asked) end
end

local function add_count(result, name, total, calls)
  result[name] = { value = total / calls, unit = metrics.find(name).unit }
end

local function add_counts(result, samples)
  for _, name in ipairs { "gc_minor", "gc_major" } do
    if columns.complete(samples[name], #samples.iters) then
      add_count(result, name, columns.sum(samples[name]),
        columns.sum(samples.iters))
    end
  end
  local passes = result.passes or {}
  local census, counted = passes.census, passes.instructions
  if census then
    add_count(result, "bytes", census.bytes, census.iters)
    add_count(result, "allocs", census.allocs, census.iters)
  end
  if counted then
    add_count(result, "instructions", counted.instructions, counted.iters)
  end
end

local function add_fit(result, samples, regression, settings)
  local fit, code, message = fits.fit(samples, regression, settings)
  if fit then
    table.insert(result.fits, fit)
    if fit.collinear then add_warning(result, "collinear_counts") end
  elseif code == "collinear" then
    add_warning(result, "collinear_counts")
  else
    result.fit_errors = result.fit_errors or {}
    table.insert(result.fit_errors, { responder = regression.responder,
      predictors = regression.predictors, code = code, message = message })
  end
end

-- Time on calls; then on calls and collections, of the short batches that were
-- made for it or else of the same ones; then what was asked for.
local function add_fits(result, samples, settings, rest)
  local counts = result.passes and result.passes.counts
  counts = counts and fits.undisturbed(counts.samples)
  result.fits = {}
  add_fit(result, samples, fits.of_time(samples), settings)
  rest()
  local regression = fits.of_collections(counts or samples)
  if counts then add_fit(result, counts, fits.of_time(counts), settings) end
  rest()
  if regression then
    add_fit(result, counts or samples, regression, settings)
  end
  rest()
  for i = 2, counts and #result.fits or 1 do result.fits[i].pass = "counts" end
  for _, extra in ipairs(result.regress or settings.regress or {}) do
    add_fit(result, samples, extra, settings)
    rest()
  end
end

local function no_rest() end

local function add_noise(result, samples)
  for _, finding in ipairs(noise.diagnose(samples, result.thinned)) do
    add_warning(result, finding.code)
  end
  if #samples.iters < FEWEST_ROWS then add_warning(result, "few_samples") end
  if looks.missed(result) then add_warning(result, "precision_missed") end
  if result.gc == "stopped" or result.gc == "arms" then
    add_warning(result, "stopped_is_biased")
  end
end

--- A result with everything that follows from its samples.
---@param result table a record, or a stored result
---@param settings table confidence, resamples, seed, discard?, regress?
---@param rest (fun())? called between its parts: where a host may go on with
---  something else
---@return table result a new one; the samples are shared
function analysis.analyse(result, settings, rest)
  rest = rest or no_rest
  local new = measured_part(result)
  for _, code in ipairs(result.measured_warnings or result.warnings or {}) do
    add_warning(new, code)
  end
  new.measured_warnings = { unpack(new.warnings) }
  local samples = result.samples
  new.rounds = #samples.iters
  if new.error then return new end
  if #samples.iters == 0 then
    add_warning(new, "few_samples")
    return new
  end
  samples = discard(new, samples, settings.discard)
  add_fits(new, samples, settings, rest)
  new.r2 = new.fits[1] and new.fits[1].r2
  add_costs(new, samples, settings, rest)
  launches.add(new, samples)
  spread.add(new, columns.ratio(samples.wall_ns, samples.iters))
  add_counts(new, samples)
  rest()
  split.add(new, samples, settings)
  overhead.subtract(new, settings)
  rest()
  collections.add(new, settings)
  rest()
  add_noise(new, samples)
  return new
end

return analysis
