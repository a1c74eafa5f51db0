-- Reports in files: read with their schema checked, written all or not at
-- all. The libraries are loaded only when a file is asked for.
local json = require "tare.store.json"
local schema = require "tare.store.schema"

local store = {}

--- A Report as JSON text.
---@param report table
---@return string
function store.encode(report) return json.encode(report) .. "\n" end

-- Takes out what JSON has and Lua has not: null is NaN in a list and absent
-- in an object; a number too large for a double is as good as null.
local function without_nulls(value, null)
  for key, item in pairs(value) do
    if item == null or item == 1/0 or item == -1/0 then
      value[key] = type(key) == "number" and 0/0 or nil
    elseif type(item) == "table" then
      without_nulls(item, null)
    end
  end
  return value
end

-- JSON's numbers are doubles; a parameter that was written 10 reads back as
-- the integer it was, where the interpreter tells them apart.
local function whole_params(result)
  for name, value in pairs(result.params) do
    if type(value) == "number" and value % 1 == 0
      and math.abs(value) < 2^53 then
      result.params[name] = math.floor(value)
    end
  end
end

-- Fields that older files may lack.
local function completed(report)
  report.env, report.options = report.env or {}, report.options or {}
  report.comparisons = report.comparisons or {}
  for _, result in ipairs(report.results) do
    result.params = result.params or {}
    result.warnings = result.warnings or {}
    result.suite = result.suite or result.id:match("^(.-)/") or ""
    result.name = result.name or result.id:match("/(.*)$") or result.id
    whole_params(result)
  end
  return report
end

--- Reads a value from JSON text; null is NaN in a list, absent in an object.
---@param text string
---@return any value
---@return string? message why it could not be read
function store.parse(text)
  local cjson = require "cjson"
  local reader = cjson.new()
  reader.decode_invalid_numbers(false) -- no NaN, no hexadecimal
  reader.decode_max_depth(json.MAX_DEPTH)
  local ok, value = pcall(reader.decode, text)
  if not ok then
    return nil, "not JSON: " .. tostring(value):gsub("%c", "?")
  end
  if type(value) ~= "table" then return value end
  return without_nulls(value, cjson.null)
end

--- Reads a Report from JSON text.
---@param text string
---@return table? report
---@return string? message one line
function store.decode(text)
  if text:find("^%s*$") then return nil, "not a tare report: it is empty" end
  local value, message = store.parse(text)
  if message then return nil, message end
  local ok, wrong = schema.check(value)
  if not ok then return nil, wrong end
  return completed(value)
end

local function contents(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text, failure = file:read("*a") -- nil for a directory
  file:close()
  if not text then return nil, ("%s: %s"):format(path, failure) end
  return text
end

--- Reads a Report from a file.
---@param path string
---@return table? report
---@return string? message one line that starts with the path
function store.read(path)
  local text, message = contents(path)
  if not text then return nil, message end
  local report, wrong = store.decode(text)
  if not report then return nil, ("%s: %s"):format(path, wrong) end
  return report
end

local function write_all(uv, fd, text)
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

local function fill(uv, fd, mode, text)
  if mode then uv.fs_fchmod(fd, mode) end
  local ok, message = write_all(uv, fd, text)
  if ok then ok, message = uv.fs_fsync(fd) end
  local closed, why = uv.fs_close(fd)
  if not ok then return nil, message end
  return closed, why
end

local function replace(uv, path, text)
  local old = uv.fs_stat(path)
  local mode = old and old.mode % 512
  local fd, name = open_beside(uv, path, mode or 438) -- 0666, less the umask
  if not fd then return nil, name end
  local ok, message = fill(uv, fd, mode, text)
  if ok then ok, message = uv.fs_rename(name, path) end
  if not ok then
    uv.fs_unlink(name)
    return nil, message
  end
  return true
end

-- Devices and pipes can't be replaced; they are written to.
local function write_through(path, text)
  local file, message = io.open(path, "wb")
  if not file then return nil, message end
  local ok, why = file:write(text)
  file:close()
  return ok and true, why
end

--- Writes a text to a file, replacing what was there: all of it (on disk
--- before the name changes) or nothing. Follows symbolic links.
---@param path string
---@param text string
---@return boolean? ok
---@return string? message one line
function store.write_text(path, text)
  local uv = require "luv"
  local target = uv.fs_realpath(path) or path
  local stat = uv.fs_stat(target)
  if stat and stat.type == "directory" then
    return nil, path .. ": is a directory"
  end
  if stat and stat.type ~= "file" then return write_through(target, text) end
  local ok, message = replace(uv, target, text)
  if ok then return true end
  -- "ENOENT: no such file or directory: the temporary name"
  local reason = message:match("^%u+: ([^:]+)") or message
  return nil, ("%s: cannot write: %s"):format(path, reason)
end

--- Writes a Report to a file; see store.write_text.
---@param path string
---@param report table
---@return boolean? ok
---@return string? message one line
function store.write(path, report)
  return store.write_text(path, store.encode(report))
end

return store
