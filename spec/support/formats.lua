-- The formats that every report can be rendered in: not those of profiles.
local report = require "tare.report"

local formats = {}
for _, format in ipairs(report.formats()) do
  if not report.needs(format) then formats[#formats + 1] = format end
end

return formats
