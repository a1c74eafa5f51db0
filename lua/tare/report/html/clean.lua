-- A Report as the page's parts read it: numbers that can't be drawn are left
-- out, so that absent is all that they must allow for. Lists of numbers, such
-- as samples, stay as they are.
local scale = require "tare.report.scale"

local function copy_of(t)
  if type(t[1]) == "number" then return t end
  local copy = {}
  for key, value in pairs(t) do
    if type(value) == "table" then
      copy[key] = copy_of(value)
    elseif type(value) ~= "number" or scale.is_drawable(value) then
      copy[key] = value
    end
  end
  return copy
end

local function drawable(comparisons)
  local list = {}
  for _, c in ipairs(comparisons or {}) do
    if c.a and c.b and c.ratio and c.ratio.value then list[#list + 1] = c end
  end
  return list
end

---@param report table
---@return table
return function(report)
  local copy = copy_of(report)
  copy.comparisons = drawable(copy.comparisons)
  return copy
end
