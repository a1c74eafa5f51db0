-- The command line: one line on stderr and the right exit code, never a
-- traceback of ours.
local EXIT = require "tare.cli.exit"
local compat = require "tare.base.compat"
local flags = require "tare.bench.flags"
local paths = require "tare.base.paths"
local signals = require "tare.cli.signals"
local unicode = require "tare.base.unicode"

local cli = {}

-- A standard stream that is closed gets a place holder, before luv has its
-- number for a file of its own, and aborts where it closes that. One that can't
-- be written: what is reported is not lost in silence.
local EBADF = 9
for _, name in ipairs { "stdin", "stdout", "stderr" } do
  if select(3, io[name]:seek()) == EBADF then
    rawset(io, name, io.open "/dev/null" or io[name])
  end
end

local has_run_out = false -- of memory

local MODULE = { init = "starting" } -- of a command that is named otherwise

-- What is said may quote a file of strangers: it stays one line, and commands
-- no terminal.
local function complain(message)
  io.stderr:write("tare: ", unicode.visible(message), "\n")
end

-- The sentence for a module of C that is there and can't be loaded, as where
-- memory is refused; nil for other errors. The reason has a line of its own.
local function not_loaded(message)
  local name, why = message:match(
    "error loading module '([^']+)' from file '[^']*':%s*([^\n]*)")
  return name and ("the Lua module '%s' can't be loaded: %s"):format(name, why)
end

-- Modules that measuring in processes of their own needs, beyond the library:
-- their names in LuaRocks and in Debian.
local NEEDED = { luv = { "luv", "lua-luv" },
  cjson = { "lua-cjson", "lua-cjson" },
  argparse = { "argparse", "lua-argparse" } }

-- The sentence for a module that this Lua has not; nil for other errors.
local function missing_in(message)
  local name = message:match "module '([%w_.]+)' not found"
  local names = name and NEEDED[name]
  return names and ("the Lua module '%s' is missing, which the command and "
    .. "files that run themselves need: install it for %s (LuaRocks: %s; "
    .. "Debian: %s); tare.measure needs none"):format(name,
      compat.NAME, names[1], names[2])
end

-- Runs a command: its exit code. In place of that, it may return nil and what
-- is wrong, with a code if it is not EXIT.unusable. What goes wrong inside of
-- tare itself is one line too, unless TARE_DEBUG asks for more. Whatever locale
-- a script has set, a command runs without one: numbers have a point, and
-- lua-cjson ends the process where that has more than one byte.
local function guarded(run)
  local is_full, locale = os.getenv "TARE_DEBUG" ~= nil, os.setlocale(nil)
  os.setlocale "C"
  signals.end_the_process()
  local ok, result, message, code = xpcall(function()
    return run(locale)
  end, is_full and debug.traceback or tostring)
  os.setlocale(locale)
  if ok and result then return result end
  if ok then
    complain(message)
    return code or EXIT.unusable
  end
  local raised = tostring(result)
  -- by the interpreter, where SIGINT is still its own: without luv, on Windows
  if raised:find "interrupted!$" then return EXIT.interrupted end
  has_run_out = raised:find("not enough memory", 1, true) ~= nil
    or raised:find "allocat[ei]" ~= nil -- luv's "Failure to allocate buffer"
  local known = has_run_out and "not enough memory" -- not our fault
    or missing_in(raised) or not_loaded(raised)
  if known then
    complain(known)
    return EXIT.unusable
  end
  if not is_full then raised = raised:match "^[^\n]*" end
  for line in ("internal error: " .. raised):gmatch "[^\n]+" do
    complain(line)
  end
  return EXIT.unusable
end

--- Ends the program, and closes the state. Not on Windows, which takes away
--- luv's code with it, while threads of the system may still be in that; and
--- not where memory has run out, for then luv's loop may not be whole.
---@param code integer
function cli.exit(code)
  os.exit(code, not (paths.is_windows or has_run_out))
end

--- Runs the command line.
---@param arguments string[]
---@return integer exit code (tare.cli.exit)
function cli.main(arguments)
  return guarded(function(locale)
    local given, message = require("tare.cli.parser").parse(arguments)
    if not given then return nil, message end
    given.arguments, given.locale = arguments, locale
    local name = MODULE[given.command] or given.command
    return require("tare.cli." .. name).run(given, complain)
  end)
end

--- Runs suites that a bench file holds, with the options of 'tare run'; after
--- the word 'list' it prints their ids, 'report' is that of the command.
---@param suites table[]
---@param arguments string[]
---@param known table[] of tare.bench.flags: the file's own
---@param values table? where the benches find these
---@return integer exit code
function cli.run_suites(suites, arguments, known, values)
  if arguments[1] == "report" then return cli.main(arguments) end
  return guarded(function(locale)
    local words, script = {}, type(arg) == "table" and arg[0]
    for i, word in ipairs(arguments) do words[i] = word end
    local is_list = words[1] == "list"
    if is_list then table.remove(words, 1) end
    local given, message = require("tare.cli.parser").parse_run(words,
      known, script or nil, is_list)
    if not given then return nil, message end
    given.suites, given.arguments, given.locale = suites, arguments, locale
    given.program = script and { (arg[-1] or "lua"):match("[^/\\]+$") or "lua",
      script }
    for _, suite in ipairs(suites) do suite.file = suite.file or script end
    flags.give(given.flags)
    flags.fill(values or {}, known)
    given.flags_in_use = next(known) and values
    return require("tare.cli." .. (is_list and "list" or "run")).run(given,
      complain)
  end)
end

return cli
