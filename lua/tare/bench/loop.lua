-- The loops that repeat a function. The default is a Lua loop compiled for
-- each bench: a C loop costs about as much on stock Lua, but LuaJIT cannot
-- compile through it.
local loop = {}

local load_text = loadstring or load

-- On LuaJIT the result goes to an upvalue, or the compiler would delete what
-- made it, and the function is an upvalue that never changes, which it compiles
-- as a constant. Stock Lua deletes nothing: there the quickest loop is one over
-- a local function whose result is dropped.
local BODY = {
  jit = [[
    local run%s = ...
    local sink
    return function(n)
      for _ = 1, n do sink = run(%s) end
    end]],
  stock = [[
    local outer_run%s = ...
    return function(n)
      local run = outer_run
      for _ = 1, n do run(%s) end
    end]],
}

local function names(prefix, count)
  local list = {}
  for i = 1, count do list[i] = prefix .. i end
  return table.concat(list, ", ")
end

local function compile(source, name, ...)
  return assert(load_text(source, "=(" .. name .. ")"))(...)
end

local unpack = table.unpack or unpack

--- A loop over run(...): inline(run, ...)(n) calls it n times.
---@param run function
---@param ... any its arguments
---@return fun(n: integer)
function loop.inline(run, ...)
  local arguments = names("a", select("#", ...))
  local source = (rawget(_G, "jit") and BODY.jit or BODY.stock):format(
    arguments == "" and "" or ", " .. arguments, arguments)
  return compile(source, "tare loop", run, ...)
end

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
  return compile(source, "tare loop", run, inputs, results, ...)
end

local function nothing() end

--- An empty function behind the same loop, to tell what the loop costs.
---@param kind "inline"|"call"|"batch"
---@param arguments any[] with field n
---@return function? body what a batch of that kind calls; nil for 'batch'
function loop.empty(kind, arguments)
  if kind == "batch" then return nil end
  if kind == "call" then return nothing end
  return loop.inline(nothing, unpack(arguments, 1, arguments.n))
end

return loop
