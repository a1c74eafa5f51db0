-- What runs the benches: interpreter, JIT, collector, the core's build.
local compat = require "tare.base.compat"

local interpreter = {}

-- The JIT's state: absent where there is none.
local function jit_state()
  local jit = compat.jit()
  if not jit then return nil end
  local status = { jit.status() }
  local flags = {}
  for i = 2, #status do flags[i - 1] = status[i] end
  return { on = status[1] == true, flags = flags, arch = jit.arch,
    os = jit.os }
end

--- All of it.
---@param core table tare.core
---@return table fields of the fingerprint
function interpreter.fields(core)
  local built, name = core.build.lua, compat.FULL_NAME
  return {
    tare = "tare " .. core.version,
    -- With its release where the core was built for it: the name lacks that.
    lua = built:sub(1, #name) == name and built or name,
    jit = jit_state(),
    collector = core.gc_state(),
    build = core.build,
    clock_resolution_ns = core.clock_resolution(),
  }
end

-- Many enough that two seeds hardly ever give the same order.
local NAMES = {}
for i = 1, 48 do NAMES[i] = "name" .. i end

--- What this process drew by chance: how a table of names is ordered, which
--- follows the seed of the string hash, and where the heap lies, which follows
--- the system's randomisation of addresses. Launches whose 'hash_order' is
--- equal have the same seed; 'heap_at' is absent where addresses are not shown.
---@param core table tare.core
---@return { hash_order: string, heap_at: string? }
function interpreter.layout(core)
  local place = tostring({}):match("0x(%x+)") or tostring({}):match(": (%x+)$")
  local set, order = {}, {}
  for i = 1, #NAMES do set[NAMES[i]] = true end
  for name in pairs(set) do order[#order + 1] = name end
  return { hash_order = core.hash(table.concat(order, " ")), heap_at = place }
end

return interpreter
