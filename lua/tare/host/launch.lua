-- Measures in child processes, one after the other: each is one draw of hash
-- seed, addresses and traces, and none can harm the run. A child that ends
-- early, or stands still for longer than the timeout, loses the bench it was
-- at; a fresh one measures what it had not finished.
local deadline = require "tare.run.deadline"
local gather = require "tare.host.gather"
local lists = require "tare.base.lists"
local Mailbox = require "tare.host.mailbox"
local supervise = require "tare.host.supervise"

local Launch = {}
Launch.__index = Launch

local START_NS = 1e10 -- that a child may take to load its benches, at least

--- Whether cells under such settings ask for child processes.
---@param cells table[]
---@param settings table resolved options
---@return boolean
function Launch.wanted(cells, settings)
  return settings.launches > 1 or deadline.is_asked(cells, settings)
end

--- Launches over cells; nothing is started yet.
---@param cells table[]
---@param settings table resolved options
---@param command fun(path: string): table?, string? what starts a child that
---  finds its job at 'path': see tare.host.child
---@param more { signal: (fun(): string?)?, on_tick: fun(self: table)? }?
---  signal: what has interrupted the run, if anything
---@return table launches
function Launch.new(cells, settings, command, more)
  more = more or {}
  local self = setmetatable({ cells = cells, settings = settings,
    command = command, signal = more.signal or function() end,
    on_tick = more.on_tick, by_id = lists.by_id(cells), parts = {}, failed = {},
    dropped = {}, draws = {}, number = 0, round = 0,
    count = settings.launches }, Launch)
  return self
end

-- How long a step of a bench may take, by its own timeout or the run's; nil:
-- as long as it likes. Without a bench it is the start that takes its time.
function Launch:_limit_ns(id)
  local cell, general = self.by_id[id], self.settings.timeout
  if not cell then return general and math.max(general, START_NS) end
  return cell.settings.timeout or cell.spec.options.timeout or general
end

-- The records among a child's messages, each with what belongs to it.
function Launch:_read(messages, began_ns)
  local loops, parts, done = {}, {}, false
  for _, message in ipairs(messages) do
    local record = message.record
    if message.draw then
      message.draw.launch = self.number
      table.insert(self.draws, message.draw)
    elseif message.loop then
      loops[message.loop] = record
    elseif record then
      record.params = self.by_id[record.id].params
      table.insert(parts, { record = record, launch = self.number,
        began_ns = began_ns, first_round = self.round,
        empty = loops[message.of_loop] })
    end
    done = done or message.done
  end
  return parts, done
end

-- A bench that failed twice, or took its time to, is not tried again.
function Launch:_keep(part)
  local id = part.record.id
  self.parts[id] = self.parts[id] or {}
  table.insert(self.parts[id], part)
  if part.record.error then
    self.dropped[id] = self.failed[id] or part.record.warnings[1] == "timeout"
    self.failed[id] = true
  end
  self.last_round = math.max(self.last_round,
    gather.last_round(part.record))
end

-- What a bench gets that has ended its process, or did not come back.
function Launch:_fail(id, outcome)
  local cell = self.by_id[id]
  self:_keep { launch = self.number, record = {
    id = id, suite = cell.suite, group = cell.group, name = cell.name,
    params = cell.params, compared = cell.compared, baseline = cell.baseline,
    error = outcome.message, warnings = { outcome.code },
    samples = { iters = {}, wall_ns = {} }, passes = {} } }
end

-- Calls that the census of each takes; 0: as many as it likes.
function Launch:_census(ids)
  local calls = {}
  for i, id in ipairs(ids) do calls[i] = self.by_id[id].census_calls or 0 end
  return calls
end

-- Runs one child over these ids; returns those that are left to be measured.
function Launch:_run(ids)
  local outcome = supervise.run({ ids = ids, launch = self.number,
      seed = self.settings.seed, share = 1 / self.count,
      census = self:_census(ids) },
    { mailbox = self.mailbox, command = self.command, signal = self.signal,
      limit_ns = function(index) return self:_limit_ns(ids[index or 0]) end,
      on_tick = self.on_tick and function() self:on_tick() end })
  self.began_ns = self.began_ns or outcome.began_ns
  local parts, done = self:_read(outcome.messages,
    outcome.began_ns - self.began_ns)
  for _, part in ipairs(parts) do self:_keep(part) end
  if done or self.signal() then return {} end
  return self:_after(ids, outcome)
end

-- After a child that did not finish: who is to blame, and who is left. Where
-- no bench is to blame, all that it had not finished have failed.
function Launch:_after(ids, outcome)
  local left, blamed = {}, ids[outcome.index or 0]
  for _, id in ipairs(ids) do
    local parts = self.parts[id]
    local finished = parts and parts[#parts].launch == self.number
    if finished and id == blamed then blamed = nil end
    if not finished then left[#left + 1] = id end
  end
  for i = #left, 1, -1 do
    if not blamed or left[i] == blamed then
      self:_fail(table.remove(left, i), outcome)
    end
  end
  return left
end

function Launch:_launch()
  local ids = {}
  self.number, self.last_round = self.number + 1, self.round
  for _, cell in ipairs(self.cells) do
    if not self.dropped[cell.id] then ids[#ids + 1] = cell.id end
  end
  while #ids > 0 do ids = self:_run(ids) end
  self.round = self.last_round
end

-- The empty loop's record for a bench; 'known' holds those that were made.
local function empty_of(parts, known)
  local loops = {}
  for _, part in ipairs(parts) do
    if part.empty then
      table.insert(loops, { record = part.empty, launch = part.launch })
    end
  end
  local first = loops[1] and loops[1].record
  if first and not known[first] then known[first] = gather.merge(loops) end
  return first and known[first]
end

function Launch:_gather()
  local records, empties = {}, {}
  for _, cell in ipairs(self.cells) do
    local parts = self.parts[cell.id]
    if parts then
      local merged = gather.merge(parts)
      merged.empty = empty_of(parts, empties)
      records[#records + 1] = merged
    end
  end
  return records
end

--- Runs all launches.
---@return table[] records one a bench that was begun, for the analysis
---@return table[] draws what each launch drew by chance
function Launch:run()
  self.mailbox = assert(Mailbox.new())
  local ok, message = pcall(function()
    repeat
      self:_launch()
    until self.number == self.count or self.signal()
  end)
  self.mailbox:close()
  if not ok then error(message, 0) end
  return self:_gather(), self.draws
end

--- Share of the work that is done, in [0, 1].
---@return number
function Launch:progress()
  local share = 0
  for _, parts in pairs(self.parts) do share = share + #parts end
  return math.min(1, share / (#self.cells * self.count))
end

--- What is going on, for a progress line.
---@return string
function Launch:current()
  return ("launch %d of %d"):format(self.number, self.count)
end

return Launch
