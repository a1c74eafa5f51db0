-- Bench files: Lua that returns a suite (or a list of suites).
local Suite = require "tare.bench.suite"

local benchfile = {}

local loading = 0 -- depth of bench files that are being loaded

--- Whether the caller runs inside a bench file that tare loads: there a suite
--- is handed back, not run.
---@return boolean
function benchfile.is_loading() return loading > 0 end

local function suites_in(value)
  if Suite.is(value) then return { value } end
  if type(value) ~= "table" or #value == 0 then return nil end
  for _, item in ipairs(value) do
    if not Suite.is(item) then return nil end
  end
  return value
end

-- Of a module that is not found, Lua lists every place it looked at.
local function one_line(message)
  local text = tostring(message)
  local missing = text:match("^(.-module '[^'\r\n]*' not found):")
  if missing then
    return missing .. " (looked for from the working folder and in LUA_PATH)"
  end
  return (text:gsub("[\r\n]+%s*", " "))
end

--- Runs a chunk that returns a suite (or a list of suites).
---@param chunk function
---@param ... any its arguments
---@return table[]? suites
---@return any second what it returned after them; or the message, in one line
function benchfile.suites_of(chunk, ...)
  loading = loading + 1
  local ok, value, second = pcall(chunk, ...)
  loading = loading - 1
  if not ok then return nil, one_line(value) end
  local suites = suites_in(value)
  if not suites then
    return nil, "returns no suite (end it with 'return suite')"
  end
  return suites, second
end

--- Loads a bench file.
---@param path string
---@return table[]? suites
---@return string? message one line; with the file, and the line where there is
---  one
function benchfile.load(path)
  local chunk, message = loadfile(path)
  if not chunk then return nil, one_line(message) end
  local suites, why = benchfile.suites_of(chunk)
  if not suites then
    return nil, why:find(path, 1, true) and why or path .. ": " .. why
  end
  for _, suite in ipairs(suites) do suite.file = path end
  return suites
end

return benchfile
