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
local stats = core.stats

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

-- NOISE: how steadily the machine runs at this moment.

-- A part of the time is slow where the core needs this much longer for the
-- same work than when it was quick.
local SLOW = 1.15
-- The core was crowded where it got this much less done at once than when it
-- had itself to itself.
local CROWDED = 0.92
-- Readings of the chain beyond which no more are kept.
local MAX_READINGS = 1e5
-- Readings that don't move in so many looks: the clock stands still.
local MAX_LOOKS = 1e7

local function share_below(values, limit)
  local count = 0
  for i = 1, #values do if values[i] < limit then count = count + 1 end end
  return count / #values
end

--- Sums up readings of the chain: how long a core cycle was.
---@param cycle_ns number[] at least one
---@param widths number[] operations a core cycle, of each reading
---@param ratios number[] slowest over quickest part, of each reading
---@return table { cycle_ns =, frequency_ghz =, slow_share =, crowded_share =,
---  interrupted_share =, swing = }; swing is p95 over p5 of cycle_ns
function env.noise_summary(cycle_ns, widths, ratios)
  local quick = stats.quantile(cycle_ns, 0.05)
  local wide = stats.quantile(widths, 0.9)
  return {
    cycle_ns = stats.median(cycle_ns), frequency_ghz = 1 / quick,
    swing = stats.quantile(cycle_ns, 0.95) / quick,
    slow_share = 1 - share_below(cycle_ns, SLOW * quick),
    crowded_share = share_below(widths, CROWDED * wide),
    interrupted_share = 1 - share_below(ratios, SLOW),
  }
end

local function read_chain(machine, deadline_ns)
  local cycle_ns, widths, ratios, n = {}, {}, {}, 0
  repeat
    local reading, width, ratio = machine.chain_read()
    if not reading then break end
    n = n + 1
    cycle_ns[n], widths[n], ratios[n] = reading, width, ratio
  until n >= MAX_READINGS or machine.now_ns() >= deadline_ns
  return cycle_ns, widths, ratios
end

-- Largest gap between looks at the clock that follow each other: for so long
-- at a stretch something else had the core.
local function largest_gap_ns(machine, deadline_ns)
  local now_ns, largest, looks = machine.now_ns, 0, 0
  local before = now_ns()
  repeat
    local after = now_ns()
    if after - before > largest then largest = after - before end
    before, looks = after, looks + 1
  until before >= deadline_ns or looks >= MAX_LOOKS
  return largest
end

--- Watches the machine for a while (0.2 s by default): half of it the
--- length of a core cycle, half of it gaps between looks at the clock.
---@param seconds number?
---@param machine table? another clock and chain than those of the core
---@return table? sample of env.noise_summary, with largest_gap_ns and seconds
---@return string? message why there is none
function env.noise_sample(seconds, machine)
  machine = machine or core
  local half_ns = (seconds or 0.2) * 1e9 / 2
  local cycle_ns, widths, ratios = read_chain(machine,
    machine.now_ns() + half_ns)
  if #cycle_ns == 0 then return nil, "the clock is too coarse to watch" end
  local sample = env.noise_summary(cycle_ns, widths, ratios)
  sample.largest_gap_ns = largest_gap_ns(machine, machine.now_ns() + half_ns)
  sample.seconds = seconds or 0.2
  return sample
end

return env
