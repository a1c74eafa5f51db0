-- What tare takes in a state, as docs/engines.md says, to compare with.
local command = require "spec.support.command"

local footprint = {}

local SLACK, LEAST_KB = 1.25, 2
local COLUMNS = { ["lua5.4"] = 1, luajit = 2 }

--- Prints the kilobytes that `require "tare"` leaves in a Lua heap.
footprint.REQUIRED = [[collectgarbage() collectgarbage()
  local before = collectgarbage("count")
  local tare = require("tare")
  collectgarbage() collectgarbage()
  assert(type(tare) == "table")
  print(math.ceil(collectgarbage("count") - before))]]

--- The most that it may be, by a line of the page's table.
---@param label string what the line is about
---@param lua string "lua5.4" or "luajit"
---@return number? kb nil for an interpreter that the table leaves out
function footprint.most_kb(label, lua)
  if not COLUMNS[lua] then return nil end
  for line in command.read("docs/engines.md"):gmatch "[^\n]+" do
    if line:sub(1, #label + 4) == "| " .. label .. " |" then
      local numbers = {}
      for number in line:sub(#label + 4):gmatch "%d+" do
        numbers[#numbers + 1] = tonumber(number)
      end
      return SLACK * numbers[COLUMNS[lua]] + LEAST_KB
    end
  end
  error("docs/engines.md has no line '" .. label .. "'")
end

return footprint
