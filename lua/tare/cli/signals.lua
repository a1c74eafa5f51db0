-- Signals that ask a run to end: what is finished is reported and stored. The
-- first one lets the batch that runs come to its end, a second one does not:
-- where that batch runs in this process, the second does what it does without
-- tare.
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
-- has no sigpipe, sigxfsz or sigquit, and luv raises.
function signals:_on(name, act, is_once)
  local handle, uv = self.uv.new_signal(), self.uv
  local start = is_once and uv.signal_start_oneshot or uv.signal_start
  local is_known, started = pcall(start, handle, name, act)
  if is_known and started then
    self.handles[#self.handles + 1] = handle
  else
    handle:close()
  end
end

--- Watches until close(). Where luv is absent, signals do what they always do.
---@param changed (fun(): string?)? what has changed, if something has; that
---  ends a run as a signal does
---@param is_once boolean? whether a second signal does what the system does
---@return table signals 'signal': the name of the first that came; 'count': how
---  many came; 'changed': what 'changed' answered
function signals.watch(changed, is_once)
  local self = setmetatable({ handles = {}, count = 0 }, signals)
  local ok, uv = pcall(require, "luv")
  if not ok then return self end
  self.uv = uv
  -- A worker that has gone while it is asked, or a reader of stdout, is seen
  -- where it is written to.
  self:_on("sigpipe", function() end)
  self:_on("sigxfsz", function() end) -- (ulimit -f) a write says so, too
  for _, name in ipairs(NAMES) do
    if not is_ignored(uv, name) then
      self:_on(name, function()
        local first = self.signal ~= CHANGE and self.signal or name
        self.signal, self.changed, self.count = first, nil, self.count + 1
      end, is_once)
    end
  end
  if changed then
    local timer = uv.new_timer()
    timer:start(LOOK_MS, LOOK_MS, function()
      self.changed = not self.signal and changed() or self.changed
      if self.changed and not self.signal then
        self.signal, self.count = CHANGE, 1
      end
    end)
    self.handles[#self.handles + 1] = timer
  end
  return self
end

--- Whether a signal came; asks the system.
---@return boolean
function signals:seen()
  if self.uv then self.uv.run("nowait") end
  return self.signal ~= nil
end

--- Signals do what they did before.
function signals:close()
  for _, handle in ipairs(self.handles) do handle:close() end
  self.handles = {}
  if self.uv then self.uv.run("nowait") end
end

return signals
