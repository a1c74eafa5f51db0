-- The fingerprint of machine and interpreter in each report, and the state of
-- the machine at this moment. Changes nothing. Every field is optional: without
-- io (sandboxes, engines), or without a file, it is absent.
local advice = require "tare.env.advice"
local core = require "tare.core"
local interpreter = require "tare.env.interpreter"
local jitter = require "tare.env.jitter"
local linux = require "tare.env.linux"

local env = {}

local function read_file(path)
  if type(io) ~= "table" or not io.open then return nil end
  local handle = io.open(path, "rb")
  local text = handle and handle:read("*a")
  if handle then handle:close() end
  return text
end

-- Adds the fields that a reader returns; none if it fails.
local function gather(fields, reader, ...)
  local ok, read = pcall(reader, ...)
  if not ok or type(read) ~= "table" then return end
  for name, value in pairs(read) do fields[name] = value end
end

-- The fields that luv has on every system; Linux has more, in files.
local function portable(uv)
  local name, cpus = uv.os_uname(), uv.cpu_info() or {}
  return { os = name and name.sysname .. " " .. name.release,
    cpu = cpus[1] and cpus[1].model, cores = cpus[1] and #cpus,
    memory_bytes = uv.get_total_memory(), load = (uv.loadavg()) }
end

local LINUX = { "cpu", "virtual", "frequency", "power", "system", "load",
  "steal", "memory", "randomization", "affinity", "clock_source", "container" }

--- Describes machine, interpreter and build. 'load', 'steal',
--- 'available_bytes' and 'swapped_bytes' are of this moment; the rest stays
--- the same from process to process.
---@param options? { read: (fun(path: string): string?)?, uv: table? } the
---  reader of files (io's unless given) and luv, if it is loaded anyway
---@return table fingerprint plain data
function env.fingerprint(options)
  options = options or {}
  local read, fields = options.read or read_file, {}
  if options.uv then gather(fields, portable, options.uv) end
  for _, name in ipairs(LINUX) do gather(fields, linux[name], read) end
  gather(fields, interpreter.fields, core, rawget(_G, "jit"))
  return fields
end

--- The hardware counters of which reports have figures, or why there are none.
---@return string[]|string
function env.counters()
  local counters, why = core.perf()
  if not counters then return why end
  local names = {}
  for name in pairs(counters:read() or {}) do names[#names + 1] = name end
  counters:close()
  table.sort(names)
  return names
end

--- What this process drew by chance: see interpreter.draw.
---@return { hash_order: string, heap_at: string? }
function env.draw() return interpreter.draw(core) end

--- Identifies a text, such as the source of a bench: 16 hexadecimal digits,
--- FNV-1a of 64 bits.
---@param text string
---@return string
function env.hash_of(text) return core.hash(text) end

--- Watches how steadily the machine runs: see jitter.sample.
---@param seconds number? 0.2 by default
---@return table? sample
---@return string? message
function env.noise_sample(seconds) return jitter.sample(core, seconds) end

--- What a fingerprint gives reason to say: see advice.findings.
env.advice = advice.findings

return env
