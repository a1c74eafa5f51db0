-- Which part of a run is measured here: --shard i/N. Each of N processes works
-- this out alone, so it may depend only on what all of them know: the cells,
-- and the costs in a stored report that is given to all. The order of the cells
-- is not among it: a bench file may add its benches with pairs().
local lists = require "tare.base.lists"

local shard = {}

local MOST = 10000 -- shards; each has a load to add to

--- Reads "2/4".
---@param text string
---@return { index: integer, count: integer }? part
---@return string? message
function shard.parse(text)
  local index, count = tostring(text):match("^%s*(%d+)%s*/%s*(%d+)%s*$")
  index, count = tonumber(index), tonumber(count)
  if count and count > MOST then
    return nil, ("'%s' is too many shards: at most %d"):format(text, MOST)
  end
  if index and index >= 1 and index <= count then
    return { index = index, count = count }
  end
  return nil, ("'%s' is not a shard (like 1/4)"):format(tostring(text))
end

-- Groups of items by their number, the costliest first; ties by name. A cost
-- that is unknown is taken as the median of the known.
local function groups_of(items)
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
function shard.assign(items, count)
  local loads, assigned = {}, {}
  for k = 1, count do loads[k] = 0 end
  for _, group in ipairs(groups_of(items)) do
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
function shard.select(items, part)
  local chosen, assigned = {}, shard.assign(items, part.count)
  for i, item in ipairs(items) do
    if assigned[i] == part.index then chosen[#chosen + 1] = item end
  end
  return chosen
end

return shard
