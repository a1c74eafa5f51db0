-- The rows of a cell from all its launches, joined, as plain data: a result
-- before its analysis.
local core = require "tare.core"
local lists = require "tare.base.lists"
local pass_names = require "tare.base.passes"

local Record = {}
Record.__index = Record

--- An empty record. 'sound' has the launches whose rows count, 'failed' has the
--- others, but for interrupted ones. 'calls': how many calls of the quota are
--- made.
---@param cell table
---@return table record
function Record.new(cell)
  return setmetatable({ cell = cell, sound = {}, failed = {}, known = {},
    calls = 0 }, Record)
end

-- The columns of a store. Start times are counted from the first launch's
-- start.
local function columns_of(samples, offset_ns)
  local columns = samples:columns()
  columns.spent_ns = nil
  for i, start_ns in ipairs(columns.start_ns or {}) do
    columns.start_ns[i] = start_ns + offset_ns
  end
  return columns
end

--- Adds the rows and passes of one launch.
---@param bench table of tare.conductor.bench
---@param offset_ns number? from the first launch's start to this one's
function Record:add(bench, offset_ns)
  self.made, self.calls = nil, self.calls + bench.calls
  -- A bench that was still running when the run was interrupted has not failed.
  -- Its timed batches count if they were over by then.
  local is_sound = not bench.error or bench.has_sound_rows
  if not is_sound and bench.warnings.interrupted then
    self.is_interrupted = true
    return
  end
  -- The times of a bench that does something else than the others mean nothing,
  -- in any launch.
  if bench.disagrees then self.sound, self.failed = {}, {} end
  for _, name in ipairs(pass_names.with_figures) do
    if bench.passes[name] then self.known[name] = bench.passes[name] end
  end
  offset_ns = offset_ns or 0
  local columns = bench.samples and columns_of(bench.samples, offset_ns) or {}
  local thinned = bench.samples and bench.samples:thinned() or 0
  local passes = {}
  for _, name in ipairs(pass_names.with_rows) do
    local pass = bench.passes[name]
    if pass then
      passes[name] = { samples = columns_of(pass.samples, offset_ns),
        pauses = pass.pauses }
    end
  end
  table.insert(is_sound and self.sound or self.failed, {
    launch = bench.launch, info = bench.info or {}, columns = columns,
    passes = passes, warnings = bench.warnings,
    error = not bench.was_interrupted and bench.error or nil,
    ended_launch = bench.has_ended_launch, disagrees = bench.disagrees,
    warmup = bench.warmed_up,
    waited_ns = bench.waited_ns, thinned = thinned,
    call_ns = bench:measured_call_ns() or bench.quickest_ns })
end

--- Gives the cell up, with all that is known of it: its figures can't be used.
---@param message string
function Record:give_up(message)
  self.made, self.is_given_up, self.known, self.sound = nil, true, {}, {}
  self.failed = { { info = {}, columns = {}, passes = {}, warnings = {},
    error = message, waited_ns = 0, thinned = 0 } }
end

--- The time of a call in the first launch.
---@return number? ns
function Record:call_ns() return self.sound[1] and self.sound[1].call_ns end

--- Adds the processor's instructions per call.
---@param per_call number
function Record:add_machine_instructions(per_call)
  self.made = nil
  self.machine_instructions = { value = per_call, unit = "instructions" }
end

-- Columns of several launches, one after the other; NaN if a launch lacks a
-- column.
local function joined(list)
  local all, rows = {}, 0
  for _, columns in ipairs(list) do
    local count = #(columns.iters or {})
    for name in pairs(columns) do
      if not all[name] then
        all[name] = {}
        for row = 1, rows do all[name][row] = 0 / 0 end
      end
    end
    for name, column in pairs(all) do
      local values = columns[name]
      for row = 1, count do
        column[rows + row] = values and values[row] or 0 / 0
      end
    end
    rows = rows + count
  end
  all.iters, all.wall_ns = all.iters or {}, all.wall_ns or {}
  return all
end

local function joined_passes(self, launches)
  local passes = {}
  for _, name in ipairs(pass_names.with_figures) do
    passes[name] = self.known[name]
  end
  for _, name in ipairs(pass_names.with_rows) do
    local columns, pauses = {}, {}
    for _, one in ipairs(launches) do
      local pass = one.passes[name]
      if pass then
        columns[#columns + 1] = pass.samples
        pauses[#pauses + 1] = pass.pauses
      end
    end
    if columns[1] then
      passes[name] = { samples = joined(columns),
        pauses = core.pauses(pauses) }
    end
  end
  return passes
end

-- The messages of failed launches. Adds the warnings of these to 'warnings'.
local function failures(self, warnings)
  local list = {}
  for _, one in ipairs(self.failed) do
    list[#list + 1] = { launch = one.launch, message = one.error }
    for code in pairs(one.warnings) do warnings[code] = true end
  end
  if #list > 0 then warnings.launch_failed = true end
  return #list > 0 and list or nil
end

--- Whether the cell is given up: after two failed launches, one timeout, one
--- result that differs from another bench's, one launch that the cell ended
--- after its timed batches, or figures that can't be used.
---@return boolean
function Record:is_lost()
  local failed, sound = self.failed[#self.failed], self.sound[#self.sound]
  return #self.failed >= 2 or self.is_given_up == true or failed ~= nil
      and (failed.warnings.timeout ~= nil or failed.disagrees == true)
    or sound ~= nil and sound.error ~= nil -- after its timed batches
      and (sound.warnings.timeout ~= nil or sound.ended_launch == true)
end

-- Warnings that count only if at least this share of launches has them. In
-- fewer launches the cause was the machine, not the bench.
local SHARE_OF_LAUNCHES = { not_settled = 0.5 }

-- The warnings of launches: a set of codes.
local function warnings_of(launches)
  local counts, warnings = {}, {}
  for _, one in ipairs(launches) do
    for code in pairs(one.warnings) do
      counts[code] = (counts[code] or 0) + 1
    end
  end
  for code, count in pairs(counts) do
    local least = (SHARE_OF_LAUNCHES[code] or 0) * #launches
    warnings[code] = count >= least or nil
  end
  return warnings
end

-- The joined record.
local function finished(self)
  local launches = #self.sound > 0 and self.sound or { self.failed[1] }
  local first, cell = launches[1], self.cell
  if not first then return nil end
  local warnings, columns = warnings_of(launches), {}
  local thinned, waited_ns, warmup, message = 0, 0, nil, nil
  for i, one in ipairs(launches) do
    columns[i], thinned = one.columns, thinned + one.thinned
    waited_ns = waited_ns + one.waited_ns
    if one.warmup then
      warmup = warmup or { calls = 0, ns = 0 }
      warmup.calls = warmup.calls + one.warmup.calls
      warmup.ns = warmup.ns + one.warmup.ns
    end
    message = message or one.error -- of the launches used here
  end
  if self.is_interrupted then warnings.interrupted = true end
  local is_measured = #self.sound > 0
  local failed_launches = is_measured and failures(self, warnings) or nil
  local samples = joined(columns)
  local passes = joined_passes(self, launches)
  local profile, traces = passes.profile, passes.traces -- they have no rows
  passes.profile, passes.traces = nil, nil
  return {
    id = cell.id, suite = cell.suite, group = cell.group, name = cell.name,
    params = cell.params, compared = cell.compared, baseline = cell.baseline,
    lua = cell.lua, source = cell.source, loop = first.info.loop or cell.loop,
    gc = cell.options.gc, gc_mode = first.info.gc_mode, jit = cell.options.jit,
    gc_pause = cell.options.gc_pause,
    gc_minor_multiplier = cell.options.gc_minor_multiplier,
    split = cell.options.split, precision = cell.options.precision,
    discard = cell.options.discard,
    regress = cell.options.regress,
    throughput = first.info.throughput, launches = #launches,
    warmup = warmup, waited_ns = waited_ns > 0 and waited_ns or nil,
    heap_bytes = (samples.heap_bytes or {})[1],
    thinned = thinned > 0 and thinned or nil, error = message,
    is_measured = is_measured or nil,
    failed_launches = failed_launches, warnings = lists.keys(warnings),
    samples = samples, passes = passes, profile = profile,
    traces = traces, machine_instructions = self.machine_instructions,
  }
end

--- The joined record, as plain data; the same table until more is added.
---@return table? record nil if there is no launch yet, or all were
---  interrupted
function Record:finish()
  self.made = self.made or finished(self)
  return self.made
end

return Record
