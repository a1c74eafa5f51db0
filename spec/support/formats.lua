-- The formats that every report can be rendered in: not those of profiles.
local report = require "tare.report"

local formats = {}
for _, format in ipairs(report.formats()) do
  local one = report.properties(format)
  if not (one.needs or one.only_frames) then formats[#formats + 1] = format end
end

return formats
