-- Bench files: Lua that returns a suite (or a list of suites); and benches from
-- the shell.
local compat = require "tare.base.compat"
local Fixture = require "tare.bench.fixture"
local Suite = require "tare.bench.suite"

local benchfile = {}

local loading = 0 -- depth of bench files that are being loaded
local handed -- suites that tare.main was called with meanwhile

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

-- What a chunk raised, in one line: without the list of places where Lua looked
-- for a module.
local function one_line(message)
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
    return nil, type(value) == "table" and "returns a table that is no suite "
      .. "(tare.suite makes one, suite:bench(name, run) adds benches to it)"
      or "returns no suite (end it with 'return suite')"
  end
  return suites, second
end

-- The suites of a chunk, or what is wrong with it or its results; 'name' is
-- that of its source in messages.
local function of_chunk(name, chunk, message)
  if not chunk then return nil, one_line(message) end
  local suites, why = benchfile.suites_of(chunk)
  if suites then return suites end
  return nil, why:find(name, 1, true) and why or name .. ": " .. why
end

--- The suites of a bench file's text.
---@param text string
---@return table[]? suites
---@return string? message
function benchfile.of_text(text)
  local name = "standard input"
  return of_chunk(name, compat.load_text(text, "=" .. name))
end

--- Loads a bench file.
---@param path string
---@return table[]? suites
---@return string? message one line; with the file, and the line where there is
---  one
function benchfile.load(path)
  local suites, message = of_chunk(path, loadfile(path))
  for _, suite in ipairs(suites or {}) do suite.file = path end
  return suites, message
end

-- The body of a function: an expression is returned, anything else is
-- statements. Or nil and a message.
local function body_of(text)
  local as_value = "return " .. text
  if compat.load_text(as_value) then return as_value end
  local _, message = compat.load_text(text, "=(-e)")
  return not message and text or nil, message
end

local LONGEST = 60 -- bytes of an expression in a name

-- The name of a bench, made from its text. Braces and slashes are replaced,
-- since they have a meaning in ids.
local function name_of(text, taken)
  local name = text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
    :gsub("{", "("):gsub("}", ")"):gsub("/", "÷")
  if #name > LONGEST then name = name:sub(1, LONGEST) .. " [...]" end
  if taken[name] then name = ("%s (%d)"):format(name, taken.count) end
  taken[name] = true
  return name
end

--- A suite of expressions from the shell, compared with the first: 'tare -e
--- EXPRESSION -s SETUP'.
---@param texts string[] Lua, each an expression or statements
---@param setup string? statements that run once before them; the expressions
---  see its local variables
---@return table[]? suites
---@return string? message
function benchfile.of_expressions(texts, setup)
  local functions, taken = {}, { count = 0 }
  for i, text in ipairs(texts) do
    if not text:find "%S" then return nil, "-e: an expression is empty" end
    local body, message = body_of(text)
    if not body then return nil, "-e: " .. one_line(message) end
    functions[i] = ("function() %s\n end"):format(body)
  end
  local chunk, message = compat.load_text(("%s\nreturn { %s }"):format(
    setup or "", table.concat(functions, ",\n")), setup and "=(-s)" or "=(-e)")
  if not chunk then
    local is_file = setup and setup:find "^%S+%.lua$"
    return nil, ("-s: %s%s"):format(one_line(message), is_file
      and ("; a file is run with -s 'dofile \"%s\"'"):format(setup) or "")
  end
  local ok, made = pcall(chunk)
  if not ok then return nil, "-s: " .. one_line(made) end
  local suite = Suite.new "expressions"
  for i, run in ipairs(made) do
    taken.count = i
    suite:bench(name_of(texts[i], taken), { run = run,
      baseline = i == 1 and #made > 1 or nil })
  end
  return { suite }
end

return benchfile
