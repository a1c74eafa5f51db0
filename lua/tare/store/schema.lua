-- The shape of a Report, as data that checks: what is read from a file is
-- checked with it before anything computes with it. Unknown fields pass, so a
-- newer tare/1 file stays readable.
local checks = require "tare.base.checks"
local lists = require "tare.base.lists"
local measured = require "tare.base.measured"
local metrics = require "tare.base.metrics"
local numerals = require "tare.base.numerals"
local passes = require "tare.base.passes"
local unicode = require "tare.base.unicode"

local schema = { NAME = measured.SCHEMA }

local any_number, any_text, any_flag = checks.number, checks.text, checks.flag
local complaint, list, map = checks.complaint, checks.list, checks.map
local numbers, object = checks.numbers, checks.object

-- Anything but a table.
local function scalar(value)
  if type(value) == "table" or value == nil then
    return complaint("a plain value", value)
  end
end

local HUGE = checks.HUGE

-- The columns with a number in every row, and the least: calls are counted,
-- times don't run backwards, rows are looked up by their launch and draw.
local LEAST = { iters = 1, wall_ns = 0, launch = 0, draw = 0 }

local function check_column(name, column)
  local least = LEAST[name] or -HUGE
  return list(function(value)
    local wrong = any_number(value)
    if wrong then return wrong end
    if value < least or math.abs(value) > HUGE then
      return " can't be " .. numerals.plain(value)
    end
    if value ~= value and LEAST[name] then
      return complaint("a number", value)
    end
  end)(column)
end

-- Columns of numbers, all of one length.
local function columns(value)
  local wrong = object {} (value)
  if wrong then return wrong end
  local rows
  for _, name in ipairs(lists.keys(value)) do
    wrong = check_column(name, value[name])
    if wrong then return "." .. tostring(name) .. wrong end
    rows = rows or #value[name]
    if #value[name] ~= rows then
      return (".%s has %d rows where another column has %d"):format(
        tostring(name), #value[name], rows)
    end
  end
end

local ESTIMATE = object { value = any_number, low = any_number,
  high = any_number, unit = any_text }

-- A figure is a number, or an estimate with its interval.
local function figure(value)
  if type(value) == "number" then return nil end
  return ESTIMATE(value)
end

local FIT = object { responder = any_text, predictors = list(any_text),
  intercept = any_flag, coefficients = map(ESTIMATE), r2 = any_number,
  adjusted_r2 = any_number, vif = map(any_number), error = any_text,
  pass = any_text, collinear = any_flag }

local DENSITY = checks.lengths(object { x = numbers, y = numbers }, "x", "y", 0)

local SAMPLED = object { samples = columns, pauses = object {
  count = any_number, p50 = any_number, p95 = any_number, p99 = any_number,
  max = any_number, histogram = checks.histogram } }
local FIGURES = { census = checks.census, long_census = checks.census,
  full = checks.full, instructions = checks.instructions,
  profile = checks.profile, traces = checks.traces }

local OF_PASSES = {}
for _, name in ipairs(passes.with_rows) do OF_PASSES[name] = SAMPLED end
for _, name in ipairs(passes.with_figures) do
  OF_PASSES[name] = assert(FIGURES[name], name)
end
local PASSES = object(OF_PASSES)

-- The share alone, or with its grade.
local function outlier_variance(value)
  if type(value) == "number" then return nil end
  return object { fraction = any_number, effect = any_text } (value)
end

local OUTLIERS = object { samples = any_number, low_severe = any_number,
  low_mild = any_number, high_mild = any_number, high_severe = any_number,
  variance = outlier_variance }

-- What was measured, by the kinds of tare.base.measured.
local OF_KIND = {
  text = any_text, number = any_number, flag = any_flag, figure = figure,
  texts = list(any_text), ["numbers by name"] = map(any_number),
  params = map(scalar), columns = columns, passes = PASSES,
  warmup = object { calls = any_number, ns = any_number },
  regressions = list(object({ responder = any_text,
    predictors = list(any_text), intercept = any_flag },
    { responder = true, predictors = true })),
  failed_launches = list(object { launch = any_number, message = any_text }),
  measured_again = list(object { time = ESTIMATE, cycles = ESTIMATE,
    net = ESTIMATE, collector = ESTIMATE, met = list(any_text) }),
  profile = checks.profile, traces = checks.traces,
}

-- What was computed of it.
local OF_RESULT = {
  rounds = any_number, clean_batches = checks.whole,
  left_out = list(checks.whole),
  cycles_from = any_text,
  loop_cost = ESTIMATE, measured_warnings = list(any_text),
  time = ESTIMATE, wall = ESTIMATE, wait = ESTIMATE, r2 = figure,
  outliers = OUTLIERS, warnings = list(any_text),
  density = DENSITY, fits = list(FIT),
  fit_errors = list(object { responder = any_text,
    predictors = list(any_text), code = any_text, message = any_text }),
  time_from = any_text, time_pass = any_text,
  launch_values = numbers,
  groups = list(object { share = any_number, value = any_number }),
  discarded = any_number, discarded_by = map(any_number),
}
for _, metric in ipairs(metrics.all()) do
  OF_RESULT[metric.name] = OF_RESULT[metric.name] or figure
end
for name, kind in pairs(measured.kinds) do
  OF_RESULT[name] = assert(OF_KIND[kind], kind)
end

local RESULT = object(OF_RESULT, { id = true })

local COMPARISON = object({ a = any_text, b = any_text, ratio = ESTIMATE,
  verdict = any_text, metric = any_text, rounds = any_number,
  other = any_text }, { a = true, b = true, ratio = true, verdict = true })

local POINT = object({ x = any_number, value = any_number, low = any_number,
  high = any_number, id = any_text }, { x = true })

local SWEEP = object({ bench = any_text, axis = any_text,
  series = list(object({ label = any_text, points = list(POINT),
    law = object { name = any_text, exponent = ESTIMATE,
      also = list(any_text),
      coefficients = object { constant = any_number, factor = any_number } } },
    { points = true })),
  crossovers = list(object { a = any_text, b = any_text, x = any_number,
    low = any_number, high = any_number }) },
  { axis = true, series = true })

local REPORT = object({ schema = any_text, env = object {}, options = object {},
  envs = list(object {}),
  results = list(RESULT), comparisons = list(COMPARISON),
  sweeps = list(SWEEP), started = any_text, commit = any_text,
  interrupted = object { of = any_number, missing = list(any_text) } },
  { results = true })

local function check_name(name)
  if name == schema.NAME then return true end
  if type(name) == "string" and name:find("^tare/%d+$") and #name < 20 then
    return nil, ("it is of the newer format '%s'; this tare reads '%s'")
      :format(name, schema.NAME)
  end
  return nil, ("not a tare report: 'schema' is not '%s'"):format(schema.NAME)
end

-- What is wrong, in one line that commands no terminal.
local function refusal(wrong)
  return nil, "not a sound report: " .. unicode.visible(wrong):gsub("^%.", "")
end

--- Whether 'report' is what renderers, comparisons and gates may rely on.
---@param report any
---@return boolean? ok
---@return string? message the first thing that is wrong, in one line
function schema.check(report)
  if type(report) ~= "table" then
    return nil, "not a tare report: it is no object"
  end
  local ok, message = check_name(report.schema)
  if not ok then return nil, message end
  local wrong = REPORT(report)
  if wrong then return refusal(wrong) end
  return true
end

--- Whether a result is what the others may rely on.
---@param result any
---@param place integer of the result in its report
---@return boolean? ok
---@return string? message
function schema.check_result(result, place)
  local wrong = RESULT(result)
  if wrong then return refusal(("results[%d]%s"):format(place, wrong)) end
  return true
end

return schema
