-- One cell in the process that measures it. It decides nothing: it executes one
-- request, { op =, iters = }, at a time and returns a row. 'tare run' sends
-- requests through a link (tare.worker.main); tare.measure, tare.compare,
-- tare.profile and sessions call run() directly.
--
-- The path of a timed batch: OPS.time, time_batch (the memory cap), batch (its
-- row), measure (hooks and settings), timed. The clock is read in
-- csrc/state/batch.c.
local compat = require "tare.base.compat"
local core = require "tare.core"
local Fixture = require "tare.bench.fixture"
local gc_option = require "tare.base.gc_option"
local lists = require "tare.base.lists"
local pass_names = require "tare.base.passes"
local probe = require "tare.worker.probe"
local profiler = require "tare.worker.profiler"
local returned = require "tare.worker.returned"
local traces = require "tare.worker.traces"
local yielding = require "tare.bench.yielding"

local Worker = {}
Worker.__index = Worker

local TRIES = 3 -- of a batch in which the clock went back

--- A worker for a cell; nothing of the bench is run yet.
---@param cell table one of suite:cells()
---@param process table of tare.worker.process
---@return table worker
function Worker.new(cell, process)
  return setmetatable({
    cell = cell, options = cell.options, process = process,
    meter = process.meter, runtime = process.runtime, watch = process.watch,
    fixture = Fixture.new(cell, process:deadline(cell.options)),
    samples = core.samples(2), spare = core.samples(2), row = {},
    untimed = 0,
  }, Worker)
end

-- A failure as run() returns it: nil, message, code.
local function failure(self, message)
  return nil, Fixture.describe(message),
    self.fixture:timed_out() and "timeout" or nil
end

-- Calls how(self, fixture, iters), which makes so many calls and times or
-- counts them, between the bench's hooks and under its settings. All calls go
-- through here, except calls that yield (driven) and the call of OPS.returned,
-- in which nothing is measured. After a failure the settings are restored, too,
-- but the hooks after_batch and after_each do not run.
---@param how fun(self, fixture, iters): any, any  a result, or nil, error
---@return any result, or nil, message, code
local function measure(self, how, fixture, options, iters)
  local runtime, watch = self.runtime, self.watch
  local ok, message = fixture:before(iters)
  if not ok then return failure(self, message) end
  ok, message = runtime:enter(options)
  if not ok then return failure(self, message) end
  watch:follow(fixture.code)
  local sound, result, why = core.guard(how, self, fixture, iters)
  self.meter:limit()
  watch:follow(nil)
  runtime:leave(options)
  if not sound then return failure(self, result) end
  if result == nil then return failure(self, why) end
  ok, message = fixture:after(iters)
  if not ok then return failure(self, message) end
  return result
end

-- The row of the last batch, in a table that the next batch overwrites, so that
-- keeping a row allocates nothing in the heap under test.
local function finish_row(self, began_ns, events)
  local samples = self.samples
  samples:set(-1, "spent_ns", self.meter:now() - began_ns)
  if self.watch.available then
    samples:set(-1, "jit_events", self.watch:count() - events)
  end
  samples:row(-1, self.row)
  self.row.shares_traces = nil -- a flag of the row before
  return self.row
end

local function timed(self, fixture, iters)
  return fixture:time(self.meter, self.samples, iters)
end

-- Measures a batch into the store. Returns its row, or nil, message, code. The
-- 'untimed' calls run before it as a plain timed batch, whatever 'how' is, and
-- their row is dropped. The branch predictor is cleared before these calls, so
-- that it learns from them alone. A batch in which a host's clock went back is
-- measured again.
local function batch(self, how, fixture, options, iters)
  local began_ns = self.meter:now()
  if self.untimed > 0 then
    self.meter:clear_predictor()
    local done, message, code = measure(self, timed, fixture, options,
      self.untimed)
    if not done then return nil, message, code end
  end
  for try = 1, TRIES do
    local events = self.watch:count()
    while #self.samples > 0 do self.samples:drop() end
    local done, message, code = measure(self, how, fixture, options, iters)
    if not done then return nil, message, code end
    local row = finish_row(self, began_ns, events)
    row.clock_went_back = try > 1 or nil
    if row.wall_ns >= 0 then return row end
  end
  return nil, ("the clock went back in %d batches in a row"):format(TRIES)
end

-- On Lua 5.5, making a pacer runs full collections, which weigh the heap
-- (csrc/state/pace.h). Of the first minor collections after that, the first and
-- the fourth take longer than later ones (130 us more beside 20,000 tables),
-- and the others find less to do. So batches that leave no row come first: in
-- incremental mode one, else until UNLIKE_MINORS minor collections have run, or
-- MOST_BATCHES batches. Not where calls are few, since a quota may count them,
-- nor where calls or batches have inputs of their own.
local OF_A_ROW, UNLIKE_MINORS, MOST_BATCHES = 0.3, 5, 6
local ENOUGH_CALLS = 100

-- Makes the pacer 'name' of this worker, if there is none: true, or nil,
-- message, code.
local function make_pacer(self, name, fixture, iters)
  if self[name] then return true end
  self[name] = core.pacer(self.meter)
  if not compat.WEIGHS_HEAP or fixture.has_inputs or fixture.spec.before_batch
    or iters < ENOUGH_CALLS then
    return true
  end
  local most = self.runtime:mode(self.options) == "generational"
    and MOST_BATCHES or 1
  local minors, batches = 0, 0
  repeat
    local ok, message, code = fixture:time(self.meter, self.spare,
      math.ceil(OF_A_ROW * iters))
    if not ok then return nil, message, code end
    minors = minors + self.spare:get(1, "gc_minor")
    batches = batches + 1
    self.spare:drop()
  until minors >= UNLIKE_MINORS or minors ~= minors or batches == most
  return true
end

-- A batch with the collector's steps between calls, or inside them.
local function pacing(name, is_inside)
  return function(self, fixture, iters)
    local ok, message, code = make_pacer(self, name, fixture, iters)
    if not ok then return nil, message, code end
    return fixture:within(self[name].run, self[name], self.samples, self.meter,
      fixture:repeater(), iters, fixture:idler(), is_inside)
  end
end
local paced, inside = pacing "pacer", pacing("inner", true)

-- A batch with the collector stopped. Its garbage is collected in the batches
-- after it, which leave no row, so that timed batches do not pay for it.
local function stopped(self, fixture, iters)
  local _, _, was_running = core.gc_settings()
  core.gc_run(false)
  self.meter:limit(self.options.memory_cap)
  local ok, message = fixture:time(self.meter, self.samples, iters)
  self.meter:limit()
  core.gc_run(was_running)
  local settling = fixture.has_inputs and 0 or pass_names.SETTLING_BATCHES
  for _ = 1, ok and settling or 0 do
    ok, message = fixture:time(self.meter, self.spare, iters)
    if not ok then break end
    self.spare:drop()
  end
  return ok, message
end

--- The requests that run() executes, by name. The conductor checks the answer
--- to each: FORMS in tare.conductor.answers.
local OPS = {}
Worker.OPS = OPS

--- Runs setup, reads the arguments and compiles the loop. The answer has what
--- the conductor needs to plan.
function OPS.prepare(self)
  local began_ns = self.meter:now()
  local ok, message = self.fixture:prepare()
  if not ok then return failure(self, message) end
  local fixture, options = self.fixture, self.options
  local throughput, wrong = fixture:throughput()
  if wrong then return failure(self, wrong) end
  local jit = self.runtime.jit
  local _, _, is_running = core.gc_settings()
  return { loop = fixture:loop_name(), has_inputs = fixture.has_inputs,
    throughput = throughput,
    gc_mode = self.runtime:mode(options),
    ignores_setting = self.runtime:ignores(options) or nil,
    compiles = jit and options.jit ~= false and jit.status() or false,
    is_running = is_running, heap_bytes = collectgarbage "count" * 1024,
    watches_compiler = self.watch.available,
    spent_ns = self.meter:now() - began_ns }
end

--- What one call returns, as plain data: see tare.worker.returned.
function OPS.returned(self)
  local ok, message = self.fixture:before(1)
  if not ok then return failure(self, message) end
  local results, why = self.fixture:call()
  if not results then return failure(self, why) end
  local described = returned.of(results)
  ok, message = self.fixture:after(1)
  if not ok then return failure(self, message) end
  return { returned = described }
end

-- A timed batch. If it reaches the memory cap, with the collector stopped, it
-- leaves no row. The bench fails only if the batch had one call.
local function time_batch(self, iters)
  if not gc_option.of(self.options.gc).stops then
    return batch(self, timed, self.fixture, self.options, iters)
  end
  local cap_bytes, is_capped = self.options.memory_cap, false
  local row, message, code = batch(self, function(_, fixture, n)
    self.meter:limit(cap_bytes)
    local ok, why = timed(self, fixture, n)
    is_capped = not ok and self.meter:reached_limit()
    return ok, why
  end, self.fixture, self.options, iters)
  if row or not is_capped then return row, message, code end
  if iters > 1 then return { is_capped = true, spent_ns = 0 } end
  -- Required only here: what a worker loads is in the heap under test.
  local units = require "tare.base.units"
  return nil, ("one call allocated more than the memory cap of %s with the "
    .. "collector stopped"):format(units.bytes(cap_bytes)), "memory_cap"
end

-- One call that may yield, in the host's coroutine. Other coroutines run while
-- it waits, so its processor time and its garbage are not known, and no
-- settings are changed for it.
local function driven(self)
  local fixture, began_ns = self.fixture, self.meter:now()
  self.stopwatch = self.stopwatch or yielding.stopwatch(self.meter)
  local ok, message = fixture:before(1)
  if not ok then return failure(self, message) end
  ok, message = fixture:drive(self.stopwatch)
  if not ok then return failure(self, message) end
  ok, message = fixture:after(1)
  if not ok then return failure(self, message) end
  while #self.samples > 0 do self.samples:drop() end
  local row = self.row
  row.iters, row.start_ns = 1, began_ns
  row.wall_ns, row.wait_ns = self.stopwatch.own_ns, self.stopwatch.wait_ns
  row.spent_ns = math.max(0, self.meter:now() - began_ns)
  self.samples:push(row)
  return row
end

--- A timed batch.
function OPS.time(self, iters)
  if self.options.yields then return driven(self) end
  local row, message, code = time_batch(self, iters)
  if row and self.watch:shares(self.fixture.code) then
    row.shares_traces = true
  end
  return row, message, code
end

--- The same, while the bench warms up. If compiled code is shared with another
--- bench, a copy of the function is measured from here on, which gets compiled
--- code of its own.
function OPS.warm(self, iters)
  if self.options.yields then return driven(self) end
  self.fixture.is_warming = true
  local row, message, code = time_batch(self, iters)
  self.fixture.is_warming = false
  if row and self.watch:shares(self.fixture.code) then
    if self.is_copy or not self.fixture:copy() then row.shares_traces = true end
    self.is_copy = true
  end
  return row, message, code
end

--- Does nothing: see Bench:rest.
function OPS.rest() return {} end

--- Drops all compiled code and copies the function, so that LuaJIT compiles it
--- anew: which traces it makes is drawn again.
function OPS.redraw(self)
  self.runtime.jit.flush()
  self.fixture:copy()
  self.watch:follow(nil) -- the old traces are gone
  return {}
end

--- Batches with the collector driven by tare, between calls and inside them,
--- and with it stopped.
function OPS.paced(self, iters)
  return batch(self, paced, self.fixture, self.options, iters)
end

function OPS.inside(self, iters)
  return batch(self, inside, self.fixture, self.options, iters)
end

function OPS.stopped(self, iters)
  return batch(self, stopped, self.fixture, self.options, iters)
end

--- The pauses: times of the collector's steps in all paced batches.
function OPS.pauses(self)
  local of_each = {}
  for _, name in ipairs { "pacer", "inner" } do
    of_each[#of_each + 1] = self[name] and self[name]:pauses()
  end
  return { pauses = core.pauses(of_each) }
end

local function nothing() end

-- The empty loop of the same kind, over the same arguments.
local function empty_fixture(self)
  local own, options = self.fixture, lists.copy(self.options)
  -- The empty loop makes no garbage: full collections before each batch would
  -- only waste time.
  if gc_option.of(options.gc).collects then
    options.gc = gc_option.DEFAULT
  end
  local arguments = own.arguments
  local empty = Fixture.new { spec = { run = nothing, args = function()
      return compat.unpack(arguments, 1, arguments.n)
    end }, values = {}, options = options, loop = own.kind }
  assert(empty:prepare())
  self.empty, self.empty_options = empty, options
end

--- A batch of calls of an empty function in the same loop.
function OPS.empty(self, iters)
  if not self.empty then empty_fixture(self) end
  return batch(self, timed, self.empty, self.empty_options, iters)
end

--- The width of the core at this moment.
function OPS.look(self)
  local _, width = core.chain_read(self.process.chain_steps)
  return { width = width }
end

-- In passes without rows tare's own code runs among the bench's calls, and what
-- begins at exits of its traces is not the bench's.
local function forget_sharing(self) self.watch:shares(self.fixture.code) end

--- 'iters' calls between the hooks, not timed.
function OPS.call(self, iters)
  local done, message, code = measure(self, function(_, fixture, n)
    return fixture:within(function()
      fixture:repeater()(n)
      return true
    end)
  end, self.fixture, self.options, iters)
  forget_sharing(self)
  if not done then return nil, message, code end
  return { calls = iters }
end

-- Requests that make no calls, or several batches, whose hooks they run
-- themselves. For these, something without hooks takes a fixture's place.
local WITHOUT_HOOKS = { census = true, census_alone = true, collect = true,
  full = true }
local function done() return true end
local function no_hooks(fixture)
  return { before = done, after = done, code = fixture.code }
end

-- A pass that has figures instead of a row: those that take(fixture, iters)
-- returns, under the hooks and settings of a batch.
local function figures(self, take, iters, options, hooks)
  local began_ns = self.meter:now()
  local found, message, code = measure(self, function(_, _, n)
    return take(self.fixture, n)
  end, hooks or self.fixture, options or self.options, iters)
  forget_sharing(self)
  if not found then return nil, message, code end
  found.spent_ns = self.meter:now() - began_ns
  return found
end

-- Counted passes: see tare.worker.probe.
for op, take in pairs(probe) do
  OPS[op] = function(self, iters)
    return figures(self, take, iters, nil,
      WITHOUT_HOOKS[op] and no_hooks(self.fixture))
  end
end

--- The profile of so many calls: see tare.worker.profiler. This comes last,
--- since LuaJIT's compiler is off meanwhile and all compiled code is dropped.
function OPS.profile(self, iters, as_it_is)
  local options = self.options
  if self.runtime.jit then
    options = lists.copy(options)
    options.jit = false
  end
  return figures(self, function(fixture, n)
    return profiler.take(fixture, n, as_it_is)
  end, iters, options)
end

--- The same, without full collections before it: the heap is a host's.
function OPS.profile_alone(self, iters)
  return OPS.profile(self, iters, true)
end

--- What LuaJIT compiles of batches of so many calls: see tare.worker.traces.
--- Drops all compiled code, so this comes after the timed batches.
function OPS.traces(self, iters)
  return figures(self, function(fixture, n)
    return traces.take(fixture, n, not fixture.has_inputs)
  end, iters)
end

--- Teardown, if setup was begun; also after an error.
function OPS.finish(self)
  local ok, message = self.fixture:teardown()
  self.runtime:after_cell()
  if not ok then return failure(self, message) end
  return { finished = true }
end

--- Executes a request. Errors of the bench are returned, not raised.
---@param request { op: string, iters: integer?, untimed: integer? } untimed:
---  calls that a batch makes first, as a batch of their own that leaves no row
---@return table? answer the row of a batch, with the columns of core.samples
---  ('spent_ns' is the time of the whole request), which the next batch
---  overwrites; or figures
---@return string? message what went wrong
---@return string? code "timeout" if it was ended at its deadline
function Worker:run(request)
  self.untimed = request.untimed or 0
  return OPS[request.op](self, request.iters)
end

return Worker
