-- Writes JSON. Its own writer: workers have no library for it, lua-cjson prints
-- 14 digits where a double needs up to 17, and what is written must not depend
-- on the locale. Reading is left to lua-cjson (see tare.store).
local core = require "tare.core"
local unicode = require "tare.base.unicode"

local json = {}

json.MAX_DEPTH = 64 -- of tables in tables

-- Fields that stay objects when they are empty; other empty tables are lists.
local OBJECTS = {
  params = true, env = true, options = true, passes = true, samples = true,
  coefficients = true, vif = true, by_type = true, density = true,
  outliers = true, metadata = true, context = true,
}

local ESCAPES = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f",
  ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
}
local function escaped(c)
  return ESCAPES[c] or string.format("\\u%04x", c:byte())
end

local function quoted(s)
  return '"' .. unicode.repair(s):gsub('[%z\1-\31\127"\\]', escaped) .. '"'
end

--- A number as JSON, whatever the locale's decimal point: 15 digits where they
--- read back as the same double, else up to 17, which always do; "null" for NaN
--- and infinities.
---@type fun(x: number): string
json.number = core.json_number

local write

local function write_list(list, out, depth)
  local numbers = type(list[1]) == "number" and core.json_numbers(list)
  if numbers then -- most of a report
    out[#out + 1] = numbers
    return
  end
  local separator = "["
  for i = 1, #list do
    out[#out + 1] = separator
    write(list[i], out, depth)
    separator = ","
  end
  out[#out + 1] = "]"
end

-- Results say that they have no error: scripts ask for it in each.
local function lacks_error(object)
  return object.id and object.suite and object.error == nil
end

local function sorted_keys(object)
  local keys = { lacks_error(object) and "error" or nil }
  for key in pairs(object) do
    if type(key) ~= "string" then
      error("tare.base.json: a key must be a string, got " .. type(key), 0)
    end
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

local function write_object(object, out, depth)
  local separator = "{"
  for _, key in ipairs(sorted_keys(object)) do
    out[#out + 1] = separator .. quoted(key) .. ":"
    write(object[key], out, depth, key)
    separator = ","
  end
  out[#out + 1] = "}"
end

local function write_table(value, out, depth, key)
  if depth > json.MAX_DEPTH then
    error("tare.base.json: nested too deeply", 0)
  end
  if value[1] ~= nil then return write_list(value, out, depth + 1) end
  if next(value) ~= nil then return write_object(value, out, depth + 1) end
  out[#out + 1] = OBJECTS[key] and "{}" or "[]"
end

function write(value, out, depth, key)
  local kind = type(value)
  if kind == "table" then
    write_table(value, out, depth, key)
  elseif kind == "string" then
    out[#out + 1] = quoted(value)
  elseif kind == "number" then
    out[#out + 1] = json.number(value)
  elseif kind == "boolean" then
    out[#out + 1] = tostring(value)
  elseif kind == "nil" then
    out[#out + 1] = "null"
  else
    error("tare.base.json: can't write a " .. kind, 0)
  end
end

--- Plain data as one line of JSON: keys sorted, NaN and infinities as null,
--- bytes that are no UTF-8 as U+FFFD. A table with [1] is a list. A result
--- without an error has the error null.
---@param value any tables, strings, numbers, booleans
---@return string
function json.encode(value)
  local out = {}
  write(value, out, 1)
  return table.concat(out)
end

return json
