-- Signals that ask a run to end: what is finished is reported and stored. The
-- first one lets the batch that runs come to its end, a second one does not:
-- where that batch runs in this process, and where nobody waits for signals,
-- the second does what it does without tare.
local files = require "tare.base.files"

local signals = {}
signals.__index = signals

local NAMES = { "sigint", "sigterm", "sighup", "sigquit" }

-- What stays ignored where it was ignored before, SIGHUP for example by nohup.
-- Not SIGINT and SIGQUIT: a script of a shell ignores both for each command in
-- the background, and Lua's interpreters don't go on ignoring SIGINT anyway.
local MAY_BE_IGNORED = { sigterm = true, sighup = true }

local LOOK_MS = 1000 -- between two looks whether something has changed
local CHANGE = "change"

-- Whether this process ignores a signal, as far as the system says: the mask in
-- its status has a bit for each signal, from 1 on.
local function is_ignored(uv, name)
  if not MAY_BE_IGNORED[name] then return false end
  local status = files.read "/proc/self/status"
  local mask = tonumber((status or ""):match "SigIgn:%s*%x*(%x%x%x%x)" or "0",
    16)
  return math.floor(mask / 2 ^ (uv.constants[name:upper()] - 1)) % 2 == 1
end

-- Calls 'act' when a signal comes, or once, where the system knows it: Windows
-- has no sigpipe, sigxfsz or sigquit, and luv raises. The handle, if it does.
local function on(uv, name, act, is_once)
  local handle = uv.new_signal()
  local start = is_once and uv.signal_start_oneshot or uv.signal_start
  local is_known, started = pcall(start, handle, name, act)
  if is_known and started then return handle end
  handle:close()
end

local function nothing() end

--- From here on SIGINT ends this process, as it ends any other. Lua's
--- interpreters make an error of it, which comes only when a call of the system
--- has returned, and which whoever catches errors takes for one of his own.
function signals.end_the_process()
  local ok, uv = pcall(require, "luv")
  local handle = ok and on(uv, "sigint", nothing)
  if not handle then return end
  handle:close() -- luv puts back what the system does
  uv.run "nowait" -- else luv crashes where no other loop runs before the end
end

--- Watches until close(). Where luv is absent, signals do what they always do.
---@param changed (fun(): string?)? what has changed, if something has; that
---  ends a run as a signal does
---@param is_once boolean? whether a second signal does what the system does
---@return table signals 'signal': the name of the first that came; 'count': how
---  many came; 'changed': what 'changed' answered
function signals.watch(changed, is_once)
  local self = setmetatable({ handles = {}, names = {}, count = 0,
    is_once = is_once }, signals)
  local ok, uv = pcall(require, "luv")
  if not ok then return self end
  self.uv = uv
  for _, name in ipairs(NAMES) do
    self.names[#self.names + 1] = not is_ignored(uv, name) and name or nil
  end
  self:attend(true)
  -- A worker that has gone while it is asked, a reader of stdout, or a file
  -- beyond its limit (ulimit -f) is seen where it is written to.
  self.others = { on(uv, "sigpipe", nothing), on(uv, "sigxfsz", nothing) }
  if changed then
    local timer = uv.new_timer()
    timer:start(LOOK_MS, LOOK_MS, function()
      self.changed = not self.signal and changed() or self.changed
      if self.changed and not self.signal then
        self.signal, self.count = CHANGE, 1
      end
    end)
    self.others[#self.others + 1] = timer
  end
  return self
end

--- Whether somebody waits for signals from here on, as where benches are
--- measured. Where nobody does, the first one is noted, until it is asked for;
--- another does what it does without tare.
---@param is_attended boolean
function signals:attend(is_attended)
  self:seen() -- what has come is lost where its handle is closed
  local before, is_once = self.handles, self.is_once or not is_attended
  self.handles = {}
  for _, name in ipairs(is_once and self.signal and {} or self.names) do
    self.handles[#self.handles + 1] = on(self.uv, name, function()
      local first = self.signal ~= CHANGE and self.signal or name
      self.signal, self.changed, self.count = first, nil, self.count + 1
    end, is_once)
  end
  for _, handle in ipairs(before) do handle:close() end
end

--- Whether a signal came; asks the system.
---@return boolean
function signals:seen()
  if self.uv then self.uv.run("nowait") end
  return self.signal ~= nil
end

--- Signals do what they did before.
function signals:close()
  for _, list in ipairs { self.handles, self.others or {} } do
    for _, handle in ipairs(list) do handle:close() end
  end
  self.handles, self.others = {}, {}
  if self.uv then self.uv.run("nowait") end
end

return signals
