-- The loops that repeat a function. The default is a Lua loop compiled for
-- each bench: a C loop costs about as much on stock Lua, but LuaJIT cannot
-- compile through it.
local compat = require "tare.base.compat"

local loop = {}

local debug, concat = rawget(_G, "debug"), table.concat

-- On LuaJIT the result is stored in a table, or the compiler would delete the
-- code that made it. (An upvalue would do, too, but makes the collector work at
-- each store.) The function is an upvalue that never changes, which is compiled
-- as a constant. Stock Lua deletes nothing: there the quickest loop calls a
-- local function and drops its result.
local BODY = {
  jit = {
    call = "sink[1] = run(ARGS) ",
    text = [[
    local runPARAMETERS = ...
    local kept = { false }
    return function(n)
      local sink = kept HANDED
      LOOPS
    end]],
  },
  stock = {
    call = "run(ARGS) ",
    text = [[
    local outer_runPARAMETERS = ...
    return function(n)
      local run = outer_run HANDED
      LOOPS
    end]],
  },
}

local PLAIN = "for _ = 1, n do CALL end"
local UNROLLED = "for _ = TIMES, n, TIMES do CALLS end "
  .. "for _ = 1, n % TIMES do CALL end"

-- "a1, a2, a3"
local function names(count)
  local list = {}
  for i = 1, count do list[i] = "a" .. i end
  return concat(list, ", ")
end

local chunks = {} -- by source

-- On stock Lua all loops of a kind share one bytecode: the times of two copies
-- may differ by a percent, by their addresses alone. On LuaJIT each loop has
-- its own, so that it is compiled separately.
local function compile(source, ...)
  local chunk = chunks[source]
    or assert(compat.load_text(source, "=(tare loop)"))
  if not compat.jit() then chunks[source] = chunk end
  return chunk(...)
end

-- The text of a loop; 'handed' is a statement before it.
local function source_of(times, count, handed)
  local body = compat.jit() and BODY.jit or BODY.stock
  local arguments = names(count)
  local call = body.call:gsub("ARGS", arguments)
  local parts = { CALL = call, CALLS = call:rep(times), TIMES = times,
    PARAMETERS = arguments == "" and "" or ", " .. arguments,
    HANDED = handed or "" }
  parts.LOOPS = (times > 1 and UNROLLED or PLAIN):gsub("%u%u+", parts)
  return (body.text:gsub("%u%u+", parts))
end

--- A loop over run(...) whose body has so many calls, which share the cost of
--- the loop itself.
---@param times integer calls in the body; 1 for a plain loop
---@param run function
---@param ... any its arguments
---@return fun(n: integer) calls it n times
function loop.unrolled(times, run, ...)
  return compile(source_of(times, select("#", ...)), run, ...)
end

--- The same, where one of the arguments is read anew for each batch.
---@param box table its first item is that argument
---@param place integer of the argument
---@param times integer
---@param run function
---@param ... any its arguments, that one included
---@return fun(n: integer)
function loop.handed(box, place, times, run, ...)
  local count = select("#", ...)
  local source = source_of(times, count, ("local a%d = handed[1]"):format(
    place)):gsub("= %.%.%.", ", handed = ...", 1)
  local list = { ... }
  list[count + 1] = box
  return compile(source, run, compat.unpack(list, 1, count + 1))
end

--- A loop over inputs that were made before; it keeps the results. For benches
--- with 'inputs', before_each or after_each. 'inputs' and 'results' are arrays,
--- whose first 'done' items are skipped.
---@param run function called as run(inputs[i], ...)
---@param has_state boolean whether the first argument comes before the input
---@return fun(n: integer, done: integer?)
function loop.each(run, inputs, results, has_state, ...)
  local list = {}
  for i = 1, select("#", ...) do list[i] = "a" .. i end
  local parameters = concat(list, ", ")
  table.insert(list, has_state and 2 or 1, "inputs[i]")
  local source = ([[
    local run, inputs, results%s = ...
    return function(n, done)
      done = done or 0
      for i = done + 1, done + n do results[i] = run(%s) end
    end]]):format(parameters == "" and "" or ", " .. parameters,
      concat(list, ", "))
  return compile(source, run, inputs, results, ...)
end

-- Shares the upvalues themselves, not only their values.
local function join(twin, f)
  local index = 1
  while debug.getupvalue(f, index) do
    debug.upvaluejoin(twin, index, f, index)
    index = index + 1
  end
end

--- A copy of a function, with the same upvalues, that LuaJIT compiles anew.
--- Compiled code belongs to a function's bytecode and to the loop that called
--- it first. If the function contains a loop, later callers are reached only
--- through exits of the traces made for earlier callers, which may do part of
--- the call again.
---@param f function
---@return function? twin nil for a function of C, or where Lua lacks the means
function loop.twin(f)
  if not (compat.jit() and debug and debug.upvaluejoin and debug.getupvalue
    and rawget(_G, "getfenv") and rawget(_G, "setfenv")) then
    return nil
  end
  local is_lua, bytecode = pcall(string.dump, f)
  local twin = is_lua and loadstring(bytecode)
  if not twin then return nil end
  join(twin, f)
  return setfenv(twin, getfenv(f))
end

return loop
