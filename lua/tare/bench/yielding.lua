-- Calls that may yield. Each call runs in a coroutine of its own, whose yields
-- are passed on to the calling coroutine, and so in the end to the host's
-- scheduler. This replaces pcall, across which Lua 5.1 can't yield.
--
-- Some schedulers resume the coroutine that coroutine.running() returned when
-- the call began to wait. That is the call's own coroutine: those that passed
-- its yields on are bypassed. So when the call is over, its coroutine itself
-- resumes the host's.
local compat = require "tare.base.compat"

local yielding = {}

local raw, pack, unpack = compat.coroutine, compat.pack, compat.unpack
local create, resume, status = raw.create, raw.resume, raw.status
local yield, running, isyieldable = raw.yield, raw.running, raw.isyieldable

local REFUSED = "it yields where nothing can resume it: a bench with 'yields' "
  .. "is measured by what is called in a coroutine of the host's scheduler"

-- The host's coroutine, by the coroutine of a call.
local host_of = setmetatable({}, { __mode = "kv" })

--- Whether the code that called tare can yield here. In Lua 5.1 and 5.2 it is
--- only known whether it runs in a coroutine at all.
---@return boolean
function yielding.is_possible()
  if isyieldable then return isyieldable() end
  local thread, is_main = running()
  return thread ~= nil and not is_main
end

-- What a call's coroutine runs. In 5.1 an error goes to the code that resumed
-- it last.
local function body(call, f, ...)
  call.outcome = compat.YIELDS_IN_PCALL and pack(pcall(f, ...))
    or pack(true, f(...))
  if not call.is_driven then resume(call.host) end
end

local go_on

local function resumed(call, ...)
  local watch, outcome = call.watch, call.outcome
  if watch and watch:resumed(outcome ~= nil) == false then
    return false, "given up"
  end
  if outcome then return unpack(outcome, 1, outcome.n) end
  call.is_driven = true
  return go_on(call, resume(call.thread, ...))
end

go_on = function(call, ok, ...)
  local watch, outcome = call.watch, call.outcome
  call.is_driven = false
  if watch then watch:yielded() end
  if outcome then return unpack(outcome, 1, outcome.n) end
  if status(call.thread) == "dead" then return ok, ... end
  if not yielding.is_possible() then return false, REFUSED end
  return resumed(call, yield(...))
end

--- Calls f(...), which may yield and raise, as pcall does. A yield that is not
--- possible is an error of f's.
---@param watch { resumed: function, yielded: function }? 'resumed' is called
---  just before f goes on (it does not if the method returns false), 'yielded'
---  just after f yielded or was over; resumed(true): f went on unseen, and is
---  over
---@param f function
---@param ... any its arguments
---@return boolean ok
---@return any ... results, or what f raised
function yielding.call(watch, f, ...)
  local thread, caller = create(body), running()
  local call = { thread = thread, watch = watch,
    host = caller and host_of[caller] or caller }
  host_of[thread] = call.host -- perhaps nobody else keeps it while f waits
  return resumed(call, call, f, ...)
end

--- A watch that adds up the time of f itself, and the time that f waited to be
--- resumed after yields.
local Stopwatch = {}
Stopwatch.__index = Stopwatch

---@param meter table
---@return table stopwatch with 'own_ns' and 'wait_ns'
function yielding.stopwatch(meter)
  return setmetatable({ meter = meter }, Stopwatch):reset()
end

--- Begins anew.
---@return table self
function Stopwatch:reset()
  self.own_ns, self.wait_ns, self.left_ns = 0, 0, nil
  return self
end

-- If the clock went back, no time is counted. If f went on unseen, its waits
-- are not known: all time counts as its own.
function Stopwatch:resumed(is_over)
  local now_ns = self.meter:now()
  if is_over then
    self.own_ns = self.own_ns + self.wait_ns
      + math.max(0, now_ns - self.left_ns)
    self.wait_ns = nil
  elseif self.left_ns then
    self.wait_ns = self.wait_ns + math.max(0, now_ns - self.left_ns)
  end
  self.came_ns = now_ns
end

function Stopwatch:yielded()
  self.left_ns = self.meter:now()
  self.own_ns = self.own_ns + math.max(0, self.left_ns - self.came_ns)
end

return yielding
