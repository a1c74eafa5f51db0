-- Whether implementations that are compared do the same: each is called once,
-- before it is measured, and what it returns is held against what the first of
-- its group returned.
local agree = {}

local LONGEST = 60 -- characters of a value in a message
local LONGEST_PATH = 10 -- keys in it

-- A copy that later calls can't change, however deep the value is.
local function snapshot(value)
  local copies, waiting = {}, {}
  local function copy_of(item)
    if type(item) ~= "table" then return item end
    if not copies[item] then
      copies[item] = {}
      waiting[#waiting + 1] = item
    end
    return copies[item]
  end
  local copy, done = copy_of(value), 0
  while done < #waiting do
    done = done + 1
    local source = waiting[done]
    for key, item in next, source do
      copies[source][copy_of(key)] = copy_of(item)
    end
  end
  return copy
end

local function show(value)
  local text = type(value) == "string" and ("%q"):format(value)
    or tostring(value)
  if type(value) == "table" then text = "a table" end
  return #text > LONGEST and text:sub(1, LONGEST) .. "..." or text
end

local OPAQUE = { ["function"] = true, userdata = true, thread = true }

-- Functions and the like are made anew by each call: only their kind can agree.
local function same_atom(a, b)
  return a == b or (a ~= a and b ~= b)
    or OPAQUE[type(a)] and type(a) == type(b)
end

-- Where a pair of values stands: the keys to it, of long ways the first ones.
local function path_to(pair, root)
  local keys = {}
  while pair.parent do
    keys[#keys + 1] = pair.key
    pair = pair.parent
  end
  local path, n = { root }, #keys
  for i = n, math.max(1, n - LONGEST_PATH + 1), -1 do
    path[#path + 1] = "[" .. show(keys[i]) .. "]"
  end
  if n > LONGEST_PATH then path[#path + 1] = "..." end
  return table.concat(path)
end

local function first_byte(a, b)
  local low, high = 0, math.min(#a, #b) + 1 -- alike so far, and not
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if a:sub(1, middle) == b:sub(1, middle) then low = middle
    else high = middle end
  end
  return high
end

local function describe(pair, root)
  local a, b = pair.a, pair.b
  local there, here = show(a), show(b)
  if type(a) == "string" and there == here then
    return ("%s differs from byte %d on: %s"):format(path_to(pair, root),
      first_byte(a, b), there)
  end
  return ("%s is %s there, and %s here"):format(path_to(pair, root), there,
    here)
end

-- Whether two tables were held against each other before; from now on they are.
local function was_seen(seen, a, b)
  local others = seen[a]
  if not others then
    others = {}
    seen[a] = others
  end
  local before = others[b]
  others[b] = true
  return before
end

-- The pairs of values of two tables, to be compared in their turn; a key of one
-- that the other lacks is such a pair too. Keys that are tables themselves are
-- only counted: true if one has more of them.
local function add_pairs(pair, waiting)
  local keyed = 0
  for key, item in next, pair.a do
    if type(key) == "table" then
      keyed = keyed + 1
    else
      waiting[#waiting + 1] = { a = item, b = rawget(pair.b, key), key = key,
        parent = pair }
    end
  end
  for key, item in next, pair.b do
    if type(key) == "table" then
      keyed = keyed - 1
    elseif rawget(pair.a, key) == nil then
      waiting[#waiting + 1] = { b = item, key = key, parent = pair }
    end
  end
  return keyed ~= 0
end

-- A list of pairs instead of recursion: tables may be as deep as they like.
local function difference(a, b, root)
  local waiting, done, seen = { { a = a, b = b } }, 0, {}
  while done < #waiting do
    done = done + 1
    local pair = waiting[done]
    if type(pair.a) ~= "table" or type(pair.b) ~= "table" then
      if not same_atom(pair.a, pair.b) then return describe(pair, root) end
    elseif not was_seen(seen, pair.a, pair.b)
      and add_pairs(pair, waiting) then
      return path_to(pair, root) .. " has more keys in one than in the other"
    end
  end
end

--- Where two values differ, tables by what is in them.
---@param a any
---@param b any
---@return string? difference nil where they are equal
function agree.difference(a, b)
  return difference(a, b, "the result")
end

--- Calls a fixture once; its results must equal those of the first of its
--- group that was asked.
---@param group table shared by what is compared
---@param id string
---@param fixture table prepared
---@return true?
---@return string? message
function agree.check(group, id, fixture)
  local results, message = fixture:answer()
  if not results then return nil, message end
  if not group.answer then
    group.answer = { id = id, results = snapshot(results) }
    return true
  end
  local there = group.answer
  for i = 1, math.max(results.n, there.results.n) do
    local found = difference(there.results[i], results[i],
      i == 1 and "the result" or "result " .. i)
    if found then
      return nil, ("does not agree with %s: %s"):format(there.id, found)
    end
  end
  return true
end

return agree
