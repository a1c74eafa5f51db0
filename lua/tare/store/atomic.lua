-- Files that are replaced as a whole or not at all: what is new is on disk
-- before the name changes.
local atomic = {}

local PIECE = 65536 -- bytes that are copied at once

--- Writes all of a text to an open file.
---@param uv table luv
---@param fd integer
---@param text string
---@return boolean? ok
---@return string? message
function atomic.write_all(uv, fd, text)
  local offset = 0
  while offset < #text do
    local written, message = uv.fs_write(fd, text:sub(offset + 1), -1)
    if not written then return nil, message end
    offset = offset + written
  end
  return true
end

-- A new file beside 'path', so that renaming stays within one file system.
local function open_beside(uv, path, mode)
  for attempt = 1, 100 do
    local name = ("%s.%d-%d.tmp"):format(path, uv.os_getpid(), attempt)
    local fd, message, code = uv.fs_open(name, "wx", mode)
    if fd then return fd, name end
    if code ~= "EEXIST" then return nil, message end
  end
  return nil, path .. ": too many temporary files beside it"
end

local write_all = atomic.write_all

--- What luv says, without the temporary name at its end.
---@param path string
---@param message string
---@return nil
---@return string message one line that starts with the path
function atomic.refusal(path, message)
  -- "ENOENT: no such file or directory: the temporary name"
  local reason = message:match("^%u+: ([^:]+)") or message
  return nil, ("%s: cannot write: %s"):format(path, reason)
end

local refusal = atomic.refusal

-- Has 'fill' write a new file, which then takes the name of the old one.
local function replace(uv, path, fill)
  local old = uv.fs_stat(path)
  local mode = old and old.mode % 512
  local fd, name = open_beside(uv, path, mode or 438) -- 0666, less the umask
  if not fd then return nil, name end
  if mode then uv.fs_fchmod(fd, mode) end
  local ok, message = fill(fd)
  if ok then ok, message = uv.fs_fsync(fd) end
  local closed, why = uv.fs_close(fd)
  if ok then ok, message = closed, why end
  if ok then ok, message = uv.fs_rename(name, path) end
  if ok then return true end
  uv.fs_unlink(name)
  return nil, message
end

-- Devices and pipes can't be replaced; they are written to.
local function write_through(path, text)
  local file, message = io.open(path, "wb")
  if not file then
    return refusal(path, message:sub(1, #path) == path
      and message:sub(#path + 3) or message)
  end
  local ok, why = file:write(text)
  local closed, why_not = file:close() -- what was buffered is written now
  if ok and closed then return true end
  return refusal(path, why or why_not)
end

--- Whether there is a place for a file: what can be told before it is written.
---@param path string
---@return boolean? ok
---@return string? message one line
function atomic.check_place(path)
  local uv = require "luv"
  local target = uv.fs_realpath(path) or path
  local stat = uv.fs_stat(target)
  if stat and stat.type == "directory" then
    return nil, path .. ": is a directory"
  end
  local folder = target:match("^(.*)/[^/]*$") or "."
  local place, message = uv.fs_stat(folder == "" and "/" or folder)
  if not place then return refusal(path, message) end
  if place.type ~= "directory" then
    return refusal(path, "ENOTDIR: not a directory")
  end
  return true
end

--- Writes a text to a file, replacing what was there: all of it (on disk
--- before the name changes) or nothing. Follows symbolic links.
---@param path string
---@param text string
---@return boolean? ok
---@return string? message one line
function atomic.write(path, text)
  local uv = require "luv"
  local target = uv.fs_realpath(path) or path
  local stat = uv.fs_stat(target)
  if stat and stat.type == "directory" then
    return nil, path .. ": is a directory"
  end
  if stat and stat.type ~= "file" then return write_through(target, text) end
  local ok, message = replace(uv, target, function(fd)
    return write_all(uv, fd, text)
  end)
  if ok then return true end
  return refusal(path, message)
end

-- Copies bytes of a file, a piece at a time, each changed by 'change'.
local function copy(uv, to, part, change)
  local from, message = uv.fs_open(part.path, "r", 0)
  if not from then return nil, message end
  local offset, ok = part.from, true
  local last = offset + part.bytes
  while ok and offset < last do
    local piece
    piece, message = uv.fs_read(from, math.min(PIECE, last - offset), offset)
    if not piece or piece == "" then
      ok, message = nil, message or "it became shorter"
    else
      ok, message = write_all(uv, to, change and change(piece) or piece)
      offset = offset + #piece
    end
  end
  uv.fs_close(from)
  return ok, message
end

-- Lines as further items of a list: the last one's end is none.
local function copy_lines(uv, to, lines)
  local ok, message = write_all(uv, to, ",\n")
  if not ok then return nil, message end
  return copy(uv, to, { path = lines.path, from = lines.from,
    bytes = lines.bytes - 1 },
    function(piece) return (piece:gsub("\n", ",\n")) end)
end

--- Whether a file is as long as it should be.
---@param path string
---@param change { expect: integer }
---@return boolean? ok
---@return string? message one line
---@return boolean? changed whether it is not the file that was expected
function atomic.check(path, change)
  local stat, message = require("luv").fs_stat(path)
  if not stat then return refusal(path, message) end
  if stat.size ~= change.expect then
    return nil, path .. ": was changed by someone else during the run", true
  end
  return true
end

--- Replaces a file by one that starts with the same bytes and goes on with
--- 'lines' and 'text'; a reader sees the old file or the new one.
---@param path string
---@param change { keep: integer, expect: integer, text: string, lines: { path:
---  string, from: integer, bytes: integer }|false|nil } so many bytes stay, of
---  so many that the file must have; 'lines' are JSON in another file, which
---  become items of a list that 'text' goes on with or ends
---@return boolean? ok
---@return string? message one line
---@return boolean? changed whether it is not the file that was expected
function atomic.extend(path, change)
  local uv = require "luv"
  local target = uv.fs_realpath(path) or path
  local ok, message, changed = atomic.check(path, change)
  if not ok then return nil, message, changed end
  ok, message = replace(uv, target, function(fd)
    local done, why = copy(uv, fd, { path = target, from = 0,
      bytes = change.keep })
    if done and change.lines then done, why = copy_lines(uv, fd, change.lines)
    end
    if not done then return nil, why end
    return write_all(uv, fd, change.text)
  end)
  if ok then return true end
  return refusal(path, message)
end

return atomic
