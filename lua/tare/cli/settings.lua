-- Options of the measurement among all that the command line gave.
local metrics = require "tare.base.metrics"
local options = require "tare.base.options"

local settings = {}

--- Options that say how samples are analysed, not how they are made.
settings.OF_ANALYSIS = { confidence = true, resamples = true, seed = true,
  discard = true, regress = true, net_of_loop = true, tolerance = true,
  estimator = true }

local function chosen_of(given)
  local chosen = {}
  for _, definition in ipairs(options) do
    local value = given[definition.name]
    if type(value) == "table" and #value == 0 then value = nil end
    chosen[definition.name] = value
  end
  return chosen
end

--- Whether the command line has any option of the analysis.
---@param given table of the parser
---@return boolean
function settings.any_of_analysis(given)
  local chosen = chosen_of(given)
  for name in pairs(settings.OF_ANALYSIS) do
    if chosen[name] ~= nil then return true end
  end
  return false
end

--- Resolved options of the command line.
---@param given table of the parser
---@param defaults table? resolved options to start from
---@return table? settings
---@return string? message
function settings.read(given, defaults)
  local read, message = options.resolve(chosen_of(given), "--", defaults)
  if read then return read end
  -- "--: gc_mode: 'x' is ..." as people wrote it: "--gc-mode: 'x' is ...".
  return nil, (message:gsub("^%-%-: ([%w_]+)", function(name)
    return "--" .. name:gsub("_", "-")
  end))
end

--- Asks for the figures that gates are about.
---@param resolved table settings; changed
---@param given table of the parser; changed
---@param rules table[]? of tare.judge.gate
---@return string? message why one can't be had
function settings.for_rules(resolved, given, rules)
  for _, rule in ipairs(rules or {}) do
    local option = metrics.find(rule.metric).option
    if option == "machine_instructions" then -- one of the command
      given.machine_instructions = true
    elseif option then
      resolved[option] = true
    elseif rule.metric == "instructions" then -- without, only if that is quick
      resolved.instructions = true
    end
  end
  if not given.machine_instructions then return nil end
  local message = resolved.launches == 0
    and "are counted in a process of their own, so not with --launches 0"
    or require("tare.conductor.callgrind").refusal()
  return message and "--machine-instructions: " .. message
end

-- Those of a list that can be made; of a file, it may hold anything.
local function sound_regressions(list)
  local sound = {}
  for _, item in ipairs(type(list) == "table" and list or {}) do
    local read = options.read("regress", { item })
    sound[#sound + 1] = read and read[1]
  end
  return #sound > 0 and sound or nil
end

--- The options of a stored report that its analysis needs; what is missing
--- there, or makes no sense, is the default.
---@param stored table options of a Report
---@return table settings resolved
function settings.stored(stored)
  local resolved = options.resolve({}, "--")
  for name in pairs(settings.OF_ANALYSIS) do
    local value = options.read(name, stored[name])
    if stored[name] ~= nil and value ~= nil then resolved[name] = value end
  end
  resolved.regress = sound_regressions(stored.regress)
  return resolved
end

return settings
