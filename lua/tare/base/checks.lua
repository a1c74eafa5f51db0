-- What data must be, as functions: check(value) -> nil, or a complaint that
-- starts where a path ends: ".time.value must be a number, got a string".
local checks = {}

--- The complaint about a value that is no such thing.
function checks.complaint(expected, value)
  local kind = type(value)
  if kind == "nil" then
    return (" must be %s, but is missing"):format(expected)
  end
  if kind == "table" then kind = value[1] ~= nil and "list" or "object" end
  if kind == "number" and value ~= value then kind = "null" end
  local article = kind:find("^[aeiou]") and "an" or "a"
  return (" must be %s, got %s %s"):format(expected, article, kind)
end

--- A value of one of Lua's types.
function checks.of_type(kind, expected)
  return function(value)
    if type(value) ~= kind then return checks.complaint(expected, value) end
  end
end

--- A table with these fields; those of 'required' must be there.
function checks.object(fields, required)
  return function(value)
    if type(value) ~= "table" or value[1] ~= nil then
      return checks.complaint("an object", value)
    end
    for name, check in pairs(fields) do
      local field = value[name]
      if field ~= nil or required and required[name] then
        local wrong = check(field)
        if wrong then return "." .. name .. wrong end
      end
    end
  end
end

--- A list, each of which passes 'check'.
function checks.list(check)
  return function(value)
    if type(value) ~= "table" or value[1] == nil and next(value) ~= nil then
      return checks.complaint("a list", value)
    end
    for i = 1, #value do
      local wrong = check(value[i])
      if wrong then return ("[%d]%s"):format(i, wrong) end
    end
  end
end

--- Any names, each value passing 'check'.
function checks.map(check)
  return function(value)
    if type(value) ~= "table" or value[1] ~= nil then
      return checks.complaint("an object", value)
    end
    for name, field in pairs(value) do
      local wrong = check(field)
      if wrong then return "." .. tostring(name) .. wrong end
    end
  end
end

checks.number = checks.of_type("number", "a number")
checks.text = checks.of_type("string", "a string")
checks.flag = checks.of_type("boolean", "true or false")
checks.numbers = checks.list(checks.number)

return checks
