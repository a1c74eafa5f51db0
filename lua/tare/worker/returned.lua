-- What a call returned, as plain data that another process can compare: the
-- values at all paths through the results, in a fixed order.
local numerals = require "tare.base.numerals"

local returned = {}

local LONGEST = 60 -- characters of a value in a message
local LONGEST_PATH = 10 -- keys of a path in a message

local function show(value)
  local text = type(value) == "string" and ("%q"):format(value)
    or tostring(value)
  return #text > LONGEST and text:sub(1, LONGEST) .. "..." or text
end

local OPAQUE = { ["function"] = true, userdata = true, thread = true }

-- A value that is no table, as text. Each call makes functions and the like
-- anew, so only their type can agree.
local function atom(value)
  if OPAQUE[type(value)] then return "a " .. type(value) end
  if type(value) == "string" then return "s" .. value end
  if value ~= value then return "nan" end
  return type(value) == "number" and numerals.plain(value) or tostring(value)
end

local function precedes(a, b)
  if type(a) ~= type(b) then return type(a) < type(b) end
  if type(a) == "boolean" then return not a and b end
  return a < b
end

local function path_of(keys, depth, root)
  local texts = { root }
  for i = 1, math.min(depth, LONGEST_PATH) do
    texts[#texts + 1] = "[" .. show(keys[i]) .. "]"
  end
  if depth > LONGEST_PATH then texts[#texts + 1] = "..." end
  return table.concat(texts)
end

-- Keys of a table that have an order, and how many have none.
local function keys_of(value)
  local keys, others = {}, 0
  for key in next, value do
    local kind = type(key)
    if kind == "string" or kind == "number" or kind == "boolean" then
      keys[#keys + 1] = key
    else
      others = others + 1
    end
  end
  table.sort(keys, precedes)
  return keys, others
end

-- Adds the parts of a value to a list of { path, value }. Each table is visited
-- once, in the order of the traversal, so the traversal ends even if a table
-- contains itself.
local function add(list, seen, value, root)
  local waiting, done = { { value = value, keys = {}, depth = 0 } }, 0
  while done < #waiting do
    done = done + 1
    local item = waiting[done]
    waiting[done] = false
    local path = path_of(item.keys, item.depth, root)
    if type(item.value) ~= "table" then
      list[#list + 1] = { path, atom(item.value) }
    elseif seen[item.value] then
      list[#list + 1] = { path, "t" .. seen[item.value] }
    else
      seen.count = seen.count + 1
      seen[item.value] = seen.count
      local keys, others = keys_of(item.value)
      list[#list + 1] = { path, ("t%d %d %d"):format(seen.count, #keys,
        others) }
      for _, key in ipairs(keys) do
        local way = {}
        for i = 1, math.min(item.depth, LONGEST_PATH) do
          way[i] = item.keys[i]
        end
        if #way < LONGEST_PATH then way[#way + 1] = key end
        waiting[#waiting + 1] = { value = rawget(item.value, key), keys = way,
          depth = item.depth + 1 }
      end
    end
  end
end

--- What a call returned.
---@param results table packed, with 'n'
---@return string[][] described pairs of a path and what is there
function returned.of(results)
  local list, seen = {}, { count = 0 }
  for i = 1, results.n do
    add(list, seen, results[i], i == 1 and "the result" or "result " .. i)
  end
  return list
end

local function in_words(text)
  if text:sub(1, 1) == "s" then return show(text:sub(2)) end
  if text:find("^t%d") then return "a table" end
  return text
end

local function first_byte(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return i end
  end
  return math.min(#a, #b) + 1
end

--- Where two calls differ.
---@param there string[][] of returned.of
---@param here string[][]
---@return string? difference nil where they are equal
function returned.difference(there, here)
  local is_here = {} -- paths
  for _, one in ipairs(here) do is_here[one[1]] = true end
  for i = 1, math.max(#there, #here) do
    local a, b = there[i], here[i]
    if not a or not b or a[1] ~= b[1] then
      local only = a and not is_here[a[1]] and a or b or a
      local is_there = only == a
      return ("%s is %s there, and %s here"):format(only[1],
        is_there and in_words(only[2]) or "nil",
        is_there and "nil" or in_words(only[2]))
    elseif a[2] ~= b[2] then
      local was, is = in_words(a[2]), in_words(b[2])
      if was ~= is then
        return ("%s is %s there, and %s here"):format(a[1], was, is)
      elseif a[2]:sub(1, 1) == "s" then
        return ("%s differs from byte %d on: %s"):format(a[1],
          first_byte(a[2], b[2]) - 1, was)
      end
      -- Tables of different sizes: a key that one of them lacks is found
      -- further on, unless keys have no order.
      local keys_a, odd_a = a[2]:match(" (%d+) (%d+)$")
      local keys_b, odd_b = b[2]:match(" (%d+) (%d+)$")
      if odd_a ~= odd_b or not keys_a or not keys_b then
        return a[1] .. " has more keys in one than in the other"
      end
    end
  end
end

return returned
