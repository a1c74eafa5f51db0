-- Sample columns as plain tables of equal length: choosing rows, dividing.
local columns = {}

--- The variables of a regression, on either side, and their units. A name is
--- that of a column, or one that tare.analysis.fits has for it.
columns.REGRESSED = { time = "ns", cpu_time = "ns", cycles = "cycles",
  iters = "calls", gc_minor = "count", gc_major = "count", gc_steps = "count",
  growth_bytes = "bytes", heap_bytes = "bytes", jit_events = "count",
  start_ns = "ns", cycle_ns = "ns", mutator_ns = "ns", collector_ns = "ns" }

--- What is timed in a batch: at the reference clock for the analysis. Other
--- columns in nanoseconds stay on the clock that they were read from.
columns.TIMED = { "wall_ns", "mutator_ns", "collector_ns", "minor_ns",
  "head_mutator_ns", "head_collector_ns", "head_minor_ns", "tail_mutator_ns",
  "tail_collector_ns" }

--- Whether a row has a value: what is not known is NaN, or absent.
---@param x any
---@return boolean
function columns.is_number(x) return type(x) == "number" and x == x end
local is_number = columns.is_number

--- The events that --discard names, by the columns that count them: collections
--- that ended, and traces that were made.
columns.EVENTS = { gc = { "gc_minor", "gc_major" }, jit = { "jit_events" } }

--- How many of these events a row saw.
---@param samples table<string, number[]>
---@param row integer
---@param kind string of columns.EVENTS
---@return number
function columns.events(samples, row, kind)
  local seen = 0
  for _, name in ipairs(columns.EVENTS[kind] or {}) do
    seen = seen + ((samples[name] or {})[row] or 0)
  end
  return seen
end

--- Rows of the samples that 'keep' wants, in all columns.
---@param samples table<string, number[]>
---@param keep fun(row: integer): boolean
---@return table<string, number[]>
function columns.filter(samples, keep)
  local kept = {}
  for name in pairs(samples) do kept[name] = {} end
  local count = 0
  for row = 1, #(samples.iters or {}) do
    if keep(row) then
      count = count + 1
      for name, values in pairs(samples) do kept[name][count] = values[row] end
    end
  end
  return kept
end

--- Whether every row of a column has a number.
---@param values number[]?
---@param rows integer
---@return boolean
function columns.complete(values, rows)
  if not values then return false end
  for row = 1, rows do
    if not is_number(values[row]) then return false end
  end
  return rows > 0
end

--- The rows in which a column has a number, and the others.
---@param samples table<string, number[]>
---@param name string
---@return table<string, number[]> with
---@return table<string, number[]> without
function columns.parted(samples, name)
  local values = samples[name] or {}
  local function has(row) return is_number(values[row]) end
  local function lacks(row) return not has(row) end
  return columns.filter(samples, has), columns.filter(samples, lacks)
end

--- Whether a column has two different values.
---@param values number[]
---@return boolean
function columns.varies(values)
  for row = 2, #values do
    if values[row] ~= values[1] then return true end
  end
  return false
end

--- Sum of a column; values that are absent count as nothing.
---@param values number[]?
---@return number
function columns.sum(values)
  local sum = 0
  for _, value in ipairs(values or {}) do
    if is_number(value) then sum = sum + value end
  end
  return sum
end

--- Row by row a / b.
---@param a number[]
---@param b number[]
---@return number[]
function columns.ratio(a, b)
  local ratios = {}
  for row = 1, #a do ratios[row] = a[row] / b[row] end
  return ratios
end

return columns
