-- A copy of a function, for LuaJIT. Compiled code belongs to a function's
-- bytecode and to the loop that was first to call it: where the function has a
-- loop of its own, each further caller is reached through the exits of all
-- before it, which may do part of the call again (six callers of
-- 100 x string + table.concat: the last is at 1.9 times the first). A copy has
-- bytecode, and so traces, of its own, and shares variables and environment.
local compat = require "tare.base.compat"

local copy = {}

local debug = rawget(_G, "debug")

-- The upvalues themselves, not their values.
local function join(twin, f)
  local index = 1
  while debug.getupvalue(f, index) do
    debug.upvaluejoin(twin, index, f, index)
    index = index + 1
  end
end

--- A function that does the same on the same variables, and is compiled anew.
---@param f function
---@return function? twin nil for a function of C, or where Lua lacks the means
function copy.of(f)
  if not compat.jit() or not (debug and debug.upvaluejoin) then return nil end
  local is_lua, bytecode = pcall(string.dump, f)
  local twin = is_lua and loadstring(bytecode)
  if not twin then return nil end
  join(twin, f)
  return setfenv(twin, getfenv(f))
end

return copy
