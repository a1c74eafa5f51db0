-- The standard library as tare's own code needs it, whatever benches do to it:
-- put back after each call of a bench's code, and given to the bench again, as
-- it had left it, for its next one. Other benches do not see that.
local Sound = {}
Sound.__index = Sound

local debug, rawget, rawset = debug, rawget, rawset
local getmetatable, setrawmetatable = debug.getmetatable, debug.setmetatable

local GLOBALS = { "_G", "assert", "collectgarbage", "dofile", "error",
  "getfenv", "getmetatable", "ipairs", "load", "loadfile", "loadstring", "next",
  "package", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen",
  "rawset", "require", "select", "setfenv", "setmetatable", "tonumber",
  "tostring", "type", "unpack", "warn", "xpcall" }
local LIBRARIES = { "string", "table", "math", "io", "os", "debug",
  "coroutine", "utf8", "bit", "bit32", "jit" }

--- The library as it is now.
---@return table sound
function Sound.new()
  local self = setmetatable({ count = 0, places = {}, keys = {}, values = {},
    strings = getmetatable("") }, Sound)
  for _, name in ipairs(GLOBALS) do self:_keep(_G, name) end
  for _, name in ipairs(LIBRARIES) do
    local library = rawget(_G, name)
    self:_keep(_G, name)
    if type(library) == "table" then
      for key in pairs(library) do self:_keep(library, key) end
    end
  end
  for key in pairs(self.strings) do self:_keep(self.strings, key) end
  return self
end

function Sound:_keep(place, key)
  local n = self.count + 1
  self.count, self.places[n], self.keys[n] = n, place, key
  self.values[n] = rawget(place, key)
end

--- Gives a bench what it had left.
---@param own table? of take()
function Sound:give(own)
  if not own then return end
  for i = 1, #own, 2 do
    rawset(self.places[own[i]], self.keys[own[i]], own[i + 1][1])
  end
end

--- Puts the library back.
---@return table? own what a bench had made of it; nil where that is nothing
function Sound:take()
  local own
  local places, keys, values = self.places, self.keys, self.values
  if getmetatable("") ~= self.strings then setrawmetatable("", self.strings) end
  for i = 1, self.count do
    local found = rawget(places[i], keys[i])
    if found ~= values[i] then
      own = own or {}
      own[#own + 1], own[#own + 2] = i, { found }
      rawset(places[i], keys[i], values[i])
    end
  end
  return own
end

-- Traces of these would be counted with those of the bench.
local jit = rawget(_G, "jit")
if jit then
  jit.off(Sound.give)
  jit.off(Sound.take)
end

return Sound
