-- One child process with a job, looked after until its end: it is ended when
-- what it does takes longer than it may, and when the run is interrupted.
local child = require "tare.host.child"

local supervise = {}

local GRACE_NS = 2e9 -- that a child has to finish after a signal

-- What is asked every so often while the child runs.
local function watcher(with, path, handle)
  local now_ns = handle.uv.hrtime
  local seen, since, told = nil, now_ns(), nil
  return function()
    local now, board, index = now_ns(), with.mailbox:board(path)
    if board ~= seen then seen, since = board, now end
    local limit_ns = with.limit_ns(index)
    if limit_ns and now - since > limit_ns then
      handle.timed_out = limit_ns
      handle:kill("sigkill")
    end
    if with.on_tick then with.on_tick() end
    if with.signal() and not told then
      told = now
      handle:kill("sigterm")
    elseif told and now - told > GRACE_NS then
      handle:kill("sigkill")
    end
  end
end

local function describe(handle, ended)
  if handle.timed_out then
    return ("it had not come back after %.4g s"):format(
      handle.timed_out / 1e9), "timeout"
  end
  return "it ended its process: " .. child.ending(ended), "launch_failed"
end

--- Runs a child over a job.
---@param job table plain data with 'ids'
---@param with { mailbox: table, command: fun(path: string): table?, string?,
---  limit_ns: (fun(index: integer?): number?), signal: (fun(): string?),
---  on_tick: function? } command: what starts a child whose job is at 'path';
---  limit_ns: how long the bench of that number may take for a step
---@return { messages: table[], index: integer?, began_ns: number,
---  message: string, code: string } outcome: what it left, the bench that it
---  was at, and what to say if it did not finish
function supervise.run(job, with)
  local path = with.mailbox:leave(job)
  local command, message = with.command(path)
  if not command then error(message, 0) end
  local handle
  handle, message = child.start(command, { stdout = "stderr",
    stderr = "stderr" })
  if not handle then error(message, 0) end
  local began_ns = handle.uv.hrtime()
  local ended = handle:wait(watcher(with, path, handle))
  local outcome = { began_ns = began_ns,
    messages = with.mailbox:messages(path) }
  outcome.message, outcome.code = describe(handle, ended)
  outcome.index = select(2, with.mailbox:board(path))
  return outcome
end

return supervise
