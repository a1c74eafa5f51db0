-- Progress on a terminal: which bench, how much is done, how long it may take.
-- Written between batches only, never into a pipe.
local units = require "tare.base.units"

local progress = {}
progress.__index = progress

local EVERY_NS = 1e8 -- between two lines
local CLEAR = "\r\27[K"

--- A progress line, or nil where stderr is no terminal.
---@param wanted "auto"|"never"
---@return table? progress
function progress.new(wanted)
  local ok, uv = pcall(require, "luv")
  if wanted == "never" or not ok or uv.guess_handle(2) ~= "tty" then
    return nil
  end
  local tty = uv.new_tty(2, false)
  return setmetatable({ tty = tty, uv = uv, began = uv.hrtime(), last = 0 },
    progress)
end

local function remaining(share, spent_ns)
  if share < 0.02 then return "" end
  return ", " .. units.duration(spent_ns * (1 - share) / share, 2) .. " left"
end

-- Names could hold control characters; a terminal must not act on them.
local function plain(text) return (text:gsub("%c", "?")) end

--- Shows where a runner stands; often asked, rarely written.
---@param runner table
function progress:show(runner)
  local now = self.uv.hrtime()
  if now - self.last < EVERY_NS then return end
  self.last = now
  local share = runner:progress()
  local text = ("%3.0f%%%s  %s"):format(share * 100,
    remaining(share, now - self.began), plain(runner:current() or ""))
  local width = self.tty:get_winsize() or 80
  self.tty:try_write(CLEAR .. text:sub(1, math.max(10, width - 1)))
end

--- Takes the line away.
function progress:close()
  self.tty:try_write(CLEAR)
  self.tty:close()
  self.uv.run("nowait")
end

return progress
