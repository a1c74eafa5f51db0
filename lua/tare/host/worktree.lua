-- A revision of a git repository, checked out beside the working tree for a
-- while.
local child = require "tare.host.child"

local Worktree = {}
Worktree.__index = Worktree

-- Ctrl-C is not for git, which would leave half of a checkout.
local function git(arguments)
  local ended, message = child.run({ file = "git", args = arguments },
    { detached = true })
  if not ended then return nil, message end
  if ended.code ~= 0 then
    local said = ended.err:gsub("^%a+: ", ""):match("^[^\n]*")
    return nil, "git: " .. (said ~= "" and said or child.ending(ended))
  end
  return (ended.out:gsub("\n$", ""))
end

--- Checks a revision out; remove() takes it away again.
---@param revision string
---@return table? worktree 'top' is the repository, 'path' the checkout, and
---  'folder' what the current folder is there
---@return string? message
function Worktree.add(revision)
  local uv = require "luv"
  local top, message = git { "rev-parse", "--show-toplevel" }
  if not top then return nil, message end
  local commit = git { "rev-parse", "--verify", "--quiet", "--end-of-options",
    revision .. "^{commit}" }
  if not commit then
    return nil, ("'%s' is not a revision of %s"):format(revision, top)
  end
  local prefix = git { "rev-parse", "--show-prefix" } or ""
  local parent = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-ref-XXXXXX"))
  local self = setmetatable({ uv = uv, top = top, parent = parent,
    path = parent .. "/tree" }, Worktree)
  self.folder = self.path .. "/" .. prefix
  local ok
  ok, message = git { "worktree", "add", "--detach", "--quiet", self.path,
    commit }
  if ok then return self end
  self:remove()
  return nil, message
end

--- Where a file of the working tree stands in the checkout.
---@param file string
---@return string? path
---@return string? message
function Worktree:place(file)
  local real = self.uv.fs_realpath(file)
  if not real then return nil, file .. ": no such file or folder" end
  local top = self.uv.fs_realpath(self.top)
  if real:sub(1, #top + 1) ~= top .. "/" then
    return nil, ("%s: is not in the repository %s"):format(file, top)
  end
  return self.path .. real:sub(#top + 1)
end

--- Takes the checkout away.
function Worktree:remove()
  git { "-C", self.top, "worktree", "remove", "--force", self.path }
  self.uv.fs_rmdir(self.parent)
  git { "-C", self.top, "worktree", "prune" }
end

return Worktree
