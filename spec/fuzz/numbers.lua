-- The core's mathematics on hostile numbers: NaN, infinities, huge and tiny
-- ones, lists of any length. Errors are refusals in words; what comes back is
-- no NaN, and intervals hold what they are of.
local Bytes = dofile "spec/fuzz/bytes.lua"
local stats = require "tare.core".stats

local NAMES = {}
for name in pairs(stats) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

local OPTIONS = { "intercept", "resamples", "confidence", "seed", "method",
  "block", "groups", "p" }
local METHODS = { "percentile", "expanded", "bca", "nonsense" }

local function options(bytes)
  local made = { resamples = 20 }
  for _ = 1, bytes:byte() % 4 do
    local name = bytes:pick(OPTIONS)
    if name == "resamples" then
      made.resamples = bytes:byte() % 60
    elseif name == "method" then
      made.method = bytes:pick(METHODS)
    elseif name == "groups" then
      made.groups = bytes:numbers(24)
    else
      made[name] = bytes:byte() % 3 == 0 and bytes:number()
        or bytes:byte() / 255
    end
  end
  return made
end

-- As many as 'like', and then mostly fit to be taken.
local function column(bytes, like)
  local made = {}
  for i = 1, #like do made[i] = bytes:number() end
  return made
end

local function argument(bytes, list)
  local kind = bytes:byte() % 8
  if kind < 3 then return column(bytes, list) end
  if kind == 3 then return { column(bytes, list), column(bytes, list) } end
  if kind == 4 then return bytes:number() end
  if kind == 5 then return options(bytes) end
  if kind == 6 then return bytes:text() end
  return bytes:numbers(24)
end

local function is_sound(value, name)
  if type(value) == "number" then
    assert(value == value, name .. " gives NaN")
  elseif type(value) == "table" then
    for key, item in pairs(value) do is_sound(item, name .. "." .. key) end
    local v, low, high = value.value, value.low, value.high
    if low and high then
      assert(low <= high, name .. ": an interval that is upside down")
    end
    return v
  end
end

-- Memory and time are the caller's affair where a number says how much.
local SIZES = { draws = true, random_words = true }

local function call(name, ...)
  local results = { pcall(stats[name], ...) }
  if not results[1] then
    return assert(type(results[2]) == "string", "an error that is no text")
  end
  if SIZES[name] then return end
  for i = 2, #results do is_sound(results[i], name) end
end

return function(data)
  local bytes = Bytes.new(data)
  local name = bytes:pick(NAMES)
  local list = bytes:numbers(24)
  local first = list
  if SIZES[name] then first = bytes:byte() end
  call(name, first, argument(bytes, list), argument(bytes, list),
    argument(bytes, list))
end
