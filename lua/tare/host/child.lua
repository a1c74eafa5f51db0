-- Child processes: started through luv, their output kept apart, ended when
-- they should stop. Waiting runs luv's loop, so signals are seen meanwhile.
local itself = require "tare.host.itself"

local child = { tare = itself.tare, script = itself.script }
local Handle = {}
Handle.__index = Handle

local TICK_MS = 50 -- between two questions whether to stop
local DESCRIPTOR = { stdout = 1, stderr = 2 }
local NULL = package.config:sub(1, 1) == "\\" and "NUL" or "/dev/null"

-- Gathers what a pipe gives in a list of pieces.
local function collect(uv, pieces)
  local pipe = uv.new_pipe(false)
  pieces.pipe = pipe
  return pipe, function()
    pipe:read_start(function(_, data)
      if data then pieces[#pieces + 1] = data else pieces.ended = true end
    end)
  end
end

-- The entries of spawn's stdio, and what starts the reading of pipes.
function Handle:_streams(options)
  local null = assert(self.uv.fs_open(NULL, "r+", 0))
  local stdio, readers = { null }, {}
  for i, name in ipairs { "stdout", "stderr" } do
    local wanted = options[name] or "capture"
    if wanted == "capture" then
      stdio[i + 1], readers[#readers + 1] = collect(self.uv, self[i])
    else
      stdio[i + 1], self[i].ended = DESCRIPTOR[wanted] or null, true
    end
  end
  return stdio, readers, null
end

local function close_pipes(self)
  for i = 1, 2 do if self[i].pipe then self[i].pipe:close() end end
end

--- Starts a child.
---@param command { file: string, args: string[], env: string[]? }
---@param options { cwd: string?, stdout: string?, stderr: string?,
---  detached: boolean? }? where its streams go: "capture" unless told, "stdout"
---  or "stderr" (ours), "nowhere"; detached: the terminal's Ctrl-C is not its
---@return table? handle code and signal are set when it has ended
---@return string? message
function child.start(command, options)
  local uv = require "luv"
  local self = setmetatable({ uv = uv, {}, {} }, Handle)
  options = options or {}
  local stdio, readers, null = self:_streams(options)
  local process, pid = uv.spawn(command.file, { args = command.args,
    env = command.env, cwd = options.cwd, stdio = stdio,
    detached = options.detached },
    function(code, signal) self.code, self.signal = code, signal end)
  uv.fs_close(null)
  if not process then
    close_pipes(self)
    return nil, ("%s: %s"):format(command.file, tostring(pid))
  end
  self.process = process
  for _, read in ipairs(readers) do read() end
  return self
end

--- Sends a signal: "sigterm", "sigkill".
---@param name string
function Handle:kill(name)
  if self.process and not self.code then self.process:kill(name) end
end

-- A grandchild may hold the pipes open: what is in them when the child has
-- ended is read, and no more waited for.
function Handle:_drain()
  local before
  repeat
    before = #self[1] + #self[2]
    self.uv.run("nowait")
  until #self[1] + #self[2] == before
end

--- Waits for the child's end.
---@param on_tick (fun(handle: table): boolean?)? asked every so often while it
---  runs; a true value terminates the child
---@return { code: integer, signal: integer, out: string, err: string } ended
function Handle:wait(on_tick)
  local timer, asked = self.uv.new_timer(), false
  timer:start(on_tick and TICK_MS or 0, on_tick and TICK_MS or 0,
    function() end)
  while not self.code do
    self.uv.run("once")
    if on_tick and not self.code and on_tick(self) and not asked then
      asked = true
      self:kill("sigterm")
    end
  end
  timer:close()
  self:_drain()
  close_pipes(self)
  self.process:close()
  self.uv.run("nowait")
  return { code = self.code, signal = self.signal,
    out = table.concat(self[1]), err = table.concat(self[2]) }
end

--- Runs a command to its end.
---@param command { file: string, args: string[], env: string[]? }
---@param options table? as of child.start, with should_stop: (fun(): boolean)?,
---  asked every so often; a true value terminates the child
---@return { code: integer, signal: integer, out: string, err: string }? ended
---  out and err as far as they are captured
---@return string? message
function child.run(command, options)
  local handle, message = child.start(command, options)
  if not handle then return nil, message end
  return handle:wait(options and options.should_stop)
end

--- How a child ended, in words: "exit code 3", "signal 9".
---@param ended { code: integer, signal: integer }
---@return string
function child.ending(ended)
  if ended.signal ~= 0 then return "signal " .. ended.signal end
  return "exit code " .. ended.code
end

return child
