-- Progress on a terminal: which bench, how much is done, how long it may take.
-- Written between batches only, never into a pipe.
local terminal = require "tare.cli.terminal"
local unicode = require "tare.base.unicode"
local units = require "tare.base.units"
local width = require "tare.report.width"

local progress = {}
progress.__index = progress

local EVERY_NS = 1e8 -- between two lines
local CLEAR = "\r\27[K"
local NARROWEST = 10

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

--- The line.
---@param at { share: number, spent_ns: number, finished: integer, total:
---  integer, current: string? }
---@param columns integer of the terminal
---@return string
function progress.text(at, columns)
  -- Benches that are interleaved are finished together.
  local counted = at.total > 1
    and (", %d of %d"):format(at.finished, at.total) or ""
  local left = at.share >= 0.02 and (", %s left"):format(
    units.duration(at.spent_ns * (1 - at.share) / at.share, 2)) or ""
  local text = ("%3.0f%%%s%s  %s"):format(at.share * 100, counted, left,
    unicode.visible(at.current or ""))
  return width.cut(text, math.max(NARROWEST, columns - 1), "")
end

--- Shows how far a measurement is; often asked, rarely written.
---@param run table with progress(), counts() and current_id()
function progress:show(run)
  local now = self.uv.hrtime()
  if now - self.last < EVERY_NS then return end
  self.last = now
  local finished, total = run:counts()
  local columns = terminal.width(self.tty:get_winsize() or 0, os.getenv)
  self.tty:try_write(CLEAR .. progress.text({ share = run:progress(),
    spent_ns = now - self.began, finished = finished, total = total,
    current = run:current_id() }, columns))
end

--- Takes the line away until it is shown again.
function progress:clear() self.tty:try_write(CLEAR) end

--- Takes the line away.
function progress:close()
  self:clear()
  self.tty:close()
  self.uv.run("nowait")
end

return progress
