-- Reads the command line with argparse. Options of the measurement are data
-- (tare.base.options); here is which command takes which, and in what group
-- its help shows them.
local EXIT = require "tare.cli.exit"
local argparse = require "argparse"
local core = require "tare.core"
local compat = require "tare.base.compat"
local nearest = require "tare.base.nearest"
local options = require "tare.base.options"
local paths = require "tare.base.paths"
local profiles = require "tare.report.profiles"
local refusal = require "tare.cli.refusal"
local report = require "tare.report"
local settings = require "tare.cli.settings"

local parser = {}

-- OPTIONS OF THE MEASUREMENT -------------------------------------------------

local function flag_name(name) return "--" .. (name:gsub("_", "-")) end

local function sentence(help) return (help:gsub("^%l", string.upper)) .. "." end

-- An option that is true or false: the flag asks for what is not the default.
local function add_flag(command, definition, target, text)
  local wanted = definition.default ~= true
  return command:flag(flag_name((wanted and "" or "no_") .. definition.name))
    :target(target):description(text)
    :action(function(result) result[target] = wanted end)
end

local function add_option(command, definition)
  local text = sentence(definition.help)
  if not definition.metavar then
    return add_flag(command, definition, definition.name, text)
  end
  if definition.default ~= nil then -- as argparse says it
    text = ("%s (default: %s)"):format(text, tostring(definition.default))
  end
  local option = command:option(flag_name(definition.name))
    :argname("<" .. definition.metavar:lower() .. ">"):description(text)
  if definition.name == "regress" then option:count("*") end
  return option
end

local SECTION_OF = {
  quota = "how long", precision = "how long", warmup = "how long",
  launches = "how long", timeout = "how long", patience = "how long",
  tolerance = "compare", confidence = "compare",
  gc = "collector", gc_mode = "collector", split = "collector",
  discard = "collector", memory_cap = "collector",
  jit = "what", regress = "report", net_of_loop = "report",
  instructions = "report", profile = "report",
}

local SHORT_OF_COLLECTOR = { pause = "gc_pause",
  stepmul = "gc_step_multiplier", step_multiplier = "gc_step_multiplier",
  stepsize = "gc_step_size", step_size = "gc_step_size",
  minormul = "gc_minor_multiplier", minor_multiplier = "gc_minor_multiplier",
  majormul = "gc_major_multiplier", major_multiplier = "gc_major_multiplier" }

-- Not in the help: settings of the collector, which --gc-set sets; and
-- 'yields', since no host resumes a bench of the command line.
local HIDDEN = { yields = true }
for _, name in pairs(SHORT_OF_COLLECTOR) do HIDDEN[name] = true end

-- "pause=200,stepmul=400": each a setting of the collector.
local function read_collector(text)
  local read = {}
  for part in text:gmatch("[^,]+") do
    local name, value = part:match("^%s*([%w_]+)%s*=%s*(%S+)%s*$")
    local option = SHORT_OF_COLLECTOR[name or ""]
    if not option then
      return nil, ("--gc-set: '%s' is not a setting like pause=200%s"):format(
        part, nearest.hint(name or "", SHORT_OF_COLLECTOR))
    end
    local ok, message = options.read(option, value)
    if ok == nil then return nil, ("--gc-set %s: %s"):format(name, message) end
    read[option] = value
  end
  return read
end

-- What a switch may be set to; its name alone sets it.
local SWITCH = { [""] = true, on = true, ["true"] = true, yes = true,
  off = false, ["false"] = false, no = false }

-- "name=value": any option of the measurement by its name.
local function read_any(text)
  local name, value = text:match("^([%w_%-]+)=?(.*)$")
  local definition = options.by_name[(name or ""):gsub("-", "_")]
  if not definition then
    return nil, ("-X: no such option: '%s'%s"):format(name or text,
      nearest.hint(name or "", options.by_name))
  end
  if definition.metavar and value == "" then
    return nil, ("-X: '%s' needs a value, like -X %s=%s"):format(name, name,
      definition.metavar)
  elseif definition.metavar then
    local ok, message = options.read(definition.name, value)
    if ok == nil then return nil, ("-X %s: %s"):format(name, message) end
    return { [definition.name] = value }
  end
  if SWITCH[value] == nil then
    return nil, ("-X %s: '%s' is not on or off"):format(name, value)
  end
  return { [definition.name] = SWITCH[value] }
end

local function take_all(result, _, read)
  for name, value in pairs(read) do result[name] = value end
end

-- GROUPS OF OPTIONS THAT COMMANDS SHARE --------------------------------------

local GROUPS = { "what", "how long", "compare", "collector", "report",
  "expert" }

local function measuring(command, add, only)
  for _, definition in ipairs(options) do
    if not only or only[definition.name] then
      local option = add_option(command, definition)
      if HIDDEN[definition.name] then
        option:hidden(true)
      else
        add(SECTION_OF[definition.name] or "expert", option)
      end
    end
  end
  if only then return end
  add("report", command:flag("--machine-instructions",
    "Count instructions of the processor per call, in one more process for "
    .. "each bench, under valgrind."))
  add("collector", command:option("--gc-set",
    "Settings of the collector: pause, stepmul, stepsize, minormul, majormul.")
    :argname("<name=n,...>"):count("*"):convert(read_collector)
    :action(take_all))
  add("expert", command:option("-X",
    "Any option by its name, like -X order=sequential.")
    :argname("<name=value>"):count("*"):convert(read_any):action(take_all))
end

-- Of an option that is given more than once: all values, as one text.
local function collected(separator)
  return function(result, target, value)
    local before = result[target]
    result[target] = before and before .. separator .. value or value
  end
end

local AS_LIST = collected ","

local function open(result, output)
  result.outputs = result.outputs or {}
  table.insert(result.outputs, output)
end

-- Reads a whole number of an option, within bounds.
local function whole(option, least, most)
  return function(text)
    local number = text:find "^%d+$" and tonumber(text)
    if number and number >= least and number <= most then
      return number
    end
    return nil, ("%s: '%s' is not a whole number from %d to %d"):format(option,
      text, least, most)
  end
end

-- '--format F' opens an output; '-o FILE' says where the last one goes.
local function outputs(command, add)
  add("report", command:option("-f --format", "Format of a report: "
    .. table.concat(report.formats(), ", ") .. "."):argname("<format>")
    :count("*")
    :action(function(result, _, value) open(result, { format = value }) end))
  add("report", command:option("-o --output",
    "File that the last --format goes to."):argname("<file>"):count("*")
    :action(function(result, _, value)
      local last = result.outputs and result.outputs[#result.outputs]
      if last and not last.file then
        last.file = paths.forward(value)
      else
        open(result, { file = paths.forward(value) })
      end
    end))
  add("report", command:flag("-q --quiet",
    "No progress; no table if --save, --resume, --format, -o or --fail-on "
    .. "takes the results. Failures are named on stderr."))
  add("report", command:option("--color", "Colours: auto, always or never.")
    :choices { "auto", "always", "never" }:default "auto")
  add("report", command:option("--width",
    "Width of lines in characters (default: COLUMNS, or the terminal's).")
    :argname("<n>")
    :convert(whole("--width", 20, 10000))) -- fewer hold no table
  add("expert", command:flag("--ascii", "No characters beyond ASCII."))
end

-- What a report of benches shows, and how.
local function shown(command, add)
  add("report", command:option("--columns", "Columns in place of the usual "
    .. "ones, like time,+net,bytes; a leading comma adds to the usual ones, + "
    .. "adds the interval; all: every one.")
    :argname("<a,b,+c>"):action(AS_LIST))
  add("report", command:option("--sort",
    "Order: name or a column; --sort=-time descends."):argname("<column>"))
  add("report", command:option("--by", "What folded stacks count: "
    .. table.concat(profiles.WEIGHTS, ", ") .. ".")
    :argname("<what>"):choices(profiles.WEIGHTS))
  add("report", command:flag("--plot", "Plots of sweeps and comparisons."))
  add("report", command:flag("--explain", "Say what each column means."))
  add("expert", command:flag("--raw",
    "Samples too, where a format can hold them."))
end

local function choosing(command, add)
  add("what", command:option("--filter", "Only benches whose id matches: part "
    .. "of the id, or a glob over the whole id; !TEXT excludes.")
    :argname("<text>"):count("*"))
  add("what", command:option("--match",
    "How --filter matches: glob, prefix or pattern.")
    :choices { "glob", "prefix", "pattern" }:default "glob")
  add("what", command:option("--param", "Values of a parameter, like n=10,100.")
    :argname("<name=a,b>"):count("*"))
end

local function judging(command, add)
  add("compare", command:option("--fail-on",
    "Exit with 3 if a gate fails, like 'time>5%,allocs>0'.")
    :argname("<rules>"):action(AS_LIST))
  add("compare", command:flag("--force",
    "Compare even what the fingerprints of machine and Lua forbid."))
end

local function storing(command, add, can_resume)
  add("report", command:option("--save", "Store the report.")
    :argname("<file>"):overwrite(false):convert(paths.forward))
  if can_resume then
    add("report", command:option("--resume",
      "Keep what this stored report has, add the rest."):argname("<file>")
      :overwrite(false):convert(paths.forward))
  end
  add("report", command:option("--progress",
    "Progress on stderr: auto or never."):choices { "auto", "never" }
    :default "auto")
end

local function add_run(command, add)
  choosing(command, add)
  add("what", command:option("--lua", "Interpreters to measure on, side by "
    .. "side, like lua5.4,luajit or 'luajit -joff'."):argname("<a,b>")
    :action(AS_LIST))
  add("what", command:option("--shard", "One part of the benches, like 1/4.")
    :argname("<i/n>"):overwrite(false))
  add("what", command:flag("--dry-run",
    "Call each bench once; measure nothing."))
  add("what", command:flag("--watch",
    "Measure again whenever a Lua file changes, until Ctrl-C."))
  add("what", command:option("--iters", "Call each bench N times and measure "
    .. "nothing (for perf and valgrind)."):argname("<n>"))
  add("compare", command:option("--baseline",
    "A stored report to compare with."):argname("<file>")
    :overwrite(false):convert(paths.forward))
  add("compare", command:option("--confirm", "How often a failed gate on a "
    .. "noisy figure is measured again, in fresh processes; 0: never.")
    :argname("<n>"):default "2"
    :convert(whole("--confirm", 0, 100)))
  storing(command, add, true)
  measuring(command, add)
  outputs(command, add)
  shown(command, add)
  judging(command, add)
end

-- COMMANDS -------------------------------------------------------------------

local function run(command, add)
  command:usage("Usage: tare run [options] FILE...\n"
    .. "       tare -e 'LUA' [-e 'LUA']... [-s 'SETUP'] [options]")
  command:argument("files", "Bench files, folders of *_bench.lua, FILE:NAME, "
    .. "or - for a bench file on standard input."):args("*")
    :convert(paths.forward)
  add("what", command:option("-e --expression",
    "A bench from the command line; several are compared.")
    :argname("<lua>"):count("*"))
  add("what", command:option("-s --setup", "Lua that runs once before the "
    .. "expressions, which see its local variables."):argname("<lua>")
    :action(collected "\n"))
  add_run(command, add)
end

local function list(command, add)
  command:argument("files", "Bench files or folders, or - for a bench file "
    .. "on standard input."):args("+"):convert(paths.forward)
  choosing(command, add)
end

local function compare(command, add)
  command:usage("Usage: tare compare [options] NEW.json OLD.json\n"
    .. "       tare compare --ref REVISION [options] FILE...")
  command:argument("files", "Two stored reports; bench files with --ref.")
    :args("+"):convert(paths.forward)
  add("compare", command:option("--ref",
    "Measure bench files in lockstep with this git revision.")
    :argname("<rev>"):count("*"))
  storing(command, add)
  choosing(command, add)
  measuring(command, add)
  outputs(command, add)
  shown(command, add)
  judging(command, add)
end

local function report_command(command, add)
  command:argument("file", "A stored report."):convert(paths.forward)
  measuring(command, add, settings.OF_ANALYSIS)
  outputs(command, add)
  shown(command, add)
end

local function frames(command, add)
  command:usage("Usage: tare frames [options] CAPTURE.json [OLD.json]")
  command:argument("files", "What a recorder of frames knew, as JSON; with a "
    .. "second one it is compared with that."):args("1-2")
  outputs(command, add)
  add("compare", command:option("--fail-on",
    "Exit with 3 if a gate fails, like 'p99>20ms,over>1%'; with two captures "
    .. "by how much the first may be worse.")
    :argname("<rules>"):action(AS_LIST))
end

local function merge(command, add)
  command:argument("files", "Stored reports of shards."):args("+")
    :convert(paths.forward)
  outputs(command, add)
  shown(command, add)
end

local function environment(command)
  command:flag("--json", "As JSON.")
  command:flag("--reset",
    "Forget the reference clock that is remembered of this machine.")
end

local function starting(command)
  command:flag("--ci", "A workflow too, that compares a change with its base.")
  command:option("--from", "With --ci: the git repository that tare is "
    .. "installed from, in place of LuaRocks."):argname("<url>")
end

local SHELLS = { "bash", "zsh", "fish" }

local function completion(command)
  command:argument("shell", "bash, zsh or fish."):choices(SHELLS)
end

-- Every command: its name, what it does, what it takes.
local COMMANDS = {
  { "run", "Measure the suites of bench files, or expressions (-e).", run },
  { "list", "Print the ids of benches, one per line.", list },
  { "compare", "Compare two reports, or the code with another revision.",
    compare },
  { "report", "Render a stored report in any format.", report_command },
  { "frames", "Show the frames of a session, or compare them.", frames },
  { "merge", "Make one report of the reports of shards.", merge },
  { "env", "What disturbs measurements on this machine, and what helps.",
    environment },
  { "init", "Write a first bench, never over a file.", starting },
  { "completion", "Print what completes commands in a shell.", completion },
}

-- 'fill' adds options through a function that puts each in a section of the
-- command's help.
local function add_to(command, fill)
  local sections = {}
  fill(command, function(group, option)
    sections[group] = sections[group] or {}
    table.insert(sections[group], option)
  end)
  for _, group in ipairs(GROUPS) do
    if sections[group] then
      command:group((group:gsub("^%l", string.upper)),
        compat.unpack(sections[group]))
    end
  end
end

local function new_parser()
  local top = argparse("tare",
    "Benchmarks for Lua, with the collector's part of every cost.",
    "tare -e 'EXPR' [-e 'EXPR'] measures expressions; "
    .. "tare COMMAND --help says what a command takes.")
  top:command_target("command")
  top:flag("--version", "Print the version."):action(function()
    io.stdout:write("tare ", core.version, "\n")
    os.exit(EXIT.done)
  end)
  for _, entry in ipairs(COMMANDS) do
    add_to(top:command(entry[1], entry[2]), entry[3])
  end
  return top
end

-- argparse speaks of usage over several lines; ours is one sentence, that says
-- what would be right.
local function parse(with, given, first)
  local ok, result = with:pparse(given)
  if ok then return result end
  return nil, refusal.of(tostring(result), with, given, first)
end

-- Options whose value may begin with a dash that is no option: "--sort -time".
local TAKES_DASH = { ["--sort"] = "^%-[%a]", ["--iters"] = "^%-%d",
  ["--confirm"] = "^%-%d", ["-e"] = "^%-", ["--expression"] = "^%-",
  ["-s"] = "^%-", ["--setup"] = "^%-" }
for _, definition in ipairs(options) do
  TAKES_DASH[flag_name(definition.name)] = definition.metavar and "^%-%d"
end

-- The words, with such a value in one word with its option.
local function with_dashes(words)
  local joined = {}
  for _, word in ipairs(words) do
    local pattern = TAKES_DASH[joined[#joined] or 0]
    if pattern and word:find(pattern) then
      joined[#joined] = joined[#joined]
        .. (joined[#joined]:find "^%-%-" and "=" or "") .. word
    else
      joined[#joined + 1] = word
    end
  end
  return joined
end

-- The words of a command line as argparse is given them: 'tare -e X' is
-- 'tare run -e X', 'tare -' is 'tare run -', 'tare help run' is 'tare run
-- --help', and nothing at all asks for help.
local function words_of(given)
  local words, first = with_dashes(given), given[1]
  if first == nil then
    words[1] = "--help"
  elseif first == "help" then
    table.remove(words, 1)
    words[#words + 1] = "--help"
  elseif first == "-" or first:find("^%-[es]") or first == "--expression"
    or first == "--setup" then
    table.insert(words, 1, "run")
  end
  return words
end

--- Reads the arguments of the command.
---@param given string[]
---@return table? given
---@return string? message
function parser.parse(given)
  local words = words_of(given)
  local read, message = parse(new_parser(), words, words[1])
  if read and read.command == "run" and #read.files == 0
    and #(read.expression or {}) == 0 then
    return nil, read.setup
      and "--setup: needs an expression to measure: -e 'LUA'"
      or "run: names no bench file, like 'tare run x_bench.lua', and no "
        .. "expression, like -e 'LUA' (see 'tare run --help')"
  end
  return read, message
end

-- A flag that a bench file adds: a switch where its default is true or false.
local function add_flag_of_file(command, flag)
  local target = "flag of the file " .. flag.name
  local text = flag.help and sentence(flag.help)
  if type(flag.default) == "boolean" then
    return add_flag(command, flag, target, text or "A switch.")
  end
  local is_number = type(flag.default) == "number"
  local option = command:option(flag_name(flag.name)):target(target)
    :argname(is_number and "<n>" or "<text>")
    :description(("%s(default: %s)"):format(text and text .. " " or "",
      tostring(flag.default)))
  if is_number then
    option:convert(function(value)
      local number = tonumber(value)
      if number then return number end
      return nil, ("%s: '%s' is not a number"):format(flag_name(flag.name),
        value)
    end)
  end
  return option
end

-- The name of a file's flag that is one of tare's own.
local function taken_by(command, known)
  for _, flag in ipairs(known) do
    for _, name in ipairs { flag.name, "no_" .. flag.name } do
      if refusal.has_option(command, flag_name(name)) then
        return flag_name(name)
      end
    end
  end
end

--- Reads the arguments of a bench file that runs by itself.
---@param given string[]
---@param known table[] of tare.bench.flags: the file's own
---@param file string? its name
---@param is_list boolean? whether the ids of its benches are to be printed
---@return table? given 'flags': the values of the file's own, by name
---@return string? message
function parser.parse_run(given, known, file, is_list)
  local command = argparse(file or "bench", "Measure this file's suite.",
    "'list' as the first word prints the ids of the benches; 'report "
    .. "FILE.json' renders a stored report.")
  add_to(command, is_list and choosing or add_run)
  local taken = taken_by(command, known)
  if taken then
    return nil, ("tare.main: 'flags': %s is an option of tare; choose another "
      .. "name"):format(taken)
  end
  local own = {}
  for i, flag in ipairs(known) do own[i] = add_flag_of_file(command, flag) end
  if own[1] then command:group("This file's own", compat.unpack(own)) end
  local read, message = parse(command, with_dashes(given), "")
  if not read then return nil, message end
  read.flags = {}
  for _, flag in ipairs(known) do
    read.flags[flag.name] = read["flag of the file " .. flag.name]
  end
  return read
end

--- What a shell evaluates to complete the words of the command.
---@param shell "bash"|"zsh"|"fish"
---@return string
function parser.completion(shell)
  local top = new_parser()
  return top[("get_%s_complete"):format(shell)](top)
end

return parser
