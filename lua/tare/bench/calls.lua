-- How code of a bench is called: what it raises is data, and where there is a
-- deadline it is ended by then.
local Calls = {}
Calls.__index = Calls

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

--- Calls f(...), which may raise.
---@return any the first two results
function Calls:within(f, ...)
  if self.deadline then return self.deadline:call(f, ...) end
  return f(...)
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
