-- A group: cells that are compared and so measured in turn, or a single cell.
-- It keeps their records. It decides how many launches there are, and which
-- share of its quota a bench has in each of them, by the formulas of
-- tare.analysis.plan.
local Bench = require "tare.conductor.bench"
local gc_option = require "tare.base.gc_option"
local lists = require "tare.base.lists"
local order = require "tare.conductor.order"
local plan = require "tare.analysis.plan"
local Record = require "tare.conductor.record"

local Group = {}
Group.__index = Group

-- Its fields, which other modules only read:
--   cells             in the order of the list
--   records           by cell; nil once they are handed over
--   done              number of launches that are over
--   round             the last round of these launches
--   launches          number of launches in all, as it is planned now
--   planned_launches  the same, without those added for crowded launches
--   share             share of a quota that each launch to come has
--   begins_short      whether its first launches are short (plan_longer)
--   longest           the share that a launch has at most, then
--   origin_ns         when the first launch had loaded

-- The number of launches to begin with, for what is known of one bench.
local function launches_of(self, known)
  return self.begins_short and plan.short_launches(known)
    or plan.launches(known)
end

-- Sets the number of launches, where none is done.
local function set_launches(self, count)
  self.launches, self.planned_launches, self.share = count, count, 1 / count
  self.longest = 1 / math.min(plan.LAUNCHES, count)
end

--- A group of which nothing is measured yet, and so nothing is known.
---@param cells table[]
---@param settings table resolved options of the run
---@param analysis table see Conductor.new
---@return table group
function Group.new(cells, settings, analysis)
  local self = setmetatable({ cells = cells, records = {}, settings = settings,
    analysis = analysis, done = 0, round = 0,
    begins_short = not settings.launches }, Group)
  for _, cell in ipairs(cells) do
    local options = cell.options
    self.begins_short = self.begins_short and options.precision ~= nil
      and options.quota.ns ~= nil and not options.warmup
  end
  local launches = 1
  for _, cell in ipairs(cells) do
    launches = math.max(launches, launches_of(self, {
      quota_ns = cell.options.quota.ns or 0 }))
  end
  set_launches(self, settings.launches or launches)
  return self
end

--- Sum of the quotas, as far as they are times.
---@return number ns
function Group:quota_ns()
  local sum = 0
  for _, cell in ipairs(self.cells) do
    sum = sum + (cell.options.quota.ns or 0)
  end
  return sum
end

--- How much of its work is done, as a number of cells.
---@return number
function Group:progress()
  return #self.cells * (1 - (self.launches - self.done) * self.share)
end

-- The share of its quota that a bench has in a launch. A quota of calls is
-- spent in one launch, unless benches with a quota of time or --launches ask
-- for more. Then it is split, at most into shares that have enough calls each;
-- with --launches the fewest calls that leave a time are enough.
local function share_of(self, options)
  local calls = options.quota.calls
  if not calls then return self.share end
  local most = self.settings.launches and calls / (options.agree and 2 or 1)
    or plan.launches_of_calls(calls)
  return math.max(self.share, 1 / math.max(1, math.floor(most)))
end

-- The bench of a cell in the next launch; nil if the cell is given up, or if
-- fewer of its calls are left than a whole share.
local function next_bench(self, cell)
  local record, number = self.records[cell], self.done + 1
  if record:is_lost() then return nil end
  local bench = Bench.new(cell, { launch = number,
    share = share_of(self, cell.options), known = record.known,
    call_ns = record:call_ns(), seed = self.settings.seed + number - 1 })
  local calls = cell.options.quota.calls or math.huge
  return record.calls + bench.quota_calls <= calls and bench or nil
end

--- The benches of the next launch. If no bench needs another launch, the list
--- is empty and the group is done.
---@return table[] benches
function Group:next_launch()
  local number, benches = self.done + 1, {}
  for turn = 1, #self.cells do
    local cell = self.cells[order.place(turn, #self.cells, number)]
    self.records[cell] = self.records[cell] or Record.new(cell)
    benches[#benches + 1] = next_bench(self, cell)
  end
  if #benches == 0 then self.launches, self.done = number, number end
  return benches
end

-- Whether a launch has to be repeated: one of its benches has ended it, so the
-- rows of the benches that were cut off do not count. The bench that ended it
-- takes part in the repetition, unless it is lost (Record:is_lost).
local function is_void(benches)
  return lists.first(benches, function(bench) return bench.is_cut_off end)
end

-- What the plan of launches uses of a bench.
local function known_of(bench, load_ns)
  local census = bench:census()
  local known = { quota_ns = bench.options.quota.ns, call_ns = bench.call_ns,
    load_ns = load_ns, setup_ns = bench.info and bench.info.spent_ns }
  -- Timed batches need whole collections, with paced batches beside them or
  -- without (--no-split). Only where the heap is collected before each batch do
  -- they have none.
  if census and not gc_option.of(bench.options.gc).collects then
    known.collections_ns = plan.collections_ns(bench.call_ns,
      census.bytes / census.iters, bench:heap())
  end
  return known
end

--- Plans the launches by what the first one has found out about its benches,
--- before it measures them. All benches have as many launches as the bench that
--- can have the fewest. The first launch is the only one if all benches failed
--- before a call was timed, or have quotas of calls, unless --launches sets the
--- number.
---@param benches table[]
---@param load_ns number to start and load a launch
function Group:plan(benches, load_ns)
  if self.done > 0 or is_void(benches) then return end
  local fewest = math.huge
  for _, bench in ipairs(benches) do
    if bench.warnings.not_settled then self.begins_short = false end
  end
  for _, bench in ipairs(benches) do
    if bench.call_ns and bench.options.quota.ns then
      fewest = math.min(fewest, launches_of(self, known_of(bench, load_ns)))
    end
  end
  set_launches(self, self.settings.launches
    or fewest < math.huge and fewest or 1)
  for _, bench in ipairs(benches) do
    bench:share_quota(share_of(self, bench.options))
  end
end

-- What the analysis says of a record: the answer of one of its functions. A
-- bench can send any figures; if they can't be analysed, only that bench is
-- given up.
local function judged(self, judge, record, ...)
  local ok, answer = pcall(self.analysis[judge], record:finish(), ...)
  if ok then return answer end
  record:give_up("its figures can't be analysed: " .. tostring(answer))
end

-- Whether every bench has the precision asked for. It is checked after a few
-- numbers of launches only, fixed beforehand: each check needs a higher
-- confidence (precision.confidence).
local function is_precise(self)
  for cell, record in pairs(self.records) do
    if not (cell.options.precision and self.analysis.is_look(self.done)) then
      return false
    end
    local made = record:finish()
    if made and not made.error
      and not judged(self, "is_narrow", record, cell.options)
      and not record:finish().error then
      return false
    end
  end
  return true
end

-- How many launches to add, because others were crowded as a whole.
local function launches_to_add(self)
  if not self.analysis.free_width() or self.settings.launches
    or self.planned_launches == 1 then
    return 0
  end
  local most = 0
  for cell, record in pairs(self.records) do
    local made, options = record:finish(), cell.options
    if made and not made.error and options.quota.ns then
      most = math.max(most, plan.more_launches {
        planned = self.planned_launches,
        done = self.done, launch_ns = options.quota.ns * self.share,
        patience_ns = options.patience or options.quota.ns,
        waited_ns = made.waited_ns or 0,
        usable = judged(self, "clean_launches", record) or 0 })
    end
  end
  return most
end

-- Plans the rest of the launches anew: shorter and more of them where launches
-- differ by more than their batches do. The bench that gains most decides, as
-- long as no other bench needs longer launches.
local function plan_rest(self, benches, load_ns)
  if self.settings.launches or not plan.is_replanned(self.done) then return end
  local share, least = self.share, 0
  for _, bench in ipairs(benches) do
    local whole_ns = bench.options.quota.ns
    if bench.error or not bench.warmed_up or not whole_ns then return end
    local known = known_of(bench, load_ns)
    local spread = judged(self, "spread", self.records[bench.cell],
      bench.options)
    if not spread then return end
    known.launch_ns, known.timed_ns = whole_ns * self.share, bench.measured_ns
    known.started_ns, known.rows = load_ns + bench.warmed_up.ns, bench.rows
    known.between, known.within = spread.between, spread.within
    local launch_ns, least_ns = plan.launch_ns(known)
    share = math.min(share, launch_ns / whole_ns)
    least = math.max(least, least_ns / whole_ns)
  end
  local left = (self.launches - self.done) * self.share
  local more = math.floor(left / math.max(share, least) + 1e-9)
  if more <= self.launches - self.done then return end
  self.launches, self.share = self.done + more, left / more
  self.planned_launches, self.longest = self.launches, self.share
end

-- Where a run may be over after a few launches (--precision), they begin as
-- short as those of a quota of a second, however long the quota is. After each
-- look at which it is not over, they are twice as long, up to the usual length.
-- So the quota is spent all the same, and until the next look a run takes at
-- most about three times as long as until this one. Where a short warm-up is
-- not enough, and where one was asked for, of which each launch has its share,
-- all launches have the usual length.
local function plan_longer(self)
  if not (self.begins_short and self.analysis.is_look(self.done)) then
    return
  end
  local left = (self.launches - self.done) * self.share
  local more = math.ceil(left / math.min(2 * self.share, self.longest) - 1e-9)
  self.launches, self.share = self.done + more, left / more
  self.planned_launches = self.launches
end

--- Adds a launch that has measured its benches, and decides how many follow. If
--- a bench has ended the launch, it counts only as a failure of that bench.
---@param benches table[] of next_launch()
---@param processes table<integer, table> that measured them, by variant: of
---  tare.conductor.launch
---@param round integer the last one
---@param load_ns number as in plan()
function Group:add(benches, processes, round, load_ns)
  self.origin_ns = self.origin_ns
    or processes[benches[1].cell.variant].loaded_ns
  local launch_is_void = is_void(benches)
  for _, bench in ipairs(benches) do
    if not launch_is_void or bench.error and not bench.is_cut_off then
      self.records[bench.cell]:add(bench,
        processes[bench.cell.variant].loaded_ns - self.origin_ns)
    end
  end
  if launch_is_void then return end
  self.done, self.round = self.done + 1, round
  if is_precise(self) then
    self.launches = self.done
  elseif self.done == self.launches then
    self.launches = self.done + launches_to_add(self)
  else
    plan_rest(self, benches, load_ns)
    plan_longer(self)
  end
end

--- Gives all its cells up: figures of one of them, no matter which, can't be
--- worked with.
---@param message string
function Group:give_up(message)
  for _, cell in ipairs(self.cells) do
    self.records[cell] = self.records[cell] or Record.new(cell)
    self.records[cell]:give_up(message)
  end
  self.done = self.launches
end

--- Hands over the joined records of the cells that were measured.
---@param signal string? that ended the run, if any: cells that had launches
---  left get a warning
---@return table[]
function Group:take_records(signal)
  local list = {}
  for _, cell in ipairs(self.cells) do
    local record = self.records[cell] and self.records[cell]:finish()
    list[#list + 1] = record
    if signal and record and not record.error and self.done < self.launches
      and next_bench(self, cell)
      and not lists.has(record.warnings, "interrupted") then
      table.insert(record.warnings, "interrupted")
    end
  end
  self.records = nil
  return list
end

return Group
