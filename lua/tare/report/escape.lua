-- Makes text harmless where it goes: a bench may be called anything.
local json = require "tare.json"
local unicode = require "tare.unicode"

local escape = {}

local NAMED = { [9] = "\\t", [10] = "\\n", [13] = "\\r" }

-- What moves the cursor, colours, hides or turns round: control characters
-- (C0, DEL, C1), separators, and the format characters of bidirectional text.
local function is_control(code)
  return code < 32 or code >= 127 and code < 160
    or code >= 0x200B and code <= 0x200F or code >= 0x2028 and code <= 0x202E
    or code >= 0x2060 and code <= 0x206F or code == 0xFEFF
end

local function show(code, bytes)
  if not code then return ("\\x%02x"):format(bytes:byte()) end
  if not is_control(code) then return nil end
  return NAMED[code] or code < 256 and ("\\x%02x"):format(code)
    or ("\\u{%x}"):format(code)
end

--- One line of valid UTF-8 without control characters: they are shown as
--- "\n", "\x1b", "\u{202e}".
---@param s any
---@return string
function escape.visible(s)
  s = tostring(s)
  if not s:find("[%c\127-\255]") then return s end
  return unicode.map(s, show)
end

--- Text in a Markdown document (GitHub's), in or out of a table.
---@param s any
---@return string
function escape.markdown(s)
  return (escape.visible(s):gsub("[\\`*_{}%[%]<>#|~&]", "\\%0"))
end

local XML = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;", ["'"] = "&#39;" }

--- Text or an attribute's value in XML 1.0, which knows no control characters.
---@param s any
---@return string
function escape.xml(s)
  return (escape.visible(s):gsub("[&<>\"']", XML))
end

local function hexadecimal(c) return ("\\x%02x"):format(c:byte()) end

-- Spreadsheets take a cell that starts so for a formula.
local FORMULA = "^[=+%-@\t\r]"

--- A field of CSV (RFC 4180): quoted where it must be; a text that a
--- spreadsheet would compute starts with an apostrophe. Numbers in full.
---@param value string|number|boolean|nil
---@return string
function escape.csv(value)
  if value == nil or value ~= value then return "" end
  if type(value) == "number" then
    local text = json.number(value)
    return text == "null" and "" or text
  end
  local text = unicode.repair(tostring(value))
  text = text:gsub("[%z\1-\8\11\12\14-\31\127]", hexadecimal)
  if text:find(FORMULA) then text = "'" .. text end
  if text:find('[",\r\n]') then text = '"' .. text:gsub('"', '""') .. '"' end
  return text
end

return escape
