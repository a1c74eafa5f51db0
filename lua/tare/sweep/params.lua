-- The 'params' of a bench: which axes there are, and in which order.
--
-- Order: the list part as it stands ({ {"impl", {...}}, {"n", {...}} }); then
-- the named axes: numbers, then the others, then tare's own settings (gc_mode,
-- loop...), each sorted by name, so that { impl = ..., n = ... } gives
-- fill{n=100,impl=a} on every Lua.
local axes = require "tare.sweep.axes"

local params = {}

local Dimensions = {} -- of a read 'params': lists of axes that go in step

local function rank(axis)
  return axis.setting and 3 or axis.numeric and 1 or 2
end

local function named_axes(spec)
  local list, entries = {}, #spec
  for name, values in pairs(spec) do
    local listed = type(name) == "number" and name >= 1 and name <= entries
    if not listed then list[#list + 1] = axes.read(name, values) end
  end
  table.sort(list, function(a, b)
    if rank(a) ~= rank(b) then return rank(a) < rank(b) end
    return a.name < b.name
  end)
  return list
end

-- An entry of the list part: {"n", {...}} or { name = "n", values = {...} }.
local function entry_axis(entry)
  if type(entry) ~= "table" then
    axes.refuse("an entry of 'params' must be { name, values }, got %s",
      tostring(entry))
  end
  return axes.read(entry.name or entry[1], entry.values or entry[2])
end

local function all_axes(spec)
  local list = {}
  for i = 1, #spec do list[i] = entry_axis(spec[i]) end
  for _, axis in ipairs(named_axes(spec)) do list[#list + 1] = axis end
  return list
end

local function zipped(spec)
  local list = all_axes(spec)
  if #list == 0 then axes.refuse("a zip needs axes") end
  for _, axis in ipairs(list) do
    if #axis.points ~= #list[1].points then
      axes.refuse("a zip needs axes of equal length: '%s' has %d values, "
        .. "'%s' %d", list[1].name, #list[1].points, axis.name, #axis.points)
    end
  end
  return list
end

--- Every axis, in order.
function params.axes(dimensions)
  local list = {}
  for _, dimension in ipairs(dimensions) do
    for _, axis in ipairs(dimension) do list[#list + 1] = axis end
  end
  return list
end

local function check_names(dimensions)
  local seen = {}
  for _, axis in ipairs(params.axes(dimensions)) do
    if seen[axis.name] then axes.refuse("axis '%s' twice", axis.name) end
    seen[axis.name] = true
  end
end

--- Refuses a dimension with two rows that would give the same id.
function params.check_rows(dimension)
  local seen = {}
  for row = 1, #dimension[1].points do
    local texts = {}
    for k, axis in ipairs(dimension) do texts[k] = axis.points[row].text end
    local id = table.concat(texts, ",")
    if seen[id] then
      axes.refuse("axis '%s' has %s twice", dimension[1].name, id)
    end
    seen[id] = true
  end
end

--- Reads 'params' into its dimensions: lists of axes that advance in step.
--- What was read before comes back as it is. Refuses (see axes.guard).
---@param spec table
---@return table[][] dimensions
function params.read(spec)
  if getmetatable(spec) == Dimensions then return spec end
  if type(spec) ~= "table" then
    axes.refuse("'params' must be a table, got %s", type(spec))
  end
  if axes.is_zip(spec) then spec = { spec } end
  local dimensions, named = {}, {}
  for key, value in pairs(spec) do named[key] = value end
  for i = 1, #spec do
    local zip = axes.is_zip(spec[i])
    dimensions[i] = zip and zipped(spec[i].spec) or { entry_axis(spec[i]) }
    named[i] = nil
  end
  for _, axis in ipairs(named_axes(named)) do
    dimensions[#dimensions + 1] = { axis }
  end
  for _, dimension in ipairs(dimensions) do params.check_rows(dimension) end
  check_names(dimensions)
  return setmetatable(dimensions, Dimensions)
end

return params
