-- What it costs to hand the turn from worker to worker, and whether it moves
-- what is measured: six functions, each in a worker that has its batches one
-- after the other, and in turn with a worker of the next one, block by block.
-- (Beside a worker of the same function nothing moves: it leaves the core as
-- this one does.) Prints the microseconds from one request to the next beside
-- the batch, and the ratio of slopes (cycles per call, by batches of two sizes,
-- as reports take them) in turn to alone: the median of the blocks with its
-- interval.
--
-- usage: handover.lua [BLOCKS]     (LUA_PATH and LUA_CPATH name tare)
local core = require "tare.core"
local Launch = require "tare.conductor.launch"
local options = require "tare.base.options"
local uv = require "luv"

local BENCHES = [==[
local tare = require "tare"
local suite = tare.suite "handover"
local list = {}
for i = 1, 40 do list[i] = (i * 7919) % 101 end
local object = setmetatable({ n = 0 }, { __index = { add = function(self)
  self.n = self.n + 1
  return self.n
end } })
suite:bench("empty", function() end)
suite:bench("arithmetic", function()
  local sum = 0
  for i = 1, 50 do sum = sum + i * i end
  return sum
end)
suite:bench("method", function() return object:add() end)
suite:bench("tables", function() return { {}, {} } end)
suite:bench("concat", function() return table.concat(list, ";") end)
suite:bench("sort", function()
  local copy = {}
  for i = 1, 40 do copy[i] = list[i] end
  table.sort(copy)
  return copy
end)
return suite
]==]

local BATCH_NS, BATCHES, IN_TURN = 2e6, 20, 4
local UNTIMED_NS, UNTIMED_IN_TURN_NS = 3e5, 1e6
local blocks = tonumber(arg and arg[1]) or 30

local path = os.tmpname() .. "_bench.lua"
local file = assert(io.open(path, "w"))
file:write(BENCHES)
file:close()

local settings = assert(options.resolve({}, "handover"))
local watch = { count = 0 }
local launch = assert(Launch.start({}, { files = { path }, settings = settings,
  wants_cells = true }, function(n) return n end, watch))

local function ask(worker, op, iters, untimed)
  local answer = assert(worker:ask(("%s %d %d\n"):format(op, iters or 0,
    untimed or 0)))
  assert(not answer.error, answer.error)
  return answer
end

-- A worker that is warm, and the calls that a batch of it has.
local function warm(index)
  local worker = assert(launch:worker(index))
  ask(worker, "prepare")
  local iters, row = 1
  repeat
    row = ask(worker, "warm", iters)
    iters = iters * 2
  until row.wall_ns > BATCH_NS
  for _ = 1, 20 do row = ask(worker, "time", iters) end
  return worker, math.max(1, math.floor(iters * BATCH_NS / row.wall_ns))
end

print(("function    cycles  handing over  in turn / alone (95 %%), %d blocks")
  :format(blocks))
for index, cell in ipairs(launch.cells) do
  local one, iters = warm(index)
  local other, other_iters = warm(index % #launch.cells + 1)
  local ratios, overhead_ns, calls, cycles = {}, {}, 0, 0
  for block = 1, blocks do
    local sums = {}
    for i = 1, 2 do
      local in_turn, short, long = (block + i) % 2 == 0, {}, {}
      for batch = 1, BATCHES do
        local is_long = batch % 2 == 0
        local n = is_long and 2 * iters or iters
        local untimed = in_turn and batch % IN_TURN == 1 and UNTIMED_IN_TURN_NS
          or UNTIMED_NS
        local began = uv.hrtime()
        local row = ask(one, "time", n, math.floor(iters * untimed / BATCH_NS))
        if untimed == UNTIMED_NS then
          overhead_ns[#overhead_ns + 1] = uv.hrtime() - began - row.wall_ns
            - untimed
        end
        table.insert(is_long and long or short, row.cycles)
        calls, cycles = calls + 1, cycles + row.cycles / n
        if in_turn and batch % IN_TURN == 0 then
          for _ = 1, IN_TURN do ask(other, "time", other_iters) end
        end
      end
      sums[in_turn] = core.stats.median(long) - core.stats.median(short)
    end
    ratios[block] = sums[true] / sums[false]
  end
  local found = core.stats.sign_interval(ratios, 0.95)
  print(("%-10s %7.1f %8.0f us    %.4f (%.4f to %.4f)"):format(cell.name,
    cycles / calls, core.stats.median(overhead_ns) / 1e3, found.value,
    found.low or 0 / 0, found.high or 0 / 0))
  launch:release(one)
  launch:release(other)
end
launch:close()
os.remove(path)
