-- What differs between versions of Lua: the names of functions, LuaJIT's
-- compiler, the steps of a collector. The only file that asks for the version
-- (but tare.lite, which stands alone).
local compat = {}

local JIT = rawget(_G, "jit")
local IS_JIT = type(JIT) == "table"

--- The values of a list: table.unpack, which 5.1 has as a global.
compat.unpack = table.unpack or unpack

--- Its arguments as a list, with their number as 'n': table.pack, which 5.1
--- lacks.
compat.pack = table.pack or function(...)
  return { n = select("#", ...), ... }
end

--- Compiles a text: load, which 5.1 has as loadstring.
compat.load_text = rawget(_G, "loadstring") or load

--- Whether the collector has modes, incremental and generational.
compat.HAS_GC_MODES = _VERSION >= "Lua 5.4"

--- Whether making a pacer weighs the heap with full collections.
compat.WEIGHS_HEAP = _VERSION >= "Lua 5.5"

--- Whether a stopped collector works where C makes a long string
--- (luaL_pushresult), unless the next collection is far off. Seen in 5.5.0, and
--- assumed for later versions until somebody looks.
compat.WORKS_WHEN_STOPPED = _VERSION >= "Lua 5.5"

--- Whether strings are made in a buffer that full collections halve.
compat.HALVES_BUFFER = _VERSION < "Lua 5.3" -- and LuaJIT

--- Whether a coroutine may yield from inside a pcall.
compat.YIELDS_IN_PCALL = IS_JIT or _VERSION ~= "Lua 5.1"

--- Which Lua it is: "Lua 5.4", "LuaJIT".
compat.NAME = IS_JIT and "LuaJIT" or _VERSION

--- The same, with LuaJIT's release.
compat.FULL_NAME = IS_JIT and JIT.version or _VERSION

--- The step multiplier for steps of microseconds, where the usual one makes
--- them take milliseconds: 5.4 counts 16 bytes as one. Else nil.
compat.FINE_STEPS = _VERSION == "Lua 5.4" and 4 or nil

--- LuaJIT's library 'jit', or nil on stock Lua.
---@return table?
function compat.jit() return IS_JIT and JIT or nil end

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
