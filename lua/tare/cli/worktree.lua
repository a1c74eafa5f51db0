-- A revision of a git repository, checked out beside the working tree for a
-- while.
local paths = require "tare.base.paths"
local Scratch = require "tare.store.scratch"
local uv = require "luv"

local Worktree = {}
Worktree.__index = Worktree

-- Variables by which a hook knows its repository and commit: here git is to
-- find the repository by the folder.
local OF_HOOKS = { GIT_DIR = true, GIT_WORK_TREE = true, GIT_PREFIX = true,
  GIT_INDEX_FILE = true, GIT_COMMON_DIR = true, GIT_OBJECT_DIRECTORY = true,
  GIT_ALTERNATE_OBJECT_DIRECTORIES = true, GIT_QUARANTINE_PATH = true,
  GIT_NAMESPACE = true }

local function environment()
  local list = {}
  for name, value in pairs(uv.os_environ()) do
    if not OF_HOOKS[name] then list[#list + 1] = name .. "=" .. value end
  end
  return list
end

local GRACE_MS = 1000 -- for the rest of the output, when git has ended

-- Runs git: what it printed, or nil and what it said was wrong. Ctrl-C is not
-- for git, which would leave half of a checkout; with 'signals' (tare.cli.
-- signals) a signal ends git and its hooks, and a second one kills them. A
-- process that one of its hooks has left behind may keep the output open.
local function git(arguments, signals)
  local texts, pipes, ended, is_late = { {}, {} }, {}, nil, false
  for i = 1, 2 do pipes[i] = uv.new_pipe(false) end
  local timer = uv.new_timer()
  local process, pid = uv.spawn("git", { args = arguments,
      env = environment(), stdio = { nil, pipes[1], pipes[2] },
      detached = true },
    function(code, signal)
      ended = { code = code, signal = signal }
      timer:start(GRACE_MS, 0, function() is_late = true end)
    end)
  if process then
    for i = 1, 2 do
      pipes[i]:read_start(function(_, data)
        if data then table.insert(texts[i], data) else texts[i].done = true end
      end)
    end
    local seen = 0
    while not (ended and (is_late or texts[1].done and texts[2].done)) do
      uv.run("once")
      if signals and signals.count > seen then
        seen = signals.count
        uv.kill(paths.is_windows and pid or -pid, seen == 1 and "sigterm"
          or "sigkill")
      end
    end
    process:close()
  end
  timer:close()
  for i = 1, 2 do pipes[i]:close() end
  uv.run("nowait")
  if not process then return nil, "git: " .. tostring(pid) end
  if ended.code == 0 then return (table.concat(texts[1]):gsub("\n$", "")) end
  local said = table.concat(texts[2]):gsub("^%a+: ", ""):match("^[^\n]*")
  return nil, "git: " .. (said ~= "" and said or "exit code " .. ended.code)
end

-- Why there is no such revision.
local function not_there(revision, top)
  local message = ("'%s' is not a revision of %s"):format(revision, top)
  if git { "rev-parse", "--is-shallow-repository" } == "true" then
    message = message .. ", which is a shallow clone: 'git fetch --unshallow' "
      .. "gets the rest of its history"
  end
  return nil, message
end

-- The submodules of a commit: a checkout has empty folders in their place.
local function submodules_of(top, commit)
  local listed, found = git { "-C", top, "ls-tree", "-r", "-z", commit }, {}
  for path in (listed or ""):gmatch "160000 commit %x+\t(%Z+)" do
    found[#found + 1] = path
  end
  return found
end

--- The commit that a file's folder is at, "with changes" where tracked
--- files are not what it has; nil outside of a repository.
---@param file string? of the current folder where absent
---@return string?
function Worktree.commit(file)
  local folder = (file or ""):match("^(.*)[/\\][^/\\]*$")
  if folder == "" then folder = "/" end
  local said = git { "-C", folder or ".", "describe", "--always", "--dirty",
    "--abbrev=7", "--exclude=*" }
  local hash, dirty = (said or ""):match("^(%x+)(%S*)$")
  return hash and ("commit %s%s"):format(hash, dirty ~= "" and " with changes"
    or "") or nil
end

--- Checks a revision out; remove() takes it away again.
---@param revision string
---@param signals table of tare.cli.signals: one of them ends git
---@return table? worktree 'top' is the repository, 'path' the checkout,
---  'folder' what the current folder is there, and 'submodules' the paths that
---  are empty there
---@return string? message
function Worktree.add(revision, signals)
  if git { "rev-parse", "--is-bare-repository" } == "true" then
    return nil, "this is a bare repository: there is no working tree to "
      .. "compare a revision with"
  end
  local top, message = git { "rev-parse", "--show-toplevel" }
  if not top then return nil, message end
  local commit = git { "rev-parse", "--verify", "--quiet", "--end-of-options",
    revision .. "^{commit}" }
  if not commit then return not_there(revision, top) end
  local prefix = git { "rev-parse", "--show-prefix" } or ""
  local parent, why = Scratch.new "tare-ref"
  if not parent then return nil, why end
  local self = setmetatable({ top = top, parent = parent,
    submodules = submodules_of(top, commit), hash = commit:sub(1, 7),
    path = parent.path .. "/tree" }, Worktree)
  self.folder = self.path .. "/" .. prefix
  local ok
  ok, message = git({ "worktree", "add", "--detach", "--quiet", self.path,
    commit }, signals)
  if ok then return self end
  self:remove()
  return nil, message
end

--- The path in the checkout of a file of the working tree.
---@param file string
---@return string? path
---@return string? message
function Worktree:place(file)
  local real = uv.fs_realpath(file)
  if not real then return nil, file .. ": no such file or folder" end
  local top = paths.forward(uv.fs_realpath(self.top))
  real = paths.forward(real)
  if real:sub(1, #top + 1) ~= top .. "/" then
    return nil, ("%s: is not in the repository %s"):format(file, top)
  end
  return self.path .. real:sub(#top + 1)
end

--- Takes the checkout away.
function Worktree:remove()
  git { "-C", self.top, "worktree", "unlock", self.path } -- git was killed
  git { "-C", self.top, "worktree", "remove", "--force", self.path }
  self.parent:remove()
  git { "-C", self.top, "worktree", "prune" }
end

return Worktree
