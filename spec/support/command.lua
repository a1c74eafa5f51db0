-- Runs the real command in a real child process.
local command = {}

--- Whether TARE_LUA is an interpreter for Windows, under Wine (.ci/systems.sh):
--- a line that it prints ends as lines end there.
command.is_windows = (os.getenv "TARE_LUA" or ""):find "wine" ~= nil

--- Whether the specs themselves run on Windows, where no shell is. There
--- spec/support/helper.lua gives 'pending' of the spec that runs.
command.lacks_shell = package.config:sub(1, 1) == "\\"

local function contents(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- A new file with this text; its path. The name ends as asked.
function command.file(text, ending)
  local path = os.tmpname()
  os.remove(path)
  path = path .. (ending or "")
  write(path, text)
  return path
end

--- A path where nothing is yet.
function command.path(ending)
  local path = os.tmpname()
  os.remove(path)
  return path .. (ending or "")
end

--- Runs a shell command; its exit code, stdout and stderr.
function command.shell(line)
  if command.lacks_shell then return command.pending "needs a shell" end
  local out, err, status = os.tmpname(), os.tmpname(), os.tmpname()
  os.execute(("(%s) >%s 2>%s </dev/null; echo $? >%s"):format(line,
    quoted(out), quoted(err), quoted(status)))
  local code = tonumber(contents(status))
  local stdout, stderr = contents(out), contents(err)
  if command.is_windows then
    stdout, stderr = stdout:gsub("\r\n", "\n"), stderr:gsub("\r\n", "\n")
  end
  for _, path in ipairs { out, err, status } do os.remove(path) end
  return code, stdout, stderr
end

--- Runs tare under the interpreter of the specs; its exit code, stdout and
--- stderr.
function command.tare(...)
  local words = {}
  for i, word in ipairs { ... } do words[i] = quoted(word) end
  local lua = os.getenv("TARE_LUA") or "lua5.4"
  return command.shell(("%s lua/tare/cli/bin.lua %s"):format(lua,
    table.concat(words, " ")))
end

--- The names in a folder, sorted.
function command.entries(folder)
  local uv, names = require "luv", {}
  local scan = uv.fs_scandir(folder)
  for name in function() return (uv.fs_scandir_next(scan)) end do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

command.read = contents
command.write = write
command.quoted = quoted

return command
