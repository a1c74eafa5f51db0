-- What a command line is refused with: what was wrong and what would be right,
-- in one sentence.
local files = require "tare.cli.files"
local nearest = require "tare.base.nearest"
local read_file = require("tare.base.files").read
local report = require "tare.report"

local refusal = {}

-- COMMANDS -------------------------------------------------------------------

-- Words of other programs, and ours.
local COMMAND_FOR = { bench = "run", measure = "run", test = "run",
  exec = "run", start = "run", diff = "compare", cmp = "compare",
  show = "report", view = "report", render = "report", ls = "list",
  new = "init", info = "env", version = "--version" }

-- What is right in place of a word that is no command.
local function instead_of(word, commands)
  local path = files.near(word)
  if path then return ("; to measure it: tare run %s"):format(path) end
  if word:find "[%s()]" then
    return ("; to measure an expression: tare -e '%s'"):format(word)
  elseif word:find "%.json$" then
    return ("; to show a stored report: tare report %s"):format(word)
  elseif word:find "[./]" then
    return ("; to measure a file: tare run %s"):format(word)
  elseif COMMAND_FOR[word] then
    return ("; did you mean '%s'?"):format(COMMAND_FOR[word])
  end
  local names, known = {}, { help = true }
  for i, command in ipairs(commands) do
    names[i], known[command._name] = command._name, true
  end
  local hint = nearest.hint(word, known)
  if hint ~= "" then return hint end
  return (" (there are %s)"):format(table.concat(names, ", "))
end

-- OPTIONS --------------------------------------------------------------------

-- Options of other programs, and ours.
local TIME, CALLS, LAUNCHES = "--quota 2s", "--quota 1000x", "--launches 3"
local OPTION_FOR = { ["--time"] = TIME, ["--duration"] = TIME, ["-t"] = TIME,
  ["--seconds"] = TIME, ["-n"] = CALLS, ["--runs"] = CALLS,
  ["--repeat"] = LAUNCHES, ["--processes"] = LAUNCHES,
  ["--count"] = CALLS, ["--samples"] = CALLS,
  ["--iterations"] = CALLS, ["--compare"] = "--baseline FILE.json",
  ["--threshold"] = "--fail-on 'time>5%'", ["--grep"] = "--filter",
  ["--only"] = "--filter", ["--list"] = "tare list", ["-v"] = "--version",
  ["-V"] = "--version", ["--out"] = "-o" }

-- Options that ask for several benches at a time.
local PARALLEL = { ["-j"] = true, ["--jobs"] = true, ["--parallel"] = true,
  ["--threads"] = true }

--- Whether a command of the parser has an option.
---@param command table
---@param name string with its dashes
---@return boolean
function refusal.has_option(command, name)
  for _, option in ipairs(command._options) do
    for _, alias in ipairs(option._aliases) do
      if alias == name then return true end
    end
  end
  return false
end

-- Where an option that is unknown here may be a bench file's own (tare.main),
-- how to give it.
local function own_option(option, words)
  local flag = option:match "^%-%-([%w_-]+)$"
  local name = (flag or "-"):gsub("^no%-", ""):gsub("-", "_")
  for _, word in ipairs(flag and words or {}) do
    local text = word:find "%.lua$" and read_file(word) or ""
    if text:find("main", 1, true) and text:find("flags", 1, true)
      and text:find("%f[%w_]" .. name .. "%f[^%w_]") then
      return ("; a file's own options are known where it runs by itself: "
        .. "lua %s %s"):format(word, option)
    end
  end
end

-- What is right in place of an option that a command does not have.
local function instead_of_option(option, with, given, command)
  local own = own_option(option, given)
  if own then return own end
  if PARALLEL[option] then
    return "; benches that run side by side would disturb each other; for "
      .. "several machines there is --shard 1/4"
  end
  local ours = OPTION_FOR[option]
  local format = option:match "^%-%-(%l+)$"
  if not ours and format and report.extension(format) then
    ours = "--format " .. format
  end
  local name = (ours or ""):match "^%-[^ ]+"
  if ours and (not name or refusal.has_option(command or with, name)
    or name == "--version") then
    return ("; did you mean '%s'?"):format(ours)
  end
  local others = {}
  for _, other in ipairs(with._commands) do
    if refusal.has_option(other, option) then
      others[#others + 1] = ("'tare %s'"):format(other._name)
    end
  end
  return others[1] and ("; it is an option of %s"):format(
    table.concat(others, " and ")) or nil
end

-- That an option can be given once, and the values that it was given.
local function given_twice(option, words)
  local values = {}
  for i, word in ipairs(words) do
    local value = word:sub(1, #option + 1) == option .. "="
      and word:sub(#option + 2) or word == option and words[i + 1]
    values[#values + 1] = value or nil
  end
  return ("option '%s' can be given once, but was given %d times: %s"):format(
    option, #values, table.concat(values, ", "))
end

-- ARGUMENTS ------------------------------------------------------------------

-- The last word that belongs to no option.
local function last_plain(words, with)
  local takes_none = {}
  for _, option in ipairs(with._options) do
    for _, name in ipairs(option._maxargs == 0 and option._aliases or {}) do
      takes_none[name] = true
    end
  end
  for i = #words, 1, -1 do
    local before = words[i - 1] or ""
    if words[i]:sub(1, 1) ~= "-"
      and (before:sub(1, 1) ~= "-" or takes_none[before]) then
      return words[i]
    end
  end
end

local function without_files(words)
  for i, word in ipairs(words) do
    if word == "--ref" and words[i + 1] then
      return ("compare: names no bench file beside --ref %s, like 'tare "
        .. "compare --ref HEAD x_bench.lua'"):format(words[i + 1])
    end
  end
  return "compare: needs two stored reports, NEW.json OLD.json, or --ref "
    .. "REVISION and bench files"
end

--- The sentence for what argparse refuses.
---@param said string by argparse, over several lines
---@param with table the parser
---@param given string[] the words
---@param first string the first of them, or "" where no commands are
---@return string message
function refusal.of(said, with, given, first)
  local text = said:gsub("%s*\n%s*", ". ")
  local command
  for _, one in ipairs(with._commands) do
    if one._name == first then command = one end
  end
  local unknown = text:match "^unknown command '(.*)'$"
    or text:match "^unknown command '(.-)'%. Did you mean"
  if unknown then
    return ("unknown command '%s'%s"):format(unknown,
      instead_of(unknown, with._commands))
  end
  local twice = text:match "^option '(.-)' must be used at most 1 time$"
  if twice then return given_twice(twice, given) end
  if first == "compare" and text == "missing argument 'files'" then
    return without_files(given)
  end
  local extra = text == "too many arguments"
    and last_plain(given, command or with)
  if extra then
    text = ("'%s' is one argument too many"):format(extra)
    local columns
    for i, word in ipairs(given) do
      columns = word:match "^%-%-columns=(.*)$"
        or word == "--columns" and given[i + 1] or columns
    end
    local hint = files.mistaken(extra, { columns = columns })
    if hint then
      text = text .. hint
    elseif first == "report" then
      text = text .. "; 'tare compare NEW.json OLD.json' shows two reports"
    end
  end
  local option = text:match "^unknown option '(.-)'"
  local hint = option and instead_of_option(option, with, given, command)
  if hint or option and #option == 2 then -- letters are near to any other
    text = ("unknown option '%s'%s"):format(option, hint or "")
  end
  if first == "" then return text .. " (see --help)" end
  return ("%s (see 'tare %s--help')"):format(text, command and first .. " "
    or "")
end

return refusal
