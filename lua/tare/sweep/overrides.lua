-- What the command line makes of the axes of a sweep: --param n=10,100.
local axes = require "tare.sweep.axes"
local params = require "tare.sweep.params"
local ranges = require "tare.sweep.ranges"

local overrides = {}

--- Reads "n=10,100" of the command line.
---@param text string
---@return { name: string, values: string[] }? override
---@return string? message
function overrides.parse(text)
  local name, rest = tostring(text):match("^%s*([%a_][%w_]*)%s*=(.*)$")
  local values = {}
  for value in ((rest or "") .. ","):gmatch("%s*(.-)%s*,") do
    values[#values + 1] = value
    if value == "" then name = nil end
  end
  if not name then
    return nil, ("'%s' is not NAME=VALUE[,VALUE...]"):format(tostring(text))
  end
  return { name = name, values = values }
end

local function find_point(axis, text)
  local number = axis.numeric and tonumber(text)
  for i, p in ipairs(axis.points) do
    local same = p.text == text or tostring(p.param) == text
    if same or number and p.param == number then return i end
  end
end

local function takes_new(axis)
  for _, p in ipairs(axis.points) do
    if p.value ~= p.param then return false end
  end
  return axis.numeric
end

local function refuse_value(axis, text)
  local known = {}
  for i = 1, math.min(8, #axis.points) do known[i] = axis.points[i].text end
  axes.refuse("axis '%s' has no '%s'; it has %s%s", axis.name, text,
    table.concat(known, ", "), #axis.points > 8 and "..." or "")
end

-- Keeps the rows of a dimension that the texts select, in their order.
local function select_rows(dimension, axis, texts)
  local rows = {}
  for i, text in ipairs(texts) do
    rows[i] = find_point(axis, text) or refuse_value(axis, text)
  end
  local result = {}
  for k, old in ipairs(dimension) do
    local points = {}
    for i, row in ipairs(rows) do points[i] = old.points[row] end
    result[k] = {
      name = old.name, points = points, numeric = old.numeric,
      setting = old.setting,
    }
  end
  return result
end

-- Numbers of a plain axis are replaced; everything else is selected by label.
local function replace(dimension, axis, texts)
  if #dimension > 1 or not takes_new(axis) then
    return select_rows(dimension, axis, texts)
  end
  local numbers = {}
  for i, text in ipairs(texts) do
    local x = tonumber(text)
    if not x then
      axes.refuse("axis '%s' takes numbers, got '%s'", axis.name, text)
    end
    numbers[i] = ranges.whole(x)
  end
  return { axes.read(axis.name, numbers) }
end

local function find_axis(dimension, name)
  for _, axis in ipairs(dimension) do
    if axis.name == name then return axis end
  end
end

local function texts_for(wanted, name)
  local texts = {}
  for _, override in ipairs(wanted) do
    for _, text in ipairs(override.name == name and override.values or {}) do
      texts[#texts + 1] = text
    end
  end
  return texts
end

local function apply_to(dimension, wanted)
  for _, axis in ipairs(dimension) do
    local texts = texts_for(wanted, axis.name)
    if #texts > 0 then
      local current = find_axis(dimension, axis.name)
      dimension = replace(dimension, current, texts)
    end
  end
  params.check_rows(dimension)
  return dimension
end

--- The dimensions with the overrides applied (those of one name together); one
--- for an axis that is not there changes nothing. Refuses values that an axis
--- can't take.
---@param dimensions table[][]
---@param wanted { name: string, values: string[] }[]
---@return table[][]
function overrides.apply(dimensions, wanted)
  local result = {}
  for d, dimension in ipairs(dimensions) do
    result[d] = apply_to(dimension, wanted)
  end
  return result
end

return overrides
