-- Signals that ask a run to end: what is finished is reported and stored. The
-- first one lets the batch that runs come to its end, a second one does not:
-- where that batch runs in this process, the second does what it does without
-- tare.
local signals = {}
signals.__index = signals

local NAMES = { "sigint", "sigterm", "sighup", "sigquit" }

local LOOK_MS = 1000 -- between two looks whether something has changed
local CHANGE = "change"

-- Calls 'act' when a signal comes, or once, where the system knows it: Windows
-- has no sigpipe and no sigquit, and luv raises.
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
  for _, name in ipairs(NAMES) do
    self:_on(name, function()
      local first = self.signal ~= CHANGE and self.signal or name
      self.signal, self.changed, self.count = first, nil, self.count + 1
    end, is_once)
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
