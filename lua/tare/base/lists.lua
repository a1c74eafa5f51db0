-- Tables: what is in lists, brought into groups, or into maps; copies.
local lists = {}

--- A copy of a table. What is in it is shared.
---@param original table
---@return table
function lists.copy(original)
  local copy = {}
  for key, value in pairs(original) do copy[key] = value end
  return copy
end

--- Whether an item is in a list.
---@param list any[]? nil is an empty one
---@param wanted any
---@return boolean
function lists.has(list, wanted)
  for _, item in ipairs(list or {}) do
    if item == wanted then return true end
  end
  return false
end

--- Adds items to the end of a list.
---@param list any[]
---@param items any[]? nil: none
function lists.append(list, items)
  for _, item in ipairs(items or {}) do list[#list + 1] = item end
end

--- The first item that passes a test; nil where none does.
---@param list any[]
---@param test fun(item: any): any
---@return any item
function lists.first(list, test)
  for _, item in ipairs(list) do
    if test(item) then return item end
  end
end

--- The items that pass a test, in their order.
---@param list any[]
---@param test fun(item: any): any
---@return any[]
function lists.those(list, test)
  local taken = {}
  for _, item in ipairs(list) do
    if test(item) then taken[#taken + 1] = item end
  end
  return taken
end

--- The keys of a map, sorted as texts.
---@param map table
---@return any[]
function lists.keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  return keys
end

--- The items of a list by what they have in common: groups in the order of
--- their first, items in theirs.
---@param list any[]
---@param key_of fun(item: any): any nil: the item is in no group
---@return any[][] groups
function lists.grouped(list, key_of)
  local groups, by_key = {}, {}
  for _, item in ipairs(list) do
    local key = key_of(item)
    if key ~= nil and not by_key[key] then
      by_key[key] = {}
      groups[#groups + 1] = by_key[key]
    end
    if key ~= nil then table.insert(by_key[key], item) end
  end
  return groups
end

--- Results, or cells, by their id.
---@param list { id: string }[]
---@return table<string, table>
function lists.by_id(list)
  local map = {}
  for _, item in ipairs(list) do map[item.id] = item end
  return map
end

--- The first few of some texts, and how many more there are.
---@param texts string[]
---@param few integer
---@return string
function lists.named(texts, few)
  local rest = #texts > few and (" and %d more"):format(#texts - few) or ""
  return table.concat(texts, ", ", 1, math.min(few, #texts)) .. rest
end

--- All of some texts as a sentence lists them: "a, b and c".
---@param texts string[]
---@return string
function lists.sentence(texts)
  if #texts < 2 then return texts[1] or "" end
  return table.concat(texts, ", ", 1, #texts - 1) .. " and " .. texts[#texts]
end

--- A list cut into blocks of neighbours, of as near the same length as can be.
---@param list any[]
---@param count integer of blocks; fewer where the list is shorter
---@return any[][]
function lists.blocks(list, count)
  local blocks = {}
  count = math.min(count, #list)
  for b = 1, count do
    local block = {}
    for i = math.floor((b - 1) * #list / count) + 1,
      math.floor(b * #list / count) do
      block[#block + 1] = list[i]
    end
    blocks[b] = block
  end
  return blocks
end

return lists
