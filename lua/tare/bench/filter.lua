-- Which ids a run takes: globs, prefixes or patterns, '!' to leave out.
local filter = {}

local function glob_to_pattern(glob)
  local pattern = glob:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0")
  return "^" .. pattern:gsub("%*", ".*"):gsub("%?", ".") .. "$"
end

local MATCHERS = {
  -- Without a wildcard, any part of an id.
  glob = function(wanted)
    if not wanted:find("[*?]") then
      return function(id) return id:find(wanted, 1, true) ~= nil end
    end
    local pattern = glob_to_pattern(wanted)
    return function(id) return id:find(pattern) ~= nil end
  end,
  prefix = function(wanted)
    return function(id) return id:sub(1, #wanted) == wanted end
  end,
  pattern = function(wanted)
    local well_formed, message = pcall(string.find, "", wanted)
    if not well_formed then
      return nil, ("'%s' is not a Lua pattern (%s)"):format(wanted,
        tostring(message):gsub("^.-: ", ""))
    end
    return function(id) return id:find(wanted) ~= nil end
  end,
}

--- A predicate over ids. An id is taken when it matches one of the wanted
--- texts (any id, if there is none) and none of those that start with '!'.
---@param wanted string[]
---@param kind "glob"|"prefix"|"pattern"?
---@return (fun(id: string): boolean)? takes
---@return string? message
function filter.new(wanted, kind)
  local include, exclude = {}, {}
  for _, text in ipairs(wanted or {}) do
    local negated = text:sub(1, 1) == "!"
    local matcher, message =
      MATCHERS[kind or "glob"](negated and text:sub(2) or text)
    if not matcher then return nil, message end
    table.insert(negated and exclude or include, matcher)
  end
  local function any(matchers, id)
    for _, matches in ipairs(matchers) do
      if matches(id) then return true end
    end
    return false
  end
  return function(id)
    return (#include == 0 or any(include, id)) and not any(exclude, id)
  end
end

return filter
