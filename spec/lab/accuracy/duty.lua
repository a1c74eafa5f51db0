-- What the wall time of 'tare run' is made of, seen from the conductor, with
-- five launches by default: duty.lua [QUOTA [OPTION...]]. "Batches and warm-up"
-- are calls of the benches, timed or not, and of the empty loop; what the
-- system's other processes took of the core meanwhile is in all parts.
local Launch = require "tare.conductor.launch"
local cli = require "tare.cli"
local command = require "spec.support.command"
local uv = require "luv"

local BENCHES = [[
local tare = require "tare"
local suite = tare.suite "duty"
local function alone(name, run) -- compared with nothing
  suite:group(name, function(group) group:bench("run", run) end)
end
alone("floor", function() return math.floor(3.7) end)
alone("fill", function()
  local list = {}
  for i = 1, 100 do list[i] = i end
  return list
end)
alone("format", function() return ("%d"):format(42) end)
alone("sum", function()
  local sum = 0
  for i = 1, 1e6 do sum = sum + i end
  return sum
end)
return suite
]]

local TIMED = { time = "timed batches", paced = "timed batches",
  counts = "timed batches", warm = "warm-up", empty = "empty loop" }
local OF_CALLS = { "timed batches", "warm-up", "untimed calls before batches",
  "empty loop" }
local OTHERS = { "counting, pauses, full collections",
  "requests, beside their calls", "launches: start, fork, end",
  "conductor between requests", "start, analysis, report" }

local spent_ns = {}
local function add(part, ns) spent_ns[part] = (spent_ns[part] or 0) + ns end

-- Wraps functions of Launch: what runs between two of them is the conductor's.
local ended_ns, open = nil, 0
local function wrapped(name, account)
  local own = Launch[name]
  Launch[name] = function(...)
    if open > 0 then return own(...) end
    local began_ns = uv.hrtime()
    if ended_ns then add("conductor between requests", began_ns - ended_ns) end
    open = open + 1
    local a, b, c = own(...)
    open = open - 1
    ended_ns = uv.hrtime()
    account(ended_ns - began_ns, a, select(3, ...))
    return a, b, c
  end
end
for _, name in ipairs { "start", "worker", "release", "is_alive", "close" } do
  wrapped(name, function(ns) add("launches: start, fork, end", ns) end)
end
wrapped("ask", function(ns, row, request)
  local part, calls_ns = row and TIMED[request.op], 0
  if part then
    calls_ns = row.wall_ns or row.mutator_ns + row.collector_ns
    add(part, calls_ns)
    local untimed_ns = (request.untimed or 0) * calls_ns / request.iters
    add("untimed calls before batches", untimed_ns)
    calls_ns = calls_ns + untimed_ns
  end
  add(part and "requests, beside their calls"
    or "counting, pauses, full collections", ns - calls_ns)
end)

local path, out = command.file(BENCHES, "_bench.lua"), os.tmpname()
local began_ns = uv.hrtime()
local code = cli.main { "run", path, "-q", "--format", "json", "-o", out,
  "--quota", arg[1] or "1s", "--launches", "5", "--patience", "0",
  (table.unpack or unpack)(arg, 2) }
local wall_ns = uv.hrtime() - began_ns
os.remove(path)
os.remove(out)
assert(code == 0, "tare run failed")

local known_ns = 0
for _, ns in pairs(spent_ns) do known_ns = known_ns + ns end
add("start, analysis, report", wall_ns - known_ns)
local function show(parts)
  local sum_ns = 0
  for _, part in ipairs(parts) do
    local ns = spent_ns[part] or 0
    sum_ns = sum_ns + ns
    print(("  %-36s %7.1f ms  %5.1f %%"):format(part, ns / 1e6,
      100 * ns / wall_ns))
  end
  return sum_ns
end
local duty_ns = show(OF_CALLS)
show(OTHERS)
print(("duty: %.1f %% of %.2f s in batches and warm-up"):format(
  100 * duty_ns / wall_ns, wall_ns / 1e9))
