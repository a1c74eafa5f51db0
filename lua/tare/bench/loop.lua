-- The loops that repeat a function. The default is a Lua loop compiled for
-- each bench: a C loop costs about as much on stock Lua, but LuaJIT cannot
-- compile through it.
local compat = require "tare.base.compat"

local loop = {}

-- On LuaJIT the result is stored in a table, or the compiler would delete what
-- made it (an upvalue would do, but makes the collector work at each store),
-- and the function is an upvalue that never changes, which it compiles as a
-- constant. Stock Lua deletes nothing: there the quickest loop is one over a
-- local function whose result is dropped.
local BODY = {
  jit = {
    call = "sink[1] = run(ARGS) ",
    text = [[
    local runPARAMETERS = ...
    local kept = { false }
    return function(n)
      local sink = kept
      LOOPS
    end]],
  },
  stock = {
    call = "run(ARGS) ",
    text = [[
    local outer_runPARAMETERS = ...
    return function(n)
      local run = outer_run
      LOOPS
    end]],
  },
}

local PLAIN = "for _ = 1, n do CALL end"
local UNROLLED = "for _ = TIMES, n, TIMES do CALLS end "
  .. "for _ = 1, n % TIMES do CALL end"

local function names(prefix, count)
  local list = {}
  for i = 1, count do list[i] = prefix .. i end
  return table.concat(list, ", ")
end

local chunks = {} -- by source

-- On stock Lua all loops of a kind are one bytecode: two copies of it may lie
-- a percent apart by their addresses alone. LuaJIT compiles each for itself.
local function compile(source, ...)
  local chunk = chunks[source]
    or assert(compat.load_text(source, "=(tare loop)"))
  if not compat.jit() then chunks[source] = chunk end
  return chunk(...)
end

--- A loop over run(...) whose body has so many calls: what the loop itself
--- costs is shared by them.
---@param times integer calls in the body; 1 for a plain loop
---@param run function
---@param ... any its arguments
---@return fun(n: integer) calls it n times
function loop.unrolled(times, run, ...)
  local body = compat.jit() and BODY.jit or BODY.stock
  local arguments = names("a", select("#", ...))
  local call = body.call:gsub("ARGS", arguments)
  local parts = { CALL = call, CALLS = call:rep(times), TIMES = times,
    PARAMETERS = arguments == "" and "" or ", " .. arguments }
  parts.LOOPS = (times > 1 and UNROLLED or PLAIN):gsub("%u%u+", parts)
  local source = body.text:gsub("%u%u+", parts)
  return compile(source, run, ...)
end

--- A loop over run(...): inline(run, ...)(n) calls it n times.
---@param run function
---@param ... any its arguments
---@return fun(n: integer)
function loop.inline(run, ...) return loop.unrolled(1, run, ...) end

--- A loop over inputs made before it, whose results it keeps: for benches with
--- before_each or after_each. 'inputs' and 'results' are arrays; the first
--- 'done' of them are passed over.
---@param run function called as run(inputs[i], ...)
---@return fun(n: integer, done: integer?)
function loop.each(run, inputs, results, ...)
  local arguments = names("a", select("#", ...))
  local source = ([[
    local run, inputs, results%s = ...
    return function(n, done)
      done = done or 0
      for i = done + 1, done + n do results[i] = run(inputs[i]%s) end
    end]]):format(arguments == "" and "" or ", " .. arguments,
      arguments == "" and "" or ", " .. arguments)
  return compile(source, run, inputs, results, ...)
end

return loop
