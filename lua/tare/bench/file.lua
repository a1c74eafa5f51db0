-- Bench files: Lua that returns a suite (or a list of suites).
local compat = require "tare.base.compat"
local Fixture = require "tare.bench.fixture"
local Suite = require "tare.bench.suite"

local benchfile = {}

local loading = 0 -- depth of bench files that are being loaded
local handed -- what tare.main was called with meanwhile

--- Whether the caller runs inside a bench file that tare loads: there a suite
--- is handed back, not run.
---@return boolean
function benchfile.is_loading() return loading > 0 end

--- Keeps the suite that tare.main is called with, for a file that does not
--- return it.
---@param suite table
function benchfile.hand_over(suite) handed[#handed + 1] = suite end

local function suites_in(value)
  if Suite.is(value) then return { value } end
  if type(value) ~= "table" or #value == 0 then return nil end
  for _, item in ipairs(value) do
    if not Suite.is(item) then return nil end
  end
  return value
end

--- What a chunk raised, in one line: of a module that is not found, Lua lists
--- every place it looked at.
---@param message any
---@return string
function benchfile.one_line(message)
  local text = type(message) == "string" and message
    or Fixture.describe(message)
  local missing = text:match("^(.-module '[^'\r\n]*' not found):")
  if missing then
    return missing .. " (looked for from the working folder and in LUA_PATH)"
  end
  if text:find "attempt to index.*global 'tare'" then
    text = text .. "; a bench file begins with local tare = require \"tare\""
  end
  return (text:gsub("[\r\n]+%s*", " "))
end
local one_line = benchfile.one_line

--- Runs a chunk that returns a suite (or a list of suites).
---@param chunk function
---@param ... any its arguments
---@return table[]? suites
---@return any second what it returned after them; or the message, in one line
function benchfile.suites_of(chunk, ...)
  local outer = handed
  handed, loading = {}, loading + 1
  local ok, value, second = pcall(chunk, ...)
  local given = handed
  handed, loading = outer, loading - 1
  if not ok then return nil, one_line(value) end
  if value == nil and given[1] then value = given end
  local suites = suites_in(value)
  if not suites then
    return nil, "returns no suite (end it with 'return suite')"
  end
  return suites, second
end

--- The suites of a bench file's text.
---@param text string
---@param name string of its source, for messages
---@return table[]? suites
---@return string? message
function benchfile.of_text(text, name)
  local chunk, message = compat.load_text(text, "=" .. name)
  if not chunk then return nil, one_line(message) end
  local suites, why = benchfile.suites_of(chunk)
  if not suites then
    return nil, why:find(name, 1, true) and why or name .. ": " .. why
  end
  return suites
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
