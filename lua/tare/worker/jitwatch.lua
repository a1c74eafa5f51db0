-- Counts what LuaJIT compiles, and detects shared traces: a trace that begins
-- at an exit of another bench's trace, or of the host's, is reached through
-- that code. Stock Lua has no traces.
--
-- It looks which traces there are, before and after what is followed. A handler
-- of jit.attach would report them, those given up too; but with one a LuaJIT of
-- before September 2023 crashes where a trace is given up in a function that C
-- called or that a coroutine began with (LuaJIT issue 1087). So a host's
-- handler is left alone, too, and nothing has to be undone.
local compat = require "tare.base.compat"

local Jitwatch = {}
Jitwatch.__index = Jitwatch

local BEYOND = 16 -- numbers without a trace, after which there are no more
local NOBODY = {}

--- A watch.
---@return table watch with 'available', and methods count, follow, and shares
function Jitwatch.new()
  -- jit.util.traceir(trace, 0) -> mode, type, parent, exit of the parent;
  -- nothing where there is no such trace. It allocates nothing.
  local ok, util
  if compat.jit() then ok, util = pcall(require, "jit.util") end
  local self = setmetatable({ made = 0, owners = {}, parents = {}, last = 0,
    sharing = {}, traceir = ok and util.traceir or nil }, Jitwatch)
  self.available = self.traceir ~= nil
  self:_look(NOBODY)
  return self
end

-- Traces that are new, and whose: the subject's. Not those that are gone.
function Jitwatch:_look(subject)
  local traceir, owners, parents = self.traceir, self.owners, self.parents
  if not traceir then return 0 end
  local number, last, new = 0, 0, 0
  repeat
    number = number + 1
    local mode, _, parent = traceir(number, 0)
    if not mode then
      owners[number] = nil
    else
      last = number
      if not owners[number] or parents[number] ~= parent then
        new = new + 1
        owners[number], parents[number] = subject, parent
        if subject ~= NOBODY and parent ~= 0 and owners[parent] ~= subject then
          self.sharing[subject] = true
        end
      end
    end
  until number >= self.last and number >= last + BEYOND
  self.last = last
  return new
end

--- Traces that were compiled for those that were followed, since the watch was
--- made.
---@return integer
function Jitwatch:count() return self.made end

--- Sets the subject: the bench for which traces are compiled from now on.
---@param subject any? nil: for nobody that matters
function Jitwatch:follow(subject)
  local before = self.subject or NOBODY
  local new = self:_look(before)
  if before ~= NOBODY then self.made = self.made + new end
  self.subject = subject
end

--- Whether a trace of the subject depends on another bench's, since the last
--- call of this function.
---@param subject any
---@return boolean
function Jitwatch:shares(subject)
  local shares = self.sharing[subject] or false
  self.sharing[subject] = nil
  return shares
end

-- What looks is not compiled itself.
local jit = compat.jit()
if jit then jit.off(Jitwatch._look) end

return Jitwatch
