-- How code of a bench is called: what it raises is data, and where there is a
-- deadline it is ended by then.
local Calls = {}
Calls.__index = Calls

local error, pcall = error, pcall -- also where a bench has none any more

--- What was raised, as text, whatever it is; without addresses, which would be
--- others in each run.
---@param value any
---@return string
function Calls.describe(value)
  if type(value) == "string" then return value end
  if value == nil then return "(an error that is nil)" end
  local kind, ok, text = type(value), pcall(tostring, value)
  if ok and type(text) == "string" and not text:find("^" .. kind .. ": ") then
    return text
  end
  return "(an error that is a " .. kind .. ")"
end

--- Calls of one bench.
---@param deadline table? core.deadline of each batch and hook
---@return table calls
function Calls.new(deadline)
  return setmetatable({ deadline = deadline }, Calls)
end

-- What a bench makes of the standard library is its own: see keep().
local function taken(self, ok, ...)
  self.own = self.sound:take()
  if not ok then error((...), 0) end
  return ...
end

local function in_time(self, f, ...)
  if self.deadline then return self.deadline:call(f, ...) end
  return f(...)
end

--- From now on the standard library is put back after each call.
---@param sound table? with give(own) and take()
function Calls:keep(sound) self.sound = sound end

--- Calls f(...), which may raise.
---@return any the first two results
function Calls:within(f, ...)
  if not self.sound then return in_time(self, f, ...) end
  self.sound:give(self.own)
  return taken(self, pcall(in_time, self, f, ...))
end

--- Calls f(...), which may not.
---@return true? ok
---@return any the first result, or a message
function Calls:try(f, ...)
  local ok, value = pcall(self.within, self, f, ...)
  if ok then return true, value end
  return nil, Calls.describe(value)
end

--- Whether what was called last was ended.
---@return boolean
function Calls:timed_out()
  return self.deadline ~= nil and self.deadline:reached()
end

return Calls
