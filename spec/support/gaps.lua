-- Reports in which something is missing or absurd, one place at a time: what
-- renders them must take it.
local fixtures = require "spec.support.fixtures"

local gaps = {}

--- What stands in the place of a value, by how a renderer then has to do.
gaps.NONE = {}
gaps.VALUES = { ["without any one field"] = gaps.NONE,
  ["with any number unknown"] = 0/0, ["with any number zero"] = 0,
  ["with any number below zero"] = -1, ["with any number absurd"] = 1e308 }

local function copy(t)
  if type(t) ~= "table" then return t end
  local c = {}
  for key, value in pairs(t) do c[key] = copy(value) end
  return c
end

-- Every path to a value that is no element of a list of numbers.
local function paths(t, prefix, list)
  for key, value in pairs(t) do
    local path = { leaf = type(value) }
    for i, step in ipairs(prefix) do path[i] = step end
    path[#path + 1] = key
    list[#list + 1] = path
    local is_list = type(value) == "table" and (type(value[1]) == "number"
      or key == "predictors")
    if type(value) == "table" and not is_list then
      paths(value, path, list)
    end
  end
  return list
end

local function with(report, path, value)
  local changed = copy(report)
  local t = changed
  for i = 1, #path - 1 do t = t[path[i]] end
  t[path[#path]] = value
  return changed
end

--- The small Report: a fresh one at each call.
function gaps.small_report()
  local report = fixtures.report()
  report.results = { report.results[5] }
  for _, column in pairs(report.results[1].samples) do
    for i = #column, 17, -1 do column[i] = nil end
  end
  -- What newer results have, too.
  local result = report.results[1]
  result.launches, result.time_from = 10, "cycles"
  result.waited_ns = 1e8
  result.groups = { { share = 0.7, value = 264 }, { share = 0.3, value = 300 } }
  result.launch_values = { 264, 265, 300 }
  result.cycles, result.cycles_needed_ns = fixtures.estimate(790, 0.01), 3e9
  result.warnings, result.samples.cycle_ns = { "few_cycles" }, {}
  for i in ipairs(result.samples.iters) do
    result.samples.cycle_ns[i] = 0.33 + i / 1000
  end
  report.env.clock = { reference_ghz = 2.97, reference_ns = 0.3367,
    seen_ghz = { low = 2.5, high = 2.97 }, from = "remembered" }
  report.env.crowded = 0.3
  report.options.quota = { ns = 2e8 }
  report.options.regress = { { responder = "time", intercept = true,
    predictors = { "iters", "gc_minor", "gc_major" } } }
  report.comparisons = { { a = result.id, b = result.id, between = "reports",
    other = "old", metric = "time", verdict = "faster",
    ratio = { value = 0.5, low = 0.4, high = 0.6 } } }
  for _, series in ipairs(report.sweeps[1].series) do
    for i = #series.points, 3, -1 do series.points[i] = nil end
  end
  return report
end

--- Calls visit(report, name of the place) once for each place in a small
--- Report, with its value replaced: nil takes out any value, a number stands in
--- for a number.
function gaps.each(value, visit)
  local report = gaps.small_report()
  for _, path in ipairs(paths(report, {}, {})) do
    local whole = path[1] == "results" and not path[2]
    if not whole and (value == nil or path.leaf == "number") then
      visit(with(report, path, value), table.concat(path, "."))
    end
  end
end

return gaps
