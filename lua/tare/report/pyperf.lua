-- pyperf's JSON, format version 1.0: a benchmark a bench, runs of batches of
-- one size, values in seconds a call. What pyperf refuses (an empty or repeated
-- name, a value not above zero) is left out or replaced.
local escape = require "tare.report.escape"
local json = require "tare.base.json"
local metrics = require "tare.base.metrics"

local pyperf = {}

-- Small batches carry mostly the cost of starting them: pyperf takes means,
-- so it is given the batches of at least this share of the largest.
local LARGE = 1 / 8

-- Seconds a call of the large batches, in runs of one launch and one number
-- of calls ("loops"), in order of appearance; without some rows.
local function batches_of(samples, is_out)
  local iters, wall_ns = samples.iters or {}, samples.wall_ns or {}
  local largest, runs, by_key = 0, {}, {}
  for _, calls in ipairs(iters) do largest = math.max(largest, calls) end
  for i = 1, #iters do
    local launch = samples.launch and samples.launch[i] or 1
    local key = launch .. "x" .. iters[i]
    local value = (wall_ns[i] or 0/0) / iters[i] / 1e9
    if iters[i] >= largest * LARGE and value > 0 and value < 1/0
      and not is_out[i] then
      if not by_key[key] then
        by_key[key] = { values = {}, metadata = { loops = iters[i] } }
        runs[#runs + 1] = by_key[key]
      end
      table.insert(by_key[key].values, value)
    end
  end
  return runs
end

local function runs_of(result, time)
  -- pyperf knows nothing of neighbours: batches that tare's time is not of
  -- would be in its mean.
  local samples, is_out = result.samples or {}, {}
  for _, row in ipairs(result.left_out or {}) do is_out[row] = true end
  local list = batches_of(samples, is_out)
  if #list == 0 then list = batches_of(samples, {}) end
  if #list == 0 then list[1] = { values = { time.value / 1e9 } } end
  local warmup = result.warmup
  if warmup and warmup.calls and warmup.ns and warmup.calls >= 1 then
    list[1].warmups = { { math.floor(warmup.calls),
      warmup.ns / warmup.calls / 1e9 } }
  end
  return list
end

-- Metadata are one line, not empty, without blanks around them.
local function add(metadata, key, value)
  if type(value) == "string" then
    value = escape.trim(escape.visible(value))
    if value ~= "" then metadata[key] = value end
  elseif type(value) == "number" and value == value then
    metadata[key] = value
  end
end

local function metadata_of(result, name)
  local metadata = { name = name, unit = "second" }
  for _, key in ipairs { "loop", "gc", "gc_mode" } do
    add(metadata, "tare_" .. key, result[key])
  end
  for _, key in ipairs { "time", "net", "bytes", "allocs", "instructions",
    "cycles" } do
    add(metadata, "tare_" .. key, (metrics.get(result, key) or {}).value)
  end
  return metadata
end

local function suite_metadata(env)
  local metadata = {}
  for key, name in pairs { cpu_model_name = "cpu", cpu_count = "cores",
    platform = "os", hostname = "host", tare_version = "tare",
    lua_version = "lua" } do add(metadata, key, env[name]) end
  return metadata
end

---@return string? text
---@return string? message pyperf takes no file without benchmarks
function pyperf.render(report)
  local benchmarks, name_of = {}, escape.unique_names()
  for _, result in ipairs(report.results) do
    local time = metrics.get(result, "time")
    if not result.error and time and time.value > 0 then
      local name = name_of(escape.trim(escape.visible(result.id)))
      benchmarks[#benchmarks + 1] = { runs = runs_of(result, time),
        metadata = metadata_of(result, name) }
    end
  end
  if #benchmarks == 0 then
    return nil, "no bench has a time, and pyperf takes no empty file"
  end
  return json.encode { version = "1.0", benchmarks = benchmarks,
    metadata = suite_metadata(report.env or {}) } .. "\n"
end

return pyperf
