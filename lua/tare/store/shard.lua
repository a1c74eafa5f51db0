-- Which part of a run is measured here: --shard i/N. Each of N processes works
-- this out alone, so it may depend only on what all of them know: the cells,
-- and the costs in a stored report that is given to all. The order of the cells
-- is not among it: a bench file may add its benches with pairs().
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

local function median(values)
  table.sort(values)
  return values[math.floor(#values / 2) + 1]
end

-- Costs of the items; one that is unknown is taken as the median of the known.
local function costs_of(items)
  local costs, known = {}, {}
  for i, item in ipairs(items) do
    costs[i] = item.cost
    known[#known + 1] = item.cost
  end
  local usual = median(known) or 1
  for i = 1, #items do costs[i] = costs[i] or usual end
  return costs
end

-- Groups of items, the costliest first; ties by name.
local function groups_of(items)
  local groups, index, costs = {}, {}, costs_of(items)
  for i, item in ipairs(items) do
    local group = index[item.group]
    if not group then
      group = { name = item.group, cost = 0, members = {} }
      groups[#groups + 1], index[item.group] = group, group
    end
    group.cost = group.cost + costs[i]
    group.members[#group.members + 1] = i
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
    for _, i in ipairs(group.members) do assigned[i] = least end
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
