-- The command line: one line on stderr and the right exit code, never a
-- traceback of ours.
local parser = require "tare.cli.parser"
local unicode = require "tare.base.unicode"

local cli = {}

local MODULE = { init = "starting" } -- of a command that is named otherwise

-- What is said may quote a file of strangers: it stays one line, and commands
-- no terminal.
local function complain(message)
  io.stderr:write("tare: ", unicode.visible(message), "\n")
end

local function first_line(message) return tostring(message):match("^[^\n]*") end

-- What goes wrong inside of tare itself is one line too, unless TARE_DEBUG
-- asks for more.
local function guarded(run)
  local handler = os.getenv("TARE_DEBUG") and debug.traceback
    or first_line
  local ok, result = xpcall(run, handler)
  if ok then return result end
  for line in ("internal error: " .. tostring(result)):gmatch("[^\n]+") do
    complain(line)
  end
  return 1
end

--- Runs the command line.
---@param arguments string[]
---@return integer exit code: 0 done, 1 wrong usage, 2 a bench failed, 3 a gate
---  was met, 130 interrupted
function cli.main(arguments)
  return guarded(function()
    local given, message = parser.parse(arguments)
    if not given then
      complain(message)
      return 1
    end
    given.arguments = arguments
    local name = MODULE[given.command] or given.command
    return require("tare.cli." .. name).run(given, complain)
  end)
end

--- Runs suites that a bench file holds, with the options of 'tare run'.
---@param suites table[]
---@param arguments string[]
---@return integer exit code
function cli.run_suites(suites, arguments)
  return guarded(function()
    local given, message = parser.parse_run(arguments)
    if not given then
      complain(message)
      return 1
    end
    given.suites, given.arguments = suites, arguments
    local script = type(arg) == "table" and arg[0]
    for _, suite in ipairs(suites) do suite.file = suite.file or script end
    return require("tare.cli.run").run(given, complain)
  end)
end

return cli
