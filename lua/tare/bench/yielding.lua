-- Calls that may yield: each in a coroutine of its own, whose yields are handed
-- on to the coroutine that called, and so in the end to the host's scheduler.
-- Instead of pcall, across which Lua 5.1 can't yield.
--
-- Some schedulers resume what coroutine.running() was when it waited: here the
-- call's own coroutine, past those who handed its yields on. When it is over,
-- it resumes the host's coroutine itself.
local compat = require "tare.base.compat"

local yielding = {}

local raw, pack, unpack = compat.coroutine, compat.pack, compat.unpack
local create, resume, status = raw.create, raw.resume, raw.status
local yield, running, isyieldable = raw.yield, raw.running, raw.isyieldable

local REFUSED = "it yields where nothing can resume it: a bench with 'yields' "
  .. "is measured by what is called in a coroutine of the host's scheduler"

-- The host's coroutine, by those of its calls.
local host_of = setmetatable({}, { __mode = "kv" })

--- Whether what called tare can be left here. Lua 5.1 and 5.2 know only whether
--- it is a coroutine at all.
---@return boolean
function yielding.is_possible()
  if isyieldable then return isyieldable() end
  local thread, is_main = running()
  return thread ~= nil and not is_main
end

-- What a call's coroutine runs. In 5.1 an error goes to who resumed it last.
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

--- Calls f(...), which may yield and raise, as pcall does. A yield is an error
--- of f's where it is not possible.
---@param watch { resumed: function, yielded: function }? its methods are called
---  each time just before f goes on (it does not if the method returns false),
---  and just after it yielded or was over; resumed(true), where it went on
---  unseen and is over
---@param f function
---@param ... any its arguments
---@return boolean ok
---@return any ... results, or what f raised
function yielding.call(watch, f, ...)
  local thread, caller = create(body), running()
  local call = { thread = thread, watch = watch,
    host = caller and host_of[caller] or caller }
  host_of[thread] = call.host -- whom nobody else may keep while this waits
  return resumed(call, call, f, ...)
end

--- A watch that adds up the time of f itself, and that between its yields and
--- when it was resumed.
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

-- A clock that was set back has seen no time. What went on unseen is one time,
-- with its waits in it.
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
