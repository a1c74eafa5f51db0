-- Bencher Metric Format: benchmarks by name, measures by slug, each a value
-- with its ends.
local escape = require "tare.report.escape"
local json = require "tare.base.json"
local metrics = require "tare.base.metrics"
local width = require "tare.report.width"

local bmf = {}

local LONGEST = 1024 -- characters of a name that Bencher takes

local function measures_of(result)
  local measures = {}
  for _, metric in ipairs(metrics.all()) do
    local figure = metric.bencher and metrics.get(result, metric.name)
    if figure then
      local ends = metrics.has_interval(figure) and figure or {}
      measures[metric.bencher] = { value = figure.value,
        lower_value = ends.low, upper_value = ends.high }
    end
  end
  return measures
end

---@return string? text
---@return string? message
function bmf.render(report)
  local benchmarks, name_of = {}, escape.unique_names()
  for _, result in ipairs(report.results) do
    local measures = measures_of(result)
    if not result.error and next(measures) then
      local name = width.cut(escape.visible(result.id), LONGEST - 8)
      benchmarks[name_of(name)] = measures
    end
  end
  if not next(benchmarks) then return "{}\n" end
  return json.encode(benchmarks) .. "\n"
end

return bmf
