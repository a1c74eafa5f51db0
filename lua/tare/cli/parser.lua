-- Reads the command line with argparse.
local argparse = require "argparse"
local arguments = require "tare.cli.arguments"
local core = require "tare.core"
local settings = require "tare.cli.settings"

local parser = {}

local function whole(text)
  local number = tonumber(text)
  if number and number >= 0 and number <= 100 and number % 1 == 0 then
    return number
  end
  return nil, ("--confirm: '%s' is not a whole number from 0 to 100"):format(
    text)
end

-- 'inside' adds what only tare itself says: completion is not to offer it.
local function add_run(command, inside)
  arguments.choosing(command)
  arguments.measuring(command)
  arguments.outputs(command)
  arguments.judging(command)
  command:option("--save", "Store the report."):argname("<file>")
  command:option("--baseline", "A stored report to compare with.")
    :argname("<file>")
  command:option("--confirm", "How often a noisy gate that was met is "
    .. "measured again, in fresh processes; 0: never.")
    :argname("<n>"):default "2":convert(whole)
  command:option("--shard", "One part of the benches, like 1/4.")
    :argname("<i/n>")
  command:option("--resume", "Keep what this stored report has, add the rest.")
    :argname("<file>")
  command:option("--progress", "Progress on stderr: auto or never.")
    :choices { "auto", "never" }:default "auto"
  if inside then command:option("--child"):hidden(true) end -- a job
  command:flag("--dry-run", "Call each bench once; measure nothing.")
end

local function run(command, inside)
  command:argument("files", "Bench files, or folders of *_bench.lua.")
    :args("+")
  add_run(command, inside)
end

local function list(command)
  command:argument("files", "Bench files or folders."):args("+")
  arguments.choosing(command)
end

local function compare(command)
  command:argument("files", "Two stored reports; bench files with --ref.")
    :args("+")
  command:option("--ref", "Measure bench files against this git revision.")
    :argname("<rev>")
  arguments.choosing(command)
  arguments.measuring(command)
  arguments.outputs(command)
  arguments.judging(command)
end

local function report(command)
  command:argument("file", "A stored report.")
  arguments.measuring(command, settings.OF_ANALYSIS)
  arguments.outputs(command)
end

local function merge(command)
  command:argument("files", "Stored reports of shards."):args("+")
  arguments.outputs(command)
end

local function environment(command)
  command:flag("--json", "As JSON.")
end

local function starting(command)
  command:flag("--ci", "A workflow too, that compares a change with its base.")
end

local SHELLS = { "bash", "zsh", "fish" }

local function completion(command)
  command:argument("shell", "bash, zsh or fish."):choices(SHELLS)
end

-- Every command: its name, what it does, what it takes.
local COMMANDS = {
  { "run", "Measure the suites of bench files.", run },
  { "list", "Print the ids of benches, one a line.", list },
  { "compare", "Hold a report, or the code, against another.", compare },
  { "report", "Render a stored report in any format.", report },
  { "merge", "Make one report of the reports of shards.", merge },
  { "env", "What makes this machine noisy, and what helps.", environment },
  { "init", "Write a first bench, never over a file.", starting },
  { "completion", "Print what completes commands in a shell.", completion },
}

local function new_parser(inside)
  local top = argparse("tare",
    "Benchmarks for Lua, with the collector's part of every cost.")
  top:command_target("command")
  top:flag("--version", "Print the version."):action(function()
    io.stdout:write("tare ", core.version, "\n")
    os.exit(0)
  end)
  for _, entry in ipairs(COMMANDS) do
    entry[3](top:command(entry[1], entry[2]), inside)
  end
  return top
end

-- argparse speaks of usage over several lines; ours is one sentence.
local function parse(with, given)
  local copy = {}
  for i = 1, #given do copy[i] = given[i] end
  local ok, result = with:pparse(copy)
  if ok then return result end
  local sentence = tostring(result):gsub("%s*\n%s*", ". ")
  return nil, ("%s (see 'tare --help')"):format(sentence)
end

--- Reads the arguments of the command.
---@param given string[]
---@return table? given
---@return string? message
function parser.parse(given) return parse(new_parser(true), given) end

--- Reads the arguments of a bench file that runs by itself.
---@param given string[]
---@return table? given
---@return string? message
function parser.parse_run(given)
  local command = argparse("bench", "Measure this file's suite.")
  add_run(command, true)
  return parse(command, given)
end

--- What a shell evaluates to complete the words of the command.
---@param shell "bash"|"zsh"|"fish"
---@return string
function parser.completion(shell)
  local top = new_parser()
  return top[("get_%s_complete"):format(shell)](top)
end

return parser
