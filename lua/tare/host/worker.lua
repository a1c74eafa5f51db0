-- A child process at work: measures the cells of its job and leaves a record
-- of each as soon as it is finished.
local Contain = require "tare.host.contain"
local env = require "tare.env"
local lists = require "tare.base.lists"
local record = require "tare.run.record"
local Runner = require "tare.run.runner"

local worker = {}

local function scaled(quota, share)
  local own = {}
  for unit, amount in pairs(quota) do
    own[unit] = unit == "calls" and math.max(1, math.floor(amount * share))
      or amount * share
  end
  return own
end

-- A launch has its share of each quota, and a seed of its own.
local function share_of(settings, share)
  local own = {}
  for name, value in pairs(settings) do own[name] = value end
  own.quota = settings.quota and scaled(settings.quota, share)
  own.warmup = settings.warmup and scaled(settings.warmup, share)
  return own
end

-- The cells of the job, in its order, and the number of each id.
local function chosen(cells, job)
  local by_id, list, index = lists.by_id(cells), {}, {}
  for i, id in ipairs(job.ids) do
    local cell, own = by_id[id], {}
    if not cell then return nil, id .. ": not in this process" end
    for key, value in pairs(cell) do own[key] = value end
    local options = share_of(cell.spec.options, job.share)
    own.settings = share_of(cell.settings, job.share)
    for _, name in ipairs { "quota", "warmup" } do
      own.settings[name] = own.settings[name] or options[name]
    end
    own.census_calls = (job.census or {})[i]
    list[i], index[id] = own, i
  end
  return list, index
end

-- Records of trials, and of the empty loops that they refer to.
local function post(outbox, trials, from, loops)
  for i = from, #trials do
    local trial = trials[i]
    local made, empty = record.of(trial), trial.empty
    made.params = nil -- known to whoever gave the job
    if empty and not loops[empty] then
      loops.count = loops.count + 1
      loops[empty] = loops.count
      local plain = record.of(empty)
      plain.params = nil
      outbox:post { loop = loops.count, record = plain }
    end
    outbox:post { record = made, of_loop = loops[empty or 0] }
  end
  return #trials + 1
end

--- Measures.
---@param cells table[] all cells of the command line
---@param settings table resolved options
---@param outbox table of Mailbox.Outbox.open
---@param stop fun(): boolean whether to end early
---@return boolean? ok
---@return string? message
function worker.run(cells, settings, outbox, stop)
  local job = outbox.job
  local list, index = chosen(cells, job)
  if not list then return nil, index end
  local own = share_of(settings, job.share)
  own.seed, own.launches = (job.seed or settings.seed) + job.launch - 1, 1
  local context = Runner.context()
  context.deadlines = nil -- its parent sees to that
  context.on_turn = function(trial) outbox:at(index[trial.cell.id] or 0) end
  local runner = Runner.new(list, own, context)
  local from, loops = 1, { count = 0 }
  outbox:post { draw = env.draw() }
  local contain = Contain.new(runner.context)
  repeat
    local done = contain:step(runner)
    if not runner.window then
      outbox:at(0)
      from = post(outbox, runner.trials, from, loops)
    end
  until done or stop()
  contain:mend()
  runner:close()
  contain:close()
  post(outbox, runner.trials, from, loops)
  outbox:post { done = true }
  return true
end

return worker
