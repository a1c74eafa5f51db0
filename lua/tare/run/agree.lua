-- Whether implementations that are compared do the same: each is called once,
-- before it is measured, and what it returns is held against what the first of
-- its group returned.
local agree = {}

local LONGEST = 60 -- characters of a value in a message

-- A copy that later calls can't change.
local function snapshot(value, seen)
  if type(value) ~= "table" then return value end
  if seen[value] then return seen[value] end
  local copy = {}
  seen[value] = copy
  for key, item in next, value do
    copy[snapshot(key, seen)] = snapshot(item, seen)
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

local difference

-- Keys of one that the other lacks, or where they differ. Keys that are tables
-- themselves are only counted.
local function tables_differ(a, b, path, seen)
  if seen[a] == b then return nil end
  seen[a] = b
  local keyed = 0
  for key, item in next, a do
    if type(key) == "table" then
      keyed = keyed + 1
    else
      local found = difference(item, b[key], path .. "[" .. show(key) .. "]",
        seen)
      if found then return found end
    end
  end
  for key, item in next, b do
    if type(key) == "table" then
      keyed = keyed - 1
    elseif a[key] == nil then
      return difference(nil, item, path .. "[" .. show(key) .. "]", seen)
    end
  end
  if keyed ~= 0 then
    return path .. " has more keys in one than in the other"
  end
end

function difference(a, b, path, seen)
  if type(a) == "table" and type(b) == "table" then
    return tables_differ(a, b, path, seen)
  end
  if same_atom(a, b) then return nil end
  return ("%s is %s there, and %s here"):format(path, show(a), show(b))
end

--- Where two values differ, tables by what is in them.
---@param a any
---@param b any
---@return string? difference nil where they are equal
function agree.difference(a, b)
  return difference(a, b, "the result", {})
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
    group.answer = { id = id, results = snapshot(results, {}) }
    return true
  end
  local there = group.answer
  for i = 1, math.max(results.n, there.results.n) do
    local found = difference(there.results[i], results[i],
      i == 1 and "the result" or "result " .. i, {})
    if found then
      return nil, ("does not agree with %s: %s"):format(there.id, found)
    end
  end
  return true
end

return agree
