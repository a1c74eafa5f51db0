-- The profile pass: core.profile over some calls of a prepared bench, with the
-- text of the lines that it names.
local analysis = require "tare.analysis.profile"
local compat = require "tare.base.compat"
local core = require "tare.core"
local heap = require "tare.worker.heap"

local profiler = {}

local AROUND = 2 -- lines that are kept around those with figures
local LONGEST_LINE = 200

-- A name of a function that every process chooses alike, whatever the order of
-- its tables: the shortest, then the first of the alphabet.
local function suggest(names, fn, name)
  local known = names[fn]
  if not known or #name < #known or #name == #known and name < known then
    names[fn] = name
  end
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
  for module, loaded in next, package.loaded do
    if type(module) == "string" and type(loaded) == "table"
      and module:sub(1, 5) ~= "tare." then
      add(module == "_G" and "" or module .. ".", loaded)
    end
  end
  return names
end

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

-- The text of what a profile names, where it is a file's: lines with figures,
-- those around them, and where functions begin.
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
---@return table profile of tare.analysis.profile, with 'sources': the text of
---  the lines that it names
function profiler.made(raw, calls)
  local made = analysis.of(raw, calls)
  made.interpreted = compat.jit() ~= nil or nil
  made.sources = sources_of(made)
  return made
end

--- Profiles calls, from a collected heap and with the collector waiting, as the
--- census does: as many calls before them do not count, unless it is one.
--- LuaJIT's compiler must be off. What finalizers do counts for the line that
--- made the collector run.
---@param fixture table prepared
---@param iters integer
---@param as_it_is boolean? without full collections before it: a host's heap
---@return table? profile of profiler.made
---@return any error what the function raised
function profiler.take(fixture, iters, as_it_is)
  local names = profiler.names()
  if not as_it_is then -- as before a census
    heap.collect()
    heap.settle()
  end
  local warmup = (fixture.per_call or iters == 1) and 0 or iters
  local raw, message = heap.still(fixture.apply, fixture,
    function(f, calls, ...)
      return core.profile(f, calls, warmup, names, ...)
    end, iters)
  if not raw then return nil, message end
  return profiler.made(raw, iters)
end

return profiler
