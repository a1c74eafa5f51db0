-- Writes JSON. Its own writer, because lua-cjson prints 14 digits and a double
-- needs up to 17; reading is left to lua-cjson (see tare.store).
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
  return '"' .. unicode.repair(s):gsub('[%c"\\]', escaped) .. '"'
end

--- A number as JSON: 15 digits where they read back as the same double, else
--- 17, which always do; "null" for NaN and infinities.
---@param x number
---@return string
function json.number(x)
  if x ~= x or x == 1/0 or x == -1/0 then return "null" end
  if x % 1 == 0 and x > -1e15 and x < 1e15 then
    return string.format("%.0f", x + 0) -- no negative zero
  end
  local text = string.format("%.15g", x)
  if tonumber(text) == x then return text end
  return string.format("%.17g", x)
end

local write

local function write_list(list, out, depth)
  local separator = "["
  for i = 1, #list do
    local item = list[i]
    out[#out + 1] = separator
    if type(item) == "number" then -- most of a report; worth the short way
      out[#out + 1] = json.number(item)
    else
      write(item, out, depth)
    end
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
      error("tare.store.json: a key must be a string, got " .. type(key), 0)
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
    error("tare.store.json: nested too deeply", 0)
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
    error("tare.store.json: can't write a " .. kind, 0)
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
