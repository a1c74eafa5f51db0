-- Parsers of options: each takes a value from Lua or from the command line and
-- returns it in base units, or nil and why it is refused.
-- Pure: no clock, no I/O.
local nearest = require "tare.base.nearest"
local units = require "tare.base.units"

local parsers = {}

--- One of some words.
---@return fun(value): any, string?
function parsers.one_of(...)
  local words, known = { ... }, {}
  for _, word in ipairs(words) do known[word] = true end
  return function(value)
    if known[value] then return value end
    return nil, ("'%s' is not one of %s"):format(tostring(value),
      table.concat(words, ", "))
  end
end

--- A whole number within bounds.
---@param lowest integer
---@param highest integer
---@return fun(value): any, string?
function parsers.whole(lowest, highest)
  return function(value)
    local number = tonumber(value)
    if number and number >= lowest and number <= highest and number % 1 == 0
    then return number end
    return nil, ("'%s' is not a whole number from %d to %d"):format(
      tostring(value), lowest, highest)
  end
end

local MOST_LAUNCHES = 10000

--- A number of launches, or "auto", which is as good as none.
---@return integer|false|nil launches false for "auto"
---@return string? message
function parsers.launches(value)
  if value == "auto" or value == false then return false end
  local number = tonumber(value)
  if number and number >= 0 and number <= MOST_LAUNCHES and number % 1 == 0 then
    return number
  end
  return nil, ("'%s' is not auto or a whole number from 0 to %d"):format(
    tostring(value), MOST_LAUNCHES)
end

--- What another parser reads, if it is above zero.
---@param parse fun(value): number?, string?
---@return fun(value): number?, string?
function parsers.positive(parse)
  return function(value)
    local number, message = parse(value)
    if number and number <= 0 then
      return nil, ("'%s' is not above zero"):format(tostring(value))
    end
    return number, message
  end
end

--- A share within bounds, as a fraction or in percent.
---@param least number
---@param most number
---@return fun(value): any, string?
function parsers.share(least, most)
  return function(value)
    local fraction = units.parse_percent(value)
    if fraction and fraction >= least and fraction <= most then return fraction
    end
    return nil, ("'%s' is not a share from %g to %g (like 1%% or 0.01)"):format(
      tostring(value), least, most)
  end
end

--- "geometric:1.01", "linear:10" or "fixed".
---@return table?, string?
function parsers.schedule(value)
  local kind, amount = tostring(value):match("^(%l+):?(.*)$")
  local number = tonumber(amount)
  if kind == "geometric" and (amount == "" or (number and number > 1
    and number <= 10)) then
    return { kind = "geometric", factor = number or 1.01 }
  elseif kind == "linear" and (amount == "" or (number and number >= 2
    and number % 1 == 0)) then
    return { kind = "linear", steps = number or 10 }
  elseif kind == "fixed" and amount == "" then
    return { kind = "fixed" }
  end
  return nil, ("'%s' is not a schedule (geometric:1.01, linear:10 or fixed)")
    :format(tostring(value))
end

-- The columns that a regression can use, on either side.
local REGRESSED = { time = true, cpu_time = true, cycles = true,
  iters = true, gc_minor = true, gc_major = true, gc_steps = true,
  growth_bytes = true, heap_bytes = true, jit_events = true, start_ns = true,
  cycle_ns = true, mutator_ns = true, collector_ns = true }

local function is_sound(fit)
  if type(fit.predictors) ~= "table" then return false end
  for _, name in ipairs(fit.predictors) do
    if not REGRESSED[name] then return false end
  end
  return REGRESSED[fit.responder] and #fit.predictors > 0
end

-- What is no variable: a regression over it would be a straight line by
-- construction, with an R2 of 1 that says nothing.
local COUNTED = { bytes = true, allocs = true, instructions = true }

-- The name in a regression that is none of a variable.
local function unknown_in(fit)
  if not fit.responder then return nil end
  if not REGRESSED[fit.responder] then return fit.responder end
  for _, name in ipairs(fit.predictors) do
    if not REGRESSED[name] then return name end
  end
end

-- "time:iters,gc_minor" as a table.
local function read_regression(text)
  local responder, list = text:match("^([%w_]+):([%w_,]+)$")
  local predictors = {}
  for name in (list or ""):gmatch("[^,]+") do
    predictors[#predictors + 1] = name
  end
  return { responder = responder, predictors = predictors }
end

--- "time:iters,gc_minor", or what comes of it: {responder =, predictors =
--- {...}, intercept? = true}.
---@return table?, string?
function parsers.regression(value)
  local fit = type(value) == "table" and value
    or read_regression(tostring(value))
  if is_sound(fit) then
    return { responder = fit.responder, predictors = fit.predictors,
      intercept = fit.intercept ~= false }
  end
  if type(value) == "table" then
    return nil, "a table must be like { responder = \"time\", predictors = "
      .. "{ \"iters\", \"gc_major\" } }"
  end
  local unknown = unknown_in(fit)
  if unknown then
    local known = {}
    for name in pairs(REGRESSED) do known[#known + 1] = name end
    table.sort(known)
    local hint = nearest.hint(unknown, REGRESSED)
    if COUNTED[unknown] then
      return nil, ("'%s': %s are counted exactly per call, so batches don't "
        .. "differ in them: see the column; by how much the heap grew in a "
        .. "batch is growth_bytes"):format(tostring(value), unknown)
    end
    return nil, ("'%s': no variable '%s'%s"):format(tostring(value), unknown,
      hint ~= "" and hint or "; there are " .. table.concat(known, ", "))
  end
  return nil, ("'%s' is not a regression (like time:iters,gc_major)"):format(
    tostring(value))
end

-- A list, or the items of "a,b" split by a pattern; a table with names is one
-- item.
local function items_of(value, pattern)
  if type(value) == "table" then
    if #value == 0 and next(value) ~= nil then return { value } end
    return value
  end
  if not pattern then return { value } end
  local list = {}
  for item in tostring(value):gmatch(pattern) do
    list[#list + 1] = item
  end
  return list
end

--- A list, each of whose items another parser reads.
---@param parse fun(value): any, string?
---@param pattern string? of the items of a text
---@return fun(value): any, string?
function parsers.list_of(parse, pattern)
  return function(value)
    local list = {}
    for i, item in ipairs(items_of(value, pattern)) do
      local parsed, message = parse(item)
      if not parsed then return nil, message end
      list[i] = parsed
    end
    return list
  end
end

--- True or false.
---@return boolean?, string?
function parsers.flag(value)
  if type(value) == "boolean" then return value end
  return nil, ("'%s' is not true or false"):format(tostring(value))
end

local SWITCH = { on = true, off = false, [true] = true, [false] = false }

--- "on" or "off".
---@return boolean?, string?
function parsers.on_or_off(value)
  if SWITCH[value] ~= nil then return SWITCH[value] end
  return nil, ("'%s' is not on or off"):format(tostring(value))
end

return parsers
