-- The Report itself, without loss: what --save writes and 'tare report' reads.
local encoder = require "tare.store.json"

local json = {}

---@param report table
---@return string
function json.render(report) return encoder.encode(report) .. "\n" end

return json
