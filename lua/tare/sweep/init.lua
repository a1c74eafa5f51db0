-- Parameter sweeps: turns the 'params' of a bench into cells, one for each
-- combination to measure, and gives each its id. See
-- tare.sweep.params for the order of the axes.
local axes = require "tare.sweep.axes"
local contrast = require "tare.sweep.contrast"
local overrides = require "tare.sweep.overrides"
local params = require "tare.sweep.params"
local ranges = require "tare.sweep.ranges"

local sweep = {
  range = ranges.range, geometric = ranges.geometric, zip = axes.zip,
  parse_override = overrides.parse,
}

-- A bench with more combinations is refused.
local MOST_CELLS = 100000

local function grouped(count) -- 1234567 as 1,234,567
  local text = ("%.0f"):format(count):reverse():gsub("(%d%d%d)", "%1,")
  return (text:reverse():gsub("^,", ""))
end

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
    factors[d] = dimension[1].name .. ": " .. grouped(#dimension[1].points)
  end
  axes.refuse("%s combinations (%s) of at most %s; choose with --param",
    grouped(count), table.concat(factors, " x "), grouped(most))
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
  local compared = contrast.find(params.axes(read), options)
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
    return contrast.find(params.axes(params.read(spec)), options) or true
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
