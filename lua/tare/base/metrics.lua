-- Every figure that a result has: its unit, how it is titled, what it means,
-- and whether it repeats exactly. Tables, files, comparisons and gates read it
-- here.
local metrics = {}

local list = {
  { name = "time", unit = "ns", title = "time", measure = "latency",
    explain = "wall time a call: the slope of batch time against calls, so "
      .. "the cost of starting a batch is not in it" },
  { name = "net", unit = "ns", title = "net", measure = "net-time",
    explain = "the function's own part of the time, without the collector's" },
  { name = "collector", unit = "ns", title = "collector",
    measure = "collector-time",
    explain = "the collector's part of the time a call" },
  { name = "cpu_time", unit = "ns", title = "cpu", measure = "cpu-time",
    explain = "processor time of the process a call" },
  { name = "cycles", unit = "cycles", title = "cycles", measure = "cycles",
    explain = "core cycles a call: unlike nanoseconds they do not drift with "
      .. "the core's clock" },
  { name = "median", unit = "ns", title = "median",
    explain = "median over the batches of time / calls" },
  { name = "mean", unit = "ns", title = "mean",
    explain = "mean over the batches of time / calls" },
  { name = "min", unit = "ns", plain = true, title = "min",
    explain = "the fastest batch: time / calls" },
  { name = "stddev", unit = "ns", plain = true, title = "sd",
    explain = "standard deviation over the batches of time / calls" },
  { name = "mad", unit = "ns", plain = true, title = "MAD",
    explain = "median distance from the median, over the batches" },
  { name = "overhead", unit = "ns", plain = true, title = "overhead",
    explain = "cost of an empty function in the same loop, measured in the "
      .. "same run; part of the time unless --net-of-loop" },
  { name = "bytes", unit = "bytes", title = "bytes", exact = true,
    measure = "allocated-bytes",
    explain = "bytes allocated a call, counted in a pass of its own" },
  { name = "allocs", unit = "allocs", title = "allocs", exact = true,
    measure = "allocations",
    explain = "blocks allocated a call, counted in a pass of its own" },
  { name = "instructions", unit = "instructions", title = "instr",
    exact = true, measure = "instructions",
    explain = "instructions of the virtual machine a call, counted by a hook "
      .. "in a pass of its own; the same in every process" },
  { name = "gc_minor", unit = "collections", title = "minor/1k",
    factor = 1000,
    explain = "minor collections in a thousand calls (generational mode)" },
  { name = "gc_major", unit = "collections", title = "major/1k",
    factor = 1000,
    explain = "major collections (whole cycles) in a thousand calls" },
  { name = "minor_time", unit = "ns", title = "a minor",
    explain = "time of one minor collection (generational mode)" },
  { name = "major_time", unit = "ns", title = "a major",
    explain = "time of one major collection, or of all steps of a cycle" },
  { name = "promoted", unit = "bytes", plain = true, title = "promoted",
    explain = "of the bytes of a call, what minor collections let grow old" },
  { name = "retained", unit = "bytes", plain = true, title = "retained",
    explain = "bytes a call that a full collection leaves: what it keeps" },
  { name = "full_time", unit = "ns", plain = true, title = "full gc",
    explain = "time of a full collection after the bench has run, with all "
      .. "that it keeps alive" },
}

local by_name = {}
for _, metric in ipairs(list) do by_name[metric.name] = metric end

--- Every metric, in the order in which they are shown.
---@return table[] metrics { name, unit, title, explain, exact?, plain?,
---  measure? }; 'plain' ones have no interval
function metrics.all() return list end

--- The metric of a name, or nil.
---@param name string
---@return table?
function metrics.find(name) return by_name[name] end

local function finite(x)
  return type(x) == "number" and x == x and x ~= 1/0 and x ~= -1/0
end

--- A result's figure as { value, low?, high? }, whether it stands as an
--- estimate or as a plain number; nil where it was not measured.
---@param result table
---@param name string
---@return { value: number, low: number?, high: number? }?
function metrics.get(result, name)
  local figure = result[name]
  if finite(figure) then return { value = figure } end
  if type(figure) ~= "table" or not finite(figure.value) then return nil end
  return figure
end

--- Whether an estimate has an interval.
---@param estimate { low: number?, high: number? }?
---@return boolean
function metrics.has_interval(estimate)
  return estimate ~= nil and finite(estimate.low) and finite(estimate.high)
end

return metrics
