-- Reads the command line with argparse.
local argparse = require "argparse"
local core = require "tare.core"
local options = require "tare.base.options"

local parser = {}

local FORMATS = "text, markdown, csv, json, html, junit, gbench, pyperf, bmf "
  .. "or action"

local function flag_name(name) return "--" .. (name:gsub("_", "-")) end

-- An option that is true or false: the flag asks for what is not the default.
local function add_flag(command, definition)
  local wanted = definition.default ~= true
  command:flag(flag_name((wanted and "" or "no_") .. definition.name))
    :target(definition.name):description(definition.help)
    :action(function(result) result[definition.name] = wanted end)
end

-- The options of tare.options; their texts are read there, not here.
local function add_measuring(command)
  for _, definition in ipairs(options) do
    if not definition.metavar then
      add_flag(command, definition)
    else
      local text = definition.help
      if definition.default ~= nil then
        text = ("%s [%s]"):format(text, tostring(definition.default))
      end
      local option = command:option(flag_name(definition.name))
        :argname("<" .. definition.metavar:lower() .. ">"):description(text)
      if definition.name == "regress" then option:count("*") end
    end
  end
end

-- '--format F' opens an output; '-o FILE' says where the last one goes.
local function add_outputs(command)
  local function open(result, output)
    result.outputs = result.outputs or {}
    table.insert(result.outputs, output)
  end
  command:option("-f --format", "Format of a report: " .. FORMATS .. ".")
    :argname("<format>"):count("*")
    :action(function(result, _, value) open(result, { format = value }) end)
  command:option("-o --output", "File that the last --format goes to.")
    :argname("<file>"):count("*")
    :action(function(result, _, value)
      local last = result.outputs and result.outputs[#result.outputs]
      if last and not last.file then
        last.file = value
      else
        open(result, { file = value })
      end
    end)
  command:option("--columns", "Columns of the table, like time,+net,bytes.")
    :argname("<a,b,+c>")
  command:option("--sort", "Order of the benches: none, name or time.")
    :choices { "none", "name", "time" }
  command:option("--color", "Colours: auto, always or never.")
    :choices { "auto", "always", "never" }:default "auto"
  command:flag("--ascii", "No characters beyond ASCII.")
  command:flag("--explain", "Say what each column means.")
  command:flag("--raw", "Samples too, where a format can hold them.")
end

local function add_choosing(command)
  command:option("--filter", "Only ids that match; !GLOB leaves out.")
    :argname("<glob>"):count("*")
  command:option("--match", "How --filter matches: glob, prefix or pattern.")
    :choices { "glob", "prefix", "pattern" }:default "glob"
  command:option("--param", "Values of a parameter, like n=10,100.")
    :argname("<name=a,b>"):count("*")
end

local function add_run(command)
  add_choosing(command)
  add_measuring(command)
  add_outputs(command)
  command:option("--save", "Store the report."):argname("<file>")
  command:option("--baseline", "A stored report to compare with.")
    :argname("<file>")
  command:option("--fail-on", "Exit with 3 if met, like 'time>5%,allocs>0'.")
    :argname("<rules>")
  command:option("--shard", "One part of the benches, like 1/4.")
    :argname("<i/n>")
  command:option("--resume", "Keep what this stored report has, add the rest.")
    :argname("<file>")
  command:option("--progress", "Progress on stderr: auto or never.")
    :choices { "auto", "never" }:default "auto"
  command:flag("-q --quiet", "Print nothing but what --format asks for.")
  command:flag("--dry-run", "Call each bench once; measure nothing.")
end

local function new_parser()
  local top = argparse("tare",
    "Benchmarks for Lua, with the collector's part of every cost.")
  top:command_target("command")
  top:flag("--version", "Print the version."):action(function()
    io.stdout:write("tare ", core.version, "\n")
    os.exit(0)
  end)
  local run = top:command("run", "Measure the suites of bench files.")
  run:argument("files", "Bench files, or folders of *_bench.lua."):args("+")
  add_run(run)
  local list = top:command("list", "Print the ids of benches, one a line.")
  list:argument("files", "Bench files or folders."):args("+")
  add_choosing(list)
  return top
end

-- argparse speaks of usage over several lines; ours is one sentence.
local function parse(with, arguments)
  local list = {}
  for i = 1, #arguments do list[i] = arguments[i] end
  local ok, result = with:pparse(list)
  if ok then return result end
  return nil, ("%s (see 'tare --help')"):format(tostring(result))
end

--- Reads the arguments of the command.
---@param arguments string[]
---@return table? given
---@return string? message
function parser.parse(arguments) return parse(new_parser(), arguments) end

--- Reads the arguments of a bench file that runs by itself.
---@param arguments string[]
---@return table? given
---@return string? message
function parser.parse_run(arguments)
  local run = argparse("bench", "Measure this file's suite.")
  add_run(run)
  return parse(run, arguments)
end

return parser
