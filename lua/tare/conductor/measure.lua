-- From records to a report, and the library's way from cells to one: measured
-- in this process, analysed, compared.
local analysis = require "tare.analysis"
local Direct = require "tare.conductor.direct"
local env = require "tare.env"
local measured = require "tare.base.measured"
local rest = require "tare.base.rest"

local measure = {}

--- The results of records: each analysed.
---@param records table[]
---@param settings table resolved options
---@param clock table? of the machine: see tare.env.clock
---@return table[]
function measure.results(records, settings, clock)
  local results = {}
  for i, record in ipairs(records) do
    results[i] = analysis.analyse(record, settings, clock)
    rest.here()
  end
  return results
end

--- A report of analysed results.
---@param results table[]
---@param settings table
---@param fingerprint table
---@param every boolean? compare all pairs, with or without a baseline
---@return table report
function measure.report_of(results, settings, fingerprint, every)
  local comparisons = analysis.compare(results, settings, every)
  rest.here()
  return { schema = measured.SCHEMA, env = fingerprint, options = settings,
    results = results, comparisons = comparisons,
    sweeps = analysis.sweeps(results, { comparisons = comparisons,
      confidence = settings.confidence }) }
end

--- Measures cells in this process and reports. Each result says that it speaks
--- for one process.
---@param cells table[]
---@param settings table resolved options
---@param more { process: table?, on_step: function?, every: boolean? }?
---@return table report
function measure.cells(cells, settings, more)
  more = more or {}
  local direct = Direct.new(cells, settings, more.process)
  local records = direct:run(more.on_step)
  for _, record in ipairs(records) do record.in_process = true end
  return measure.report_of(measure.results(records, settings), settings,
    env.fingerprint(), more.every)
end

return measure
