-- How many columns of a terminal a text takes, and fitting it into some.
local unicode = require "tare.base.unicode"

local width = {}

-- Ascending pairs: marks that take no column of their own.
local ZERO = { 0x0300, 0x036F, 0x0483, 0x0489, 0x0591, 0x05BD, 0x0610, 0x061A,
  0x064B, 0x065F, 0x0E34, 0x0E3A, 0x0E47, 0x0E4E, 0x1AB0, 0x1AFF, 0x1DC0,
  0x1DFF, 0x20D0, 0x20FF, 0xFE00, 0xFE0F, 0xFE20, 0xFE2F, 0xE0100, 0xE01EF }
-- Characters that take two (Unicode annex 11, wide and fullwidth).
local WIDE = { 0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0xA4CF, 0xA960, 0xA97C,
  0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE6F, 0xFF00, 0xFF60, 0xFFE0,
  0xFFE6, 0x1F300, 0x1F64F, 0x1F680, 0x1F6FF, 0x1F900, 0x1F9FF, 0x20000,
  0x3FFFD }

local function within(pairs_of_ends, code)
  for i = 1, #pairs_of_ends, 2 do
    if code < pairs_of_ends[i] then return false end
    if code <= pairs_of_ends[i + 1] then return true end
  end
  return false
end

local function of_character(code)
  if not code or code < 0x300 then return 1 end
  if within(ZERO, code) then return 0 end
  return within(WIDE, code) and 2 or 1
end

--- Columns that a text takes.
---@param s string
---@return integer
function width.of(s)
  if not s:find("[\128-\255]") then return #s end
  local total = 0
  unicode.map(s, function(code) total = total + of_character(code) end)
  return total
end

--- The text with blanks on one side up to 'columns'.
---@param s string
---@param columns integer
---@param align? "left"|"right" left unless told
---@return string
function width.pad(s, columns, align)
  local blanks = (" "):rep(columns - width.of(s))
  return align == "right" and blanks .. s or s .. blanks
end

--- At most 'columns' of a text; what was cut ends with an ellipsis.
---@param s string
---@param columns integer at least 1
---@param ellipsis string? "..." unless told
---@return string
function width.cut(s, columns, ellipsis)
  if width.of(s) <= columns then return s end
  ellipsis = ellipsis or "..."
  if width.of(ellipsis) > columns then ellipsis = "" end
  local room, full = columns - width.of(ellipsis), false
  local kept = unicode.map(s, function(code)
    room = room - of_character(code)
    full = full or room < 0
    return full and "" or nil
  end)
  return kept .. ellipsis
end

-- The last 'columns' of a text, or fewer.
local function tail(s, columns)
  local skip = width.of(s) - columns
  return unicode.map(s, function(code)
    if skip <= 0 then return nil end
    skip = skip - of_character(code)
    return ""
  end)
end

--- As width.cut, but out of the middle: of names that differ at their end
--- both ends stay.
---@param s string
---@param columns integer at least 1
---@param ellipsis string
---@return string
function width.squeeze(s, columns, ellipsis)
  local room = columns - width.of(ellipsis)
  if width.of(s) <= columns or room < 2 then
    return width.cut(s, columns, ellipsis)
  end
  local head = math.ceil(room / 2)
  return width.cut(s, head, "") .. ellipsis .. tail(s, room - head)
end

local function flush(lines, words)
  if #words > 0 then lines[#lines + 1] = table.concat(words, " ") end
  return {}, 0
end

--- Breaks a text between words into lines of at most 'columns'; a longer word
--- stays whole. Without 'columns', one line.
---@param s string
---@param columns number?
---@return string[]
function width.wrap(s, columns)
  if not columns then return { s } end
  local lines, words, used = {}, {}, 0
  for word in s:gmatch("%S+") do
    local size = width.of(word)
    if used > 0 and used + 1 + size > columns then
      words, used = flush(lines, words)
    end
    words[#words + 1] = word
    used = used + size + (used > 0 and 1 or 0)
  end
  flush(lines, words)
  return lines
end

return width
