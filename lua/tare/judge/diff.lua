-- Compares two stored reports, bench by bench. Core cycles are preferred to
-- nanoseconds where both reports have them: a slower day of the same machine
-- is then no difference.
local fingerprint = require "tare.judge.fingerprint"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"

local diff = {}

--- The metric that tells how long a bench takes, for two of its results:
--- "cycles" where both were counted in the same way, else "time".
---@param a table result
---@param b table result
---@return "cycles"|"time"
function diff.metric(a, b)
  if metrics.get(a, "cycles") and metrics.get(b, "cycles")
    and a.cycles_from == b.cycles_from then
    return "cycles"
  end
  return "time"
end

--- The ratio of a metric of two results, each with its interval; nil where one
--- of them was not measured, or is not above zero.
---@param a table result
---@param b table result
---@param metric string
---@return { value: number, low: number, high: number }?
function diff.ratio(a, b, metric)
  local x, y = metrics.get(a, metric), metrics.get(b, metric)
  return x and y and interval.ratio(x, y)
end

local function compare_pair(a, b, tolerance)
  local metric = diff.metric(a, b)
  local ratio = diff.ratio(a, b, metric)
  if not ratio then return nil end
  local verdict = interval.verdict(ratio, tolerance)
  if ratio.high == 1/0 then ratio.high = nil end
  return { a = a.id, b = b.id, metric = metric, ratio = ratio,
    verdict = verdict, between = "reports" }
end

-- Ids of 'results' that 'others' lacks.
local function missing(results, others)
  local ids = {}
  for _, result in ipairs(results) do
    if not others[result.id] then ids[#ids + 1] = result.id end
  end
  return ids
end

--- Compares report 'a' against report 'b', by id. A pair whose times can't be
--- compared (see tare.judge.fingerprint) is left out, unless options.force.
---@param a table Report, the one that is judged
---@param b table Report, what it is judged against
---@param options { force: boolean?, tolerance: number?, names: string[]? }?
---@return { comparisons: table[], differences: table[], refused: string[],
---  only_a: string[], only_b: string[] } comparisons as in a Report, 'a' and
---  'b' of each the same id; 'refused' are ids left out
function diff.reports(a, b, options)
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

return diff
