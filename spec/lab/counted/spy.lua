-- What a worker's batches cost by the counts of its own interpreter, for one
-- whose collector counts. Each batch of the worker writes a line to
-- COUNTED_LOG. Before and after each stretch of paced batches come natural ones
-- as long, until TRUTH seconds and TRUTH_CYCLES collections have passed
-- (TRUTH_MOST seconds at most); where none was paced, after the last batch. So
-- what is reported is compared with counts of the same process: the same heap
-- at the same age, the same addresses, and about the same time.
--   process op iters cpu_ns cycle_ns width preempted counted_ns steps minors
--   majors head_iters head_mutator_ns head_counted_ns tail_iters
--   tail_mutator_ns tail_counted_ns
-- ('head': up to the end of the first collection in it, 'tail': after the last)
-- and at the end come the natural and the paced pauses (gcpauses):
--   process pauses kind nanoseconds number nanoseconds number...
local path = os.getenv "COUNTED_LOG"
local counters = rawget(_G, "gccounters")
local Worker = package.loaded["tare.worker"]
if not counters or not path or not Worker then return end

local AT_LEAST_NS = tonumber(os.getenv "TRUTH" or 0.03) * 1e9
local MOST_NS = tonumber(os.getenv "TRUTH_MOST" or 2) * 1e9
local CYCLES = tonumber(os.getenv "TRUTH_CYCLES" or 6)
local BATCH_NS = 1e7 -- where none was paced
local IDLE_NS = 5e8 -- without a step: there will be none
local LINE = ("%s "):rep(17):sub(1, -2) .. "\n"

local ops
for i = 1, 20 do
  local name, value = debug.getupvalue(Worker.run, i)
  if name == "OPS" then ops = value end
end
assert(ops, "the operations of a worker are elsewhere now")

local clock_ns = rawget(_G, "gcclock")()
local log, process, call_ns
local KINDS = { time = 1, untimed = 1, ["true"] = 1, -- of pauses
  paced = 2, inside = 2 }
local set_kind, pauses = rawget(_G, "gckind"), rawget(_G, "gcpauses")
local parts = rawget(_G, "gcparts")

-- Makes a pacer: in 5.5 the heap is weighed then, and a natural batch follows,
-- so what is counted in that batch is not what is reported of it.
local PACERS = { paced = "pacer", inside = "inner" }
local function is_making(worker, op)
  return _VERSION == "Lua 5.5" and PACERS[op] and not worker[PACERS[op]]
end

-- A batch, with what the collector has counted meanwhile.
local function counted(op, take, worker, iters)
  if is_making(worker, op) then op = "making" end
  if not log then
    log, process = assert(io.open(path, "a")), tostring(worker):match "0x%x+"
    log:setvbuf("full", 2^16)
  end
  local steps, minors, majors, ns = counters()
  set_kind(KINDS[op] or 0)
  local row, message, code = take(worker, iters)
  local cpu_ns = row and (row.cpu_ns or row.wall_ns)
  set_kind(0)
  local steps_after, minors_after, majors_after, ns_after = counters()
  if not row or not row.wall_ns then return row, message, code end
  -- The calls of a part of a natural batch are not known: by its time.
  local head, tail = {}, {}
  head.mutator_ns, head.counted_ns, tail.mutator_ns, tail.counted_ns = parts()
  local function calls(of)
    return iters * math.min(1, of.mutator_ns / (cpu_ns - (ns_after - ns)))
  end
  head.iters = row.head_iters or calls(head)
  tail.iters = row.tail_iters or calls(tail)
  -- Reading the clock costs as much again outside of what was timed.
  local counted_ns = ns_after - ns + clock_ns * (steps_after - steps)
  log:write(LINE:format(process, op, iters, cpu_ns,
    row.cycle_ns or 1, row.width or 1, row.preemptions or 0, counted_ns,
    steps_after - steps, minors_after - minors, majors_after - majors,
    head.iters, head.mutator_ns, head.counted_ns, tail.iters, tail.mutator_ns,
    tail.counted_ns))
  return row, minors_after - minors + majors_after - majors
end

local time, finish = ops.time, ops.finish

-- Natural batches of so many calls, until enough cycles have ended in them;
-- where the collector once had nothing to do for IDLE_NS, no longer than that.
local is_idle = false
local function take_true(worker, iters)
  local spent_ns, cycles, before = 0, 0, counters()
  while spent_ns < MOST_NS
    and (spent_ns < AT_LEAST_NS or cycles < CYCLES and not is_idle) do
    local row, ended = counted("true", time, worker, iters)
    if not row then return end
    spent_ns, cycles = spent_ns + row.wall_ns, cycles + ended
    is_idle = spent_ns >= IDLE_NS and counters() == before
  end
end

-- The calls of the batches of the stretch of paced batches that is under way.
local stretch_iters, has_stretches

local function end_stretch(worker)
  if stretch_iters then take_true(worker, stretch_iters) end
  stretch_iters = nil
end

for op, take in pairs(ops) do
  if not PACERS[op] and op ~= "finish" and op ~= "time" then
    ops[op] = function(worker, ...)
      end_stretch(worker)
      return take(worker, ...)
    end
  end
end

for _, op in ipairs { "time", "paced", "inside" } do
  local take = ops[op]
  ops[op] = function(worker, iters)
    -- Calls that begin a turn are natural, too, but no part of the batch.
    local untimed = worker.untimed
    worker.untimed = 0
    if op == "time" then
      end_stretch(worker)
    elseif not stretch_iters then
      take_true(worker, iters)
      stretch_iters, has_stretches = iters, true
    end
    if untimed > 0 then
      local row, message, code = counted("untimed", time, worker, untimed)
      if not row then return nil, message, code end
    end
    local row, message, code = counted(op, take, worker, iters)
    if row and op == "time" then call_ns = row.wall_ns / iters end
    if row then return row end
    return nil, message, code
  end
end

function ops.finish(worker)
  end_stretch(worker)
  if call_ns and not has_stretches then
    take_true(worker, math.max(1, math.floor(BATCH_NS / call_ns)))
  end
  if not log then return finish(worker) end
  for kind = 1, 2 do
    log:write(process, " pauses ", kind, " ",
      table.concat(pauses(kind), " "), "\n")
  end
  log:close()
  return finish(worker)
end
