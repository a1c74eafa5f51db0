-- Option tables, specs of benches and parameters from Lua: each is taken, or
-- refused with an error that says who refuses.
local Bytes = dofile "spec/fuzz/bytes.lua"
local options = require "tare.base.options"
local units = require "tare.base.units"
local tare = require "tare"

local NAMES = { "nonsense", 1 }
for _, definition in ipairs(options) do NAMES[#NAMES + 1] = definition.name end
local FIELDS = { "run", "setup", "teardown", "before_batch", "args", "params",
  "loop", "gc", "batch", "baseline", "throughput", "quota", "before_each",
  "name", "precision", "confidence", "nonsense" }
local READERS = { units.parse_duration, units.parse_calls,
  units.parse_quota, units.parse_bytes, units.parse_percent }
local WRITERS = { units.number, units.duration, units.bytes, units.count,
  units.percent }

local function run() return {} end

local function refused(ok, message)
  if ok then return end
  assert(type(message) == "string" and message:find("tare", 1, true),
    "an error that names nobody: " .. tostring(message))
end

local function some(bytes, names)
  local made = {}
  for _ = 1, bytes:byte() % 5 do made[bytes:pick(names)] = bytes:value(2) end
  return made
end

local function params(bytes)
  local made = {}
  for _ = 1, bytes:byte() % 4 do
    local kind = bytes:byte() % 4
    local name = bytes:pick { "n", "m", "impl", 1, "a b" }
    if kind == 0 then
      local ok, values = pcall(tare.range, bytes:number(), bytes:number(),
        bytes:number())
      refused(ok, values)
      made[name] = ok and values or nil
    elseif kind == 1 then
      local ok, values = pcall(tare.geometric, bytes:number(), bytes:number(),
        bytes:number())
      refused(ok, values)
      made[name] = ok and values or nil
    else
      made[name] = bytes:value(3)
    end
  end
  return made
end

local function bench(bytes)
  local suite = tare.suite "s"
  local spec = some(bytes, FIELDS)
  if bytes:byte() > 40 then spec.run = run end
  if bytes:byte() > 128 then spec.params = params(bytes) end
  refused(pcall(suite.bench, suite, bytes:text(), spec))
  local ok, cells, message = pcall(suite.cells, suite)
  refused(ok, cells)
  if not ok or not cells then return assert(not ok or message) end
  assert(#cells < 1e6)
end

return function(data)
  local bytes = Bytes.new(data)
  local resolved, message = options.resolve(some(bytes, NAMES), "tare.fuzz")
  assert(resolved or type(message) == "string")
  bench(bytes)
  local value = bytes:value(0)
  for _, read in ipairs(READERS) do read(value) end
  local number = bytes:number()
  for _, write in ipairs(WRITERS) do assert(write(number)) end
end
