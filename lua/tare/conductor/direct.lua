-- Measures cells in this very process, for the library, sessions, and
-- 'tare run --launches 0'. A step is one request of one worker, so that a host
-- gets its turn between steps.
local analysis = require "tare.analysis"
local Bench = require "tare.conductor.bench"
local Bursts = require "tare.conductor.bursts"
local compat = require "tare.base.compat"
local core = require "tare.core"
local env = require "tare.env"
local lists = require "tare.base.lists"
local order = require "tare.conductor.order"
local precision = require "tare.analysis.precision"
local Process = require "tare.worker.process"
local Record = require "tare.conductor.record"
local Runtime = require "tare.worker.runtime"
local story = require "tare.conductor.story"
local Worker = require "tare.worker"
local yielding = require "tare.bench.yielding"

local coroutine = compat.coroutine

local Direct = {}
Direct.__index = Direct

local MIN_BATCH_NS = 1e5 -- long compared with a tick, a request and cold caches
local ROW_COST_NS = 1e4 -- of a batch, besides its calls
local UNTIMED_COST_NS = 1e5 -- of untimed calls, besides their time
local FINISH = { op = "finish" }

local function heap_bytes() return collectgarbage "count" * 1024 end

--- A measurement of cells; it runs nothing yet. In one process all benches of a
--- group take turns, whether they are compared or not: they share a heap in any
--- order.
---@param cells table[] of suite:cells()
---@param settings table resolved options of the run
---@param process table? of tare.worker.process
---@param run_story function? of tare.conductor.story; by default its run()
---@return table direct
function Direct.new(cells, settings, process, run_story)
  process = process or Process.new { deadlines = true }
  process.runtime:expect(cells)
  local self = setmetatable({ settings = settings, process = process,
    run_story = run_story or story.run,
    groups = order.groups(cells, settings, Runtime.key_of), opened = 0,
    total = #cells, records = {}, taken = 0, unrecorded = {},
    heap = Bursts.heap(not compat.HAS_GC_MODES) }, Direct)
  self.limits = { -- see tare.conductor.story
    resolution_ns = process.resolution_ns,
    is_manual = process.is_manual, heap_bytes = heap_bytes,
    min_batch_ns = MIN_BATCH_NS, row_cost_ns = ROW_COST_NS, redraws = true,
    is_precise = function(bench) return self:_is_precise(bench) end }
  for _, cell in ipairs(cells) do
    self.may_yield = self.may_yield or cell.options.yields
  end
  return self
end

-- Whether an interval is as narrow as was asked for. The time to compute it is
-- charged to the quota.
function Direct:_is_precise(bench)
  local options = bench.options
  if not options.precision
    or not precision.is_look_at_rows(#bench.samples) then
    return false
  end
  local began_ns = self.process.meter:now()
  if self.clock == nil then
    local clock = env.stored_clock()
    self.clock = clock and clock:fields() or false
  end
  local is_narrow = precision.is_narrow({ samples = bench.samples:columns(),
    loop = bench.info.loop, precision = options.precision,
    discard = options.discard }, options, self.clock or nil)
  bench:charge(self.process.meter:now() - began_ns)
  return is_narrow
end

-- Begins the next group; false after the last.
function Direct:_open()
  self.opened = self.opened + 1
  local cells = self.groups[self.opened]
  if not cells then return false end
  local benches = {}
  self.workers, self.current = {}, nil
  for i, cell in ipairs(cells) do
    benches[i] = Bench.new(cell, { launch = 1, share = 1,
      seed = self.settings.seed, bursts = Bursts.new(self.heap) })
    self.workers[benches[i]] = Worker.new(cell, self.process)
  end
  self.open = benches
  self.story = coroutine.create(self.run_story)
  self:_resume(benches, self.limits)
  return true
end

-- After an error in the story itself, such as lack of memory: runs the
-- teardowns.
function Direct:_abandon()
  self.story, self.current, self.request = nil, nil, nil
  for _, worker in pairs(self.workers) do pcall(worker.run, worker, FINISH) end
end

-- What is known of a bench, as a record of a single process.
local function record_of(bench)
  local record = Record.new(bench.cell)
  record:add(bench)
  local made = record:finish()
  if made then made.in_process = true end
  return made
end

-- Resumes the story until its next request, or its end.
function Direct:_resume(...)
  local ok, bench, request = coroutine.resume(self.story, ...)
  if not ok then
    self:_abandon()
    error(bench, 0)
  end
  if coroutine.status(self.story) ~= "dead" then
    self.current, self.request = bench, request
    return
  end
  self.story, self.current, self.request = nil, nil, nil
  self.unrecorded = lists.copy(self.open)
end

-- Makes the record of the next bench of a story that is over; false after the
-- last.
function Direct:_record()
  local bench = table.remove(self.unrecorded, 1)
  if bench then self.records[#self.records + 1] = record_of(bench) end
  return bench ~= nil
end

--- Does one step: makes a record, opens a group, or runs a request.
---@return boolean done
function Direct:step()
  if self:_record() then return false end
  if not self.story and not self:_open() then return true end
  if self.story then
    local worker = self.workers[self.current]
    self:_resume(worker:run(self.request))
  end
  return false
end

--- The expected time of the next step.
---@return number? due_ns nil where nothing is known
function Direct:due_ns()
  if not self.story then return nil end
  return self.request.due_ns
end

--- The id of the cell that has the next step.
---@return string?
function Direct:current_id() return self.current and self.current.cell.id end

--- Share of the work that is done, in [0, 1].
---@return number
function Direct:progress()
  local done = self:counts()
  for _, bench in ipairs(self.story and self.open or self.unrecorded) do
    done = done + bench:progress()
  end
  return self.total == 0 and 1 or done / self.total
end

--- The number of finished cells, and of all.
---@return integer finished
---@return integer total
function Direct:counts() return #self.records + self.taken, self.total end

--- Records, so far, of the cells that are being measured.
---@return table[]
function Direct:open_records()
  local records = {}
  for i, bench in ipairs(self.story and self.open or {}) do
    records[i] = record_of(bench)
  end
  return records
end

--- Records of cells that are finished, each once.
---@return table[]
function Direct:take_records()
  repeat until not self:_record()
  local records = self.records
  self.records, self.taken = {}, self.taken + #records
  return records
end

-- Runs the teardowns of open benches. A call that waits is not resumed any
-- more.
local function finish(self)
  self.limits.stop = true
  if self.waits then
    self.waits, self.is_given_up = false, true
    local is_measured = self.current:measured_call_ns() ~= nil
    if is_measured then self.current:keep_rows() end
    self:_resume(nil, "it waited when the measuring was ended",
      is_measured and "interrupted" or nil)
  end
  while self.story and self.current do self:step() end
  if self.story then self:_abandon() end
end

--- Ends the measuring, early or not: runs teardowns, and restores the collector
--- and whatever else was changed.
function Direct:close()
  self.groups = {}
  local ok, message = pcall(finish, self)
  self.process:close()
  if not ok then error(message, 0) end
end

local function run_all(self, on_step)
  while not self:step() do
    if on_step and on_step(self) then break end
  end
end

local function run_and_close(self, on_step)
  local ok, message = pcall(run_all, self, on_step)
  self:close()
  if not ok then error(message, 0) end
end

-- Called around each yield, so that code that runs while a bench waits finds
-- the host's settings.
local Watch = {}
Watch.__index = Watch

function Watch:yielded()
  self.direct.waits = true
  self.direct.process.runtime:restore()
end

function Watch:resumed()
  if self.direct.is_given_up then return false end
  self.direct.waits = false
  self.direct.process.runtime:refresh()
end

local function ended(self, ...)
  self.waits = false
  return ...
end

--- Whether a bench may yield, and the caller's coroutine can.
---@return boolean
function Direct:can_yield()
  return self.may_yield and yielding.is_possible()
end

--- Calls f(...), in which a bench may yield to the host's coroutine.
---@param f function that steps this measurement
---@param ... any its arguments
---@return boolean ok
---@return any ... results, or what f raised
function Direct:yielding(f, ...)
  return ended(self, yielding.call(setmetatable({ direct = self }, Watch), f,
    ...))
end

--- Measures all cells.
---@param on_step (fun(direct: table): boolean?)? called after each step; true
---  ends the measuring
---@return table[] records
function Direct:run(on_step)
  local limits, ok, message = self.limits
  if not limits.is_manual then
    limits.untimed_ns = order.UNTIMED_NS
    limits.row_cost_ns = ROW_COST_NS + order.UNTIMED_NS + UNTIMED_COST_NS
  end
  if self:can_yield() then
    ok, message = self:yielding(run_all, self, on_step)
    self:close()
  else
    ok, message = core.guard_all(run_and_close, self, on_step)
  end
  if not ok then error(message, 0) end
  return self:take_records()
end

--- Measures cells and reports.
---@param cells table[]
---@param settings table resolved options
---@param more { process: table?, every: boolean? }? every: compare all pairs,
---  with or without a baseline
---@return table report
function Direct.report(cells, settings, more)
  more = more or {}
  local records = Direct.new(cells, settings, more.process):run()
  return analysis.report(records, settings, env.of_records(records), more.every)
end

return Direct
