-- Writing files: whether a place can be written is checked before anything is
-- measured, and a file is replaced as a whole or not at all: the new content is
-- on disk before the file is renamed.
local core = require "tare.core"
local lists = require "tare.base.lists"
local paths = require "tare.base.paths"
local unicode = require "tare.base.unicode"

local place = {}

local LEFT_AFTER = 10 -- seconds, when a temporary file is locked for long

--- What luv says of a path, in one line without the name of a temporary file.
---@param path string
---@param message string "ENOENT: no such file or directory: the name"
---@return nil
---@return string message
function place.refusal(path, message)
  local reason = message:match("^%u+%d*: ([^:]+)") or message
  return nil, ("%s: cannot write: %s"):format(unicode.visible(path), reason)
end

local refusal = place.refusal

-- Removes the temporary files that killed runs left in a folder: those that
-- nobody has locked any more. On Windows files are not locked.
local function discard_left(folder)
  if paths.is_windows then return end
  local uv = require "luv"
  local scan = uv.fs_scandir(folder)
  if not scan then return end
  for name in uv.fs_scandir_next, scan do
    if name:find "^%.tare%-%d+%-%d+%.tmp$" then
      local path = folder .. name
      local stat = uv.fs_lstat(path)
      local is_old = stat and stat.type == "file"
        and os.time() - stat.mtime.sec > LEFT_AFTER
      local fd = is_old and uv.fs_open(path, "r+", 0)
      if fd and core.lock_file(fd) then uv.fs_unlink(path) end
      if fd then uv.fs_close(fd) end
    end
  end
end

-- A new file in the folder of 'target', locked: renaming stays in one file
-- system.
local function open_beside(target, mode)
  local uv = require "luv"
  local folder = target:match("^(.*/)[^/]*$") or ""
  for attempt = 1, 100 do
    local name = ("%s.tare-%d-%d.tmp"):format(folder, uv.os_getpid(), attempt)
    local fd, message, code = uv.fs_open(name, "wx+", mode)
    if fd then
      core.lock_file(fd)
      return fd, name
    end
    if code ~= "EEXIST" then return nil, message end
  end
  return nil, "too many temporary files in its folder"
end

-- Descriptors of a process, which lead to regular files as well.
local DESCRIPTORS = { "^/dev/stdin$", "^/dev/stdout$", "^/dev/stderr$",
  "^/dev/fd/%d+$", "^/proc/.*/fd/%d+$" }

local function is_descriptor(path)
  return lists.first(DESCRIPTORS, function(pattern)
    return path:find(pattern) ~= nil
  end) ~= nil
end

local MOST_LINKS = 40 -- that lead one to the other, as Linux follows them

-- Where symbolic links lead, also to a file that is not there yet.
local function target_of(path)
  local uv = require "luv"
  for _ = 1, MOST_LINKS do
    local link = not uv.fs_stat(path) and uv.fs_readlink(path)
    if not link then break end
    local is_absolute = link:find "^/" or paths.is_windows
    path = is_absolute and link or (path:match "^.*/" or "") .. link
  end
  return paths.forward(uv.fs_realpath(path) or path)
end

--- Whether a file can be written there, and how: "file" where it is replaced as
--- a whole, "stream" where it is a device, a pipe or a descriptor of this
--- process, which can only be written to.
---@param path string
---@return "file"|"stream"|nil kind
---@return string target where symbolic links lead; or why it can't be written
function place.check(path)
  local uv = require "luv"
  if path == "" then return nil, "the name of the file is empty" end
  if path:find("%z") then return refusal(path, "EINVAL: a NUL in its name") end
  local target = target_of(path)
  local stat, message, code = uv.fs_stat(target)
  if stat and stat.type == "directory" then
    return nil, unicode.visible(path) .. ": is a directory"
  end
  if not stat and code ~= "ENOENT" then return refusal(path, message) end
  if stat and stat.type == "socket" then
    return refusal(path, "ENXIO: it is a socket")
  end
  if stat and (stat.type ~= "file" or is_descriptor(path)) then
    if stat.type == "file" then -- a descriptor may be open for reading only
      local stream, why = io.open(path, "ab")
      if not stream then return refusal(path, (why:gsub("^.*: ", ""))) end
      stream:close()
    end
    return "stream", path
  end
  local folder = target:match("^(.*)/[^/]*$") or "."
  folder = folder == "" and "/" or folder
  local around, why = uv.fs_stat(folder)
  if not around then return refusal(path, why) end
  if stat and not uv.fs_access(target, "W") then
    local fd, reason = uv.fs_open(target, "r+", 0)
    if not fd then return refusal(path, reason) end
    uv.fs_close(fd)
  end
  -- Root has access to every folder, but /proc takes no file: only a try says.
  local fd, name = core.unnamed_file(folder, 384), nil
  if not fd then fd, name = open_beside(target, 384) end
  if not fd then return refusal(path, name) end
  uv.fs_close(fd)
  if name then uv.fs_unlink(name) end
  return "file", target
end

--- Writes all of a text to an open file.
---@param fd integer
---@param text string
---@param offset integer where; -1: behind what was written last
---@return boolean? ok
---@return string? message
function place.write_all(fd, text, offset)
  local uv, done = require "luv", 0
  while done < #text do
    local written, message = uv.fs_write(fd, done == 0 and text
      or text:sub(done + 1), offset < 0 and -1 or offset + done)
    if not written then return nil, message end
    done = done + written
  end
  return true
end

-- Gives a file without a name one beside 'target'.
local function name_beside(fd, target)
  local folder, message = target:match("^(.*/)[^/]*$") or "", nil
  local stem = ("%s.tare-%d-"):format(folder, require("luv").os_getpid())
  for attempt = 1, 100 do
    local ok
    ok, message = core.name_file(fd, stem .. attempt .. ".tmp")
    if ok then return stem .. attempt .. ".tmp" end
  end
  return nil, message
end

-- Windows lets nobody take the place of an open file, which the report of a run
-- is; but it may get another name, and go when it is closed.
local function rename(name, target)
  local uv = require "luv"
  local ok, message = uv.fs_rename(name, target)
  if ok or not paths.is_windows then return ok, message end
  local aside = name:gsub("%.tmp$", "0.tmp")
  if not uv.fs_rename(target, aside) then return nil, message end
  ok, message = uv.fs_rename(name, target)
  if ok then uv.fs_unlink(aside) else uv.fs_rename(aside, target) end
  return ok, message
end

--- Writes a new file with 'fill', and renames it to 'target' when it is on
--- disk. After a failure the old file is unchanged. If the system has files
--- without a name, a killed run leaves nothing behind.
---@param target string
---@param fill fun(fd: integer): any, string?
---@return integer? fd of the file, still open and locked
---@return string? message as luv says it
function place.replace(target, fill)
  local uv = require "luv"
  local old = uv.fs_stat(target)
  local mode = old and old.mode % 512
  local folder = target:match("^(.*/)[^/]*$") or "./"
  local name, message
  discard_left(folder)
  local fd = core.unnamed_file(folder, mode or 438) -- 0666, less the umask
  if fd then
    core.lock_file(fd)
  else
    fd, name = open_beside(target, mode or 438)
    if not fd then return nil, name end
  end
  if mode then uv.fs_fchmod(fd, mode) end
  local ok
  ok, message = fill(fd)
  if ok then ok, message = uv.fs_fsync(fd) end
  if ok and not name then
    name, message = name_beside(fd, target)
    ok = name
  end
  if ok then ok, message = rename(name, target) end
  if ok then return fd end
  uv.fs_close(fd)
  if name then uv.fs_unlink(name) end
  return nil, message
end

--- Puts a file where there is none; it is there with its text or not at all,
--- where the system has files without a name.
---@param target string
---@param text string
---@return integer? fd of the file, open and locked
---@return string? message as luv says it
---@return string? code "EEXIST" where there is one now
function place.create(target, text)
  local uv = require "luv"
  local folder = target:match("^(.*/)[^/]*$") or "./"
  local fd, message, code = core.unnamed_file(folder, 438), nil, nil
  local has_name = not fd
  if not fd then fd, message, code = uv.fs_open(target, "wx+", 438) end
  if not fd then return nil, message, code end
  core.lock_file(fd)
  local ok
  ok, message = place.write_all(fd, text, 0)
  if ok and not has_name then
    ok, message = core.name_file(fd, target)
    code = not ok and uv.fs_lstat(target) and "EEXIST" or nil
  end
  if ok then return fd end
  if has_name then uv.fs_unlink(target) end
  uv.fs_close(fd)
  return nil, message, code
end

--- Opens a stream; at its end it is only added to, where it is a file after all
--- (standard output that goes to one).
---@param path string
---@return file*? stream
---@return string? message
function place.open_stream(path)
  local uv = require "luv"
  local stat = uv.fs_stat(path)
  local probe
  if stat and stat.type == "fifo" then -- would wait for a reader
    local flags = uv.constants
    local message
    probe, message = uv.fs_open(path, flags.O_WRONLY + flags.O_NONBLOCK, 0)
    if not probe then
      if message:find("^ENXIO") then message = "ENXIO: nobody reads it" end
      return refusal(path, message)
    end
  end
  local stream, why = io.open(path, "ab")
  if probe then uv.fs_close(probe) end
  if stream then return stream end
  return refusal(path, (why:gsub("^.*: ", "")))
end

--- Writes a file, replacing what was there: all of it or nothing. Follows
--- symbolic links; devices and pipes are written to.
---@param path string
---@param produce fun(write: fun(text: string): any, string?): any, string?
---  calls write for each piece; both return true, or nil and why
---@return boolean? ok
---@return string? message one line
function place.fill(path, produce)
  local kind, target = place.check(path)
  if not kind then return nil, target end
  if kind == "file" then
    local fd, message = place.replace(target, function(fd)
      return produce(function(text) return place.write_all(fd, text, -1) end)
    end)
    if not fd then return refusal(path, message) end
    require("luv").fs_close(fd)
    return true
  end
  local stream, message = place.open_stream(path)
  if not stream then return nil, message end
  local ok, why = produce(function(text) return stream:write(text) end)
  local closed, why_not = stream:close() -- what was buffered is written now
  if ok and closed then return true end
  return refusal(path, why or why_not)
end

--- Writes a text to a file in the same way.
---@param path string
---@param text string
---@return boolean? ok
---@return string? message one line
function place.write(path, text)
  return place.fill(path, function(write) return write(text) end)
end

return place
