-- Every column that a table of results can have, by its name: what it says and
-- how. A column is data: a figure has 'estimate', words have 'text'.
local escape = require "tare.report.escape"
local histogram = require "tare.report.histogram"
local metrics = require "tare.base.metrics"
local plot = require "tare.report.plot"
local rates = require "tare.report.rates"
local units = require "tare.base.units"

local HISTOGRAM_BINS = 10

local known = {}
local function define(column) known[column.key] = column end

-- A figure with a unit; 'estimate' gives { value, low?, high? } or nil.
local function define_figure(key, title, unit, explain, estimate)
  define { key = key, title = title, unit = unit, explain = explain,
    align = "decimal", estimate = estimate }
end

for _, metric in ipairs(metrics.all()) do
  local name, factor = metric.name, metric.factor or 1
  define_figure(name, metric.title, metric.unit, metric.explain,
    function(result)
      local e = metrics.get(result, name)
      if factor == 1 or not e or e.value * factor == 1/0 then return e end
      return { value = e.value * factor, low = e.low and e.low * factor,
        high = e.high and e.high * factor }
    end)
end
for _, key in ipairs { "gc_minor", "gc_major" } do
  known[key].dull, known[key].digits = "zero", 3
end

local function pause(name)
  return function(result)
    local paced = (result.passes or {}).paced
    local ns = paced and paced.pauses and paced.pauses[name]
    return ns and { value = ns }
  end
end
for _, name in ipairs { "p50", "p95", "p99", "max" } do
  define_figure("pause_" .. name, "pause " .. name, "ns",
    name == "max" and "longest pause of the collector (paced pass)"
      or name .. " of the collector's pauses (paced pass)", pause(name))
end

define_figure("rows", "rows", "rows", "batches that were measured",
  function(result)
    local iters = (result.samples or {}).iters
    return iters and { value = #iters }
  end)
define_figure("discarded", "dropped", "rows",
  "batches that were left out for a collection or a trace (--discard)",
  function(result)
    return result.discarded and { value = result.discarded }
  end)
define_figure("launches", "launches", "launches",
  "processes that measured it", function(result)
    return metrics.get(result, "launches")
  end)

local NEGLIGIBLE = 0.005 -- share of the collector that is none

local function has_no_collector(results)
  for _, result in ipairs(results) do
    local net = metrics.get(result, "net")
    local collector = metrics.get(result, "collector")
    if net and collector and collector.value > NEGLIGIBLE * net.value then
      return false
    end
  end
  return true
end
known.net.says_nothing = has_no_collector
known.collector.says_nothing = has_no_collector

-- Of interest to who asked for the collector's part: in mode 'paced'.
local function none_is_paced(results)
  for _, result in ipairs(results) do
    if result.gc == "paced" then return false end
  end
  return true
end
for _, key in ipairs { "minor_time", "major_time", "promoted", "retained",
  "full_time", "pause_p50", "pause_p95", "pause_p99", "pause_max" } do
  known[key].says_nothing = none_is_paced
end

for _, key in ipairs { "promoted", "retained" } do known[key].dull = "zero" end

for kind, explain in pairs {
  bytes = "bytes that are processed a second, as the bench says",
  items = "items that are processed a second, as the bench says",
} do
  define_figure(kind .. "_rate", kind .. "/s", kind, explain,
    function(result) return rates.of(result, kind) end)
end

define { key = "gc", title = "gc", align = "decimal",
  explain = "the collector's share of the time a call",
  says_nothing = has_no_collector,
  text = function(result)
    local net = metrics.get(result, "net")
    local collector = metrics.get(result, "collector")
    local total = net and collector and net.value + collector.value
    return total and total > 0 and units.percent(collector.value / total)
  end }

local function cut(r2) return ("%.9f"):format(r2):sub(1, -6) end

define { key = "r2", title = "R2", align = "decimal",
  explain = "share of the variance of batch times that the number of calls "
    .. "explains (centred; cut off, not rounded)",
  text = function(result)
    local r2 = metrics.get(result, "r2")
    return r2 and cut(r2.value)
  end }

local WORTH_TELLING = 0.1 -- of R2 that the collections add

-- R2 of time on calls alone, and on collections too, of the same batches; the
-- last is true where they can't be told apart.
local function r2_of_counts(result)
  local alone
  for _, fit in ipairs(result.fits or {}) do
    if fit.responder == "time" and fit.r2
      and (fit.pass or not (result.passes or {}).counts) then
      if #(fit.predictors or {}) > 1 then
        return alone, fit.r2, fit.collinear
      end
      alone = alone or fit.r2
    end
  end
end

local function counts_text(result)
  local alone, with, collinear = r2_of_counts(result)
  if collinear then return "can't tell" end
  return alone and with and cut(alone) .. " to " .. cut(with) or nil
end

-- Whether collections explain little anywhere.
local function counts_add_little(results)
  for _, result in ipairs(results) do
    local alone, with, collinear = r2_of_counts(result)
    if alone and with and not collinear and with - alone >= WORTH_TELLING then
      return false
    end
  end
  return true
end

define { key = "r2_collections", title = "R2 with gc", align = "left",
  explain = "the same of batches short enough to tell collections from calls: "
    .. "by the calls alone, and with the minor and major collections",
  says_nothing = counts_add_little, text = counts_text }

define { key = "relative", align = "decimal", needs_context = true,
  explain = "time divided by that of the group's baseline, or of its fastest",
  title = function(context)
    return context.any_baseline and "vs baseline" or "vs fastest"
  end,
  estimate = function(result, context)
    local reference = context.references[result]
    return reference and reference.ratio
  end,
  number = function(value) return units.number(value, 3) .. "x" end }

define { key = "histogram", title = "distribution", align = "left",
  explain = "how the time a call is spread over the larger batches, fast to "
    .. "slow, around the median",
  text = function(result, context)
    local counts = histogram.of(result, HISTOGRAM_BINS)
    return counts and plot.spark(counts, context.ascii)
  end }

local function define_word(key, title, explain, field)
  define { key = key, title = title, align = "left", dull = "equal",
    explain = explain, text = function(result) -- a parameter is in the name
      local name = field or key
      local named = (result.params or {})[name] ~= nil
      return result[name] and not named and escape.visible(result[name])
    end }
end
define_word("loop", "loop", "what repeats the function: a compiled Lua loop "
  .. "(inline), calls from C (call), or the function itself (batch)")
define_word("gc_run", "gc run", "what the collector did meanwhile: natural, "
  .. "paced, stopped, collect (a full collection before each batch), or arms "
  .. "(with and without it in turn)", "gc")
define_word("gc_mode", "gc mode", "incremental or generational")

return known
