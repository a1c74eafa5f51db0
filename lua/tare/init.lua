-- The facade: what `require "tare"` offers. It needs nothing but the core;
-- what reads files or prints is loaded when it is asked for.
local core = require "tare.core"
local benchfile = require "tare.bench.file"
local measure = require "tare.run.measure"
local Suite = require "tare.bench.suite"
local sweep = require "tare.sweep"
local within = require "tare.run.within"

local tare = { _VERSION = "tare " .. core.version, stats = core.stats,
  suite = Suite.new, range = sweep.range, geometric = sweep.geometric,
  zip = sweep.zip }

-- Options of a call, or an error at the level of who called tare.
local function resolve(given, who)
  if given ~= nil and type(given) ~= "table" then
    error(("%s: 'options' must be a table, got %s"):format(who, type(given)), 3)
  end
  local settings, message = within.settings(given, who)
  if not settings then error(message, 3) end
  return settings
end

local function check_cells(cells, settings, who)
  local refusal = within.refusal(cells, settings, who)
  if refusal then error(refusal, 3) end
end

local function check_function(value, who)
  if type(value) ~= "function" then
    error(("%s: expected a function, got %s"):format(who, type(value)), 3)
  end
end

--- Measures one function.
---@param fn function called without arguments
---@param given table? options, as on the command line or as plain numbers
---@return table result see the report's RESULT; 'error' is set if fn raised
function tare.measure(fn, given)
  check_function(fn, "tare.measure")
  local settings = resolve(given, "tare.measure")
  if settings.loop == "batch" then
    error("tare.measure: loop: 'batch' needs a bench with a function 'batch': "
      .. "see tare.suite", 2)
  end
  local cells = Suite.new("measure"):bench("fn", fn):cells()
  check_cells(cells, settings, "tare.measure")
  return measure.cells(cells, settings).results[1]
end

local function sorted_names(functions)
  local names = {}
  for name in pairs(functions) do
    if type(name) ~= "string" then
      error("tare.compare: names must be strings, got " .. type(name), 3)
    end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Compares functions in one run, their batches interleaved.
---@param functions table<string, function|table> names and functions or specs
---@param given table? options
---@return { results: table[], comparisons: table[] }
function tare.compare(functions, given)
  if type(functions) ~= "table" then
    error("tare.compare: expected a table of functions, got "
      .. type(functions), 2)
  end
  local names = sorted_names(functions)
  if #names < 2 then error("tare.compare: needs two functions or more", 2) end
  local settings = resolve(given, "tare.compare")
  if settings.order == "sequential" then
    error("tare.compare: 'order' must be 'interleaved': ratios need benches "
      .. "that were measured in turn", 2)
  end
  local suite = Suite.new("compare")
  for _, name in ipairs(names) do
    local ok, message = pcall(suite.bench, suite, name, functions[name])
    if not ok then
      error("tare.compare: " .. message:gsub("^tare: ", ""), 2)
    end
  end
  local cells = suite:cells()
  check_cells(cells, settings, "tare.compare")
  local report = measure.cells(cells, settings, { every = true })
  return { results = report.results, comparisons = report.comparisons }
end

--- A measurement in a host's own loop: see its methods step(budget_ms),
--- report, cancel and close.
---@param suite table
---@param given table? options
---@return table session
function tare.session(suite, given)
  if not Suite.is(suite) then
    error("tare.session: expected a suite, got " .. type(suite), 2)
  end
  local settings = resolve(given, "tare.session")
  local cells, message = suite:cells()
  if not cells then error("tare.session: " .. message, 2) end
  check_cells(cells, settings, "tare.session")
  return require("tare.host.session").new(cells, settings)
end

--- Frames against a budget. With a function: runs it as so many frames under
--- each collector policy, and recommends one. Without: a recorder to be told of
--- the host's own frames by its begin() and finish(), with result().
---@param fn function? the host's update
---@param given table? see tare.host.frame_options
---@return table frames or recorder
function tare.frames(fn, given)
  local Frames = require "tare.host.frames"
  local update = type(fn) == "function" and fn or nil
  if fn ~= nil and not update then given = fn end
  local settings, message = require("tare.host.frame_options").read(given)
  if not settings then error("tare.frames: " .. message, 2) end
  return update and Frames.compare(update, settings) or Frames.new(settings)
end

--- Ends a bench file that can also run by itself:
--- `return tare.main(suite, ...)`. Under `tare run` it hands the suite back.
---@param suite table
---@param ... string|table? arguments, or the table 'arg'
---@return table suite
function tare.main(suite, ...)
  if not Suite.is(suite) then
    error("tare.main: expected a suite, got " .. type(suite), 2)
  end
  if benchfile.is_loading() then return suite end
  local first = ... -- nothing at all, where the file is run without arguments
  local arguments = type(first) == "table" and first or { ... }
  os.exit(require("tare.cli").run_suites({ suite }, arguments), true)
end

--- Renders a report. Raises if it is none, or can't be rendered as asked for.
---@param report table
---@param format string text, markdown, csv, json, html, junit, gbench, pyperf,
---  bmf or action
---@param given table? options of the renderer
---@return string
function tare.render(report, format, given)
  if given ~= nil and type(given) ~= "table" then
    error("tare.render: 'options' must be a table, got " .. type(given), 2)
  end
  local renderers = require "tare.report"
  local text, message = nil, renderers.refusal(report)
    or renderers.wrong_option(given or {})
  if not message then
    text, message = renderers.render(report, format, given)
  end
  if not text then error("tare.render: " .. message, 2) end
  return text
end

return tare
