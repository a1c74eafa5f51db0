-- From what the profile pass counted (callees and places of core.profile) to
-- figures per call: by source line, by function and by call stack. Sums over
-- lines and sums over stacks are what was counted, to the last instruction and
-- byte. Sorted, so that equal counts give equal files.
local profile = {}

local COUNTS = { "instructions", "allocs", "bytes", "freed_bytes" }
profile.COUNTS = COUNTS

local OUTSIDE = "[C]" -- the source of what no line of Lua has called

local function nothing_of(figures)
  for _, name in ipairs(COUNTS) do
    if figures[name] ~= 0 then return false end
  end
  return true
end

local function add(to, from, calls)
  for _, name in ipairs(COUNTS) do
    to[name] = (to[name] or 0) + from[name] / calls
  end
end

-- The line of Lua that a place is at or was called from.
local function line_of(raw, place)
  while place.parent do
    local callee = raw.callees[place.callee]
    if not callee.is_c then return callee.source, place.line end
    place = raw.places[place.parent]
  end
  return OUTSIDE, 0
end

local function by_line(a, b)
  if a.source ~= b.source then return a.source < b.source end
  return a.line < b.line
end

local function lines_of(raw, calls)
  local found, list = {}, {}
  for _, place in ipairs(raw.places) do
    if not nothing_of(place) then
      local source, line = line_of(raw, place)
      local key = source .. "\0" .. line
      if not found[key] then
        found[key] = { source = source, line = line }
        list[#list + 1] = found[key]
      end
      add(found[key], place, calls)
    end
  end
  table.sort(list, by_line)
  return list
end

-- "parse (json.lua:12)": a function as it is called, and where it is defined.
local function label_of(callee)
  if callee.is_c then return callee.name end
  local file = callee.source:match("[^/\\]+$") or callee.source
  if callee.name == "main chunk" then
    return ("main chunk (%s)"):format(file)
  end
  return ("%s (%s:%d)"):format(callee.name or "function", file, callee.line)
end

local function functions_of(raw, calls)
  local list, of = {}, {}
  for i, callee in ipairs(raw.callees) do
    of[i] = { name = label_of(callee), source = callee.source,
      line = callee.source and callee.line or nil,
      calls = callee.calls / calls, ns = callee.ns and callee.ns / calls }
    for _, name in ipairs(COUNTS) do of[i][name] = 0 end
    if callee.calls > 0 then list[#list + 1] = of[i] end
  end
  for _, place in ipairs(raw.places) do
    if place.callee then add(of[place.callee], place, calls) end
  end
  table.sort(list, function(a, b)
    if a.name ~= b.name then return a.name < b.name end
    if a.source ~= b.source then
      return (a.source or "") < (b.source or "")
    end
    return (a.line or 0) < (b.line or 0)
  end)
  return list
end

-- Stacks as lists of frames, from the bench's function inwards; each frame is
-- a function and the line that it executes, listed once in 'frames'.
local function stacks_of(raw, calls)
  local frames, number, list = {}, {}, {}
  local function key_of(place)
    local callee = raw.callees[place.callee]
    return ("%s\0%s\0%d"):format(label_of(callee), callee.source or "",
      place.line), callee
  end
  local keys, seen = {}, {}
  for _, place in ipairs(raw.places) do
    if place.parent then
      local key, callee = key_of(place)
      if not seen[key] then
        seen[key], keys[#keys + 1] = true, { key = key, frame = {
          name = label_of(callee), source = callee.source,
          line = callee.source and place.line or nil } }
      end
    end
  end
  table.sort(keys, function(a, b) return a.key < b.key end)
  for i, entry in ipairs(keys) do
    frames[i], number[entry.key] = entry.frame, i
  end
  local by_key = {}
  for _, place in ipairs(raw.places) do
    if not nothing_of(place) or place.calls > 0 then
      local stack, at = {}, place
      while at.parent do
        table.insert(stack, 1, number[(key_of(at))])
        at = raw.places[at.parent]
      end
      local key = table.concat(stack, ";")
      if not by_key[key] then
        by_key[key] = { frames = stack, calls = 0 }
        list[#list + 1] = by_key[key]
      end
      by_key[key].calls = by_key[key].calls + place.calls / calls
      if place.ns then
        by_key[key].ns = (by_key[key].ns or 0) + place.ns / calls
      end
      add(by_key[key], place, calls)
    end
  end
  table.sort(list, function(a, b)
    for i = 1, math.max(#a.frames, #b.frames) do
      local x, y = a.frames[i] or 0, b.frames[i] or 0
      if x ~= y then return x < y end
    end
    return false
  end)
  return frames, list
end

--- A profile per call, as plain data.
---@param raw { callees: table[], places: table[] } of core.profile
---@param calls integer that were profiled
---@return table profile calls; instructions, allocs, bytes and freed_bytes;
---  lines = { {source, line, ...} }, functions = { {name, source?, line?,
---  calls, ns? (of C functions)...} }, frames, stacks = { {frames, calls, ns?
---  (in the C function at their end)...} }
function profile.of(raw, calls)
  local made = { calls = calls, lines = lines_of(raw, calls),
    functions = functions_of(raw, calls) }
  made.frames, made.stacks = stacks_of(raw, calls)
  for _, name in ipairs(COUNTS) do made[name] = 0 end
  for _, place in ipairs(raw.places) do add(made, place, calls) end
  return made
end

return profile
