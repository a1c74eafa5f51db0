-- UTF-8 without the utf8 library, which 5.1 lacks: text that may hold any
-- bytes is walked character by character, invalid bytes told apart.
local unicode = {}

-- Smallest code point that a sequence of so many bytes may stand for.
local SMALLEST = { 0, 0x80, 0x800, 0x10000 }
local MARK = "\239\191\189" -- U+FFFD, the replacement character

local function sequence_length(byte)
  if byte < 0x80 then return 1 end
  if byte < 0xC2 or byte > 0xF4 then return nil end
  return byte < 0xE0 and 2 or byte < 0xF0 and 3 or 4
end

--- The character at byte 'i' (RFC 3629: shortest form, no surrogates).
---@param s string
---@param i integer
---@return integer? code nil where the byte starts no character
---@return integer length bytes to skip
function unicode.decode(s, i)
  local byte = s:byte(i)
  local length = sequence_length(byte)
  if length == 1 then return byte, 1 end
  if not length then return nil, 1 end
  local code = byte % 2 ^ (7 - length)
  for k = i + 1, i + length - 1 do
    local next_byte = s:byte(k)
    if not next_byte or next_byte < 0x80 or next_byte > 0xBF then
      return nil, 1
    end
    code = code * 64 + next_byte % 64
  end
  local surrogate = code >= 0xD800 and code <= 0xDFFF
  if code < SMALLEST[length] or surrogate or code > 0x10FFFF then
    return nil, 1
  end
  return code, length
end

--- Calls visit(code, bytes) for each character in turn and puts what it
--- returns in place of the character; nil keeps it. 'code' is nil for a byte
--- that starts no character.
---@param s string
---@param visit fun(code: integer?, bytes: string): string?
---@return string
function unicode.map(s, visit)
  local out, i = {}, 1
  while i <= #s do
    local code, length = unicode.decode(s, i)
    local bytes = s:sub(i, i + length - 1)
    out[#out + 1] = visit(code, bytes) or bytes
    i = i + length
  end
  return table.concat(out)
end

local function mark_invalid(code) return not code and MARK or nil end

--- Valid UTF-8: each invalid byte becomes U+FFFD.
---@param s string
---@return string
function unicode.repair(s)
  if not s:find("[\128-\255]") then return s end
  return unicode.map(s, mark_invalid)
end

local NAMED = { [9] = "\\t", [10] = "\\n", [13] = "\\r" }

-- What moves the cursor, colours, hides or turns round: control characters
-- (C0, DEL, C1), separators, and the format characters of bidirectional text.
-- The joiners U+200C and U+200D are part of words and emoji.
local function is_control(code)
  return code < 32 or code >= 127 and code < 160 or code == 0x200B
    or code >= 0x200E and code <= 0x200F or code >= 0x2028 and code <= 0x202E
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
function unicode.visible(s)
  s = tostring(s)
  if not s:find("[%c\127-\255]") then return s end
  return unicode.map(s, show)
end

return unicode
