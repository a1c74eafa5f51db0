-- Suggestions for misspelt names.
local nearest = {}

local FURTHEST = 2 -- edits

-- Edits (a character more, less or other, or two neighbours swapped) that make
-- one name of the other: optimal string alignment (Damerau 1964).
local function edits(a, b)
  local before, last
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    before, last, row = last, row, { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      row[j] = math.min(last[j] + 1, row[j - 1] + 1,
        last[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1)
        and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
  end
  return row[#b]
end

--- The name that a misspelt one is close to, whatever letters are capitals; the
--- first by alphabet of several.
---@param given any
---@param known table<string, any> what is known, by name
---@return string? name
function nearest.name(given, known)
  if type(given) ~= "string" then return nil end
  local best, least = nil, math.min(FURTHEST, (#given - 1) / 2)
  for name in pairs(known) do
    local count = type(name) == "string"
      and edits(given:lower(), name:lower()) or 1/0
    if count < least or count == least and (not best or name < best) then
      best, least = name, count
    end
  end
  return best
end

--- A clause that ends a sentence about a misspelt name; empty where no name is
--- close.
---@param given any
---@param known table<string, any> what is known, by name
---@return string clause
function nearest.hint(given, known)
  local name = nearest.name(given, known)
  return name and ("; did you mean '%s'?"):format(name) or ""
end

return nearest
