-- Ctrl-C and SIGTERM end the measuring after the current batch: what is
-- finished is reported and stored. A second one does what it always does, for
-- a bench that never comes back; unless there is something to be taken away.
local signals = {}
signals.__index = signals

--- Watches until close(). Where luv is absent, signals do what they always do.
---@param all boolean? those after the first too: none ends the process
---@return table watch
function signals.watch(all)
  local self = setmetatable({ handles = {} }, signals)
  local ok, uv = pcall(require, "luv")
  if not ok then return self end
  self.uv = uv
  for i, name in ipairs { "sigint", "sigterm" } do
    local handle = uv.new_signal()
    local start = all and uv.signal_start or uv.signal_start_oneshot
    start(handle, name, function() self.signal = self.signal or name end)
    self.handles[i] = handle
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
