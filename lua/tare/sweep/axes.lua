-- The axes of a parameter sweep: a name and its points. What people write
-- (lists, ranges, named values, generators, zips) is read here; tare.sweep
-- combines it into cells.
local ids = require "tare.base.ids"
local lists = require "tare.base.lists"
local numerals = require "tare.base.numerals"
local options = require "tare.base.options"

local axes = {}

-- Longest axis, and longest label: beyond, it is refused.
local MOST_POINTS = 100000
local MOST_BYTES = 64

-- RUNS OF NUMBERS

local function is_whole(x) return x % 1 == 0 and math.abs(x) < 2^53 end

--- An integer where Lua has them, so that a loop up to it counts in integers.
function axes.whole(x) return is_whole(x) and math.floor(x) or x end

local function check_number(where, name, x)
  if type(x) ~= "number" or x ~= x or x == 1/0 or x == -1/0 then
    error(("%s: '%s' must be a number, got %s"):format(where, name,
      tostring(x)), 3)
  end
end

--- The numbers from lo to hi, both included where the steps meet hi.
---@param lo number
---@param hi number
---@param step number? 1 by default; negative to descend
---@return number[]
function axes.range(lo, hi, step)
  step = step or 1
  check_number("tare.range", "lo", lo)
  check_number("tare.range", "hi", hi)
  check_number("tare.range", "step", step)
  local last = math.floor((hi - lo) / step + 1e-9) -- 0.1 is no exact step
  if step == 0 or last < 0 then
    error("tare.range: 'step' must lead from 'lo' to 'hi'", 2)
  end
  if last >= MOST_POINTS then
    error(("tare.range: %.0f values, of at most %d"):format(last + 1,
      MOST_POINTS), 2)
  end
  local values, are_exact = {}, is_whole(lo) and is_whole(step)
  for i = 0, last do
    local x = lo + i * step
    values[i + 1] = axes.whole(are_exact and x
      or tonumber(("%.12g"):format(x)))
  end
  return values
end

--- The numbers lo, lo * factor, ... and hi: rounded to whole numbers where lo
--- and hi are whole, each once. A last step shorter than the root of the factor
--- is joined to the one before, so that hi is always there.
---@param lo number above 0
---@param hi number
---@param factor number? 2 by default; above 1
---@return number[]
function axes.geometric(lo, hi, factor)
  factor = factor or 2
  check_number("tare.geometric", "lo", lo)
  check_number("tare.geometric", "hi", hi)
  check_number("tare.geometric", "factor", factor)
  if lo <= 0 or hi < lo or factor <= 1 then
    error("tare.geometric: needs 0 < lo <= hi and a factor above 1", 2)
  end
  local steps = math.log(hi / lo) / math.log(factor)
  if steps >= MOST_POINTS then
    error(("tare.geometric: about %.0f values, of at most %d"):format(steps,
      MOST_POINTS), 2)
  end
  local rounded = is_whole(lo) and is_whole(hi)
  local values = { axes.whole(lo) }
  for i = 1, math.floor(steps - 0.5 + 1e-9) do
    local x = lo * factor^i
    x = axes.whole(rounded and math.floor(x + 0.5) or x)
    if x > values[#values] and x < hi then values[#values + 1] = x end
  end
  if hi > lo then values[#values + 1] = axes.whole(hi) end
  return values
end

-- AXES

-- Axes that set what the bench is measured under: options, and the type that
-- their values have here.
local SETTINGS = { gc = "string", gc_mode = "string", gc_pause = "number",
  gc_step_multiplier = "number", gc_step_size = "number",
  gc_minor_multiplier = "number", gc_major_multiplier = "number",
  loop = "string", jit = "boolean" }

local Refusal = {}
local Zip = {}

--- Ends axes.guard with a message: the value of the user's was wrong.
function axes.refuse(...)
  error(setmetatable({ message = string.format(...) }, Refusal), 0)
end

--- Calls fn(...); a refusal inside becomes nil and its message.
---@return any value, string? message
function axes.guard(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  if getmetatable(result) == Refusal then return nil, result.message end
  error(result, 0)
end

--- Axes that advance in step instead of being multiplied. It is in the
--- list part of 'params': { tare.zip { rows = {1, 2}, columns = {8, 4} } }.
---@param spec table<string, any> axes of equal length
---@return table
function axes.zip(spec)
  if type(spec) ~= "table" then
    error("tare.zip: needs a table of axes, got " .. type(spec), 2)
  end
  return setmetatable({ spec = spec }, Zip)
end

function axes.is_zip(value) return getmetatable(value) == Zip end

local function point(axis, label, value)
  local kind = type(label)
  if kind == "number" and label == label and math.abs(label) < 1/0 then
    return { text = numerals.plain(label), param = label, value = value }
  elseif kind == "boolean" then
    return { text = tostring(label), param = label, value = value }
  elseif kind == "string" and label ~= "" and #label <= MOST_BYTES then
    return { text = ids.escape(label), param = label, value = value }
  end
  axes.refuse("axis '%s': %s needs a label: { label = ..., value = ... }",
    axis, kind == "string" and "an empty or long string"
      or kind == "number" and numerals.plain(label) or "a " .. kind)
end

-- { label = "small", value = ... }, or a value that is its own label.
local function listed_point(axis, item)
  if type(item) ~= "table" then return point(axis, item, item) end
  if item.label == nil or item.value == nil then
    axes.refuse("axis '%s': a table in the list needs label and value", axis)
  end
  local result = point(axis, item.label, item.value)
  result.baseline = item.baseline or nil
  return result
end

-- Values of a generator: what 'for value in fn do' would see, or 'for value in
-- fn() do', where it returns a function; where it yields, what it yields.
local function generate(axis, fn)
  local values = {}
  local next_value = coroutine.wrap(function()
    local value = fn()
    if type(value) == "function" then fn, value = value, value() end
    while value ~= nil do
      coroutine.yield(value)
      value = fn()
    end
  end)
  for value in next_value do
    values[#values + 1] = value
    if #values > MOST_POINTS then
      axes.refuse("axis '%s': the generator goes on beyond %d values", axis,
        MOST_POINTS)
    end
  end
  return values
end

local function named_points(axis, spec)
  local points, numbers = {}, true
  for label, value in pairs(spec) do
    if type(label) ~= "string" then
      axes.refuse("axis '%s' mixes a list and names", axis)
    end
    numbers = numbers and type(value) == "number"
    points[#points + 1] = point(axis, label, value)
  end
  table.sort(points, function(a, b)
    if numbers and a.value ~= b.value then return a.value < b.value end
    return a.param < b.param
  end)
  return points
end

local function listed_points(axis, spec)
  local points = {}
  for i = 1, #spec do points[i] = listed_point(axis, spec[i]) end
  for key in pairs(spec) do
    if type(key) ~= "number" or not points[key] then
      axes.refuse("axis '%s' mixes a list and names", axis)
    end
  end
  return points
end

-- jit = {"on", "off"} reads as true and false, and true is 'on' in an id.
local ON_OFF = { on = true, off = false }

local function read_switch(p)
  if ON_OFF[p.value] ~= nil then p.value = ON_OFF[p.value] end
  p.param, p.text = p.value, p.value and "on" or "off"
end

local function check_setting(name, points)
  for _, p in ipairs(points) do
    if name == "jit" then read_switch(p) end
    local value, message
    if type(p.value) == SETTINGS[name] then
      value, message = options.read(name, p.value)
    end
    if value == nil and message and type(p.value) == "number" then
      axes.refuse("axis '%s': %s", name, message) -- which numbers it can be
    elseif value == nil then
      axes.refuse("axis '%s' is a setting of tare's and can't be %s", name,
        tostring(p.value))
    end
  end
end

--- Reads one axis. Refuses (see axes.guard) what can't be one.
---@param name string an identifier
---@param spec any list, named values, generator, or a single value
---@return table axis {name, points = {{text, param, value}}, numeric, setting}
function axes.read(name, spec)
  if type(name) ~= "string" or not name:find("^[%a_][%w_]*$") then
    axes.refuse("'%s' can't name an axis: letters, digits and _ can",
      tostring(name))
  end
  if name == "ref" or name == "lua" then
    axes.refuse("axis '%s': the name stands for %s; choose another", name,
      name == "ref" and "git revisions" or "interpreters")
  end
  if axes.is_zip(spec) then
    axes.refuse("a zip is in the list part of 'params', not named '%s'", name)
  end
  if type(spec) == "function" then spec = generate(name, spec) end
  if type(spec) ~= "table" then spec = { spec } end
  local read = (#spec > 0 or next(spec) == nil) and listed_points
    or named_points
  local points = read(name, spec)
  if #points == 0 then axes.refuse("axis '%s' has no values", name) end
  local setting = SETTINGS[name] ~= nil
  if setting then check_setting(name, points) end
  local numeric = not lists.first(points, function(p)
    return type(p.param) ~= "number"
  end)
  return { name = name, points = points, numeric = numeric, setting = setting }
end

return axes
