-- From cells to a report: runs, records, analyses and compares.
local analysis = require "tare.analysis"
local compare = require "tare.analysis.compare"
local env = require "tare.env"
local growth = require "tare.analysis.growth"
local overhead = require "tare.analysis.overhead"
local record = require "tare.run.record"
local Runner = require "tare.run.runner"

local measure = {}

measure.SCHEMA = "tare/1"

-- What a call costs in the empty loop: {value, low, high}; nil where it was too
-- short to tell. 'known' holds those that were computed, for many benches share
-- one.
local function loop_cost(empty, settings, known, rest)
  if empty and known[empty] == nil then
    local cost = analysis.analyse(empty, settings, rest).time
    known[empty] = cost and overhead.is_known(cost) and cost or false
  end
  return empty and known[empty] or nil
end

--- The records of finished trials; 'empty' of each is that of its empty loop.
---@param trials table[]
---@return table[]
function measure.records(trials)
  local records, empties = {}, {}
  for i, trial in ipairs(trials) do
    local empty = trial.empty
    if empty and not empties[empty] then empties[empty] = record.of(empty) end
    records[i] = record.of(trial)
    records[i].empty = empty and empties[empty]
  end
  return records
end

--- The results of records: each analysed.
---@param records table[]
---@param settings table resolved options
---@param rest (fun())? called between parts, see tare.analysis
---@return table[]
function measure.results(records, settings, rest)
  local results, costs = {}, {}
  for i, made in ipairs(records) do
    made.loop_cost = loop_cost(made.empty, settings, costs, rest)
    results[i] = analysis.analyse(made, settings, rest)
    if rest then rest() end
  end
  return results
end

--- A report of records.
---@param records table[]
---@param settings table resolved options
---@param every boolean? compare all pairs, with or without a baseline
---@return table report
function measure.analysed(records, settings, every)
  return measure.report_of(measure.results(records, settings), settings,
    env.fingerprint(), every)
end

--- A report of finished trials.
---@param trials table[]
---@param settings table resolved options
---@param every boolean? compare all pairs, with or without a baseline
---@return table report
function measure.report(trials, settings, every)
  return measure.analysed(measure.records(trials), settings, every)
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
    sweeps = growth.sweeps(results, { comparisons = comparisons,
      confidence = settings.confidence }) }
end

--- Measures cells and reports.
---@param cells table[]
---@param settings table resolved options
---@param more { context: table?, on_step: function?, every: boolean? }?
---@return table report
function measure.cells(cells, settings, more)
  more = more or {}
  local runner = Runner.new(cells, settings, more.context, more.every)
  return measure.report(runner:run(more.on_step), settings, more.every)
end

return measure
