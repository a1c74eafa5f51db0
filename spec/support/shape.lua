-- Holds a value against a table of fields: the "schema" of formats that others
-- define. A field's kind is a Lua type, optional with '?' after it, or a
-- function that is called with the value.
local assert = require "luassert"

local shape = {}

local function check_field(owner, name, kind, where)
  local value = owner[name]
  if type(kind) == "function" then return kind(value, where) end
  local wanted, optional = kind:match("^(%a+)(%??)$")
  if value == nil and optional == "?" then return end
  assert(type(value) == wanted, ("%s.%s must be a %s, is %s"):format(where,
    name, wanted, tostring(value)))
end

--- Every field has its kind, and there are no others.
function shape.holds(value, fields, where)
  where = where or "value"
  assert(type(value) == "table", where .. " must be a table")
  for name, kind in pairs(fields) do check_field(value, name, kind, where) end
  for name in pairs(value) do
    assert(fields[name], ("%s.%s is not part of the format"):format(where,
      tostring(name)))
  end
end

return shape
