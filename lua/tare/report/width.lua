-- How many columns of a terminal a text takes, and fitting it into some.
local unicode = require "tare.base.unicode"
local widths = require "tare.report.widths"

local width = {}

-- Whether a code point lies in one of the ranges (by bisection).
local function within(ranges, code)
  local low, high = 1, #ranges / 2
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if code < ranges[2 * middle - 1] then high = middle - 1
    elseif code > ranges[2 * middle] then low = middle + 1
    else return true end
  end
  return false
end

local function of_character(code)
  if not code or code < 0x300 then return 1 end
  if within(widths.zero, code) then return 0 end
  return within(widths.wide, code) and 2 or 1
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

-- The last 'columns' of a text, or fewer; no mark without what it stands on.
local function tail(s, columns)
  local skip, begun = width.of(s) - columns, false
  return unicode.map(s, function(code)
    local size = of_character(code)
    begun = begun or skip <= 0 and size > 0
    if begun then return nil end
    skip = skip - size
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
