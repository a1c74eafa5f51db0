-- What a stored report has not taken in yet: a file beside it that only grows,
-- a result a line, so that storing one more costs what that one is long. The
-- first line names the report that it belongs to (see tare.store).
local atomic = require "tare.store.atomic"
local json = require "tare.store.json"

local Journal = {}
Journal.__index = Journal

--- Where the journal of a stored report stands.
---@param path string
---@return string
function Journal.path(path)
  return (require("luv").fs_realpath(path) or path) .. ".journal"
end

local MARK = '{"journal":' -- what a journal starts with

--- Takes away what a run that was killed has left; nobody else's file.
---@param path string of the report
function Journal.discard(path)
  local name = Journal.path(path)
  local file = io.open(name, "rb")
  if not file then return end
  local is_ours = file:read(#MARK) == MARK
  file:close()
  if is_ours then require("luv").fs_unlink(name) end
end

--- A new journal, in the place of any that was left behind.
---@param path string of the report
---@param stamp string that the report has as 'unfinished'
---@return table? journal
---@return string? message one line
function Journal.new(path, stamp)
  local uv = require "luv"
  local self = setmetatable({ uv = uv, path = Journal.path(path), bytes = 0,
    count = 0 }, Journal)
  Journal.discard(path)
  local fd, message = uv.fs_open(self.path, "ax", 438) -- 0666, less the umask
  if not fd then return atomic.refusal(self.path, message) end
  self.fd, self.file = fd, io.open(self.path, "rb")
  local ok, why = self:_write(json.encode { journal = stamp } .. "\n")
  if not ok then return nil, why end
  self.head_bytes = self.bytes
  return self
end

-- All of a text, on disk; or, after a failure, nothing of it.
function Journal:_write(text)
  local ok, message = atomic.write_all(self.uv, self.fd, text)
  if ok then ok, message = self.uv.fs_fsync(self.fd) end
  if not ok then
    self.uv.fs_ftruncate(self.fd, self.bytes)
    return atomic.refusal(self.path, message)
  end
  self.bytes = self.bytes + #text
  return true
end

--- Adds results, each as JSON: they are on disk when this returns true.
---@param lines string[]
---@return boolean? ok
---@return string? message one line
function Journal:add(lines)
  local ok, message = self:_write(table.concat(lines, "\n") .. "\n")
  if ok then self.count = self.count + #lines end
  return ok, message
end

--- Bytes of the results in it.
---@return integer
function Journal:size() return self.bytes - self.head_bytes end

--- Where the results stand; nil where there are none.
---@return { path: string, from: integer, bytes: integer }?
function Journal:lines()
  if self:size() == 0 then return nil end
  return { path = self.path, from = self.head_bytes, bytes = self:size() }
end

--- Its text, even where its file has gone meanwhile.
---@return string?
function Journal:text()
  if not self.file then return nil end
  self.file:seek "set"
  return (self.file:read "*a")
end

--- Forgets the results: the report has them.
function Journal:clear()
  self.uv.fs_ftruncate(self.fd, self.head_bytes)
  self.bytes, self.count = self.head_bytes, 0
end

--- Forgets the file, and leaves it where it is.
function Journal:close()
  self.uv.fs_close(self.fd)
  if self.file then self.file:close() end
end

--- Takes the file away, unless another run's has its name.
function Journal:remove()
  local own, there = self.uv.fs_fstat(self.fd), self.uv.fs_stat(self.path)
  self:close()
  if own and there and own.ino == there.ino and own.dev == there.dev then
    self.uv.fs_unlink(self.path)
  end
end

return Journal
