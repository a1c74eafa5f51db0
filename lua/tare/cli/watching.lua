-- tare run --watch: measures again whenever a file changes, until Ctrl-C. Files
-- are looked at a few times a second; the system's own events differ too much
-- between editors and file systems.
local EXIT = require "tare.cli.exit"
local files = require "tare.cli.files"
local measuring = require "tare.cli.measure"
local signals = require "tare.cli.signals"

local watching = {}

local PAUSE_MS = 200 -- between two looks
local MOST_FILES = 2000

-- Sizes and times of change, by path: of the bench files, and of every Lua file
-- below the working folder, since benches require others.
local function states_of(own)
  local uv, states = require "luv", {}
  for _, paths in ipairs { own, files.lua_below_here(MOST_FILES) } do
    for _, path in ipairs(paths) do
      local stat = uv.fs_stat(path)
      states[path] = stat and ("%s:%s:%s:%s"):format(stat.size, stat.ino,
        stat.mtime.sec, stat.mtime.nsec) or "gone"
    end
  end
  return states
end

-- A file that differs; nil where none does.
local function difference(before, now)
  for path, state in pairs(now) do
    if before[path] ~= state then return path end
  end
  for path in pairs(before) do
    if now[path] == nil then return path end
  end
end

-- Waits for a change; nil after a signal.
local function wait_for(changed)
  local uv, watch, path = require "luv", signals.watch(), nil
  while not path and not watch:seen() do
    uv.sleep(PAUSE_MS)
    path = changed()
  end
  watch:close()
  return path
end

--- Measures, and again after each change; one during a run ends the run.
---@param own string[] bench files
---@param measure fun(changed: fun(): string?): integer|string exit code;
---  'changed' is asked now and then which file has changed
---@param say fun(message: string)
---@return integer exit code: 0 if it is ended while it waits
function watching.run(own, measure, say)
  while true do
    local before, path = states_of(own), nil
    local function changed()
      path = difference(before, states_of(own))
      return path
    end
    local code = measure(changed)
    if code == EXIT.interrupted then return code end
    if code ~= measuring.CHANGED then
      say "watching for changes; Ctrl-C ends"
      if not wait_for(changed) then return EXIT.done end
    end
    say(path .. " has changed")
  end
end

return watching
