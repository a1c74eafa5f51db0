-- The conductor of a run: it starts launches, hands the turn from worker to
-- worker and keeps their rows. It runs no bench itself.
--
--   variant  an interpreter, or a revision: each variant's cells are compared
--            with those of the others
--   window   cells of one file that are finished and stored together
--   launch   of a window, on each variant: a fresh process that loads only the
--            files of its cells; each has other addresses, hash seed and traces
--   parts    of a window, for each variant: those files, and the ids by which
--            the launch finds the cells there. Their order may be another in
--            each process, where a bench file adds its benches with pairs()
--   group    of a launch: cells that are compared, each in its own worker, in
--            lockstep: one batch at a time, in turn
local core = require "tare.core"
local gc_option = require "tare.base.gc_option"
local Bench = require "tare.conductor.bench"
local ids = require "tare.base.ids"
local Launch = require "tare.conductor.launch"
local Record = require "tare.conductor.record"
local lists = require "tare.base.lists"
local pass_plan = require "tare.conductor.pass_plan"
local plan = require "tare.analysis.plan"
local random = require "tare.base.random"
local story = require "tare.conductor.story"
local uv = require "luv"

local Conductor = {}
Conductor.__index = Conductor

local MIN_BATCH_NS = 1.2e6 -- long compared with a change of turn and caches
local UNTIMED_NS = 6e5 -- of calls that begin a turn
local ROW_COST_NS = UNTIMED_NS + 2e5 -- of a batch, beside its calls
local WINDOW_NS = 4e9 -- sum of quotas; lost if a run is killed
-- Most cells of a window without comparisons: each worker carries, and
-- collects, the heap of all cells that its launch has kept.
local WINDOW_CELLS = 500
local LOAD_SHARE = 0.05 -- most of a window's time for loading files
local FORK_NS = 4e6 -- to start and end a worker
local MANY = 32 -- most benches of a group without a baseline: see groups_of
-- The conductor's own collector, since no bench runs in its process: a heap of
-- ten thousand results may be a fifth larger than what is in it, not twice.
local PAUSE_PERCENT = 120

--- A conductor; nothing is started yet.
---@param job table sent to each launch: files, settings (resolved options of
---  the run), filter?, match?, param?
---@param given { variants: table[]?, signals: table, resolution_ns: number,
---  analysis: table, count_machine: (fun(variant: table, job: table, cell:
---  table, signals: table): number?, string?)?, printed: table }
---  printed: of tare.cli.printed: where launches print to;
---  analysis: what it says of rows while more are measured, five functions
---  (precision.meanwhile in tare.analysis.precision):
---  is_look(launches), whether to ask after so many launches for
---  is_narrow(record, options), whether it has the precision asked for;
---  spread(record, options), how far its launches differ; free_width(), of a
---  core that nobody shares, nil where it is not known; and where it is,
---  clean_launches(record), how many had enough of such rows.
---  count_machine: counts instructions of the processor, as
---  tare.conductor.callgrind does; variants: { name?, label?, parameter?, lua?,
---  folder?, files? }, by default one without a name; signals: signal, count
---@return table conductor
function Conductor.new(job, given)
  core.gc_apply { pause = PAUSE_PERCENT }
  local self = setmetatable({ job = job, settings = job.settings,
    variants = given.variants or { {} }, signals = given.signals,
    analysis = given.analysis, resolution_ns = given.resolution_ns,
    count_machine = given.count_machine, notes = {}, printed = given.printed,
    layouts = {}, started = 0, total = 0, done = 0,
    random = random.generator(job.settings.seed) }, Conductor)
  return self
end

-- The prefix of messages about a variant.
function Conductor:_label(i)
  local name = self.variants[i].label or self.variants[i].name
  return name and name .. ": " or ""
end

-- Adds a cell to the parts of a window.
local function add_to(parts, cell)
  local part = parts[cell.variant] or { files = {}, ids = {} }
  parts[cell.variant] = part
  part.ids[cell.index] = cell.loaded_id
  if not cell.file then
    part.has_text = true
  elseif not lists.has(part.files, cell.file) then
    part.files[#part.files + 1] = cell.file
  end
end

-- The job of a launch in one of the variants. With parts it loads only their
-- files and keeps only their cells; without, it loads all files and answers
-- with the cells.
function Conductor:_job_at(i, parts)
  local variant, job = self.variants[i], lists.copy(self.job)
  job.files = variant.files or job.files
  if parts then
    local part = parts[i] or { files = {}, ids = {} }
    job.files, job.ids = part.files, part.ids
    if not part.has_text then job.text, job.expressions = nil, nil end
  end
  job.wants_cells = not parts
  return job
end

-- Starts a launch in one of the variants; nil and a message if that fails.
function Conductor:_start_at(i, parts)
  local variant = self.variants[i]
  self.printed.id = nil -- what loading prints is no bench's
  local launch, message = Launch.start(variant, self:_job_at(i, parts),
    self.random, self.signals, self.printed)
  self.printed:take()
  if not launch then return nil, self:_label(i) .. message end
  self.started = self.started + 1
  launch.layout.launch = self.started
  launch.layout.place = variant.name -- as it is stored
  self.layouts[#self.layouts + 1] = launch.layout
  return launch
end

-- Starts a launch in each variant.
function Conductor:_start(parts)
  local launches = {}
  for i = 1, #self.variants do
    local message
    launches[i], message = self:_start_at(i, parts)
    if not launches[i] then
      for _, other in ipairs(launches) do other:close() end
      return nil, message
    end
  end
  return launches
end

-- Replaces launches that a bench has ended; false if that fails.
function Conductor:_mend(launches, parts)
  for i, launch in ipairs(launches) do
    if not launch:is_alive() then
      launch:close()
      local started, message = self:_start_at(i, parts)
      self.failure = self.failure or message
      if not started then return false end
      launches[i] = started
    end
  end
  return true
end

-- Cells of all variants. Those of different variants with the same id are
-- compared.
local function cells_of(variants, launches, settings)
  local all = {}
  for p, variant in ipairs(variants) do
    for index, cell in ipairs(launches[p].cells or {}) do
      cell.variant, cell.index, cell.loaded_id = p, index, cell.id
      cell.options = cell.options or settings
      if #variants > 1 then
        cell.compared = cell.id
        cell.baseline = variant.is_baseline or nil
        if variant.name then
          cell.id = ids.with(cell.id, variant.parameter, variant.name)
          cell.params[variant.parameter] = variant.name
          cell.lua = variant.parameter == "lua" and variant.name or nil
        end
      end
      all[#all + 1] = cell
    end
  end
  if #variants == 1 then return all end
  local sorted = {}
  for _, group in ipairs(lists.grouped(all, function(cell)
    return cell.compared
  end)) do
    for _, cell in ipairs(group) do sorted[#sorted + 1] = cell end
  end
  return sorted
end

--- All cells, from the first launch, which is kept for measuring.
---@return table[]? cells plain data
---@return string? message
---@return string[]? broken what is wrong with files that could not be loaded,
---  and 'files', how many these are: each variant may have the same
function Conductor:cells()
  local launches, message = self:_start()
  if not launches then return nil, message end
  local broken = { files = 0 }
  for i, launch in ipairs(launches) do
    local label = self:_label(i)
    broken.files = math.max(broken.files, #(launch.broken or {}))
    for _, text in ipairs(launch.broken or {}) do
      broken[#broken + 1] = label .. text
    end
    if launch.error then
      self.waiting = launches
      self:close()
      return nil, label .. launch.error, broken
    end
  end
  self.waiting = launches
  self.interpreter = launches[1].interpreter
  return cells_of(self.variants, launches, self.settings), nil, broken
end

-- Groups of cells that are measured in turn. A group of more than MANY benches
-- without a baseline is split, unless results are to agree: these need not be
-- measured side by side.
local function groups_of(cells, settings)
  local groups = {}
  for _, group in ipairs(lists.grouped(cells, function(cell)
    return settings.order == "sequential" and cell or cell.compared
  end)) do
    local stays = #group <= MANY
    for _, cell in ipairs(group) do
      stays = stays or cell.baseline or cell.options.agree
    end
    if stays then
      groups[#groups + 1] = group
    else
      for _, cell in ipairs(group) do groups[#groups + 1] = { cell } end
    end
  end
  return groups
end

local function quota_ns(cell) return cell.options.quota.ns or 0 end

-- The number of launches of a group, before anything is known of its benches.
local function launches_before(cells, asked)
  local most = 1
  for _, cell in ipairs(cells) do
    most = math.max(most, plan.launches { quota_ns = quota_ns(cell) })
  end
  return asked or most
end

-- Windows: groups of one file that are finished together. A window is long
-- enough that loading the file for each launch is a small part of it.
local function windows_of(groups, load_ns, asked)
  local least_ns = math.max(WINDOW_NS,
    load_ns * (asked or plan.LAUNCHES) / LOAD_SHARE)
  local windows, current, spent_ns = {}, nil, 0
  for _, group in ipairs(groups) do
    local ns, file = 0, group[1].file
    for _, cell in ipairs(group) do ns = ns + quota_ns(cell) end
    if not current or spent_ns + ns > least_ns or current.file ~= file
      or current.cells + #group > WINDOW_CELLS then
      current, spent_ns = { file = file, parts = {}, cells = 0 }, 0
      windows[#windows + 1] = current
    end
    for _, cell in ipairs(group) do
      add_to(current.parts, cell)
      current.cells = current.cells + 1
    end
    local launches = launches_before(group, asked)
    current[#current + 1] = { cells = group, window = current, records = {},
      planned = launches, launches = launches, share = 1 / launches,
      done = 0, share_done = 0, round = 0 }
    spent_ns = spent_ns + ns
  end
  return windows
end

-- What the plan of launches goes by, of a bench whose calls are known.
local function known_of(bench, load_ns)
  local census = bench:census()
  local known = { quota_ns = bench.options.quota.ns, call_ns = bench.call_ns,
    load_ns = load_ns, setup_ns = bench.info and bench.info.spent_ns }
  if census and gc_option.of(bench.options.gc).second then
    known.cycles_ns = pass_plan.cycles_ns { call_ns = bench.call_ns,
      bytes = census.bytes / census.iters,
      heap_bytes = bench.info.heap_bytes, gc_mode = bench.info.gc_mode }
  end
  return known
end

-- Plans the number of launches of a group from what is known of its benches,
-- and shares their quotas. All benches have as many as the one that can have
-- fewest. Where all failed before a call was timed, there is no more.
function Conductor:_plan_launches(group, benches, load_ns)
  local fewest = math.huge
  for _, bench in ipairs(benches) do
    if bench.call_ns and bench.options.quota.ns then
      fewest = math.min(fewest, plan.launches(known_of(bench, load_ns)))
    end
  end
  group.launches = self.settings.launches or fewest < math.huge and fewest or 1
  group.planned, group.share = group.launches, 1 / group.launches
  for _, bench in ipairs(benches) do bench:share_quota(group.share) end
end

-- Plans the launches that are left anew, shorter ones where launches differ by
-- more than their batches do. The bench that gains most decides, as long as
-- no other needs longer ones.
function Conductor:_plan_rest(group, benches, load_ns)
  if self.settings.launches or not plan.is_replanned(group.done) then return end
  local share, least = group.share, 0
  for _, bench in ipairs(benches) do
    local whole_ns = bench.options.quota.ns
    if bench.error or not bench.warmed_up or not whole_ns then return end
    local known = known_of(bench, load_ns)
    local spread = self.analysis.spread(group.records[bench.cell]:finish(),
      bench.options)
    if not spread then return end
    known.launch_ns, known.timed_ns = whole_ns * group.share, bench.measured_ns
    known.started_ns, known.rows = load_ns + bench.warmed_up.ns, bench.rows
    known.between, known.within = spread.between, spread.within
    local launch_ns, least_ns = plan.launch_ns(known)
    share = math.min(share, launch_ns / whole_ns)
    least = math.max(least, least_ns / whole_ns)
  end
  local left = (group.launches - group.done) * group.share
  local more = math.floor(left / math.max(share, least) + 1e-9)
  if more <= group.launches - group.done then return end
  group.launches, group.share = group.done + more, left / more
  group.planned = group.launches
end

-- A worker for a bench, and the launch that it is of. Without fork a launch
-- becomes its only worker: each further bench of the group gets a launch.
function Conductor:_worker(bench, launches, parts)
  local launch = launches[bench.cell.variant]
  if launch.is_worker then
    local started, message = self:_start_at(bench.cell.variant, parts)
    if not started then return nil, message end
    launch = started
  end
  local worker, message = launch:worker(bench.cell.index)
  return worker, message, launch
end

-- Runs the story of a group: sends the requests that it yields to the workers.
function Conductor:_tell(group, launches, benches, limits)
  local workers, launch_of = {}, {}
  local running = coroutine.create(story.run)
  for _, bench in ipairs(benches) do
    local worker, message, launch = self:_worker(bench, launches,
      group.window.parts)
    if not worker then bench:fail(message, "launch_failed") end
    workers[bench], launch_of[bench] = worker or false, launch
    group.origin_ns = group.origin_ns
      or launches[bench.cell.variant].loaded_ns
  end
  local ok, bench, request = coroutine.resume(running, benches, limits,
    group.round)
  while ok and coroutine.status(running) ~= "dead" do
    local worker, launch, row, code = workers[bench], launch_of[bench], nil, nil
    local message = bench.error or "its process has ended"
    self.current, self.printed.id = bench, bench.cell.id
    if self.on_turn then self.on_turn(self) end
    if self.signals.signal then limits.stop = true end
    if worker then
      if request.wait_ms then
        local began_ns = uv.hrtime()
        uv.sleep(request.wait_ms)
        request.waited_ns = uv.hrtime() - began_ns
      end
      row, message, code = launch:ask(worker, request, bench.options.timeout)
      self.printed:take()
      if worker.is_gone then workers[bench] = false end
    end
    ok, bench, request = coroutine.resume(running, row, message, code)
  end
  for _, one in ipairs(benches) do
    local launch = launch_of[one]
    self.printed.id = one.cell.id
    if workers[one] then launch:release(workers[one]) end
    self.printed:take()
    if launch and not launch.can_fork then launch:close() end
  end
  self.printed.id = nil
  if not ok then error(bench, 0) end
  group.round = bench -- what the story returned: its last round
end

-- Whether every bench of a group has reached its precision. There are few
-- looks, at numbers of launches fixed beforehand.
function Conductor:_is_precise(group, number)
  for _, cell in ipairs(group.cells) do
    if not (cell.options.precision and self.analysis.is_look(number)) then
      return false
    end
    local record = group.records[cell]:finish()
    if record and not record.error
      and not self.analysis.is_narrow(record, cell.options) then
      return false
    end
  end
  return true
end

-- Counts what a group has done, for the display of the progress.
function Conductor:_count_done(group)
  local share = group.done / group.launches
  self.done = self.done + #group.cells * (share - group.share_done)
  group.share_done = share
end

-- One launch of a group.
function Conductor:_launch_group(group, launches, number)
  local benches = {}
  for _, cell in ipairs(group.cells) do
    local record = group.records[cell] or Record.new(cell)
    group.records[cell] = record
    if not record:is_lost() then
      benches[#benches + 1] = Bench.new(cell, { launch = number,
        share = group.share, known = record.known,
        call_ns = record:call_ns(),
        seed = self.settings.seed + number - 1 })
    end
  end
  if #benches == 0 then -- all are lost: see Record:is_lost
    group.launches, group.done = number, number
    self:_count_done(group)
    return
  end
  -- All cells of a window share the time to start a launch, where it can fork.
  local load_ns = launches[1].can_fork
    and launches[1].start_ns / group.window.cells + FORK_NS
    or launches[1].start_ns
  local limits = { -- see tare.conductor.story
    resolution_ns = self.resolution_ns,
    min_batch_ns = MIN_BATCH_NS, row_cost_ns = ROW_COST_NS,
    untimed_ns = UNTIMED_NS,
    free_width = self.analysis.free_width(),
    on_known = function()
      if number == 1 then self:_plan_launches(group, benches, load_ns) end
    end,
    is_last = function() return number == group.launches end }
  group.benches, self.open = benches, group
  self:_tell(group, launches, benches, limits)
  for _, bench in ipairs(benches) do
    group.records[bench.cell]:add(bench,
      launches[bench.cell.variant].loaded_ns - group.origin_ns)
  end
  group.done, group.benches, self.open = number, nil, nil
  if self:_is_precise(group, number) then
    group.launches = number
  elseif number == group.launches then
    self:_replace_crowded(group)
  else
    self:_plan_rest(group, benches, load_ns)
  end
  self:_count_done(group)
end

-- Adds launches to a group for those that were crowded as a whole.
function Conductor:_replace_crowded(group)
  if not self.analysis.free_width() or self.settings.launches
    or group.planned == 1 then
    return
  end
  local most = 0
  for _, cell in ipairs(group.cells) do
    local record, options = group.records[cell]:finish(), cell.options
    if record and not record.error and options.quota.ns then
      most = math.max(most, plan.more_launches { planned = group.planned,
        done = group.done, launch_ns = options.quota.ns * group.share,
        patience_ns = options.patience or options.quota.ns,
        waited_ns = record.waited_ns or 0,
        usable = self.analysis.clean_launches(record) })
    end
  end
  group.launches = group.done + most
end

-- Counts instructions of the processor, once all else is measured.
function Conductor:_count_machine(group)
  for _, cell in ipairs(group.cells) do
    local record = group.records[cell]
    local made = record and record:finish()
    if made and not made.error and not self.signals.signal then
      local parts = {}
      add_to(parts, cell)
      local per_call, message = self.count_machine(self.variants[cell.variant],
        self:_job_at(cell.variant, parts), cell, self.signals)
      if per_call then
        record:add_machine_instructions(per_call)
      elseif not self.signals.signal then
        self.notes[#self.notes + 1] = ("%s: no instructions of the processor: "
          .. "%s"):format(cell.id, message)
      end
    end
  end
end

local function records_of(group)
  local list = {}
  for _, cell in ipairs(group.cells) do
    local record = group.records[cell] and group.records[cell]:finish()
    list[#list + 1] = record
  end
  return list
end

-- After a signal: marks the records that have fewer launches than planned.
local function mark_interrupted(group, records)
  for _, record in ipairs(records) do
    if record.launches < group.launches and not record.error
      and not lists.has(record.warnings, "interrupted") then
      table.insert(record.warnings, "interrupted")
    end
  end
end

-- Measures the groups of a window, launch by launch: in each, one group after
-- the other.
function Conductor:_measure_window(window, on_records)
  local number, left = 0, window
  local function hand_over(group)
    if not group.records then return end
    if self.count_machine then self:_count_machine(group) end
    local records = records_of(group)
    if self.signals.signal then mark_interrupted(group, records) end
    group.records = nil
    on_records(records)
  end
  while #left > 0 and not self.signals.signal and not self.failure do
    number = number + 1
    local launches = self.waiting
    self.waiting = nil
    if not launches then launches, self.failure = self:_start(window.parts) end
    if not launches then break end
    local again = {}
    for _, group in ipairs(left) do
      if self.signals.signal or not self:_mend(launches, window.parts) then
        break
      end
      self:_launch_group(group, launches, number)
      if group.done < group.launches then
        again[#again + 1] = group
      elseif not self.signals.signal then
        hand_over(group)
      end
    end
    for _, launch in ipairs(launches) do launch:close() end
    left = again
  end
  for _, group in ipairs(window) do hand_over(group) end
end

--- Measures cells, all that cells() gave or some of them.
---@param cells table[]
---@param on_records fun(records: table[]) called with the finished records,
---  group by group
---@param on_turn fun(self: table)? called before each request
---@return string? failure why the rest could not be measured
function Conductor:measure(cells, on_records, on_turn)
  self.total, self.done, self.on_turn = #cells, 0, on_turn
  local load_ns = self.waiting and self.waiting[1].load_ns or 0
  local windows = windows_of(groups_of(cells, self.settings), load_ns,
    self.settings.launches)
  -- A launch that has loaded the cells of other windows has a larger heap.
  if #windows > 1 then self:close() end
  local ok, message = pcall(function()
    for _, window in ipairs(windows) do
      if self.signals.signal or self.failure then break end
      self:_measure_window(window, on_records)
    end
  end)
  self:close()
  if not ok then error(message, 0) end
  return not self.signals.signal and self.failure or nil
end

--- Sends some requests to each cell's worker, in one launch. After a failure
--- only the last request is sent: the teardown.
---@param cells table[]
---@param requests { op: string, iters: integer? }[]
---@param on_answer fun(cell: table, message: string?) message: what went wrong
---@return string? failure why the rest was not asked
function Conductor:call(cells, requests, on_answer)
  local launches, parts = self.waiting, {}
  self.waiting = nil
  for _, cell in ipairs(cells) do add_to(parts, cell) end
  if not launches then launches, self.failure = self:_start(parts) end
  for _, cell in ipairs(launches and cells or {}) do
    if self.signals.signal or not self:_mend(launches, parts) then break end
    local launch = launches[cell.variant]
    local worker, wrong = launch:worker(cell.index)
    self.printed.id = cell.id
    for i, request in ipairs(requests) do
      if worker and (not wrong or i == #requests) then
        local answer, message = launch:ask(worker, request,
          cell.options.timeout)
        if not answer then wrong = wrong or message end
        if worker.is_gone then worker = nil end
      end
    end
    if worker then launch:release(worker) end
    self.printed:take()
    self.printed.id = nil
    if not launch.can_fork then launch:close() end
    if not self.signals.signal then on_answer(cell, wrong) end
  end
  for _, launch in ipairs(launches or {}) do launch:close() end
  return not self.signals.signal and self.failure or nil
end

--- Share of the work that is done, in [0, 1].
---@return number
function Conductor:progress()
  local done, group = self.done, self.open
  for _, bench in ipairs(group and group.benches or {}) do
    done = done + bench:progress() / group.launches
  end
  return self.total == 0 and 1 or math.min(1, done / self.total)
end

--- The approximate number of finished cells, and the number of all.
---@return integer finished
---@return integer total
function Conductor:counts() return math.floor(self.done), self.total end

--- The id of the cell that has its turn.
---@return string?
function Conductor:current_id()
  return self.current and self.current.cell.id
end

--- Ends the launches that still run.
function Conductor:close()
  for _, launch in ipairs(self.waiting or {}) do launch:close() end
  self.waiting = nil
end

return Conductor
