-- Two versions that were measured in turn, in pairs of launches: the ratio of
-- each pair, so that what slows the machine for a while slows both.
local core = require "tare.core"
local diff = require "tare.judge.diff"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"

local versions = {}

local FEWEST = 6 -- pairs, below which no interval of a median is possible

-- The metric that every launch of both has, and its ratios.
local function ratios_of(id, launches)
  local ratios, metric = {}, "cycles"
  for _, launch in ipairs(launches) do
    local a, b = launch.new[id], launch.old[id]
    if a and b and diff.metric(a, b) == "time" then metric = "time" end
  end
  for _, launch in ipairs(launches) do
    local a, b = launch.new[id], launch.old[id]
    local ratio = a and b and diff.ratio(a, b, metric)
    if ratio then ratios[#ratios + 1] = ratio.value end
  end
  return ratios, metric
end

local function compare(id, launches, options)
  local ratios, metric = ratios_of(id, launches)
  if #ratios == 0 then return nil end
  local found = core.stats.sign_interval(ratios, options.confidence)
  local ratio, verdict = { value = found.value }, "unclear"
  if #ratios >= FEWEST then
    ratio.low, ratio.high = found.low, found.high
    verdict = interval.verdict(ratio, options.tolerance)
  end
  return { a = id, b = id, metric = metric, rounds = #ratios, ratio = ratio,
    verdict = verdict, between = "revisions", other = options.name }
end

-- The results of each pair by their id.
local function maps_of(launches)
  local maps = {}
  for i, launch in ipairs(launches) do
    maps[i] = { new = lists.by_id(launch.new.results),
      old = lists.by_id(launch.old.results) }
  end
  return maps
end

--- Compares pairs of reports, bench by bench.
---@param launches { new: table, old: table }[] Reports of one launch each
---@param options { confidence: number, tolerance: number, name: string }
---@return table[] comparisons as in a Report, of the new against the old
function versions.compare(launches, options)
  local maps, comparisons = maps_of(launches), {}
  for _, result in ipairs(launches[1].new.results) do
    comparisons[#comparisons + 1] = compare(result.id, maps, options)
  end
  return comparisons
end

local function scaled(value, ratio)
  return { value = value * ratio.value, low = value * (ratio.low or 0),
    high = ratio.high and value * ratio.high or 1/0 }
end

local function census_calls(result)
  local census = result and result.passes and result.passes.census
  return census and census.iters
end

-- The first pair in which a bench was counted over as many calls on both sides;
-- the first one where there is none. As results by id.
local function like_counted(id, maps)
  for _, map in ipairs(maps) do
    local new, old = map.new[id], map.old[id]
    if new and old and census_calls(new) == census_calls(old) then
      return map
    end
  end
  return maps[1]
end

-- A result of one side, its times in the ratio of all pairs.
local function in_ratio(name, map, id, ratio)
  local copy, old = {}, map.old[id]
  local one = { value = 1, low = 1, high = 1 }
  for key, value in pairs(map[name][id]) do copy[key] = value end
  for _, metric in ipairs { "time", "cycles" } do
    local base = old and ratio and metrics.get(old, metric)
    copy[metric] = base and scaled(base.value, name == "new" and ratio or one)
      or nil
  end
  return copy
end

--- Two reports that gates can be held by: times stand in the ratio that all
--- pairs gave, counts are those of one pair that took them over as many calls.
---@param launches { new: table, old: table }[] Reports of one launch each
---@param comparisons table[] of versions.compare
---@return table new Report
---@return table old Report
function versions.reports(launches, comparisons)
  local ratios, sides, maps = {}, {}, maps_of(launches)
  for _, c in ipairs(comparisons) do ratios[c.a] = c.ratio end
  for name, report in pairs(launches[1]) do
    sides[name] = { env = report.env, results = {} }
    for i, result in ipairs(report.results) do
      local id = result.id
      sides[name].results[i] = in_ratio(name, like_counted(id, maps), id,
        ratios[id])
    end
  end
  return sides.new, sides.old
end

return versions
