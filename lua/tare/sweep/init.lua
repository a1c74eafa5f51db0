-- Parameter sweeps: turns the 'params' of a bench into cells, one for each
-- combination to measure, and gives each its id.
local axes = require "tare.sweep.axes"
local lists = require "tare.base.lists"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local sweep = { range = axes.range, geometric = axes.geometric,
  zip = axes.zip }

-- A bench with more combinations is refused.
local MOST_CELLS = 100000

-- PARAMS: which axes there are, and in which order: the list part as it stands
-- ({ {"impl", {...}}, {"n", {...}} }); then the named axes: numbers, then the
-- others, then tare's own settings (gc_mode, loop...), each sorted by name, so
-- that { impl = ..., n = ... } gives fill{n=100,impl=a} on every Lua.

local Dimensions = {} -- of a read 'params': lists of axes that go in step

local function rank(axis)
  return axis.setting and 3 or axis.numeric and 1 or 2
end

local function named_axes(spec)
  local list, entries = {}, #spec
  for name, values in pairs(spec) do
    local listed = type(name) == "number" and name % 1 == 0
      and name >= 1 and name <= entries
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

local function zipped(spec)
  local list = {}
  for i = 1, #spec do list[i] = entry_axis(spec[i]) end
  lists.append(list, named_axes(spec))
  if #list == 0 then axes.refuse("a zip needs axes") end
  for _, axis in ipairs(list) do
    if #axis.points ~= #list[1].points then
      axes.refuse("a zip needs axes of equal length: '%s' has %d values, "
        .. "'%s' %d", list[1].name, #list[1].points, axis.name, #axis.points)
    end
  end
  return list
end

-- Every axis, in order.
local function axes_of(dimensions)
  local list = {}
  for _, dimension in ipairs(dimensions) do
    lists.append(list, dimension)
  end
  return list
end

-- Refuses a dimension with two rows that would give the same id.
local function check_rows(dimension)
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

-- Reads 'params' into its dimensions: lists of axes that advance in step.
-- What was read before comes back as it is. Refuses (see axes.guard).
local function read(spec)
  if getmetatable(spec) == Dimensions then return spec end
  if type(spec) ~= "table" then
    axes.refuse("'params' must be a table, got %s", type(spec))
  end
  if axes.is_zip(spec) then spec = { spec } end
  local dimensions = {}
  for i = 1, #spec do
    local zip = axes.is_zip(spec[i])
    dimensions[i] = zip and zipped(spec[i].spec) or { entry_axis(spec[i]) }
  end
  for _, axis in ipairs(named_axes(spec)) do
    dimensions[#dimensions + 1] = { axis }
  end
  for _, dimension in ipairs(dimensions) do check_rows(dimension) end
  local seen = {}
  for _, axis in ipairs(axes_of(dimensions)) do
    if seen[axis.name] then axes.refuse("axis '%s' twice", axis.name) end
    seen[axis.name] = true
  end
  return setmetatable(dimensions, Dimensions)
end

-- OVERRIDES: what the command line makes of the axes, --param n=10,100.

--- Reads "n=10,100" of --param.
---@param text string
---@return { name: string, values: string[] }? override
---@return string? message
function sweep.parse_override(text)
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
  local number = axis.numeric and numerals.read(text)
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
    result[k] = lists.copy(old)
    result[k].points = points
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
    local x = numerals.read(text)
    if not x then
      axes.refuse("axis '%s' takes numbers, got '%s'", axis.name, text)
    end
    numbers[i] = axes.whole(x)
  end
  return { axes.read(axis.name, numbers) }
end

local function texts_for(wanted, name)
  local texts = {}
  for _, override in ipairs(wanted) do
    lists.append(texts, override.name == name and override.values or {})
  end
  return texts
end

-- The dimensions with the overrides applied (those of one name together); one
-- for an axis that is not there changes nothing. Refuses values that an axis
-- can't take.
local function overridden(dimensions, wanted)
  local result = {}
  for d, dimension in ipairs(dimensions) do
    for k = 1, #dimension do
      local axis = dimension[k]
      local texts = texts_for(wanted, axis.name)
      if #texts > 0 then dimension = replace(dimension, axis, texts) end
    end
    check_rows(dimension)
    result[d] = dimension
  end
  return result
end

-- THE COMPARED AXIS: its points are compared with each other within each cell
-- of the other axes.

local function is_implementations(axis)
  return not lists.first(axis.points, function(point)
    return type(point.value) ~= "function"
  end)
end

-- The axis named; else one with the baseline; else 'impl'; else one of
-- functions; else a setting that is no number. Data is not compared unasked.
local function choose(list, options)
  local function named(name)
    return lists.first(list, function(axis) return axis.name == name end)
  end
  if options.contrast then return named(options.contrast) end
  return lists.first(list, function(axis)
    return lists.first(axis.points, function(point)
      return point.baseline or point.param == options.baseline
    end)
  end) or named "impl" or lists.first(list, is_implementations)
    or lists.first(list, function(axis)
      return axis.setting and not axis.numeric
    end)
end

-- The name of the compared axis, or nil. Refuses (see axes.guard) one that is
-- not there, and a baseline that is not on it.
local function compared_axis(list, options)
  local axis = choose(list, options)
  if options.contrast and not axis then
    axes.refuse("there is no axis '%s' to compare", options.contrast)
  elseif not options.baseline
    or axis and lists.first(axis.points, function(point)
      return point.param == options.baseline
    end) then
    return axis and axis.name
  end
  axes.refuse("baseline '%s' is not what is compared", options.baseline)
end

-- CELLS

local function check_count(dimensions)
  local count, factors = 1, {}
  for d, dimension in ipairs(dimensions) do
    local length = #dimension[1].points
    count = count * length
    factors[d] = ("%s: %s"):format(dimension[1].name, units.thousands(length))
  end
  if count <= MOST_CELLS then return count end
  axes.refuse("%s combinations (%s) of at most %s; choose with --param",
    units.thousands(count), table.concat(factors, " x "),
    units.thousands(MOST_CELLS))
end

-- Row of each dimension in the k-th combination (from 0); the last is fastest.
local function rows_at(dimensions, k)
  local rows = {}
  for d = #dimensions, 1, -1 do
    local length = #dimensions[d][1].points
    rows[d] = k % length + 1
    k = math.floor(k / length)
  end
  return rows
end

local function braces(texts)
  return #texts == 0 and "" or "{" .. table.concat(texts, ",") .. "}"
end

local function new_cell(dimensions, rows, compared, baseline)
  local cell = { params = {}, values = {}, settings = {} }
  local texts, others = {}, {}
  for d, dimension in ipairs(dimensions) do
    for _, axis in ipairs(dimension) do
      local point = axis.points[rows[d]]
      local text = axis.name .. "=" .. point.text
      texts[#texts + 1] = text
      cell.params[axis.name], cell.values[axis.name] = point.param, point.value
      if axis.setting then cell.settings[axis.name] = point.value end
      if axis.name == compared then
        cell.contrast = point.param
        cell.baseline = point.baseline or point.param == baseline or nil
      else
        others[#others + 1] = text
      end
    end
  end
  cell.label, cell.group = braces(texts), braces(others)
  return cell
end

local function ask(name, predicate, cell)
  if not predicate then return nil end
  local ok, answer = pcall(predicate, cell.values, cell.params)
  if ok then return answer and true or false end
  axes.refuse("'%s' failed at %s: %s", name, cell.label, tostring(answer))
end

local function build(spec, options)
  local as_read = read(spec or {})
  local compared = compared_axis(axes_of(as_read), options)
  local dimensions = overridden(as_read, options.overrides or {})
  local count = check_count(dimensions)
  local cells = {}
  for k = 0, count - 1 do
    local cell = new_cell(dimensions, rows_at(dimensions, k), compared,
      options.baseline)
    if not ask("exclude", options.exclude, cell)
      and ask("where", options.where, cell) ~= false then
      cells[#cells + 1] = cell
    end
  end
  return cells
end

--- The cells of a sweep, the last axis varying fastest; one without a label
--- where there are no params. nil and a message where the params are wrong, or
--- too many combinations, before any is built.
---
--- A cell: params (numbers, booleans and labels: its identity), values (what
--- the bench gets), settings (those of tare's own), label ("{n=100,impl=a}"),
--- group (the label without the compared axis: equal for what is compared),
--- contrast (the compared axis's label), baseline (true where marked).
---
--- Options: exclude and where are asked with the values and the params of each
--- cell; overrides is a list of what sweep.parse_override made; contrast names
--- the compared axis, baseline a label on it.
---@param spec table? the 'params' of a bench, or what sweep.read made of them
---@param options table?
---@return table[]? cells
---@return string? message
function sweep.cells(spec, options)
  return axes.guard(build, spec, options or {})
end

--- Checks and reads 'params' once, generators too, for sweep.cells later; and
--- whether options of that fit them.
---@param spec table
---@param options table?
---@return table? params
---@return string? message
function sweep.read(spec, options)
  return axes.guard(function()
    local params = read(spec)
    compared_axis(axes_of(params), options or {})
    return params
  end)
end

return sweep
