-- The options that several commands share, as argparse knows them.
local options = require "tare.base.options"

local arguments = {}

local FORMATS = "text, markdown, csv, json, html, junit, gbench, pyperf, bmf "
  .. "or action"

local function flag_name(name) return "--" .. (name:gsub("_", "-")) end

local function sentence(help) return (help:gsub("^%l", string.upper)) .. "." end

-- An option that is true or false: the flag asks for what is not the default.
local function add_flag(command, definition)
  local wanted = definition.default ~= true
  command:flag(flag_name((wanted and "" or "no_") .. definition.name))
    :target(definition.name):description(sentence(definition.help))
    :action(function(result) result[definition.name] = wanted end)
end

local function add_option(command, definition)
  if not definition.metavar then return add_flag(command, definition) end
  local text = sentence(definition.help)
  if definition.default ~= nil then -- as argparse says it
    text = ("%s (default: %s)"):format(text, tostring(definition.default))
  end
  local option = command:option(flag_name(definition.name))
    :argname("<" .. definition.metavar:lower() .. ">"):description(text)
  if definition.name == "regress" then option:count("*") end
end

--- The options of tare.base.options; their texts are read there, not here.
---@param command table of argparse
---@param only table<string, boolean>? names; all, unless told
function arguments.measuring(command, only)
  for _, definition in ipairs(options) do
    if not only or only[definition.name] then
      add_option(command, definition)
    end
  end
end

local function open(result, output)
  result.outputs = result.outputs or {}
  table.insert(result.outputs, output)
end

-- '--format F' opens an output; '-o FILE' says where the last one goes.
local function add_formats(command)
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
end

--- Where a report goes and what it looks like.
---@param command table
function arguments.outputs(command)
  add_formats(command)
  command:option("--columns", "Columns in place of the usual ones, like "
    .. "time,+net,bytes; + adds the interval.")
    :argname("<a,b,+c>")
  command:option("--sort", "Order: name or a column; --sort=-time descends.")
    :argname("<column>")
  command:option("--color", "Colours: auto, always or never.")
    :choices { "auto", "always", "never" }:default "auto"
  command:flag("--ascii", "No characters beyond ASCII.")
  command:flag("--explain", "Say what each column means.")
  command:flag("--raw", "Samples too, where a format can hold them.")
  command:flag("-q --quiet",
    "No progress; no table if the results go elsewhere.")
end

--- Which benches of the files.
---@param command table
function arguments.choosing(command)
  command:option("--filter", "Only ids that match; !GLOB leaves out.")
    :argname("<glob>"):count("*")
  command:option("--match", "How --filter matches: glob, prefix or pattern.")
    :choices { "glob", "prefix", "pattern" }:default "glob"
  command:option("--param", "Values of a parameter, like n=10,100.")
    :argname("<name=a,b>"):count("*")
end

--- What is held against another report.
---@param command table
function arguments.judging(command)
  command:option("--fail-on", "Exit with 3 if met, like 'time>5%,allocs>0'.")
    :argname("<rules>")
  command:flag("--force", "Compare what the fingerprints forbid to, too.")
end

return arguments
