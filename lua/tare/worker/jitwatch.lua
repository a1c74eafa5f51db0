-- Counts the traces that LuaJIT compiles, and detects shared traces: those that
-- begin at an exit of a trace of another bench, or of the host, and so are
-- reached through its code. Stock Lua has no traces.
--
-- It compares which traces exist before and after the code that it follows, so
-- it does not see traces that LuaJIT gives up. A handler of jit.attach would
-- report these, too. But with a handler, a LuaJIT from before September 2023
-- crashes if a trace is given up in a function that C called, or with which a
-- coroutine began (LuaJIT issue 1087). Without one, a host's handler is left
-- alone and nothing has to be undone.
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

-- Finds new traces, which are the subject's, and forgets those that are gone.
-- Returns how many are new.
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

--- How many traces were compiled for the subjects since the watch was made.
---@return integer
function Jitwatch:count() return self.made end

--- Sets the subject: the bench for which traces are compiled from now on.
---@param subject any? nil: new traces don't count
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

-- The function that looks must not be compiled itself.
local jit = compat.jit()
if jit then jit.off(Jitwatch._look) end

return Jitwatch
