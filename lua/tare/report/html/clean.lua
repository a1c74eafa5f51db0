-- A Report as the page's parts read it: numbers that can't be drawn are left
-- out, so that absent is all that they must allow for. Lists of numbers, such
-- as samples, stay as they are.
local scale = require "tare.report.scale"

local function clean(t)
  if type(t[1]) == "number" then return t end
  local copy = {}
  for key, value in pairs(t) do
    if type(value) == "table" then
      copy[key] = clean(value)
    elseif type(value) ~= "number" or scale.is_drawable(value) then
      copy[key] = value
    end
  end
  return copy
end

return clean
