-- The fingerprint of machine and interpreter in each report, and the state of
-- the machine at this moment. Changes nothing. Every field is optional: without
-- io (sandboxes, engines), or without a file, it is absent.
local clock_file = require "tare.env.clock"
local core = require "tare.core"
local interpreter = require "tare.env.interpreter"
local linux = require "tare.env.linux"
local lists = require "tare.base.lists"
local read_file = require("tare.base.files").read
local rest = require "tare.base.rest"

local env = {}

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
  gather(fields, interpreter.fields, core)
  return fields
end

--- The clock of this machine, if 'tare run' has ever stored it. Nothing is
--- stored here: a library leaves no files behind. Readings of an unoptimised
--- core are not those of the command's core (csrc/platform/chain.h).
---@return table? clock of tare.env.clock
function env.stored_clock()
  if not core.build.optimized then return nil end
  local ok, clock = pcall(clock_file.load) -- a sandbox's io may raise
  return ok and clock.from == "remembered" and clock or nil
end

--- The fingerprint, with that clock.
---@param records table[] whose readings of the clock are taken into account
---@return table fingerprint with 'clock', where one is stored (Clock:fields of
---  tare.env.clock)
function env.of_records(records)
  local fields = env.fingerprint()
  rest.here()
  local clock = env.stored_clock()
  rest.here()
  if clock then
    for _, record in ipairs(records) do
      clock:observe_samples(record.samples)
    end
    fields.clock = clock:fields()
  end
  return fields
end

--- The hardware counters of which reports have figures, or why there are none.
---@return string[]|string
function env.counters()
  local counters, why = core.perf()
  if not counters then return why end
  local names = lists.keys(counters:read() or {})
  counters:close()
  return names
end

return env
