-- tare run: measure, report, store, judge.
local files = require "tare.cli.files"
local measuring = require "tare.cli.measuring"
local output = require "tare.cli.output"
local settings = require "tare.cli.settings"
local store = require "tare.store"

local run = {}

local EXIT = { done = 0, usage = 1, failed = 2, interrupted = 130 }

-- All that can be refused before anything is measured.
local function plan(given)
  local read, message = settings.read(given)
  if not read then return nil, message end
  local outputs
  outputs, message = output.plan(given)
  if not outputs then return nil, message end
  local suites = given.suites
  if not suites then suites, message = files.suites(given.files) end
  if not suites then return nil, message end
  local cells
  cells, message = files.cells(suites, given)
  if not cells then return nil, message end
  return { settings = read, outputs = outputs, cells = cells }
end

local function any_failed(report)
  for _, result in ipairs(report.results) do
    if result.error then return true end
  end
  return false
end

--- Runs the command.
---@return integer exit code
function run.run(given, complain)
  local planned, message = plan(given)
  if not planned then
    complain(message)
    return EXIT.usage
  end
  if given.child then return measuring.work(planned, given, complain) end
  local report, interrupted = measuring.run(planned, given)
  local ok = true
  if given.save then
    ok, message = store.write(given.save, report)
    if not ok then complain(message) end
  end
  local written = output.write(planned.outputs, report, given, complain)
  if interrupted then return EXIT.interrupted end
  if any_failed(report) then return EXIT.failed end
  return ok and written and EXIT.done or EXIT.usage
end

return run
