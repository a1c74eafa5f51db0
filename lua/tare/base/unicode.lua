-- UTF-8 without the utf8 library, which 5.1 lacks: text that may hold any
-- bytes is walked character by character, and invalid bytes are recognised.
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

local MOST_MESSAGE = 4096 -- bytes of a message
local NOTE = 64 -- bytes of what is said about the rest, at most

--- A message of any length, the beginning of a long one with its length. A
--- message that was shortened stays as it is.
---@param message any what is no string stays, too
---@return any
function unicode.shortened(message)
  if type(message) ~= "string" or #message <= MOST_MESSAGE + NOTE then
    return message
  end
  local start = unicode.repair(message:sub(1, MOST_MESSAGE))
  return ("%s... (%.0f bytes, shortened)"):format(
    unicode.repair(start:sub(1, MOST_MESSAGE)), #message)
end

local NAMED = { [9] = "\\t", [10] = "\\n", [13] = "\\r" }

-- What moves the cursor, colours, hides, or changes the direction of the text,
-- as first and last code points: controls (C0, DEL, C1), soft hyphen, joiner of
-- graphemes, Arabic letter mark, fillers of Hangul, inherent vowels of Khmer,
-- marks of Mongolian, blanks without width, marks, overrides and isolates of
-- direction, separators, byte order mark, anchors of annotations, what is no
-- character (XML refuses it), and tags. The joiners U+200C and U+200D are parts
-- of words and emoji, and stay.
local HIDDEN = { 0, 31, 127, 159, 0xAD, 0xAD, 0x34F, 0x34F, 0x61C, 0x61C,
  0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F, 0x200B, 0x200B,
  0x200E, 0x200F, 0x2028, 0x202E, 0x2060, 0x206F, 0x2800, 0x2800,
  0x3164, 0x3164, 0xFDD0, 0xFDEF, 0xFEFF, 0xFEFF, 0xFFA0, 0xFFA0,
  0xFFF0, 0xFFFB, 0xFFFE, 0xFFFF, 0x1D173, 0x1D17A, 0xE0000, 0xE0FFF }

local function is_hidden(code)
  if code % 0x10000 >= 0xFFFE then return true end
  for i = 1, #HIDDEN, 2 do
    if code < HIDDEN[i] then return false end
    if code <= HIDDEN[i + 1] then return true end
  end
  return false
end

local function show(code, bytes)
  if not code then return ("\\x%02x"):format(bytes:byte()) end
  if not is_hidden(code) then return nil end
  return NAMED[code] or code < 256 and ("\\x%02x"):format(code)
    or ("\\u{%x}"):format(code)
end

--- One line of valid UTF-8 in which every character can be seen: control
--- characters, invisible ones and those that change the direction are written
--- as "\n", "\x1b", "\u{202e}".
---@param s any
---@return string
function unicode.visible(s)
  s = tostring(s)
  if not s:find("[%z\1-\31\127-\255]") then return s end
  return unicode.map(s, show)
end

return unicode
