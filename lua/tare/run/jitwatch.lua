-- Counts what LuaJIT's compiler does: traces begun, ended, aborted, flushed;
-- and knows for whom: a trace that begins at an exit of somebody else's is
-- reached through that one's code. On stock Lua there is nothing to count.
--
-- LuaJIT has room for one handler of an event: that of a host (jit.v, jit.dump,
-- a tracer of its own) is called all the same meanwhile, and put back after.
local Jitwatch = {}
Jitwatch.__index = Jitwatch

local EVENT = "trace"
local debug = rawget(_G, "debug")

-- The handlers of LuaJIT's events, where they can be looked at.
local function handlers()
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

-- Where our own source stands: what it compiles is of no interest.
local OURS = debug and debug.getinfo(1, "S").source:match("^(.*)run.jitwatch")

local function by_tare(func)
  if not OURS then return false end
  return debug.getinfo(func, "S").source:sub(1, #OURS) == OURS
end

-- Whether a trace of the subject's that begins here hangs on somebody else's.
function Jitwatch:_hangs(func, parent)
  local subject = self.subject
  return subject ~= nil and parent ~= nil and self.owners[parent] ~= subject
    and not by_tare(func)
end

-- Whose a trace is, and who was compiled into somebody else's. A trace that is
-- begun may be given up: only where it stops has anything been compiled.
function Jitwatch:_note(what, trace, func, parent)
  self.events = self.events + 1
  if what == "start" then
    self.begun, self.hangs = self.subject, self:_hangs(func, parent)
  elseif what == "stop" then
    self.owners[trace] = self.begun
    if self.hangs then self.sharing[self.begun] = true end
  elseif what == "flush" then
    self.owners = {}
  end
  if what ~= "start" then self.begun, self.hangs = nil, nil end
end

--- A watch; it counts until close().
---@return table watch with 'available', and methods count, follow, shares and
---  close
function Jitwatch.new()
  local self = setmetatable({ events = 0, available = false, owners = {},
    sharing = {} }, Jitwatch)
  local jit = rawget(_G, "jit")
  if type(jit) ~= "table" or not jit.attach then return self end
  self.available, self.attach = true, jit.attach
  self.callback = function(what, trace, func, pc, parent, ...)
    self:_note(what, trace, func, parent)
    if self.previous then
      self.previous(what, trace, func, pc, parent, ...)
    end
  end
  attach(self)
  return self
end

--- Events since the watch began.
---@return integer
function Jitwatch:count() return self.events end

--- From now on traces are compiled for this one.
---@param subject any? nil: for nobody that matters
function Jitwatch:follow(subject) self.subject = subject end

--- Whether something compiled for this one hangs on what was compiled for
--- another, since this was asked last.
---@param subject any
---@return boolean
function Jitwatch:shares(subject)
  local shares = self.sharing[subject] or false
  self.sharing[subject] = nil
  return shares
end

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
