-- Temporary folders. One that a killed run has left is removed when the next of
-- its kind is made: nobody holds its lock any more.
local core = require "tare.core"
local paths = require "tare.base.paths"
local uv = require "luv"

local Scratch = {}
Scratch.__index = Scratch

local LOCK = "lock" -- the file in the folder that its run has locked

-- Removes a folder and what is in it, the file 'last' after all others; links
-- are not followed.
local function remove_all(path, last)
  local stat = uv.fs_lstat(path)
  if not stat or stat.type ~= "directory" then
    uv.fs_unlink(path)
    return
  end
  local scan = uv.fs_scandir(path) -- holds the names, all of them
  if scan then
    for name in uv.fs_scandir_next, scan do
      if name ~= last then remove_all(path .. "/" .. name) end
    end
  end
  if last then uv.fs_unlink(path .. "/" .. last) end
  uv.fs_rmdir(path)
end

-- Removes the folders that killed runs left: those whose lock nobody holds. On
-- Windows files are not locked, so nothing shows that.
local function discard_left(start, folder)
  if paths.is_windows then return end
  local scan = uv.fs_scandir(folder)
  if not scan then return end
  for name in uv.fs_scandir_next, scan do
    local path = folder .. name
    local fd = name:sub(1, #start) == start and name:find("^%w+$", #start + 1)
      and uv.fs_open(path .. "/" .. LOCK, "r+", 0)
    if fd and core.lock_file(fd) then remove_all(path, LOCK) end
    if fd then uv.fs_close(fd) end
  end
end

--- A new folder, which its lock protects until remove() or the end of this
--- process.
---@param kind string how its name begins: "tare-ref"
---@return table? folder with its 'path'
---@return string? message
function Scratch.new(kind)
  local folder = (uv.os_tmpdir() or "/tmp"):gsub("/*$", "/")
  discard_left(kind .. "-", folder)
  local path, message = uv.fs_mkdtemp(folder .. kind .. "-XXXXXX")
  if not path then
    return nil, ("no temporary folder can be made in %s (TMPDIR): %s"):format(
      folder, message:match "^%u+: ([^:]+)" or message)
  end
  local lock = uv.fs_open(path .. "/" .. LOCK, "wx", 384) -- 0600
  if lock then core.lock_file(lock) end
  return setmetatable({ path = path, lock = lock }, Scratch)
end

--- Removes the folder. Its lock goes last: what a kill leaves of it still has
--- one, by which the next run knows it.
function Scratch:remove()
  remove_all(self.path, LOCK)
  if self.lock then uv.fs_close(self.lock) end
end

return Scratch
