-- The profile pass: runs core.profile over some calls of a prepared bench, and
-- makes figures per call of what that counted (callees and places): by source
-- line, by function and by call stack. Adds the text of the lines that it
-- names. The sum over lines, and the sum over stacks, is what was counted, to
-- the last instruction and byte. Lists are sorted, so that equal counts give
-- equal files.
local compat = require "tare.base.compat"
local core = require "tare.core"
local heap = require "tare.worker.heap"

local profiler = {}

local AROUND = 2 -- lines that are kept around those with figures
local LONGEST_LINE = 200

-- Suggests a name for a function. Of several the shortest is kept, then the
-- first in the alphabet: so each process chooses the same one, whatever the
-- order of its tables.
local function suggest(names, fn, name)
  local known = names[fn]
  if not known or #name < #known or #name == #known and name < known then
    names[fn] = name
  end
end

-- The loaded modules, or the global tables where a host has no 'package'.
local function modules()
  local package = rawget(_G, "package")
  local loaded = type(package) == "table" and package.loaded
  return type(loaded) == "table" and loaded or _G
end

--- Names of functions that modules and the global table have: "string.rep".
---@return table<function, string>
function profiler.names()
  local names = {}
  local function add(prefix, functions)
    for name, fn in next, functions do
      if type(name) == "string" and type(fn) == "function" then
        suggest(names, fn, prefix .. name)
      end
    end
  end
  for module, loaded in next, modules() do
    if type(module) == "string" and type(loaded) == "table"
      and module:sub(1, 5) ~= "tare." then
      add(module == "_G" and "" or module .. ".", loaded)
    end
  end
  return names
end

-- FIGURES

local COUNTS = { "instructions", "allocs", "bytes", "freed_bytes" }

local OUTSIDE = "[C]" -- the source of work that no line of Lua has called

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

-- THE TEXT OF LINES

-- The lines of a file around those that have figures, in pieces.
local function pieces_of(path, wanted)
  local file = io.open(path, "r")
  if not file then return {} end
  local pieces, number, piece = {}, 0, nil
  for text in file:lines() do
    number = number + 1
    if wanted[number] then
      if not piece then
        piece = { source = path, from = number, text = {} }
        pieces[#pieces + 1] = piece
      end
      piece.text[#piece.text + 1] = text:sub(1, LONGEST_LINE)
    else
      piece = nil
    end
  end
  file:close()
  return pieces
end

-- The text of the lines that a profile names, if they are in files: lines with
-- figures, lines around these, and first lines of functions.
local function sources_of(made)
  local wanted, order, all = {}, {}, {}
  local function want(source, from, to)
    if not wanted[source] then
      wanted[source], order[#order + 1] = {}, source
    end
    for line = from, to do wanted[source][line] = true end
  end
  for _, line in ipairs(made.lines) do
    want(line.source, line.line - AROUND, line.line + AROUND)
  end
  for _, fn in ipairs(made.functions) do
    if fn.source then want(fn.source, fn.line, fn.line) end
  end
  for _, source in ipairs(order) do
    local ok, pieces = pcall(pieces_of, source, wanted[source])
    for _, piece in ipairs(ok and pieces or {}) do all[#all + 1] = piece end
  end
  return all
end

--- A profile as reports have it.
---@param raw table of core.profile
---@param calls integer that were profiled
---@return table profile calls; instructions, allocs, bytes and freed_bytes;
---  lines = { {source, line, ...} }, functions = { {name, source?, line?,
---  calls, ns? (of C functions)...} }, frames, stacks = { {frames, calls, ns?
---  (in the C function at their end)...} },
---  sources: the text of the lines that it names
function profiler.made(raw, calls)
  local made = { calls = calls, lines = lines_of(raw, calls),
    functions = functions_of(raw, calls) }
  made.frames, made.stacks = stacks_of(raw, calls)
  for _, name in ipairs(COUNTS) do made[name] = 0 end
  for _, place in ipairs(raw.places) do add(made, place, calls) end
  made.interpreted = compat.jit() ~= nil or nil
  made.sources = sources_of(made)
  return made
end

--- Profiles calls from a collected heap and with the collector stopped, as the
--- census does. As many calls come first that do not count, unless 'iters' is 1
--- or each call has an input of its own. LuaJIT's compiler must be off. The
--- work of finalizers counts for the line that made the collector run.
---@param fixture table prepared
---@param iters integer
---@param as_it_is boolean? without full collections before: the heap is a
---  host's
---@return table? profile of profiler.made
---@return any error what the function raised
function profiler.take(fixture, iters, as_it_is)
  local names = profiler.names()
  if not as_it_is then -- as before a census
    heap.collect()
    heap.settle()
  end
  local warmup = (fixture.has_inputs or iters == 1) and 0 or iters
  local raw, message = heap.still(fixture.apply, fixture,
    function(f, calls, ...)
      return core.profile(f, calls, warmup, names, ...)
    end, iters)
  if not raw then return nil, message end
  return profiler.made(raw, iters)
end

return profiler
