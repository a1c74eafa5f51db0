-- Stored reports of the command line: read, and analysed again.
local analysis = require "tare.analysis"
local compare = require "tare.analysis.compare"
local growth = require "tare.analysis.growth"
local store = require "tare.store"
local unicode = require "tare.base.unicode"

local reports = {}

--- Reads stored reports.
---@param paths string[]
---@return table[]? list
---@return string? message of the first that can't be read
function reports.read(paths)
  local list = {}
  for i, path in ipairs(paths) do
    local report, message = store.read(path)
    if not report then return nil, message end
    list[i] = report
  end
  return list
end

local function has_samples(result)
  local samples = result.samples
  return samples and samples.iters and samples.wall_ns
end

local function analysed(result, settings)
  if result.error or not has_samples(result) then return result end
  local ok, made = pcall(analysis.analyse, result, settings)
  if ok then return made end
  return nil, ("%s can't be analysed: %s"):format(unicode.visible(result.id),
    tostring(made):gsub("^[^ ]*:%d+: ", ""))
end

-- A run of tare.compare compares all pairs, with or without a baseline.
local function compares_every(stored, settings)
  local usual = compare.all(stored.results, settings)
  return #stored.comparisons > 0 and #usual == 0
end

-- Results analysed with these options; those that have their figures stay as
-- they are, unless other options were asked for.
local function results_of(stored, settings, is_asked)
  local results = {}
  for i, result in ipairs(stored.results) do
    local made, message = result, nil
    if is_asked or not result.time then
      made, message = analysed(result, settings)
    end
    if not made then return nil, message end
    results[i] = made
  end
  return results
end

--- A stored report, its samples analysed with other options, if any are asked
--- for, and compared. The report that is given stays as it is.
---@param stored table Report
---@param settings table resolved options of the analysis
---@param is_asked boolean whether any of them was asked for
---@return table? report
---@return string? message
function reports.again(stored, settings, is_asked)
  local new = {}
  for name, value in pairs(stored) do new[name] = value end
  local results, message = results_of(stored, settings, is_asked)
  if not results then return nil, message end
  new.options = {}
  for name, value in pairs(stored.options) do new.options[name] = value end
  for name, value in pairs(settings) do new.options[name] = value end
  new.results = results
  new.comparisons = compare.all(results, settings,
    compares_every(stored, settings))
  new.sweeps = growth.sweeps(results, { comparisons = new.comparisons,
    confidence = settings.confidence })
  return new
end

return reports
