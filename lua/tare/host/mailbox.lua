-- What passes between a run and its child processes, in files of a folder: the
-- job a child gets, the messages it leaves (lines of JSON, each whole or not
-- there), and a board with what it is doing now. Files, because nothing that a
-- bench prints, closes or leaves open disturbs them, and because looking at
-- the board wakes nobody up.
local json = require "tare.store.json"
local store = require "tare.store"

local Mailbox = {}
Mailbox.__index = Mailbox
local Outbox = {}
Outbox.__index = Outbox

--- A new, empty mailbox.
---@return table? mailbox
---@return string? message
function Mailbox.new()
  local uv = require "luv"
  local folder, message = uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-XXXXXX")
  if not folder then return nil, message end
  return setmetatable({ uv = uv, folder = folder, files = {}, count = 0 },
    Mailbox)
end

--- Leaves a job for a child.
---@param job table plain data
---@return string path what the child opens
function Mailbox:leave(job)
  self.count = self.count + 1
  local path = self.folder .. "/" .. self.count
  for _, ending in ipairs { ".job", ".out", ".at" } do
    table.insert(self.files, path .. ending)
  end
  local file = assert(io.open(path .. ".job", "wb"))
  file:write(json.encode(job))
  file:close()
  return path
end

local function contents(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("*a")
  file:close()
  return text
end

--- The messages a child has left; the last may be unfinished, and is not read.
---@param path string
---@return table[]
function Mailbox.messages(_, path)
  local list = {}
  for line in (contents(path .. ".out") or ""):gmatch("([^\n]*)\n") do
    local message = store.parse(line)
    if type(message) == "table" then list[#list + 1] = message end
  end
  return list
end

--- What a child's board says: the number of a bench (0: none) and a count that
--- grows; nil before the child has come so far.
---@param path string
---@return string? text
---@return integer? index
function Mailbox.board(_, path)
  local text = contents(path .. ".at")
  return text, tonumber(text and text:match("^%d+"))
end

--- Takes everything away.
function Mailbox:close()
  for _, file in ipairs(self.files) do self.uv.fs_unlink(file) end
  self.uv.fs_rmdir(self.folder)
end

--- The child's side.
---@param path string
---@return table? outbox with 'job'
---@return string? message
function Outbox.open(path)
  local text = contents(path .. ".job")
  local job = text and store.parse(text)
  local out = job and io.open(path .. ".out", "wb")
  local board = out and io.open(path .. ".at", "wb")
  if not board then return nil, path .. ": no job there" end
  board:setvbuf("no")
  local self = setmetatable({ job = job, out = out, board = board, steps = 0 },
    Outbox)
  self:at(0)
  return self
end

--- Says what is about to be done.
---@param index integer of a bench among the job's ids; 0 for none
function Outbox:at(index)
  self.steps = self.steps + 1
  self.board:seek("set")
  self.board:write(("%d %d      "):format(index, self.steps))
end

--- Leaves a message.
---@param message table plain data
function Outbox:post(message)
  self.out:write(json.encode(message), "\n")
  self.out:flush()
end

Mailbox.Outbox = Outbox

return Mailbox
