-- The definition of a bench: the function or table that was given, read and
-- checked.
local nearest = require "tare.base.nearest"
local options = require "tare.base.options"
local sweep = require "tare.sweep"

local definition = {}

local FUNCTIONS = { setup = true, teardown = true, before_batch = true,
  after_batch = true, before_each = true, after_each = true, args = true,
  inputs = true, run = true, batch = true, exclude = true, where = true }
local FIELDS = { params = true, baseline = true, compare = true,
  throughput = true }

local KNOWN = {} -- all fields
for _, fields in ipairs { FUNCTIONS, FIELDS, options.OF_BENCH } do
  for name in pairs(fields) do KNOWN[name] = true end
end

local function unknown(key, value)
  if type(value) == "function" and (type(key) == "number"
    or not nearest.name(key, KNOWN)) then
    return ("no such field: '%s'; the function to measure is 'run'"):format(
      tostring(key))
  elseif type(key) == "number" then
    return "its fields have names, like run = function() ... end"
  elseif type(options[key]) == "table" and options[key].parse then
    return ("'%s' is an option of a run, not of a bench"):format(key)
  end
  return ("no such field: '%s'%s"):format(tostring(key),
    nearest.hint(key, KNOWN))
end

-- The fields of a spec, its options read; or nil and what is wrong with it.
local function read_fields(given)
  if type(given) == "function" then return { run = given, options = {} } end
  if type(given) ~= "table" then
    return nil, "expected a function or a table, got " .. type(given)
  end
  local spec = { options = {} }
  for key, value in pairs(given) do
    if FUNCTIONS[key] and type(value) ~= "function" then
      return nil, ("'%s' must be a function, got %s"):format(key, type(value))
    elseif FUNCTIONS[key] or FIELDS[key] then
      spec[key] = value
    elseif options.OF_BENCH[key] then
      local parsed, message = options.read(key, value)
      if parsed == nil then return nil, ("'%s': %s"):format(key, message) end
      spec.options[key] = parsed
    else
      return nil, unknown(key, value)
    end
  end
  return spec
end

-- The bytes or items that a call processes: amounts, or functions that return
-- them.
local function check_throughput(amounts)
  if amounts == nil then return nil end
  if type(amounts) ~= "table" then
    return "'throughput' must be { bytes = } or { items = }, got "
      .. type(amounts)
  end
  for name, amount in pairs(amounts) do
    if name ~= "bytes" and name ~= "items" then
      return ("'throughput' has 'bytes' and 'items', no '%s'"):format(
        tostring(name))
    elseif type(amount) ~= "number" and type(amount) ~= "function" then
      return ("'throughput': '%s' must be a number or a function, got %s")
        :format(name, type(amount))
    end
  end
end

local function check_baseline(value)
  local kind = type(value)
  if kind ~= "nil" and kind ~= "boolean" and kind ~= "string" then
    return "'baseline' must be true, or the name of an implementation, got "
      .. kind
  end
end

local function check_spec(spec)
  if not spec.run and not spec.batch then
    return "it needs a function 'run' (or 'batch')"
  elseif spec.run and spec.batch then
    return "it has both 'run' and 'batch'"
  elseif spec.batch and (spec.before_each or spec.after_each or spec.inputs)
  then
    return ("'batch' loops itself; %s need 'run'"):format(spec.inputs
      and "'inputs'" or "before_each and after_each")
  elseif spec.inputs and spec.before_each then
    return "it has both 'inputs' and 'before_each': each makes the input of a "
      .. "call"
  elseif spec.options.loop == "batch" and not spec.batch then
    return "the loop kind 'batch' needs a function 'batch'"
  end
  return check_throughput(spec.throughput) or check_baseline(spec.baseline)
end

--- The request for the sweep over a bench's parameters.
---@param spec table of definition.read
---@param overrides table[]? of sweep.parse_override
---@return table options of sweep.cells
function definition.sweep_options(spec, overrides)
  return { exclude = spec.exclude, where = spec.where, contrast = spec.compare,
    baseline = type(spec.baseline) == "string" and spec.baseline or nil,
    overrides = overrides }
end

-- Reads the parameters now, so that a mistake is reported where it was made.
local function read_params(spec)
  if not spec.params then
    if type(spec.baseline) == "string" then
      return "'baseline' names an implementation, but there are no 'params'"
    end
    return nil
  end
  local message, _
  spec.params, message = sweep.read(spec.params)
  if message then return message end
  _, message = sweep.check(spec.params, definition.sweep_options(spec))
  return message
end

--- Reads what was given for a bench.
---@param given function|table what is called, or a table with 'run' or 'batch'
---@return table? spec its fields, with 'options' and 'params' read
---@return string? message what is wrong with it
function definition.read(given)
  local spec, message = read_fields(given)
  message = message or check_spec(spec) or read_params(spec)
  if message then return nil, message end
  return spec
end

return definition
