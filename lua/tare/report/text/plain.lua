-- A Report whose texts any terminal shows in as many columns as they are
-- counted for.
local unicode = require "tare.base.unicode"

local plain = {}

-- What renderers of text never print, and what is long.
local KEPT = { samples = true, density = true, passes = true, fits = true,
  source = true }
local JOINER = 0x200D

-- Braces would look like those of parameters.
local function escape(is_shown)
  return function(code)
    if not code or is_shown(code) then return nil end
    return (code > 0xFFFF and "\\U%08x" or "\\u%04x"):format(code)
  end
end

-- Emoji that are joined are one picture to some terminals, several to others.
local ESCAPE = { [true] = escape(function(code) return code < 128 end),
  [false] = escape(function(code) return code ~= JOINER end) }

--- A text in ASCII, or only without joiners.
---@param text string
---@param is_ascii boolean?
---@return string
function plain.text(text, is_ascii)
  if not text:find(is_ascii and "[\128-\255]" or "\226\128\141") then
    return text
  end
  return unicode.map(unicode.repair(text), ESCAPE[is_ascii or false])
end

--- A copy of plain data with its texts so, names of fields as well; samples are
--- shared.
---@param data any
---@param is_ascii boolean?
---@return any
function plain.copy(data, is_ascii)
  if type(data) == "string" then return plain.text(data, is_ascii) end
  if type(data) ~= "table" then return data end
  local copy = {}
  for key, value in pairs(data) do
    copy[plain.copy(key, is_ascii)] = KEPT[key] and value
      or plain.copy(value, is_ascii)
  end
  return copy
end

return plain
