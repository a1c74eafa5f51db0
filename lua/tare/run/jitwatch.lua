-- Counts what LuaJIT's compiler does: traces begun, ended, aborted, flushed.
-- On stock Lua there is nothing to count.
--
-- LuaJIT has room for one handler of an event: that of a host (jit.v, jit.dump,
-- a tracer of its own) is called all the same meanwhile, and put back after.
local Jitwatch = {}
Jitwatch.__index = Jitwatch

local EVENT = "trace"

-- The handlers of LuaJIT's events, where they can be looked at.
local function handlers()
  local debug = rawget(_G, "debug")
  local registry = type(debug) == "table" and debug.getregistry
    and debug.getregistry()
  return registry and registry._VMEVENTS or {}
end

-- Attaches a handler; the slot that it has, and who had it before.
local function attach(self)
  local before = {}
  for slot, handler in pairs(handlers()) do before[slot] = handler end
  self.attach(self.callback, EVENT)
  for slot, handler in pairs(handlers()) do
    if handler == self.callback then
      self.slot, self.previous = slot, before[slot]
    end
  end
end

--- A watch; it counts until close().
---@return table watch with 'available', and methods count and close
function Jitwatch.new()
  local self = setmetatable({ events = 0, available = false }, Jitwatch)
  local jit = rawget(_G, "jit")
  if type(jit) ~= "table" or not jit.attach then return self end
  self.available, self.attach = true, jit.attach
  self.callback = function(...)
    self.events = self.events + 1
    if self.previous then self.previous(...) end
  end
  attach(self)
  return self
end

--- Events since the watch began.
---@return integer
function Jitwatch:count() return self.events end

--- Counts no longer. Who attached another handler meanwhile keeps it.
function Jitwatch:close()
  local callback = self.callback
  self.callback = nil
  if not callback then return end
  local is_ours = not self.slot or handlers()[self.slot] == callback
  if is_ours and self.previous then
    self.attach(self.previous, EVENT)
  else
    self.attach(callback) -- lets go of it, if it is there
  end
end

return Jitwatch
