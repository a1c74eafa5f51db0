-- From cells to a report: runs, records, analyses and compares.
local analysis = require "tare.analysis"
local compare = require "tare.analysis.compare"
local env = require "tare.env"
local growth = require "tare.analysis.growth"
local record = require "tare.run.record"
local Runner = require "tare.run.runner"

local measure = {}

measure.SCHEMA = "tare/1"

-- What a call costs in the empty loop: {value, low, high}, or nil. 'known'
-- holds those that were computed, for many trials share one.
local function loop_cost(empty, settings, known)
  if known[empty] == nil then
    known[empty] = analysis.analyse(record.of(empty), settings).time or false
  end
  return known[empty] or nil
end

--- A report of finished trials.
---@param trials table[]
---@param settings table resolved options
---@param every boolean? compare all pairs, with or without a baseline
---@return table report
function measure.report(trials, settings, every)
  local results, costs = {}, {}
  for i, trial in ipairs(trials) do
    local made = record.of(trial)
    made.loop_cost = trial.empty and loop_cost(trial.empty, settings, costs)
    results[i] = analysis.analyse(made, settings)
  end
  return measure.report_of(results, settings, env.fingerprint(), every)
end

--- A report of analysed results.
---@param results table[]
---@param settings table
---@param fingerprint table
---@param every boolean?
---@return table report
function measure.report_of(results, settings, fingerprint, every)
  local comparisons = compare.all(results, settings, every)
  return { schema = measure.SCHEMA, env = fingerprint, options = settings,
    results = results, comparisons = comparisons,
    sweeps = growth.sweeps(results, { comparisons = comparisons }) }
end

--- Measures cells and reports.
---@param cells table[]
---@param settings table resolved options
---@param more { context: table?, on_step: function?, every: boolean? }?
---@return table report
function measure.cells(cells, settings, more)
  more = more or {}
  local runner = Runner.new(cells, settings, more.context)
  return measure.report(runner:run(more.on_step), settings, more.every)
end

return measure
