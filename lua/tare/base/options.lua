-- The options of a measurement: one table of definitions (define, below) that
-- the Lua API and the command line both read. What else a new one may need:
-- docs/architecture.md. No clock, no I/O.
local columns = require "tare.base.sample_columns"
local gc_modes = require "tare.base.gc_modes"
local gc_option = require "tare.base.gc_option"
local lists = require "tare.base.lists"
local nearest = require "tare.base.nearest"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"
local unpack = require("tare.base.compat").unpack

local options = { by_name = {} }
local by_name = options.by_name

-- PARSERS: each takes a value from Lua or from the command line and returns it
-- in base units, or nil and why it is refused.

-- One of some words.
local function one_of(...)
  local words, known = { ... }, {}
  for _, word in ipairs(words) do known[word] = true end
  return function(value)
    if known[value] then return value end
    return nil, ("'%s' is not one of %s"):format(tostring(value),
      table.concat(words, ", "))
  end
end

-- A whole number within bounds.
local function whole(lowest, highest)
  return function(value)
    local number = tonumber(value)
    if number and number >= lowest and number <= highest and number % 1 == 0
    then return number end
    return nil, ("'%s' is not a whole number from %d to %d"):format(
      tostring(value), lowest, highest)
  end
end

local MOST_LAUNCHES = 10000

-- A number of launches, or "auto", which is as good as none.
local function launches(value)
  if value == "auto" or value == false then return false end
  local number = whole(0, MOST_LAUNCHES)(value)
  if number then return number end
  return nil, ("'%s' is not auto or a whole number from 0 to %d"):format(
    tostring(value), MOST_LAUNCHES)
end

-- What another parser reads, if it is above zero.
local function positive(parse)
  return function(value)
    local number, message = parse(value)
    if number and number <= 0 then
      return nil, ("'%s' is not above zero"):format(tostring(value))
    end
    return number, message
  end
end

-- A share within bounds, as a fraction or in percent.
local function share(least, most)
  return function(value)
    local fraction = units.parse_percent(value)
    if fraction and fraction >= least and fraction <= most then return fraction
    end
    local meant = (numerals.read(tostring(value)) or -1) / 100
    local hint = meant >= least and meant <= most
      and ("; did you mean %s (%s%%)?"):format(numerals.plain(meant), value)
      or ""
    return nil, ("'%s' is not a share from %s to %s (like 1%% or 0.01)%s")
      :format(tostring(value), numerals.plain(least), numerals.plain(most),
        hint)
  end
end

-- "geometric:1.01", "linear:10" or "fixed".
local function schedule(value)
  local text = tostring(value)
  local kind, amount = text:match "^(%l+):(.+)$"
  kind, amount = kind or text, amount or ""
  local number = numerals.read(amount)
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

local REGRESSED = columns.REGRESSED
local variables = table.concat(lists.keys(REGRESSED), ", ")

-- Counts per call, which people try as variables: a regression on one would be
-- a straight line by construction, with an R2 of 1 that says nothing.
local COUNTED = { bytes = "bytes", allocs = "allocations",
  instructions = "instructions", instr = "instructions" }

-- The first name in a regression that is not one of a variable.
local function unknown_in(fit)
  if not REGRESSED[fit.responder] then return fit.responder end
  return lists.first(fit.predictors, function(name)
    return not REGRESSED[name]
  end)
end

local function is_sound(fit)
  return fit.responder ~= nil and type(fit.predictors) == "table"
    and #fit.predictors > 0 and unknown_in(fit) == nil
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

-- "time:iters,gc_minor", or what comes of it: {responder =, predictors =
-- {...}, intercept? = true}.
local function regression(value)
  local fit = type(value) == "table" and value
    or read_regression(tostring(value))
  if is_sound(fit) and lists.has(fit.predictors, fit.responder) then
    return nil, ("'%s': '%s' is on both sides, which explains nothing"):format(
      type(value) == "table" and fit.responder or tostring(value),
      fit.responder)
  elseif is_sound(fit) then
    return { responder = fit.responder, predictors = fit.predictors,
      intercept = fit.intercept ~= false }
  end
  if type(value) == "table" then
    return nil, "a table must be like { responder = \"time\", predictors = "
      .. "{ \"iters\", \"gc_major\" } }"
  end
  local unknown = unknown_in(fit)
  if unknown then
    local hint = nearest.hint(unknown, REGRESSED)
    if COUNTED[unknown] then
      return nil, ("'%s': %s are counted exactly per call, so batches don't "
        .. "differ in them: see the column; by how much the heap grew in a "
        .. "batch is growth_bytes"):format(tostring(value), COUNTED[unknown])
    end
    return nil, ("'%s': no variable '%s'%s"):format(tostring(value), unknown,
      hint ~= "" and hint or "; there are " .. variables)
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

-- A list, each of whose items another parser reads.
local function list_of(parse, pattern)
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

-- True or false.
local function flag(value)
  if type(value) == "boolean" then return value end
  return nil, ("'%s' is not true or false"):format(tostring(value))
end

local SWITCH = { on = true, off = false, [true] = true, [false] = false }

-- "on" or "off".
local function on_or_off(value)
  if SWITCH[value] ~= nil then return SWITCH[value] end
  return nil, ("'%s' is not on or off"):format(tostring(value))
end

-- DEFINITIONS

-- 'help' says what the option does, for a flag what it does when it is given
-- (of one that is on by default: what --no-NAME does).
local function define(name, parse, default, metavar, help)
  by_name[name] = { name = name, parse = parse, default = default,
    metavar = metavar, help = help }
  options[#options + 1] = by_name[name]
end

define("quota", units.parse_quota, "1s", "TIME|CALLSx",
  "time or calls for each bench, warm-up included")
define("precision", share(1e-6, 0.999999), nil, "SHARE",
  "stop a bench early once its interval is this narrow (like 1%)")
define("warmup", units.parse_warmup, nil, "TIME|CALLSx",
  "longest warm-up of a bench (default: a fifth of the quota)")
define("rehearse", flag, false, nil,
  "run the timed batches twice and keep the second time (half the quota each)")
define("agree", flag, false, nil,
  "benches that are compared must return equal results, or they fail")
define("gc", one_of(unpack(gc_option.names)), gc_option.DEFAULT, "WAY",
  "what the collector does: " .. table.concat(gc_option.names, ", "))
define("gc_mode", one_of(unpack(gc_modes.names)), nil, "MODE",
  "collector mode while measuring: " .. table.concat(gc_modes.names, " or "))
define("gc_pause", whole(0, 1000), nil, "N", "collector's pause, in percent")
define("gc_step_multiplier", whole(0, 1000), nil, "N",
  "collector's step multiplier, in percent")
define("gc_step_size", whole(0, 60), nil, "N",
  "collector's step size, as a power of two (5.4, 5.5)")
define("gc_minor_multiplier", whole(1, 100), nil, "N",
  "generational: heap growth before a minor collection, in percent (5.4, 5.5)")
define("gc_major_multiplier", whole(1, 1000), nil, "N",
  "generational: heap growth before a major collection, in percent (5.4, 5.5)")
define("memory_cap", positive(units.parse_bytes), "1GiB", "SIZE",
  "with the collector stopped: end a batch once the heap has grown by this "
  .. "much")
define("discard", list_of(one_of(unpack(lists.keys(columns.EVENTS))), "[^,]+"),
  nil, "LIST",
  "drop batches in which a collection ended (gc) or a trace was made (jit)")
define("split", flag, true, nil,
  "no paced rounds, which time the function and the collector separately")
define("instructions", flag, nil, nil,
  "count instructions of the virtual machine, however long it takes")
define("profile", flag, false, nil,
  "one more pass: instructions, allocations and bytes by source line and call "
  .. "stack; on LuaJIT of interpreted code")
define("jit", on_or_off, nil, "on|off",
  "whether LuaJIT compiles while measuring")
define("loop", one_of("inline", "call", "batch"), nil, "KIND",
  "what repeats the function: inline (a compiled loop), call (from C) or batch "
  .. "(the bench itself)")
define("unroll", whole(1, 64), 1, "N",
  "calls in the body of the inline loop, to share what the loop costs")
define("yields", flag, false, nil,
  "calls one by one, which may yield to the coroutine of the host")
define("schedule", schedule, "geometric:1.01", "KIND",
  "batch sizes: geometric:FACTOR, linear:STEPS or fixed; always shuffled")
define("launches", launches, nil, "auto|N",
  "fresh processes that share the quota of a bench; each is one draw of hash "
  .. "seed and layout; 0: in this process (default: auto)")
define("order", one_of("interleaved", "sequential"), "interleaved", "ORDER",
  "interleaved (what is compared takes turns of some ms) or sequential")
define("seed", whole(0, 2^53), 1, "N", "seed of shuffles and resamples")
define("confidence", share(0.001, 0.999999), 0.95, "SHARE",
  "confidence of the intervals")
define("resamples", whole(1, 1e7), 10000, "N", "resamples of a bootstrap")
define("regress", list_of(regression), nil, "R:P,...",
  "one more regression, like time:iters,gc_minor,gc_major: of " .. variables)
define("patience", units.parse_duration, nil, "TIME",
  "longest time per bench to wait, or to add launches in place of crowded "
  .. "ones, while the core is shared with others (default: as long as the "
  .. "quota; 0: never; nothing is added with --launches N, and nothing waits "
  .. "in one process)")
define("timeout", positive(units.parse_duration), nil, "TIME",
  "end a bench that has not returned after this long")
define("net_of_loop", flag, false, nil,
  "subtract the cost of the empty loop, with its error carried through")
define("estimator", one_of("quantile", "median", "ols"), "quantile", "NAME",
  "slope that is reported: quantile (lower quartile), median or ols")
define("tolerance", share(0, 0.999999), 0.01, "SHARE",
  "ratios this close to 1 count as the same")

-- The definitions that a bench's own spec may override.
options.OF_BENCH = { quota = true, precision = true, warmup = true,
  rehearse = true, agree = true, jit = true, unroll = true, gc = true,
  gc_mode = true, gc_pause = true, gc_step_multiplier = true,
  gc_step_size = true, gc_minor_multiplier = true, gc_major_multiplier = true,
  memory_cap = true, loop = true, schedule = true, regress = true,
  timeout = true, patience = true, instructions = true, split = true,
  discard = true, profile = true, yields = true }

--- Reads one option; numbers and strings mean the same as on the command line.
---@param name string
---@param value any
---@return any parsed in base units (nanoseconds, bytes, fractions)
---@return string? message why it was refused
function options.read(name, value)
  local definition = by_name[name]
  if definition then return definition.parse(value) end
  return nil, "no such option" .. nearest.hint(name, by_name)
end

--- Options over their defaults, each in base units.
---@param given table? names and values as on the command line, or plain numbers
---@param who string the function that speaks in an error
---@param defaults table? resolved options to start from
---@return table? resolved
---@return string? message naming the option that is wrong
function options.resolve(given, who, defaults)
  local resolved = {}
  for _, definition in ipairs(options) do
    local value = definition.default
    if defaults then
      resolved[definition.name] = defaults[definition.name]
    elseif value ~= nil then
      resolved[definition.name] = definition.parse(value)
    end
  end
  for name, value in pairs(given or {}) do
    if type(name) ~= "string" then
      return nil, ("%s: options have names, like quota = \"2s\"; '%s' has none")
        :format(who, tostring(value))
    end
    local parsed, message = options.read(name, value)
    if parsed == nil then
      return nil, ("%s: %s: %s"):format(who, name, message)
    end
    resolved[name] = parsed
  end
  return resolved
end

return options
