-- Counts what LuaJIT's compiler does: traces begun, ended, aborted, flushed.
-- On stock Lua there is nothing to count.
local Jitwatch = {}
Jitwatch.__index = Jitwatch

--- A watch; it counts until close().
---@return table watch with 'available', and methods count and close
function Jitwatch.new()
  local self = setmetatable({ events = 0, available = false }, Jitwatch)
  local jit = rawget(_G, "jit")
  if type(jit) ~= "table" or not jit.attach then return self end
  self.available, self.attach = true, jit.attach
  self.callback = function() self.events = self.events + 1 end
  jit.attach(self.callback, "trace")
  return self
end

--- Events since the watch began.
---@return integer
function Jitwatch:count() return self.events end

--- Counts no longer.
function Jitwatch:close()
  if self.callback then self.attach(self.callback) end
  self.callback = nil
end

return Jitwatch
