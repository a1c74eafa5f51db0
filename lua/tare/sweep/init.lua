-- Parameter sweeps: turns the 'params' of a bench into cells, one for each
-- combination to measure, and gives each its id. See
-- tare.sweep.params for the order of the axes.
local axes = require "tare.sweep.axes"
local overrides = require "tare.sweep.overrides"
local params = require "tare.sweep.params"
local ranges = require "tare.sweep.ranges"
local units = require "tare.base.units"

local sweep = {
  range = ranges.range, geometric = ranges.geometric, zip = axes.zip,
  parse_override = overrides.parse,
}

-- A bench with more combinations is refused.
local MOST_CELLS = 100000

-- THE COMPARED AXIS: its points are compared with each other within each cell
-- of the other axes.

local function any(axis, holds)
  for _, point in ipairs(axis.points) do
    if holds(point) then return true end
  end
  return false
end

local function is_implementations(axis)
  return not any(axis, function(point)
    return type(point.value) ~= "function"
  end)
end

local function is_mode(axis) return axis.setting and not axis.numeric end

local function first(list, rule)
  for _, axis in ipairs(list) do
    if rule(axis) then return axis.name end
  end
end

-- The axis named; else one with the baseline; else 'impl'; else one of
-- functions; else a setting that is no number. Data is not compared unasked.
local function choose(list, options)
  if options.contrast then
    return first(list, function(axis) return axis.name == options.contrast end)
  end
  return first(list, function(axis)
    return any(axis, function(point)
      return point.baseline or point.param == options.baseline
    end)
  end) or first(list, function(axis) return axis.name == "impl" end)
    or first(list, is_implementations) or first(list, is_mode)
end

-- The name of the compared axis, or nil. Refuses (see axes.guard) one that is
-- not there, and a baseline that is not on it.
local function compared_axis(list, options)
  local name = choose(list, options)
  if options.contrast and not name then
    axes.refuse("there is no axis '%s' to compare", options.contrast)
  end
  if not options.baseline then return name end
  for _, axis in ipairs(list) do
    if axis.name == name and any(axis, function(point)
      return point.param == options.baseline
    end) then return name end
  end
  axes.refuse("baseline '%s' is not what is compared", options.baseline)
end

-- CELLS

local function count_rows(dimensions)
  local count = 1
  for _, dimension in ipairs(dimensions) do
    count = count * #dimension[1].points
  end
  return count
end

local function check_count(dimensions, most)
  local count, factors = count_rows(dimensions), {}
  if count <= most then return count end
  for d, dimension in ipairs(dimensions) do
    factors[d] = ("%s: %s"):format(dimension[1].name,
      units.thousands(#dimension[1].points))
  end
  axes.refuse("%s combinations (%s) of at most %s; choose with --param",
    units.thousands(count), table.concat(factors, " x "), units.thousands(most))
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

local function add_point(cell, axis, point)
  cell.params[axis.name], cell.values[axis.name] = point.param, point.value
  if axis.setting then cell.settings[axis.name] = point.value end
end

local function new_cell(dimensions, rows, compared, baseline)
  local cell = { params = {}, values = {}, settings = {} }
  local texts, others = {}, {}
  for d, dimension in ipairs(dimensions) do
    for _, axis in ipairs(dimension) do
      local point = axis.points[rows[d]]
      local text = axis.name .. "=" .. point.text
      texts[#texts + 1] = text
      add_point(cell, axis, point)
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
  local read = params.read(spec or {})
  local compared = compared_axis(params.axes(read), options)
  local dimensions = overrides.apply(read, options.overrides or {})
  local count = check_count(dimensions, options.limit or MOST_CELLS)
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
--- more than options.limit combinations (100,000 by default), before any is
--- built.
---
--- A cell: params (numbers, booleans and labels: its identity), values (what
--- the bench gets), settings (those of tare's own), label ("{n=100,impl=a}"),
--- group (the label without the compared axis: equal for what is compared),
--- contrast (the compared axis's label), baseline (true where marked).
---
--- Options: exclude and where are asked with the values and the params of each
--- cell; overrides is a list of what sweep.parse_override made; contrast names
--- the compared axis, baseline a label on it; limit.
---@param spec table? the 'params' of a bench, or what sweep.read made of them
---@param options table?
---@return table[]? cells
---@return string? message
function sweep.cells(spec, options)
  return axes.guard(build, spec, options or {})
end

--- Checks and reads 'params' once, generators too, for sweep.cells later.
---@param spec table
---@return table? params
---@return string? message
function sweep.read(spec) return axes.guard(params.read, spec) end

--- Whether the options fit the params: see sweep.cells, which builds nothing
--- here.
---@param spec table
---@param options table
---@return string|boolean|nil ok
---@return string? message
function sweep.check(spec, options)
  return axes.guard(function()
    return compared_axis(params.axes(params.read(spec)), options) or true
  end)
end

--- Names of the axes of 'params', in their order in an id.
---@param spec table
---@return string[]? names
---@return string? message
function sweep.names(spec)
  return axes.guard(function()
    local names = {}
    for i, axis in ipairs(params.axes(params.read(spec))) do
      names[i] = axis.name
    end
    return names
  end)
end

return sweep
