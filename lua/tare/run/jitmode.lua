-- Whether LuaJIT may compile while a bench runs: the option 'jit'. The compiler
-- is switched around each batch; when that changes, what was compiled goes, so
-- that no trace of the one serves the other.
local compat = require "tare.base.compat"

local Jitmode = {}
Jitmode.__index = Jitmode

--- Remembers whether the compiler is on.
---@return table jitmode
function Jitmode.new()
  local jit = compat.jit()
  return setmetatable({ jit = jit, host = jit and jit.status() or false },
    Jitmode)
end

--- Before a batch.
---@param wanted boolean? nil: as the host has it
---@return true?
---@return string? message
function Jitmode:enter(wanted)
  if wanted == nil then wanted = self.host end
  if not self.jit then
    if not wanted then return true end
    return nil, "jit: this Lua has no compiler that could be on"
  end
  if wanted ~= (self.last == nil and self.host or self.last) then
    self.jit.flush()
  end
  self.last = wanted
  if wanted ~= self.host then self.jit[wanted and "on" or "off"]() end
  return true
end

--- After a batch: as the host has it.
function Jitmode:leave()
  if not self.jit then return end
  if self.last ~= self.host then self.jit[self.host and "on" or "off"]() end
end

return Jitmode
