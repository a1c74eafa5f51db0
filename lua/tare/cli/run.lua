-- tare run: measure, report, store, judge.
local Collection = require "tare.cli.collection"
local confirm = require "tare.cli.confirm"
local dry = require "tare.cli.dry"
local diff = require "tare.judge.diff"
local measuring = require "tare.cli.measuring"
local output = require "tare.cli.output"
local plan = require "tare.cli.plan"
local verdicts = require "tare.cli.verdicts"

local run = {}

local EXIT = { done = 0, usage = 1, failed = 2, interrupted = 130 }

local function any_failed(report)
  for _, result in ipairs(report.results) do
    if result.error then return true end
  end
  return false
end

-- A part of the benches lacks others of the baseline on purpose.
local function is_whole(given)
  return not given.shard and #(given.filter or {}) == 0
    and #(given.param or {}) == 0
end

-- The report with its comparisons with the baseline, and what they say.
local function judged(report, planned, given)
  if not planned.baseline then return report, {} end
  local names = { "this run", given.baseline }
  local found = diff.reports(report, planned.baseline, { force = given.force,
    tolerance = planned.settings.tolerance, names = names })
  local verdict = verdicts.of(report, planned.baseline, planned.rules, found,
    { force = given.force, names = names, tell_missing = is_whole(given) })
  local shown, comparisons = {}, {}
  for name, value in pairs(report) do shown[name] = value end
  for _, list in ipairs { report.comparisons, found.comparisons } do
    for _, one in ipairs(list) do comparisons[#comparisons + 1] = one end
  end
  shown.comparisons = comparisons
  return shown, verdict
end

local function measured(planned, given, complain)
  local results = Collection.new(planned, complain)
  local signal = measuring.run(planned, given, results)
  local report = results:report()
  local shown, verdict = judged(report, planned, given)
  signal = signal or confirm.run(verdict, report, planned, given)
  local stored = results:store(report)
  local written = output.write(planned.outputs, shown, given, complain,
    verdict, stored and true or false)
  local gate = verdicts.tell(verdict, complain)
  if signal then return EXIT.interrupted end
  if any_failed(report) then return EXIT.failed end
  if gate ~= 0 then return gate end
  return stored and written and EXIT.done or EXIT.usage
end

--- Runs the command.
---@return integer exit code
function run.run(given, complain)
  local planned, message = plan.read(given)
  if not planned then
    complain(message)
    return EXIT.usage
  end
  if given.child then return measuring.work(planned, given, complain) end
  if given.dry_run then
    return dry.run(planned, given) and EXIT.done or EXIT.failed
  end
  return measured(planned, given, complain)
end

return run
