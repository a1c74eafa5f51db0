-- Makes Lua source small, for the amalgamation: bare of comments, then packed
-- in the format of LZ4 (Y. Collet, "LZ4 Block Format Description", 2011).
local pack = {}

-- Where a string or long bracket that begins at 'i' ends, or nil.
local function end_of_quoted(text, i)
  local level = text:match("^%[(=*)%[", i)
  if level then return select(2, text:find("]" .. level .. "]", i, true)) end
  local quote = text:match("^[\"']", i)
  if not quote then return nil end
  local at = i + 1
  while text:sub(at, at) ~= quote do
    at = at + (text:sub(at, at) == "\\" and 2 or 1)
  end
  return at
end

-- Where a comment that begins at 'i' ends, or nil.
local function end_of_comment(text, i)
  if text:sub(i, i + 1) ~= "--" then return nil end
  if text:find("^%[=*%[", i + 2) then return end_of_quoted(text, i + 2) end
  return (text:find("\n", i, true) or #text + 1) - 1
end

-- Code without blanks that separate nothing. Those beside a '-' or a bracket
-- stay, and those between a digit and a '.': without them a comment, a string
-- or a number might begin.
local function tight(code)
  return (code:gsub("[ \t]*([,(){}=<>~+*/%%^#;:])[ \t]*", "%1")
    :gsub("^[ \t]*%.%.[ \t]*", "..")
    :gsub("([%a_)}%]])[ \t]*%.%.[ \t]*", "%1.."))
end

--- A Lua text without comments, indentation and most blanks; every line keeps
--- its number.
---@param text string
---@return string
function pack.bare(text)
  local out, at = {}, 1
  local function keep(piece) out[#out + 1] = piece end
  while at <= #text do
    local comment, quoted = end_of_comment(text, at), end_of_quoted(text, at)
    if comment then
      keep((text:sub(at, comment):gsub("[^\n]", "")))
      at = comment + 1
    elseif quoted then
      keep(text:sub(at, quoted))
      at = quoted + 1
    else
      local piece = text:match("^\n[ \t]*", at)
        or text:match("^[^%[\"'\n-]+", at) or text:sub(at, at)
      keep(piece:sub(1, 1) == "\n" and "\n" or tight(piece))
      at = at + #piece
    end
  end
  return table.concat(out)
end

local MIN_MATCH, LAST_LITERALS, LAST_MATCH = 4, 5, 12
local MOST_TRIES = 1000 -- candidates looked at for a match
local LONG = 64 -- bytes of a match of which no shorter part is tried

local function length_bytes(length)
  local bytes = {}
  length = length - 15
  while length >= 255 do
    bytes[#bytes + 1] = "\255"
    length = length - 255
  end
  bytes[#bytes + 1] = string.char(length)
  return table.concat(bytes)
end

-- A run of literals and the match that follows it (none after the last run).
local function sequence(literals, offset, length)
  local run, rest = #literals, offset and length - MIN_MATCH or 0
  local token = string.char(math.min(run, 15) * 16 + math.min(rest, 15))
  return token .. (run >= 15 and length_bytes(run) or "") .. literals
    .. (offset and string.char(offset % 256, math.floor(offset / 256)) or "")
    .. (offset and rest >= 15 and length_bytes(rest) or "")
end

local function match_length(text, a, b, last)
  local length = MIN_MATCH
  while b + length <= last
    and text:byte(a + length) == text:byte(b + length) do
    length = length + 1
  end
  return length
end

-- The longest earlier match for what stands at 'at', most recent first.
local function best_match(text, at, places, last)
  local best, best_at = 0, nil
  for i = #places, math.max(1, #places - MOST_TRIES), -1 do
    if at - places[i] > 65535 then break end
    -- One that is longer than the best so far has its next byte, too.
    if best == 0 or text:byte(places[i] + best) == text:byte(at + best) then
      local length = match_length(text, places[i], at, last)
      if length > best then best, best_at = length, places[i] end
    end
  end
  return best, best_at
end

-- What finds matches in a text, and is told of the places behind it.
local function matcher(text)
  local places, last = {}, #text - LAST_LITERALS -- a match ends there
  local told = 0
  return function(at)
    for i = told + 1, at - 1 do
      local key = text:sub(i, i + MIN_MATCH - 1)
      places[key] = places[key] or {}
      table.insert(places[key], i)
    end
    told = math.max(told, at - 1)
    local known = places[text:sub(at, at + MIN_MATCH - 1)]
    if not known or at > #text - LAST_MATCH then return 0, nil end
    return best_match(text, at, known, last)
  end
end

-- Bytes of a sequence without its literals.
local function match_cost(length)
  local rest = length - MIN_MATCH - 15
  return 3 + (rest >= 0 and 1 + math.floor(rest / 255) or 0)
end

-- For each place from 'first' on, how long the match is that begins there in
-- the shortest packed text, 0 for a literal: found from the end, where what
-- follows is known. A shorter part of a match is one, too.
local function chosen(text, first, longest)
  local cost, lengths = { [#text + 1] = 0 }, {}
  for at = #text, first, -1 do
    local least, best = cost[at + 1] + 1, 0
    local most = longest[at] or 0
    for length = most > LONG and most or MIN_MATCH, most do
      local bytes = match_cost(length) + cost[at + length]
      if bytes < least then least, best = bytes, length end
    end
    cost[at], lengths[at] = least, best
  end
  return lengths
end

--- Packs a text into one block; what is known before it is unpacked need not
--- be said again.
---@param text string
---@param history string?
---@return string
function pack.packed(text, history)
  local first = #(history or "") + 1
  text = (history or "") .. text
  local match, longest, starts = matcher(text), {}, {}
  for at = first, #text - LAST_MATCH do
    local before = longest[at - 1] or 0
    if before > LONG then
      longest[at], starts[at] = before - 1, starts[at - 1] + 1
    else
      longest[at], starts[at] = match(at)
    end
  end
  local lengths = chosen(text, first, longest)
  local out, from, at = {}, first, first
  while at <= #text do
    if lengths[at] > 0 then
      out[#out + 1] = sequence(text:sub(from, at - 1), at - starts[at],
        lengths[at])
      from = at + lengths[at]
    end
    at = at + math.max(1, lengths[at])
  end
  out[#out + 1] = sequence(text:sub(from))
  return table.concat(out)
end

return pack
