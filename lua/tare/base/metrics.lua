-- The figures of a result. Tables, files, comparisons and gates read here what
-- each is; most are estimates per call, with an interval where enough is known,
-- by which gates judge. Where figures are computed: tare.analysis.
--
-- In a result a figure is a table, { value =, unit =, low =, high = }, the ends
-- where it has an interval; but for 'min', 'mad' and 'overhead', which are
-- numbers alone, as stored reports have them. metrics.get() reads both.
--
--   name            of the field of a result, in gates and files
--   title, explain  of its column in tables; the title is the name unless given
--   words           what it is called where there is no table
--   unit            of the value (tare.base.units)
--   exact           it is the same in every run of the same code: a gate judges
--                   any difference
--   no_interval     none is stored, so no gate is on it (tables make some of
--                   the samples)
--   option          without which it is not measured
--   of_run          it is of the whole run, not per call
--   at_reference    a time at the reference clock, where the result has that
--   needs_counters  of the processor: without, a table says why it is empty
--   factor          tables show it times this
--   bencher         its name as a measure of Bencher (format bmf), which has no
--                   others
local metrics = {}

local list = {
  { name = "time", unit = "ns", bencher = "latency", at_reference = true,
    words = "time per call",
    explain = "time per call: how much longer a batch takes with one call "
      .. "more, so the cost of starting a batch is not in it; at the "
      .. "machine's reference clock where its cycles were counted" },
  { name = "wall", unit = "ns",
    words = "by the plain clock",
    explain = "time per call by the plain clock, which follows the clock of "
      .. "the core" },
  { name = "net", unit = "ns", bencher = "net-time", at_reference = true,
    words = "the function itself",
    explain = "the function's own time per call, without the collector's" },
  { name = "collector", unit = "ns", bencher = "collector-time",
    at_reference = true,
    words = "the collector",
    explain = "the collector's time per call" },
  { name = "wait", unit = "ns", bencher = "wait",
    words = "waiting",
    explain = "time per call between its yields and when it was resumed, with "
      .. "'yields'; the time per call is without it" },
  { name = "cpu_time", unit = "ns", bencher = "cpu-time",
    words = "processor time",
    explain = "processor time of the process per call" },
  { name = "cycles", unit = "cycles", bencher = "cycles",
    words = "core cycles",
    explain = "cycles of the core per call: unlike wall time they don't follow "
      .. "the core's clock" },
  { name = "median", unit = "ns", at_reference = true,
    words = "median batch",
    explain = "median over the batches of time per call" },
  { name = "mean", unit = "ns", no_interval = true, at_reference = true,
    words = "mean batch",
    explain = "mean over the batches of time per call" },
  { name = "min", unit = "ns", no_interval = true, at_reference = true,
    words = "quickest batch",
    explain = "time per call of the quickest batch" },
  { name = "stddev", title = "sd", unit = "ns", no_interval = true,
    at_reference = true,
    words = "standard deviation",
    explain = "standard deviation over the batches of time per call" },
  { name = "mad", unit = "ns", no_interval = true, at_reference = true,
    words = "median deviation",
    explain = "median distance from the median over the batches, times 1.4826 "
      .. "to be comparable with the standard deviation" },
  { name = "overhead", unit = "ns", no_interval = true, at_reference = true,
    words = "an empty loop",
    explain = "cost of an empty function in the same loop, measured in the "
      .. "same run; it is part of the time unless --net-of-loop is given" },
  { name = "bytes", unit = "bytes", exact = true, bencher = "allocated-bytes",
    words = "allocated",
    explain = "bytes allocated per call, counted exactly in a separate pass; a "
      .. "string that exists already is not allocated again (on LuaJIT and Lua "
      .. "5.1 any, else one of up to 40 bytes)" },
  { name = "allocs", unit = "allocs", exact = true, bencher = "allocations",
    words = "blocks allocated",
    explain = "blocks allocated per call, counted exactly in a separate pass" },
  { name = "long_bytes", unit = "bytes", no_interval = true,
    words = "allocated, in a long run",
    explain = "bytes per call of a long run with the collector at work, where "
      .. "they differ from the exact ones of a few calls: caches that fill, or "
      .. "that the collector clears" },
  { name = "long_allocs", unit = "allocs", no_interval = true,
    words = "blocks, in a long run",
    explain = "blocks per call of a long run, likewise" },
  { name = "instructions", title = "instr", unit = "instructions", exact = true,
    bencher = "instructions",
    words = "Lua instructions",
    explain = "instructions of the virtual machine per call, counted exactly; "
      .. "'-' where there are none, as in C functions, or on LuaJIT" },
  { name = "machine_instructions", title = "machine_instr",
    unit = "instructions", exact = true, bencher = "machine-instructions",
    option = "machine_instructions",
    words = "processor's instructions",
    explain = "instructions of the processor per call, those of the "
      .. "interpreter, of C functions and of compiled code included, but not "
      .. "the collector's (--machine-instructions)" },
  { name = "ipc", unit = "instructions", no_interval = true, of_run = true,
    needs_counters = true,
    words = "instructions per cycle",
    explain = "instructions of the processor per cycle, by its own counters" },
  { name = "branch_misses", unit = "misses", no_interval = true,
    needs_counters = true, bencher = "branch-misses",
    words = "branch misses",
    explain = "branches per call that the processor foretold wrongly, by its "
      .. "own counters" },
  { name = "cache_misses", unit = "misses", no_interval = true,
    needs_counters = true, bencher = "cache-misses",
    words = "cache misses",
    explain = "reads and writes per call that missed the last cache, by the "
      .. "processor's own counters" },
  { name = "aborts", unit = "places", exact = true, of_run = true,
    option = "profile",
    words = "places not compiled",
    explain = "places at which LuaJIT's compiler gave up (--profile)" },
  { name = "traced", title = "traces", unit = "traces", exact = true,
    of_run = true, option = "profile",
    words = "traces compiled",
    explain = "traces that LuaJIT compiled of the bench (--profile)" },
  { name = "gc_minor", unit = "collections", no_interval = true, factor = 1000,
    words = "minor collections in 1,000 calls",
    explain = "minor collections in a thousand calls (generational mode)" },
  { name = "gc_major", unit = "collections", no_interval = true, factor = 1000,
    words = "major collections in 1,000 calls",
    explain = "major collections (whole cycles) in a thousand calls" },
  { name = "minor_time", unit = "ns", at_reference = true,
    words = "a minor collection",
    explain = "time of one minor collection (generational mode)" },
  { name = "major_time", unit = "ns", at_reference = true,
    words = "a major collection",
    explain = "time of one major collection, or of all steps of a cycle" },
  { name = "promoted", unit = "bytes", no_interval = true,
    words = "grows old",
    explain = "of the bytes of a call, what minor collections let grow old" },
  { name = "retained", unit = "bytes", no_interval = true,
    words = "kept",
    explain = "bytes per call that a full collection leaves: what is kept" },
  { name = "full_time", unit = "ns", no_interval = true,
    words = "a full collection",
    explain = "time of a full collection after the bench has run, with all "
      .. "that it keeps alive" },
}

local by_name = {}
for _, metric in ipairs(list) do
  by_name[metric.name], metric.title = metric, metric.title or metric.name
end

--- Every metric, in the order in which they are shown.
---@return table[] metrics with the fields above
function metrics.all() return list end

--- The metric of a name, or nil.
---@param name string
---@return table?
function metrics.find(name) return by_name[name] end

local function finite(x)
  return type(x) == "number" and x == x and x ~= 1/0 and x ~= -1/0
end

--- A result's figure as { value, low?, high? }, whether it is an
--- estimate or a plain number; nil where it was not measured.
---@param result table
---@param name string
---@return { value: number, low: number?, high: number? }?
function metrics.get(result, name)
  local figure = result[name]
  if finite(figure) then return { value = figure } end
  if type(figure) ~= "table" or not finite(figure.value) then return nil end
  return figure
end

--- The length of a cycle at the reference clock of a result, in ns; nil where
--- its times are those of the plain clock.
---@param result table
---@return number?
function metrics.reference_ns(result)
  local time = metrics.get(result, "time")
  local cycles = metrics.get(result, "cycles")
  if result.time_from ~= "cycles" or not (time and cycles)
    or cycles.value <= 0 or time.value <= 0 then return nil end
  return time.value / cycles.value
end

--- Whether an estimate has an interval.
---@param estimate { low: number?, high: number? }?
---@return boolean
function metrics.has_interval(estimate)
  return estimate ~= nil and finite(estimate.low) and finite(estimate.high)
end

return metrics
