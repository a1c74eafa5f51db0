-- What differs between versions of Lua: the names of functions, LuaJIT's
-- compiler, the steps of a collector.
local compat = {}

--- The values of a list: table.unpack, which 5.1 has as a global.
compat.unpack = table.unpack or unpack

--- Its arguments as a list, with their number as 'n': table.pack, which 5.1
--- lacks.
compat.pack = table.pack or function(...)
  return { n = select("#", ...), ... }
end

--- Compiles a text: load, which 5.1 has as loadstring.
compat.load_text = loadstring or load

--- The step multiplier for steps of microseconds, where the usual one makes
--- them take milliseconds: 5.4 counts 16 bytes as one. Else nil.
compat.FINE_STEPS = _VERSION == "Lua 5.4" and 4 or nil

--- LuaJIT's library 'jit', or nil on stock Lua.
---@return table?
function compat.jit()
  local jit = rawget(_G, "jit")
  return type(jit) == "table" and jit or nil
end

--- Calls a function as pcall does, and with LuaJIT's compiler off. Compiled, an
--- analysis was seen to miss a field of a table that has all of them (once in
--- 60; 17,000 others did not; LuaJIT of March 2022); interpreted, none.
function compat.interpreted(f, ...)
  local jit = compat.jit()
  if not jit or not jit.status() then return pcall(f, ...) end
  jit.off()
  local returned = compat.pack(pcall(f, ...))
  jit.on()
  return compat.unpack(returned, 1, returned.n)
end

--- Lua's own functions of coroutines. In OpenResty those of that name resume by
--- way of its scheduler, which then does not come back to who resumed when a
--- coroutine waits; it keeps Lua's own under other names.
compat.coroutine = {}
local library = rawget(_G, "coroutine") or {}
for _, name in ipairs { "create", "resume", "yield", "status", "running",
  "isyieldable" } do
  compat.coroutine[name] = library["_" .. name] or library[name]
end

return compat
