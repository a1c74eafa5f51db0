-- What 'tare run' is asked for, read and checked before anything is measured.
local env = require "tare.env"
local files = require "tare.cli.files"
local lists = require "tare.base.lists"
local measure = require "tare.run.measure"
local output = require "tare.cli.output"
local parts = require "tare.run.parts"
local resume = require "tare.cli.resume"
local settings = require "tare.cli.settings"
local shard = require "tare.store.shard"
local store = require "tare.store"
local verdicts = require "tare.cli.verdicts"

local plan = {}

-- Figures that are not counted unless asked for, and what asks for them.
local FORCED = { instructions = "instructions" }

local function read_settings(given, planned)
  local message
  planned.rules, message = verdicts.rules(given)
  if planned.rules == nil then return message end
  planned.settings, message = settings.read(given)
  if not planned.settings then return message end
  for _, rule in ipairs(planned.rules or {}) do
    local forced = FORCED[rule.metric]
    if forced and planned.settings[forced] == nil then
      planned.settings[forced] = true
    end
  end
end

local function read_baseline(given, planned)
  if planned.rules and not given.baseline then
    return "--fail-on: needs --baseline, a stored report to hold against"
  end
  if not given.baseline then return nil end
  local message
  planned.baseline, message = store.read(given.baseline)
  return message and "--baseline: " .. message
end

local function read_outputs(given, planned)
  local message
  planned.outputs, message = output.plan(given)
  return message
end

local function read_cells(given, planned)
  local suites, message = given.suites, nil
  if not suites then suites, message = files.suites(given.files) end
  if not suites then return message end
  planned.cells, message = files.cells(suites, given)
  return message
end

-- Allocations are counted over as many calls as they were in the baseline:
-- what grows now and then is shared by all of them.
local function adopt_census(_, planned)
  local before = {}
  for _, result in ipairs(planned.baseline and planned.baseline.results or {})
  do
    local census = (result.passes or {}).census
    before[result.id] = census and census.iters
  end
  for _, cell in ipairs(planned.cells) do
    cell.census_calls = before[cell.id]
  end
end

-- Nanoseconds that a cell is expected to take, nil where that is not known:
-- its quota, or its calls at the speed of the baseline.
local function cost_of(cell, planned, known)
  local quota = parts.quota(cell, planned.settings)
  if quota.ns then return quota.ns end
  local time = known[cell.id] and known[cell.id].time
  return time and time.value and quota.calls * time.value
end

local function choose_shard(given, planned)
  if not given.shard then return nil end
  local part, message = shard.parse(given.shard)
  if not part then return "--shard: " .. message end
  local items = {}
  local known = lists.by_id(planned.baseline and planned.baseline.results or {})
  for i, cell in ipairs(planned.cells) do
    items[i] = { cell = cell, group = cell.compared,
      cost = cost_of(cell, planned, known) }
  end
  planned.cells = {}
  for i, item in ipairs(shard.select(items, part)) do
    planned.cells[i] = item.cell
  end
end

-- A report of nothing yet: what stands in it whatever is measured.
local function head_of(planned)
  return { schema = measure.SCHEMA, env = env.fingerprint(),
    options = planned.settings, results = {} }
end

local function read_resume(given, planned)
  local head = head_of(planned)
  planned.all_cells, planned.path = planned.cells, given.save or given.resume
  planned.rest = { head = head, cells = planned.cells }
  if planned.path and not given.dry_run then
    local ok, message = store.check_place(planned.path)
    if not ok then return message end
  end
  if given.resume then
    local rest, message = resume.open(given.resume, head, planned.cells)
    if not rest then return message end
    planned.rest = rest
  end
  planned.cells = planned.rest.cells
end

local STEPS = { read_settings, read_baseline, read_outputs, read_cells,
  adopt_census, choose_shard, read_resume }
local OF_CHILD = { read_settings, read_cells } -- its job tells it the rest

--- Reads all that the command line asks for.
---@param given table of the parser
---@return table? planned settings, cells; and, but for a child: outputs, rules,
---  baseline, all_cells, rest, path
---@return string? message the first thing that is wrong
function plan.read(given)
  local planned = {}
  for _, step in ipairs(given.child and OF_CHILD or STEPS) do
    local message = step(given, planned)
    if message then return nil, message end
  end
  return planned
end

return plan
