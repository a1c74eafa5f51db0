-- The facade: what `require "tare"` offers; its reference is tare.meta.tare. It
-- needs nothing but the core. What is not for defining benches is loaded when
-- it is asked for: a bench file requires tare in the heap that it is measured
-- in.
local core = require "tare.core"
local Suite = require "tare.bench.suite"
local sweep = require "tare.sweep"

local tare = { _VERSION = "tare " .. core.version, stats = core.stats,
  suite = Suite.new, range = sweep.range, geometric = sweep.geometric,
  zip = sweep.zip }

-- Options of a call, or an error at the level of who called tare.
local function resolve(given, who)
  if given ~= nil and type(given) ~= "table" then
    error(("%s: 'options' must be a table, got %s"):format(who, type(given)), 3)
  end
  local settings, message = require("tare.session").settings(given, who)
  if not settings then error(message, 3) end
  return settings
end

local function cells_of(suite, settings, who)
  local cells, message = require("tare.session").cells({ suite }, settings, who)
  if not cells then error(message, 3) end
  return cells
end

-- What is no suite's is a function, or a bench without params.
local function check_bench(fn, who)
  if type(fn) ~= "function" and type(fn) ~= "table" then
    error(("%s: expected a function or a table with 'run', got %s"):format(who,
      type(fn)), 3)
  elseif type(fn) == "table" and fn.params ~= nil then
    error(who .. ": 'params' give several benches: see tare.suite", 3)
  end
end

-- Adds a bench; what is wrong with it is said in the caller's name.
local function add_bench(suite, name, fn, who, prefix)
  local ok, message = pcall(suite.bench, suite, name, fn)
  if not ok then error(who .. ": " .. message:gsub("^" .. prefix, ""), 3) end
end

-- A result as text is its line in the table.
local AS_LINE = { __tostring = function(result)
  return require("tare.report").line(result)
end }

--- Measures one function, or one bench, in this process.
function tare.measure(fn, given)
  check_bench(fn, "tare.measure")
  local settings = resolve(given, "tare.measure")
  if settings.loop == "batch" and type(fn) == "function" then
    error("tare.measure: loop: 'batch' needs a bench with a function 'batch': "
      .. "see tare.suite", 2)
  end
  local suite = Suite.new "measure"
  add_bench(suite, "fn", fn, "tare.measure", "tare: bench 'fn': ")
  local cells = cells_of(suite, settings, "tare.measure")
  local report = require("tare.conductor.direct").report(cells, settings)
  return setmetatable(report.results[1], AS_LINE)
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

--- Compares functions in one run of this process, their batches in turn.
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
    check_bench(functions[name], ("tare.compare: bench '%s'"):format(name))
    add_bench(suite, name, functions[name], "tare.compare", "tare: ")
  end
  local cells = cells_of(suite, settings, "tare.compare")
  local report = require("tare.conductor.direct").report(cells, settings,
    { every = true })
  for _, result in ipairs(report.results) do setmetatable(result, AS_LINE) end
  return { results = report.results, comparisons = report.comparisons }
end

local TRIES = 3 -- calls, of which the quickest says how many are profiled

-- The profile of the bench of a cell, by its worker.
local function profile_of(cell, calls)
  local Process = require "tare.worker.process"
  local Worker = require "tare.worker"
  local has_jit = require("tare.base.compat").jit()
  local process = Process.new { deadlines = not has_jit }
  local worker = Worker.new(cell, process)
  local function asked(op, iters)
    local answer, message = worker:run { op = op, iters = iters }
    if not answer then error(message, 0) end
    return answer
  end
  local ok, made = pcall(function()
    asked "prepare"
    local quickest_ns = math.huge
    for _ = 1, TRIES do
      local began_ns = core.now_ns()
      asked("call", 1)
      quickest_ns = math.min(quickest_ns, core.now_ns() - began_ns)
    end
    return asked("profile", calls
      or require("tare.base.passes").profiled_calls(quickest_ns))
  end)
  local finished, why = worker:run { op = "finish" }
  process:close()
  if not ok then error(made, 0) end
  if not finished then error(why, 0) end
  made.id, made.spent_ns = cell.name, nil
  return made
end

--- Counts the work of one function by source line and call stack.
function tare.profile(fn, given)
  check_bench(fn, "tare.profile")
  if given ~= nil and type(given) ~= "table" then
    error("tare.profile: 'options' must be a table, got " .. type(given), 2)
  end
  for name, value in pairs(given or {}) do
    if name ~= "calls" then
      error(("tare.profile: no such option: '%s'; there is 'calls'"):format(
        tostring(name)), 2)
    elseif type(value) ~= "number" or value < 1 or value % 1 ~= 0
      or value > 2^53 then
      error(("tare.profile: calls: must be a whole number from 1 on, got %s")
        :format(tostring(value)), 2)
    end
  end
  local suite = Suite.new "profile"
  add_bench(suite, "fn", fn, "tare.profile", "tare: bench 'fn': ")
  local cells = cells_of(suite, resolve(nil, "tare.profile"), "tare.profile")
  return profile_of(cells[1], given and given.calls)
end

--- A measurement in a host's own loop, step by step.
function tare.session(suite, given)
  if not Suite.is(suite) then
    error("tare.session: expected a suite, got " .. type(suite), 2)
  end
  local settings = resolve(given, "tare.session")
  return require("tare.session").new(cells_of(suite, settings, "tare.session"),
    settings)
end

local function new_frames(_, fn, given)
  local Frames = require "tare.frames"
  local update = type(fn) == "function" and fn or nil
  if fn ~= nil and not update then given = fn end
  local settings, message = require("tare.frames.options").read(given)
  if not settings then error("tare.frames: " .. message, 2) end
  if not update then return Frames.new(settings) end
  if settings.gc then
    error("tare.frames: 'gc' is of a recorder: with a function the collector "
      .. "is each policy's", 2)
  end
  return Frames.compare(update, settings)
end

tare.frames = setmetatable({}, { __call = new_frames })

--- Begins a policy of the collector: a name, or a recommendation.
function tare.frames.policy(name, settings)
  local policy, message = require("tare.frames").policy(name, settings)
  if not policy then error("tare: " .. message, 2) end
  return policy
end

--- Samples the calls that the program makes of one of its functions.
function tare.instrument(place, name)
  if type(place) ~= "table" then
    error("tare.instrument: expected a table and a name in it, got "
      .. type(place), 2)
  end
  local made, message = require("tare.instrument").new(place, name)
  if not made then error("tare.instrument: " .. message, 2) end
  return made
end

--- Ends a bench file that can also run by itself.
function tare.main(suite, ...)
  if not Suite.is(suite) then
    error("tare.main: expected a suite, got " .. type(suite), 2)
  end
  local first, second = ... -- nothing, where the file is run without arguments
  local own, arguments = {}, { ... }
  if type(first) == "table" and first.flags ~= nil then
    own, first = first, second
    table.remove(arguments, 1)
  end
  if type(first) == "table" then arguments = first end
  local benchfile = require "tare.bench.file"
  local flags = require "tare.bench.flags"
  local known, message = flags.read(own.flags or {})
  if not known then error("tare.main: " .. message, 2) end
  if benchfile.is_loading() then
    flags.fill(own.flags or {}, known)
    benchfile.hand_over(suite)
    return suite
  end
  local cli = require "tare.cli"
  cli.exit(cli.run_suites({ suite }, arguments, known, own.flags))
end

--- A report, result, comparison, profile or frames as text of a format.
function tare.render(report, format, given)
  if given ~= nil and type(given) ~= "table" then
    error("tare.render: 'options' must be a table, got " .. type(given), 2)
  end
  if type(report) == "userdata" then
    require "tare.frames"
    local is_one, said = pcall(core.frames_methods.result, report)
    if is_one and not said then
      error("tare.render: the recorder has no frame yet", 2)
    end
    report = is_one and said or report
  end
  local renderers = require "tare.report"
  local text, message = nil, renderers.refusal(report)
    or renderers.wrong_option(given or {})
  if not message then
    text, message = renderers.render(report, format or "text", given)
  end
  if not text then error("tare.render: " .. message, 2) end
  return text
end

return tare
