-- Google Benchmark's JSON (schema version 1): what its compare.py and other
-- readers take. Iteration rows only, times in nanoseconds.
local samples_of = require "tare.base.sample_columns"
local escape = require "tare.report.escape"
local ids = require "tare.base.ids"
local json = require "tare.base.json"
local metrics = require "tare.base.metrics"
local columns = require "tare.report.columns"

local gbench = {}

-- The core's clock: the machine's reference, else what cycles and time of a
-- bench say.
local function megahertz(report)
  local clock = type(report.env) == "table" and report.env.clock
  local reference = type(clock) == "table" and tonumber(clock.reference_ghz)
  if reference then return math.floor(reference * 1000 + 0.5) end
  for _, result in ipairs(report.results) do
    local cycles = metrics.get(result, "cycles")
    local time = metrics.get(result, "time")
    if cycles and time and time.value > 0 then
      return math.floor(cycles.value / time.value * 1000 + 0.5)
    end
  end
  return 0
end

local function text(value)
  return type(value) == "string" and escape.visible(value) or ""
end

local function context(report)
  local env = report.env or {}
  local governor = text(env.governor)
  return {
    date = text(report.started):gsub("^(%d+%-%d+%-%d+) (%d+:%d+) UTC$",
      "%1T%2:00+00:00"), -- as ISO 8601 has it
    host_name = text(env.host),
    executable = text(env.lua), num_cpus = tonumber(env.cores) or 0,
    mhz_per_cpu = megahertz(report),
    cpu_scaling_enabled = governor ~= "" and governor ~= "performance",
    caches = {}, load_avg = { tonumber(env.load) },
    library_version = text(env.tare), library_build_type = "release",
    json_schema_version = 1,
  }
end

-- Figures beside the times, as Google's user counters do.
local COUNTERS = { "net", "collector", "cycles", "bytes", "allocs",
  "instructions", "gc_minor", "gc_major" }

local function row_of(result, place, iterations, real, cpu)
  local row = { name = place.name, run_name = place.name,
    run_type = "iteration", family_index = place.family,
    per_family_instance_index = place.instance, repetitions = 1,
    repetition_index = 0, threads = 1, iterations = iterations,
    real_time = real, cpu_time = cpu, time_unit = "ns" }
  for _, name in ipairs(COUNTERS) do
    local figure = metrics.get(result, name)
    row[name] = figure and figure.value
  end
  for _, kind in ipairs { "bytes", "items" } do
    local rate = columns.rate(result, kind)
    row[kind .. "_per_second"] = rate and rate.value
  end
  return row
end

local function summary(result, place)
  local time = metrics.get(result, "time")
  if result.error or not time then
    local row = row_of(result, place, 0, 0, 0)
    row.error_occurred = true
    row.error_message = escape.visible(result.error or "not measured")
    return { row }
  end
  local cpu = metrics.get(result, "cpu_time") or time
  local iterations = math.max(1,
    samples_of.sum((result.samples or {}).iters))
  return { row_of(result, place, iterations, time.value, cpu.value) }
end

-- A repetition a batch.
local function batches(result, place)
  local samples, rows = result.samples or {}, {}
  local iters, wall_ns = samples.iters or {}, samples.wall_ns or {}
  local cpu_ns = samples.cpu_ns or wall_ns
  for i = 1, #iters do
    if iters[i] > 0 and wall_ns[i] and wall_ns[i] == wall_ns[i] then
      local cpu = cpu_ns[i] == cpu_ns[i] and cpu_ns[i] or wall_ns[i]
      local row = row_of(result, place, iters[i], wall_ns[i] / iters[i],
        cpu / iters[i])
      row.repetition_index = #rows
      rows[#rows + 1] = row
    end
  end
  for _, row in ipairs(rows) do row.repetitions = #rows end
  return #rows > 0 and not result.error and rows or summary(result, place)
end

-- Benches of one name with different parameters are a family.
local function places()
  local families, count = {}, 0
  return function(result)
    local key = ids.split(result.id)
    if not families[key] then
      families[key], count = { index = count, size = 0 }, count + 1
    end
    local family = families[key]
    family.size = family.size + 1
    return { name = escape.visible(result.id), family = family.index,
      instance = family.size - 1 }
  end
end

--- A row a bench; with options.samples a row a batch, as repetitions.
---@param options { samples: boolean? }?
---@return string
function gbench.render(report, options)
  local place_of, rows = places(), {}
  local make = options and options.samples and batches or summary
  for _, result in ipairs(report.results) do
    for _, row in ipairs(make(result, place_of(result))) do
      rows[#rows + 1] = row
    end
  end
  return json.encode { context = context(report), benchmarks = rows } .. "\n"
end

return gbench
