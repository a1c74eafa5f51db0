-- Which axis of a sweep is compared: its points are compared with each other
-- within each cell of the other axes.
local axes = require "tare.sweep.axes"

local contrast = {}

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

--- The name of the compared axis, or nil. Refuses (see axes.guard) one that is
--- not there, and a baseline that is not on it.
---@param list table[] axes
---@param options { contrast: string?, baseline: string? }
---@return string?
function contrast.find(list, options)
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

return contrast
