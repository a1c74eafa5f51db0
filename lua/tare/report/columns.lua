-- The columns of a table of results: what each says, how, and when it says
-- nothing. A column is data; the functions below make cells of it.
local escape = require "tare.report.escape"
local histogram = require "tare.report.histogram"
local metrics = require "tare.metrics"
local plot = require "tare.report.plot"
local units = require "tare.units"

local columns = {}

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
define_figure("launches", "launches", "launches",
  "processes that measured it", function(result)
    return metrics.get(result, "launches")
  end)

define { key = "share", title = "gc", align = "decimal",
  explain = "the collector's share of the time a call",
  text = function(result)
    local net = metrics.get(result, "net")
    local collector = metrics.get(result, "collector")
    local total = net and collector and net.value + collector.value
    return total and total > 0 and units.percent(collector.value / total)
  end }

define { key = "r2", title = "R2", align = "decimal",
  explain = "share of the variance of batch times that the number of calls "
    .. "explains (centred; cut off, not rounded)",
  text = function(result)
    local r2 = metrics.get(result, "r2")
    return r2 and ("%.9f"):format(r2.value):sub(1, -6)
  end }

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

local function define_word(key, title, explain)
  define { key = key, title = title, align = "left", dull = "equal",
    explain = explain, text = function(result)
      return result[key] and escape.visible(result[key])
    end }
end
define_word("loop", "loop", "what repeats the function: a compiled Lua loop "
  .. "(inline), calls from C (call), or the function itself (batch)")
define_word("gc", "gc run", "what the collector did meanwhile: natural, "
  .. "paced, stopped, or collect (a full collection before each batch)")
define_word("gc_mode", "gc mode", "incremental or generational")

local DEFAULT = { "time", "time:interval", "r2", "cycles", "net", "share",
  "gc_minor", "gc_major", "bytes", "allocs", "instructions", "loop", "gc",
  "gc_mode", "relative", "histogram" }

-- Where the width does not do, the last of these go first.
local PRIORITY = { "time", "time:interval", "relative", "share", "net",
  "bytes", "allocs", "r2", "histogram", "gc_major", "gc_minor", "cycles",
  "instructions", "gc", "gc_mode", "loop" }

local function interval_column(of)
  return { key = of.key .. ":interval", of = of, align = "left",
    title = function(context) return context.confidence .. " CI" end,
    explain = "the interval that holds the figure before it with this "
      .. "confidence: +- where both sides are alike, else its ends" }
end

local function find(key)
  local of = known[key:match("^(.*):interval$")]
  return of and of.estimate and interval_column(of) or known[key]
end

-- Adds a column, once.
local function add(list, column)
  if not list[column.key] then
    list[column.key], list[#list + 1] = true, column
  end
end

--- The columns that a list of names asks for: "a,b,+c" or { "a", "b", "+c" };
--- '+' adds the interval and R2. Without a list, the usual ones.
---@param names string|string[]|nil
---@return table[]? columns
---@return string? message naming the one that is not known
function columns.chosen(names)
  local list, wants_r2 = {}, false
  if names == nil then names = DEFAULT end
  if type(names) == "table" then names = table.concat(names, ",") end
  for name in names:gmatch("[^,%s]+") do
    local plus, key = name:match("^(%+?)(.*)$")
    local column = find(key)
    if key ~= "name" and not column then
      return nil, ("no column '%s'; there are: %s"):format(
        escape.visible(key), table.concat(columns.names(), ", "))
    end
    if column then add(list, column) end
    if column and plus == "+" then
      wants_r2 = true
      if column.estimate then add(list, interval_column(column)) end
    end
  end
  if wants_r2 then add(list, known.r2) end
  return list
end

--- The names of all columns, sorted.
---@return string[]
function columns.names()
  local names = { "name" }
  for key in pairs(known) do names[#names + 1] = key end
  table.sort(names)
  return names
end

--- The columns that go first where the width does not do: ascending.
---@return table<string, integer> rank by key
function columns.ranks()
  local ranks = {}
  for i, key in ipairs(PRIORITY) do ranks[key] = #PRIORITY - i end
  return ranks
end

--- What a result is sorted by: the figure of a column, or its name.
---@param key string
---@return (fun(result: table): number|string|nil)?
---@return string? message
function columns.sorter(key)
  if key == "name" then return function(result) return result.id end end
  local column = known[key]
  if not (column and column.estimate) or column.needs_context then
    return nil, ("can't sort by '%s'"):format(escape.visible(key))
  end
  return function(result)
    local e = column.estimate(result)
    return e and e.value
  end
end

return columns
