-- The processor's instructions per call, counted by valgrind's callgrind. Each
-- cell is counted in a launch of its own, which becomes its only worker.
-- Callgrind counts while the core's tare_counted_calls runs
-- (csrc/bind/bind_probe.c), and writes a file when that returns. The difference
-- between batches of two sizes does not contain the start of a batch. Seeds and
-- the stack's address are the same in each such process (csrc/fixed_seed.c), so
-- the count is, too.
local files = require "tare.base.files"
local Launch = require "tare.conductor.launch"
local lists = require "tare.base.lists"
local Scratch = require "tare.store.scratch"
local uv = require "luv"

local callgrind = {}

local COUNTED = "tare_counted_calls"
local ENOUGH = 4e6 -- instructions of a batch: the rest is below 0.1 %
local MOST_GROWTH = 6.4e7 -- bytes by which a batch may let the heap grow
local MOST_INPUTS = 2048 -- calls, where each has an input of its own
local PAIRS = 3 -- of batches of n and 2n calls; odd, for the median
local SLOWDOWN = 200 -- of a call by callgrind, at most: for the timeout

--- Why nothing can be counted here; nil if it can.
---@return string? message
function callgrind.refusal()
  for folder in (os.getenv "PATH" or ""):gmatch("[^:]+") do
    if uv.fs_access(folder .. "/valgrind", "X") then return nil end
  end
  return "valgrind is not installed"
end

-- The worker of one cell under callgrind.
local Counter = {}
Counter.__index = Counter

-- Sends a request: its answer, or nil and a message.
function Counter:ask(op, iters)
  return self.launch:ask(self.worker, { op = op, iters = iters },
    self.limit_ns)
end

-- The instructions of a batch, and the bytes by which the heap grew.
function Counter:batch(iters)
  local answer, message = self:ask("machine", iters)
  if not answer then return nil, message end
  self.batches = self.batches + 1
  local path = ("%s.%d"):format(self.out, self.batches)
  local total = tonumber((files.read(path) or ""):match("\ntotals: (%d+)"))
  os.remove(path)
  if not total then return nil, "callgrind wrote no count" end
  return total, answer.grown_bytes
end

-- Instructions per call. The batches that find the number of calls also warm up
-- the function. Nothing depends on a clock.
function Counter:per_call()
  local info, message = self:ask("prepare")
  if not info then return nil, message end
  local iters, most = 1, info.has_inputs and MOST_INPUTS or math.huge
  local total, grown = self:batch(iters)
  while total and total < ENOUGH and 2 * iters <= most
    and 2 * grown < MOST_GROWTH do
    iters = 2 * iters
    total, grown = self:batch(iters)
  end
  if not total then return nil, grown end
  if iters == 1 then return self:batch(1) end -- the first was the warm-up
  local counts = {}
  for i = 1, PAIRS do
    local half, whole, why
    half, why = self:batch(iters / 2)
    if not half then return nil, why end
    whole, why = self:batch(iters)
    if not whole then return nil, why end
    counts[i] = (whole - half) / (iters / 2)
  end
  table.sort(counts)
  return counts[(PAIRS + 1) / 2]
end

local function counted(self, variant, job, cell, signals, printed)
  local under = { "valgrind", "-q", "--tool=callgrind",
    "--log-file=" .. self.folder .. "/log",
    "--callgrind-out-file=" .. self.out, "--toggle-collect=" .. COUNTED,
    "--dump-after=" .. COUNTED }
  -- a library beside the core, which fixes what is drawn by chance
  local seed = Launch.find("tare.fixed_seed", package.cpath)
  local launch, message = Launch.start({ lua = variant.lua,
    folder = variant.folder, checkout = variant.checkout,
    options = variant.options, under = under,
    fixed = { LD_PRELOAD = seed } }, job, nil, signals, printed)
  if not launch then return nil, message end
  local worker, why = launch:worker(cell.index)
  local per_call
  if worker then
    self.launch, self.worker, self.batches = launch, worker, 0
    per_call, why = self:per_call()
    if per_call then self:ask "finish" end
  end
  launch:close()
  return per_call, why
end

--- Counts the instructions of one cell.
---@param variant table of the conductor
---@param job table for this cell alone
---@param cell table
---@param signals table of tare.cli.signals
---@param printed table? of tare.cli.printed
---@return number? per_call
---@return string? message why there is none
function callgrind.count(variant, job, cell, signals, printed)
  local folder, message = Scratch.new "tare-callgrind"
  if not folder then return nil, message end
  local limit_ns = cell.options.timeout and cell.options.timeout * SLOWDOWN
  job.settings = lists.copy(job.settings)
  job.settings.timeout = limit_ns
  local self = setmetatable({ folder = folder.path,
    out = folder.path .. "/out", limit_ns = limit_ns }, Counter)
  local ok, per_call, why = pcall(counted, self, variant, job, cell, signals,
    printed)
  folder:remove()
  if not ok then error(per_call, 0) end
  return per_call, why
end

return callgrind
