-- What the terminal can show: width, colours, characters.
local paths = require "tare.base.paths"

local terminal = {}

local USUAL_WIDTH = 80 -- of a terminal that does not say
local NARROWEST, WIDEST = 20, 10000
local STDOUT = 1

-- A variable of the environment; set to nothing is not set.
local function variable(getenv, name)
  local value = getenv(name)
  return value ~= "" and value or nil
end

--- Whether to colour: what was asked for, else terminals without NO_COLOR.
---@param asked "auto"|"always"|"never"
---@param is_terminal boolean
---@param getenv fun(name: string): string?
---@return boolean
function terminal.is_colored(asked, is_terminal, getenv)
  if asked ~= "auto" then return asked == "always" end
  return is_terminal and not variable(getenv, "NO_COLOR")
    and getenv "TERM" ~= "dumb"
end

--- Whether the locale has no UTF-8 (POSIX: the first that is set counts).
---@param getenv fun(name: string): string?
---@return boolean
function terminal.is_ascii(getenv)
  local locale = variable(getenv, "LC_ALL") or variable(getenv, "LC_CTYPE")
    or variable(getenv, "LANG") or ""
  return not locale:lower():find "utf%-?8"
end

--- The width that lines may have, in characters: COLUMNS where it is set, else
--- the size of the terminal; nil for a pipe.
---@param size integer? by the terminal; 0 where it does not know; nil is a pipe
---@param getenv fun(name: string): string?
---@return integer?
function terminal.width(size, getenv)
  local width = (getenv "COLUMNS" or ""):match "^%d+$"
  width = width and tonumber(width) or 0
  if width == 0 then width = size end
  if width == 0 then width = USUAL_WIDTH end
  return width and math.max(NARROWEST, math.min(WIDEST, width))
end

--- How wide the terminal behind stdout is, in characters.
---@return integer? size nil where there is no terminal; 0 where it does not say
function terminal.size()
  local uv = require "luv"
  if uv.guess_handle(STDOUT) ~= "tty" then return nil end
  local tty = uv.new_tty(STDOUT, false)
  local size = tty:get_winsize()
  tty:close()
  uv.run "nowait"
  return size or 0
end

--- Whether the terminal understands what colours are written with. libuv has
--- asked Windows for it when the terminal was looked at (terminal.size);
--- before Windows 10 there is no such thing.
---@return boolean
function terminal.takes_escapes()
  return not paths.is_windows
    or require("luv").tty_get_vterm_state() == "supported"
end

return terminal
