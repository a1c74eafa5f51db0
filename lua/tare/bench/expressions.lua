-- Benches from the shell: 'tare -e EXPRESSION -s SETUP'.
local compat = require "tare.base.compat"
local one_line = require("tare.bench.file").one_line
local Suite = require "tare.bench.suite"

local expressions = {}

-- An expression that is returned, or statements; nil and a message.
local function body_of(text)
  local as_value = "return " .. text
  if compat.load_text(as_value) then return as_value end
  local _, message = compat.load_text(text, "=(-e)")
  return not message and text or nil, message
end

local LONGEST = 40 -- characters of an expression in a name

-- How a bench is called whose text this is: ids have a meaning for braces.
local function name_of(text, taken)
  local name = text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
    :gsub("{", "("):gsub("}", ")"):gsub("/", "÷")
  if #name > LONGEST then name = name:sub(1, LONGEST) .. "..." end
  if taken[name] then name = ("%s (%d)"):format(name, taken.count) end
  taken[name] = true
  return name
end

--- A suite of them, compared with the first.
---@param texts string[] Lua, each an expression or statements
---@param setup string? statements that run once before them; the expressions
---  see its local variables
---@return table[]? suites
---@return string? message
function expressions.suites(texts, setup)
  local functions, taken = {}, { count = 0 }
  for i, text in ipairs(texts) do
    if not text:find "%S" then return nil, "-e: an expression is empty" end
    local body, message = body_of(text)
    if not body then return nil, "-e: " .. one_line(message) end
    functions[i] = ("function() %s\n end"):format(body)
  end
  local chunk, message = compat.load_text(("%s\nreturn { %s }"):format(
    setup or "", table.concat(functions, ",\n")), setup and "=(-s)" or "=(-e)")
  if not chunk then return nil, "-s: " .. one_line(message) end
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

return expressions
