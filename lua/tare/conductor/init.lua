-- The conductor of a run: it starts launches, hands the turn from worker to
-- worker and keeps their rows. It runs no bench itself.
--
--   variant  an interpreter or a revision. Cells with the same id on different
--            variants are compared
--   window   groups of one file whose cells are finished and stored together
--   launch   a fresh process on one variant that loads only the files of a
--            window's cells (the first one loads all). Each launch has
--            different addresses, hash seed and traces
--   wanted   what the launches of a window load, for each variant: the files,
--            and the ids of the cells. A cell is not found by its place: a
--            bench file that adds its benches with pairs() orders them
--            differently in each process
--   group    cells of a window that are compared, or a single cell. Each cell
--            has its own worker, and they take turns of some batches each
--            (tare.conductor.order)
local compat = require "tare.base.compat"
local core = require "tare.core"
local Group = require "tare.conductor.group"
local ids = require "tare.base.ids"
local lists = require "tare.base.lists"
local order = require "tare.conductor.order"
local plan = require "tare.analysis.plan"
local random = require "tare.base.random"
local uv = require "luv"

local Conductor = {}
Conductor.__index = Conductor

local MIN_BATCH_NS = 1.2e6 -- long compared with a change of turn
local UNTIMED_IN_TURN_NS = 1e6 -- of untimed calls at the beginning of a turn
local ROW_COST_NS = 3e5 -- of a batch, besides its timed and untimed calls
local WINDOW_NS = 4e9 -- sum of a window's quotas; lost if a run is killed
-- Most cells of a window, unless it is a single group: each worker inherits the
-- heap of all cells that its launch has kept, and its collector marks that
-- heap.
local WINDOW_CELLS = 500
local LOAD_SHARE = 0.05 -- of a window's time, at most, for loading files
local FORK_NS = 4e6 -- to start and end a worker
-- LEAST_CHARGED of the time that the conductor has waited for a bench's rows in
-- a launch is charged to the quota at least, but for the first UNCHARGED_NS,
-- which no usual launch takes. A single row counts as UNCHARGED_NS at most:
-- both processes may have been suspended.
local LEAST_CHARGED, UNCHARGED_NS = 0.1, 1e9
-- The conductor's own collector. It may work hard, since no bench runs in this
-- process. With this pause a heap of ten thousand results grows to 1.2 times
-- what is alive, instead of twice that. With LuaJIT's usual steps it would also
-- grow by half while it is marked and swept.
local PAUSE_PERCENT, STEP_PERCENT = 120, 1000

--- A conductor; nothing is started yet. 'given' has what other modules do:
---
---   start          starts a launch (variant, job, random, signals):
---                  Launch.start (tare.conductor.launch)
---   story          what is done with the benches of a launch, in a coroutine:
---                  story.run or story.call (tare.conductor.story)
---   analysis       judges records while more is measured
---                  (precision.meanwhile in tare.analysis.precision):
---                  is_look(launches), whether to check the precision after
---                  so many launches; is_narrow(record, options), whether
---                  the record has the precision asked for; spread(record,
---                  options), how far its launches differ; free_width(), the
---                  width of a core that no other thread uses, nil if it is
---                  not known; clean_launches(record), how many launches
---                  have enough rows from such a core
---   count_machine? counts the processor's instructions (variant, job, cell,
---                  signals): callgrind.count (tare.conductor.callgrind)
---   is_one_window? whether all cells share one window (--iters, --dry-run)
---   variants?      { name?, label?, parameter?, lua?, folder?, files?,
---                  names? }, by default one without a name
---   signals        signal, count (tare.cli.signals)
---   resolution_ns  of the clock
---@param job table sent to each launch: files, settings (resolved options of
---  the run), names?, filter?, match?, param?
---@param given table
---@return table conductor
function Conductor.new(job, given)
  core.gc_apply { pause = PAUSE_PERCENT, step_multiplier = STEP_PERCENT }
  return setmetatable({ job = job, settings = job.settings,
    start = given.start, story = given.story, signals = given.signals,
    variants = given.variants or { {} }, analysis = given.analysis,
    resolution_ns = given.resolution_ns,
    count_machine = given.count_machine, is_one_window = given.is_one_window,
    layouts = {}, started = 0, sets = 0, total = 0, done = 0,
    random = random.generator(job.settings.seed) }, Conductor)
end

-- The prefix of messages about a variant.
function Conductor:_label(i)
  local name = self.variants[i].label or self.variants[i].name
  return name and name .. ": " or ""
end

-- Adds a cell to what is wanted of launches.
local function add_to(wanted, cell)
  local here = wanted[cell.variant] or { files = {}, ids = {} }
  wanted[cell.variant] = here
  here.ids[cell.index] = cell.loaded_id
  if not cell.file then
    here.has_text = true
  elseif not lists.has(here.files, cell.file) then
    here.files[#here.files + 1] = cell.file
  end
end

-- The job of a launch in one of the variants: it loads the wanted files and
-- keeps the wanted cells. Without 'wanted' it loads all files, or one part of
-- the job, and answers with the cells.
function Conductor:_job_at(i, wanted, part)
  local variant, job = self.variants[i], lists.copy(self.job)
  job.files = variant.files or job.files
  job.names = variant.names or job.names
  if wanted then
    local here = wanted[i] or { files = {}, ids = {} }
    job.files, job.ids = here.files, here.ids
    if not here.has_text then job.text, job.expressions = nil, nil end
  elseif part then
    job.files, job.is_part = part, true
    if part[1] then job.text, job.expressions = nil, nil end
  end
  job.wants_cells = not wanted
  return job
end

-- Starts a launch in one of the variants. If that fails: nil, a message, and
-- whether the files that it loads may be why.
function Conductor:_start_at(i, wanted, part)
  local variant = self.variants[i]
  local launch, message, is_of_files = self.start(variant,
    self:_job_at(i, wanted, part), self.random, self.signals)
  if not launch then return nil, self:_label(i) .. message, is_of_files end
  self.started = self.started + 1
  local layout = lists.copy(launch.layout)
  layout.launch, layout.place = self.started, variant.name -- as reports have it
  self.layouts[#self.layouts + 1] = layout
  return launch
end

-- Starts a launch in each variant, alternately from the first to the last and
-- from the last to the first: on one machine, equal functions took 0.2 to 0.4 %
-- less time in the process that was started first.
function Conductor:_start(wanted)
  local launches, count = {}, #self.variants
  self.sets = self.sets + 1
  for turn = 1, count do
    local i = order.place(turn, count, self.sets)
    local launch, message, is_of_files = self:_start_at(i, wanted)
    launches[i] = launch
    if not launch then
      for _, other in pairs(launches) do other:close() end
      return nil, message, is_of_files
    end
  end
  return launches
end

-- Replaces launches that can't fork any more: a bench has ended them or changed
-- their limits, or they have become workers. False if one can't be replaced.
function Conductor:_replace_ended(launches, wanted)
  for i, launch in ipairs(launches) do
    if not launch:is_alive() then
      launch:close()
      local started, message = self:_start_at(i, wanted)
      self.failure = self.failure or message
      if not started then return false end
      launches[i] = started
    end
  end
  return true
end

-- Cells of all variants. Cells of different variants with the same id are
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
    lists.append(sorted, group)
  end
  return sorted
end

-- The same answer as of a launch in one of the variants that loads all files.
-- But here a launch of its own loads each file, so that none can harm another.
function Conductor:_listed_apart(i)
  local made = { cells = {}, broken = {} }
  local job = self:_job_at(i)
  local parts = { (job.text or job.expressions) and {} or nil }
  for _, file in ipairs(job.files) do parts[#parts + 1] = { file } end
  for _, part in ipairs(parts) do
    local launch, message, is_of_files = self.start(self.variants[i],
      self:_job_at(i, nil, part), self.random, self.signals)
    local answer = launch or {}
    if launch then launch:close() end
    made.interpreter = made.interpreter or answer.interpreter
    lists.append(made.broken, answer.broken)
    if self.signals.signal or not (launch or is_of_files) then
      made.error = message or "interrupted while it loaded"
    elseif not launch then
      table.insert(made.broken, part[1] and part[1] .. ": " .. message
        or message)
    elseif not (answer.broken or {})[1] then
      made.error = answer.error
    end
    lists.append(made.cells, answer.cells)
    if made.error then return made end
  end
  if made.cells[1] then
    made.error = require("tare.worker.cells").fault(made.cells, job.param)
  else
    made.error = made.broken[1] or "no bench is chosen"
  end
  return made
end

-- Whether a file may have harmed another one: the launch that was to load both
-- has not started, or not all of its files were loaded.
local function may_be_harmed(variants, job, launches, signals)
  local count, is_sound = 0, launches ~= nil
  for i, variant in ipairs(variants) do
    count = math.max(count, #(variant.files or job.files))
    is_sound = is_sound and not (launches[i].broken or {})[1]
  end
  return not is_sound and not signals.signal
    and (count > 1 or count == 1 and (job.text or job.expressions))
end

--- All cells, as the first launch on each variant reports them. These launches
--- are kept for measuring.
---@return table[]? cells plain data
---@return string? message
---@return string[]? broken for each variant, a message per file that could not
---  be loaded; 'files': how many files that is, counted in the variant with the
---  most
function Conductor:cells()
  local launches, message, is_of_files = self:_start()
  if (launches or is_of_files)
    and may_be_harmed(self.variants, self.job, launches, self.signals) then
    for _, launch in ipairs(launches or {}) do launch:close() end
    launches, self.is_listed_apart = {}, true
    for i in ipairs(self.variants) do launches[i] = self:_listed_apart(i) end
  end
  if not launches then return nil, message end
  local waiting = not self.is_listed_apart and launches or nil
  local broken = { files = 0 }
  self.interpreters = {} -- one, or with --lua that of each variant
  for i, launch in ipairs(launches) do
    local label = self:_label(i)
    if i == 1 or self.variants[i].lua then
      self.interpreters[i] = launch.interpreter
    end
    broken.files = math.max(broken.files, #(launch.broken or {}))
    for _, text in ipairs(launch.broken or {}) do
      broken[#broken + 1] = label .. text
    end
    if launch.error then
      self.waiting = waiting
      self:close()
      return nil, label .. launch.error, broken
    end
  end
  self.waiting = waiting
  return cells_of(self.variants, launches, self.settings), nil, broken
end

-- Splits groups into windows: groups of one file, or all groups with 'is_one'.
-- A window is long enough that loading the file for each launch is a small part
-- of it.
local function windows_of(groups, load_ns, settings, analysis, is_one)
  local least_ns = math.max(WINDOW_NS,
    load_ns * (settings.launches or plan.LAUNCHES) / LOAD_SHARE)
  local windows, current, spent_ns = {}, nil, 0
  for _, cells in ipairs(groups) do
    local group, file = Group.new(cells, settings, analysis), cells[1].file
    local ns = group:quota_ns()
    if not current or not is_one and (spent_ns + ns > least_ns
      or current.file ~= file or current.cells + #cells > WINDOW_CELLS) then
      current, spent_ns = { file = file, wanted = {}, cells = 0 }, 0
      windows[#windows + 1] = current
    end
    for _, cell in ipairs(cells) do add_to(current.wanted, cell) end
    current.cells, spent_ns = current.cells + #cells, spent_ns + ns
    current[#current + 1] = group
  end
  return windows
end

-- Whether each bench has a launch of its own. Without fork a launch becomes its
-- only worker. After a launch has been ended, who did it is not known for sure:
-- a process that a bench has left may have done it in the turn of another. With
-- a launch for each, it ends only its own.
local function is_apart(window, launch)
  return window.has_lost_launch or not launch.can_fork
end

-- A worker for a bench, and the worker's launch.
function Conductor:_worker(bench, launches, window)
  local launch = launches[bench.cell.variant]
  if launch.has_worker and is_apart(window, launch) then
    local started, message = self:_start_at(bench.cell.variant, window.wanted)
    if not started then return nil, message end
    launch = started
  end
  local worker, message = launch:worker(bench.cell.index, bench.cell.id)
  return worker, message, launch
end

-- If a launch has ended in the turn of a bench, all its workers have ended with
-- it: the other benches of this launch are cut off. Benches of other launches
-- go on.
function Conductor:_cut_off_others(at, bench)
  local launch = at.launch_of[bench]
  if not launch or not launch.can_fork or not launch:has_died()
    or self.signals.signal then
    return
  end
  at.window.has_lost_launch = true
  bench:end_launch()
  for _, other in ipairs(at.benches) do
    if at.launch_of[other] == launch and other ~= bench then
      at.workers[other] = nil
      if not other.error then other:cut_off(bench.cell.id) end
    end
  end
  at.limits.stop = at.limits.stop or not lists.first(at.benches,
    function(one) return not one.error end)
end

-- Starts the workers of a group.
function Conductor:_start_workers(at, launches)
  for _, bench in ipairs(at.benches) do
    at.launch_of[bench] = launches[bench.cell.variant]
  end
  for _, bench in ipairs(at.benches) do
    if not bench.error then
      local worker, message, launch = self:_worker(bench, launches,
        at.window)
      at.workers[bench], at.launch_of[bench] = worker, launch
      if not worker then
        bench:fail(message, self.signals.signal and "interrupted"
          or "launch_failed")
        self:_cut_off_others(at, bench)
      end
    end
  end
end

-- A worker says itself how much of its quota a row has cost. It could say next
-- to nothing and so never end. So the cost is at most what the conductor's own
-- clock has seen, and at least a part of that: a worker that waits for a core,
-- on a crowded machine, is seen for longer than it runs.
---@param known { seen_ns: number, charged_ns: number } of all rows of the bench
---  in this launch
local function mend_cost(row, known, seen_ns)
  known.seen_ns = known.seen_ns + math.min(seen_ns, UNCHARGED_NS)
  local least_ns = LEAST_CHARGED * (known.seen_ns - UNCHARGED_NS)
    - known.charged_ns
  row.spent_ns = math.max(math.min(row.spent_ns or 0, seen_ns), least_ns)
  known.charged_ns = known.charged_ns + row.spent_ns
end

-- Sends the request of a bench to its worker. Returns a row, or nil, message,
-- code.
function Conductor:_ask(at, bench, request)
  local worker = at.workers[bench]
  self.current = bench
  if self.on_turn then self.on_turn(self) end
  if self.signals.signal then at.limits.stop = true end
  if not worker then
    return nil, bench.error or "its process has ended"
  end
  if request.wait_ms then
    local began_ns = uv.hrtime()
    uv.sleep(request.wait_ms)
    request.waited_ns = uv.hrtime() - began_ns
  end
  local began_ns = uv.hrtime()
  local row, message, code = at.launch_of[bench]:ask(worker, request,
    bench.options.timeout)
  if row and row.wall_ns then
    mend_cost(row, at.costs[bench], uv.hrtime() - began_ns)
  end
  if worker.is_gone then
    at.workers[bench] = nil
    self:_cut_off_others(at, bench)
  end
  return row, message, code
end

-- Runs the story of a group: sends the requests that it yields to the workers.
-- Returns its last round.
function Conductor:_run_story(window, launches, benches, limits, round)
  local at = { window = window, benches = benches, limits = limits,
    workers = {}, launch_of = {}, costs = {} } -- by bench; ended workers are
    -- removed
  for _, bench in ipairs(benches) do
    at.costs[bench] = { seen_ns = 0, charged_ns = 0 }
  end
  self:_start_workers(at, launches)
  local running = coroutine.create(self.story)
  -- The story yields a bench ('who') and its request. In the end 'who' is what
  -- the story returns, or its error.
  local ok, who, request = coroutine.resume(running, benches, limits, round)
  while ok and coroutine.status(running) ~= "dead" do
    ok, who, request = coroutine.resume(running,
      self:_ask(at, who, request))
  end
  for _, bench in ipairs(benches) do
    local launch, worker = at.launch_of[bench], at.workers[bench]
    if worker then launch:release(worker) end
  end
  for _, launch in pairs(at.launch_of) do
    if is_apart(window, launch) then launch:close() end
  end
  if not ok then error(who, 0) end
  return who
end

-- One launch of a group.
function Conductor:_launch_group(group, window, launches)
  local benches = group:next_launch()
  if #benches > 0 then
    -- All cells of a window share the time to start a launch, where it can
    -- fork.
    local load_ns = launches[1].can_fork
      and launches[1].start_ns / window.cells + FORK_NS
      or launches[1].start_ns
    local number = group.done + 1
    local in_turn_ns = #benches > 1 and UNTIMED_IN_TURN_NS or nil
    local limits = { -- see tare.conductor.story
      resolution_ns = self.resolution_ns,
      min_batch_ns = MIN_BATCH_NS, untimed_ns = order.UNTIMED_NS,
      in_turn_ns = in_turn_ns, row_cost_ns = ROW_COST_NS
        + order.UNTIMED_NS + (in_turn_ns or 0) * MIN_BATCH_NS / order.TURN_NS,
      free_width = self.analysis.free_width(),
      on_known = function() group:plan(benches, load_ns) end,
      is_last = function() return number == group.launches end }
    self.open = { benches = benches, group = group }
    local round = self:_run_story(window, launches, benches, limits,
      group.round)
    self.open = nil
    group:add(benches, launches, round, load_ns)
  end
end

-- The same; an error in it, as from figures of a bench that are of the right
-- form and yet impossible, gives up this group and no other.
function Conductor:_launch_safely(group, window, launches)
  local before = group:progress()
  local ok, message = pcall(self._launch_group, self, group, window, launches)
  if not ok then
    self.open = nil
    group:give_up("the figures of its group can't be used: "
      .. tostring(message))
  end
  self.done = self.done + group:progress() - before
end

-- Counts the processor's instructions, once all else is measured.
function Conductor:_count_machine(group)
  for _, cell in ipairs(group.cells) do
    local record = group.records[cell]
    local made = record and record:finish()
    if made and not made.error and not self.signals.signal then
      local wanted = {}
      add_to(wanted, cell)
      local per_call, message = self.count_machine(self.variants[cell.variant],
        self:_job_at(cell.variant, wanted), cell, self.signals)
      if per_call then
        record:add_machine_instructions(per_call)
      elseif not self.signals.signal then
        self.notes[#self.notes + 1] = ("%s: no instructions of the processor: "
          .. "%s"):format(cell.id, message)
      end
    end
  end
end

-- Measures the groups of a window, launch by launch: in each, one group after
-- the other.
function Conductor:_measure_window(window, on_records)
  local left = window
  local function hand_over(group)
    if not group.records then return end
    if self.count_machine then self:_count_machine(group) end
    on_records(group:take_records(self.signals.signal))
  end
  while #left > 0 and not self.signals.signal and not self.failure do
    local launches = self.waiting
    self.waiting = nil
    if not launches then launches, self.failure = self:_start(window.wanted) end
    if not launches then break end
    local again = {}
    for _, group in ipairs(left) do
      if self.signals.signal
        or not self:_replace_ended(launches, window.wanted) then
        break
      end
      self:_launch_safely(group, window, launches)
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

--- Measures cells: all that cells() returned, or some of them. 'notes' gets
--- messages about them that are not in their records.
---@param cells table[]
---@param on_records fun(records: table[]) called with the finished records,
---  group by group
---@param on_turn fun(self: table)? called before each request
---@return string? failure why the rest could not be measured
function Conductor:measure(cells, on_records, on_turn)
  self.total, self.done, self.on_turn = #cells, 0, on_turn
  self.notes, self.failure = {}, nil
  local load_ns = self.waiting and self.waiting[1].load_ns or 0
  local groups = order.split(order.groups(cells, self.settings))
  local windows = windows_of(groups, load_ns, self.settings, self.analysis,
    self.is_one_window and not self.is_listed_apart)
  -- The first launch has loaded the cells of all windows, so its heap is larger
  -- than that of the launches that follow.
  if #windows > 1 then self:close() end
  -- By interpreted code: compiled, LuaJIT of March 2022 ended a run in some
  -- thousand (its issue 829).
  local ok, message = compat.interpreted(function()
    for _, window in ipairs(windows) do
      if self.signals.signal or self.failure then break end
      self:_measure_window(window, on_records)
    end
  end)
  self:close()
  if not ok then error(message, 0) end
  return not self.signals.signal and self.failure or nil
end

--- Share of the work that is done, in [0, 1].
---@return number
function Conductor:progress()
  local done, open = self.done, self.open
  for _, bench in ipairs(open and open.benches or {}) do
    done = done + bench:progress() * open.group.share
  end
  return self.total == 0 and 1 or math.min(1, done / self.total)
end

--- The approximate number of finished cells, and the number of all.
---@return integer finished
---@return integer total
function Conductor:counts() return math.floor(self.done), self.total end

--- The id of the cell whose turn it is.
---@return string?
function Conductor:current_id()
  return self.current and self.current.cell.id
end

--- Ends the launches that wait for cells to be measured.
function Conductor:close()
  for _, launch in ipairs(self.waiting or {}) do launch:close() end
  self.waiting = nil
end

return Conductor
