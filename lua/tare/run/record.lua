-- What a trial measured, as plain data: a result before its analysis.
local record = {}

local function samples_of(store)
  local columns = store:columns()
  columns.iters, columns.wall_ns = columns.iters or {}, columns.wall_ns or {}
  return columns
end

local function sorted_keys(set)
  local list = {}
  for key in pairs(set) do list[#list + 1] = key end
  table.sort(list)
  return list
end

local function passes_of(trial)
  local passes = trial.passes
  if trial.pacing then trial.pacing:add_to(passes) end
  return passes
end

--- The record of a finished trial. Its samples are copied into tables, so this
--- is for after the measuring.
---@param trial table
---@return table result without what analysis adds
function record.of(trial)
  local cell, samples = trial.cell, samples_of(trial.samples)
  local thinned = trial.samples:thinned()
  return {
    id = cell.id, suite = cell.suite, group = cell.group, name = cell.name,
    params = cell.params, compared = cell.compared, baseline = cell.baseline,
    loop = trial.loop_kind, gc = trial.options.gc,
    gc_mode = trial.context.collector:mode(trial.options), launches = 1,
    jit = trial.options.jit,
    precision = trial.options.precision,
    throughput = trial.throughput, regress = trial.options.regress,
    warmup = trial.warmup, heap_bytes = (samples.heap_bytes or {})[1],
    thinned = thinned > 0 and thinned or nil,
    error = trial.error, warnings = sorted_keys(trial.warnings),
    samples = samples, passes = passes_of(trial),
  }
end

return record
