-- tare merge: one report of the reports of shards.
local growth = require "tare.analysis.growth"
local merge = require "tare.store.merge"
local output = require "tare.cli.output"
local reports = require "tare.cli.reports"

local command = {}

-- JSON, unless another format is asked for: what merges can merge again.
local function as_json(given)
  for _, asked in ipairs(given.outputs or {}) do
    asked.format = asked.format or not asked.file:find("%.%w+$") and "json"
      or nil
  end
  given.outputs = given.outputs or { { format = "json" } }
  return output.plan(given)
end

local function merged(given)
  local list, message = reports.read(given.files)
  if not list then return nil, message end
  local report
  report, message = merge.reports(list, given.files)
  if not report then return nil, message end
  report.sweeps = growth.sweeps(report.results,
    { comparisons = report.comparisons })
  return report
end

--- Runs the command.
---@return integer exit code
function command.run(given, complain)
  given.quiet = true
  local outputs, message = as_json(given)
  local report
  if outputs then report, message = merged(given) end
  if not report then
    complain(message)
    return 1
  end
  return output.write(outputs, report, given, complain) and 0 or 1
end

return command
