-- Shards: each of several processes measures a part of a run, and what they
-- store becomes one report.
local ids = require "tare.base.ids"
local lists = require "tare.base.lists"
local numerals = require "tare.base.numerals"
local store = require "tare.store"
local units = require "tare.base.units"

local shards = {}

-- PARTS ----------------------------------------------------------------------

-- Which part of a run is measured here: --shard i/N. Each of N processes works
-- this out alone, so it may depend only on what all of them know: the cells,
-- and the costs in a stored report that is given to all. The order of the cells
-- is not among it: a bench file may add its benches with pairs().

local MOST_SHARDS = 10000 -- each has a load to add to

--- Reads "2/4".
---@param text string
---@return { index: integer, count: integer }? part
---@return string? message
function shards.parse(text)
  local index, count = tostring(text):match("^%s*(%d+)%s*/%s*(%d+)%s*$")
  index, count = tonumber(index), tonumber(count)
  if count and count > MOST_SHARDS then
    return nil, ("'%s' is too many shards: at most %d"):format(text,
      MOST_SHARDS)
  end
  if index and index >= 1 and index <= count then
    return { index = index, count = count }
  end
  return nil, ("'%s' is not a shard (like 1/4)"):format(tostring(text))
end

-- Groups of items by their number, the costliest first; ties by name. A cost
-- that is unknown is taken as the median of the known.
local function by_cost(items)
  local known, numbers = {}, {}
  for i, item in ipairs(items) do
    known[#known + 1], numbers[i] = item.cost, i
  end
  table.sort(known)
  local usual = known[math.floor(#known / 2) + 1] or 1
  local groups = lists.grouped(numbers, function(i) return items[i].group end)
  for _, group in ipairs(groups) do
    group.name, group.cost = items[group[1]].group, 0
    for _, i in ipairs(group) do
      group.cost = group.cost + (items[i].cost or usual)
    end
  end
  table.sort(groups, function(a, b)
    if a.cost ~= b.cost then return a.cost > b.cost end
    return a.name < b.name
  end)
  return groups
end

--- The shard of each item. Items of one group stay together; the costliest
--- group goes to the least loaded shard, and so on (longest processing time
--- first; at worst a third above the best, Graham, 1969).
---@param items { group: string, cost: number? }[] group: what is compared;
---  cost: expected time, in any unit
---@param count integer of shards
---@return integer[] of items, each from 1 to count
function shards.assign(items, count)
  local loads, assigned = {}, {}
  for k = 1, count do loads[k] = 0 end
  for _, group in ipairs(by_cost(items)) do
    local least = 1
    for k = 2, count do
      if loads[k] < loads[least] then least = k end
    end
    loads[least] = loads[least] + group.cost
    for _, i in ipairs(group) do assigned[i] = least end
  end
  return assigned
end

--- The items of one shard, in their order.
---@param items { group: string, cost: number? }[]
---@param part { index: integer, count: integer }
---@return table[]
function shards.select(items, part)
  local chosen, assigned = {}, shards.assign(items, part.count)
  for i, item in ipairs(items) do
    if assigned[i] == part.index then chosen[#chosen + 1] = item end
  end
  return chosen
end

-- MERGING --------------------------------------------------------------------

-- Makes one report of the files of shards, whose results need not be in memory
-- for it.

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b or a ~= a and b ~= b
  end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- The first by name of the options that differ.
local function differing_option(a, b)
  local keys = {}
  for _, side in ipairs { a, b } do
    for key in pairs(side) do
      if not same(a[key], b[key]) then keys[#keys + 1] = key end
    end
  end
  table.sort(keys)
  return keys[1]
end

-- As it is written on the command line, where it is a quota.
local function show(value)
  if type(value) == "number" then return numerals.plain(value) end
  if type(value) ~= "table" then return tostring(value) end
  if value.ns then return units.brief(value.ns, 9) end
  if value.calls then return numerals.plain(value.calls) .. "x" end
  local keys = lists.keys(value)
  for i, key in ipairs(keys) do
    keys[i] = tostring(key) .. "=" .. show(value[key])
  end
  return "{" .. table.concat(keys, ",") .. "}"
end

--- What differs between the options of two reports.
---@param first table Report
---@param other table Report
---@param names string[] what to call them
---@return string? message nil where nothing does
function shards.check_options(first, other, names)
  local a, b = first.options or {}, other.options or {}
  local key = differing_option(a, b)
  if key then
    return ("option '%s' differs: %s in %s, %s in %s"):format(key,
      show(a[key]), names[1], show(b[key]), names[2])
  end
end

-- The values of the parameters in an id, numbers as numbers.
local function sort_key(result)
  local key = {}
  local _, texts = ids.split(result.id)
  for i, text in ipairs(texts) do
    local value = text:match("=(.*)$") or text
    local number = tonumber(value)
    key[i] = number == number and number or value -- LuaJIT reads "nan"
  end
  return key
end

local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    if type(a[i]) ~= type(b[i]) then return type(a[i]) == "number" end
    if a[i] ~= b[i] then return a[i] < b[i] end
  end
  return #a < #b
end

-- Benches by first appearance, their cells by their parameters.
local function sort(results)
  local places, keys, count = {}, {}, 0
  for _, result in ipairs(results) do
    local bench = ids.split(result.id)
    if not places[bench] then count, places[bench] = count + 1, count end
    keys[result] = { places[bench], sort_key(result) }
  end
  table.sort(results, function(x, y)
    local a, b = keys[x], keys[y]
    if a[1] ~= b[1] then return a[1] < b[1] end
    return precedes(a[2], b[2])
  end)
end

--- One report of several files, of whose results only 'id' and 'env_index' are
--- kept: who knows these can walk over the files once more (tare.store.walk).
--- Refuses reports with other options, a bench of other sources, or a result
--- twice. 'envs' lists the fingerprints of all, and each result's 'env_index'
--- says which is its own ('env' is the first). Sweeps are not merged: read them
--- again from the results.
---@param paths string[] at least one
---@param note fun(message: string) for files whose end is missing
---@return table? report
---@return string? message
function shards.merge(paths, note)
  local merged, first, results = { envs = {}, comparisons = {} }, nil, {}
  local places, source_of = {}, {}
  for number, path in ipairs(paths) do
    local offset = #merged.envs
    -- What is wrong with a result. In a file that grew ('may_repeat'), the last
    -- one of a bench counts.
    local function add(result, may_repeat)
      local known, bench = places[result.id], ids.split(result.id)
      if known and not (may_repeat and known.number == number) then
        return ("'%s' is in %s and in %s: shards have different benches ('tare "
          .. "compare' compares two runs)"):format(result.id,
          paths[known.number], path)
      end
      local source = source_of[bench]
      if source and result.source and source ~= result.source then
        return ("'%s' is not of the same source everywhere"):format(bench)
      end
      local at = known and known.at or #results + 1
      results[at] = { id = result.id,
        env_index = offset + (result.env_index or 1) }
      places[result.id] = { number = number, at = at }
      source_of[bench] = source or result.source
    end
    local wrong
    local report, message = store.walk(path, function(result, line)
      wrong = wrong or add(result, line)
    end)
    if not report then return nil, message end
    first = first or report
    wrong = shards.check_options(first, report, { paths[1], path }) or wrong
    if wrong then return nil, wrong end
    lists.append(merged.envs, report.envs or { report.env })
    lists.append(merged.comparisons, report.comparisons)
    if message then note(message) end
  end
  for key, value in pairs(first) do
    if merged[key] == nil and key ~= "sweeps"
      and key ~= "interrupted" then -- the totals of parts are not a total
      merged[key] = value
    end
  end
  sort(results)
  merged.results = results
  return merged
end

return shards
