-- Compares figures bench by bench: of two stored reports, or of the revisions
-- that were measured in one run. Core cycles are preferred to nanoseconds where
-- both reports have them: a slower day of the same machine is then no
-- difference.
local fingerprint = require "tare.judge.fingerprint"
local ids = require "tare.base.ids"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"

local compare = {}

--- The metric for the time of a bench in two of its results:
--- "cycles" where both were counted in the same way, else "time".
---@param a table result
---@param b table result
---@return "cycles"|"time"
function compare.metric(a, b)
  if metrics.get(a, "cycles") and metrics.get(b, "cycles")
    and a.cycles_from == b.cycles_from then
    return "cycles"
  end
  return "time"
end

local ROUNDING = 1e-9 -- of two references that are the same

--- A result with its times at the reference clock of another one, where both
--- have one. Each report has that of its own run: times of two say how the code
--- has changed only at the same clock.
---@param result table
---@param other table result
---@return table result a copy, or the result itself where nothing changes
function compare.at_clock_of(result, other)
  local own, wanted = metrics.reference_ns(result), metrics.reference_ns(other)
  local factor = own and wanted and wanted / own or 1
  if math.abs(factor - 1) < ROUNDING then return result end
  local copy = lists.copy(result)
  for _, metric in ipairs(metrics.all()) do
    local figure = metric.at_reference and metrics.get(result, metric.name)
    if figure then
      copy[metric.name] = { value = figure.value * factor, unit = metric.unit,
        low = figure.low and figure.low * factor,
        high = figure.high and figure.high * factor }
    end
  end
  return copy
end

-- Nil where one of two results was not measured, or is not above zero.
local function compare_pair(a, b, tolerance)
  local metric = compare.metric(a, b)
  local x, y = metrics.get(a, metric), metrics.get(b, metric)
  local ratio = x and y and interval.ratio(x, y)
  if not ratio then return nil end
  local verdict = interval.verdict(ratio, tolerance)
  if ratio.high == 1/0 then ratio.high = nil end
  return { a = a.id, b = b.id, metric = metric, ratio = ratio,
    verdict = verdict, between = "reports" }
end

-- Ids of 'results' that 'others' lacks.
local function missing(results, others)
  local list = {}
  for _, result in ipairs(results) do
    if not others[result.id] then list[#list + 1] = result.id end
  end
  return list
end

--- Compares report 'a' against report 'b', by id. A pair whose times can't be
--- compared (see tare.judge.fingerprint) is left out, unless options.force.
---@param a table Report, the one that is judged
---@param b table Report, what it is judged against
---@param options { force: boolean?, tolerance: number?, names: string[]? }?
---@return { comparisons: table[], differences: table[], refused: string[],
---  only_a: string[], only_b: string[] } comparisons as in a Report, 'a' and
---  'b' of each the same id; 'refused' are ids left out
function compare.reports(a, b, options)
  options = options or {}
  local differences = fingerprint.compare(a, b, options.names)
  local forbidden = fingerprint.guard(options.force and {} or differences)
  local of_b, comparisons, refused = lists.by_id(b.results), {}, {}
  for _, result in ipairs(a.results) do
    local other = of_b[result.id]
    if other and forbidden(result.id, "time") then
      refused[#refused + 1] = result.id
    elseif other then
      comparisons[#comparisons + 1] = compare_pair(result, other,
        options.tolerance)
    end
  end
  return { comparisons = comparisons, differences = differences,
    refused = refused, only_a = missing(a.results, of_b),
    only_b = missing(b.results, lists.by_id(a.results)) }
end

-- The comparisons that a run made of its cells: [a][b], either way round.
local function by_pair(comparisons)
  local map = {}
  local function put(a, b, one)
    map[a] = map[a] or {}
    map[a][b] = map[a][b] or one
  end
  for _, one in ipairs(comparisons) do put(one.a, one.b, one) end
  for _, one in ipairs(comparisons) do
    local value = one.ratio.value
    if value and value > 0 then put(one.b, one.a, interval.reversed(one)) end
  end
  return map
end

-- Results of the working tree, and of each revision with the ids that they have
-- in the working tree; the revisions in the order of their first result.
local function by_revision(results)
  local working, refs, own_id = {}, {}, {}
  for _, result in ipairs(results) do
    local ref = result.params and result.params.ref
    if ref == nil then
      working[#working + 1] = result
    else
      ref = tostring(ref)
      if not refs[ref] then
        refs[ref] = {}
        refs[#refs + 1] = ref
      end
      local copy = lists.copy(result)
      copy.id = ids.without(result.id, "ref")
      own_id[copy] = result.id
      table.insert(refs[ref], copy)
    end
  end
  return working, refs, own_id
end

--- The comparisons of a run that measured several revisions beside the working
--- tree (a parameter 'ref'): for each revision, the cells of the working tree
--- with its own, by the run's lockstep, or by their figures if it has none.
---@param report table Report
---@param tolerance number?
---@return { ref: string, new: table, old: table, comparisons: table[] }[] two
---  Reports with the same ids, and comparisons as in a Report
function compare.revisions(report, tolerance)
  local working, refs, own_id = by_revision(report.results)
  local made, found = by_pair(report.comparisons or {}), {}
  for i, ref in ipairs(refs) do
    local old, comparisons = lists.by_id(refs[ref]), {}
    for _, result in ipairs(working) do
      local other = old[result.id]
      local id = other and own_id[other]
      local one = other and ((made[result.id] or {})[id]
        or compare_pair(result, other, tolerance))
      if one then
        comparisons[#comparisons + 1] = { a = result.id, b = id,
          metric = one.metric, rounds = one.rounds, ratio = one.ratio,
          verdict = one.verdict, between = "revisions", other = ref }
      end
    end
    found[i] = { ref = ref, comparisons = comparisons,
      new = { env = report.env, envs = report.envs, results = working },
      old = { env = report.env, envs = report.envs, results = refs[ref] } }
  end
  return found
end

return compare
