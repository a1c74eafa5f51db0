-- What starts this very program again: the same interpreter, the same modules,
-- wherever it is started.
local itself = {}

-- First file that a path of templates finds for a module; absolute.
local function find(name, templates)
  local uv = require "luv"
  local file = name:gsub("%.", "/")
  for template in templates:gmatch("[^;]+") do
    local found = uv.fs_realpath((template:gsub("%?", file)))
    if found then return found end
  end
end

-- The folder above the module's file, as templates to find all of tare by.
local function own_path()
  local found = find("tare.cli.bin", package.path)
  local root = found and found:match("^(.*)/tare/cli/bin%.lua$")
  return root and ("%s/?.lua;%s/?/init.lua;"):format(root, root) or "", found
end

local function own_cpath()
  local found = find("tare.core", package.cpath)
  local root, ending = (found or ""):match("^(.*)/tare/core(%.%w+)$")
  return root and ("%s/?%s;"):format(root, ending) or ""
end

-- The environment of this process, but for what names Lua's paths.
local function environment()
  local list, path = {}, own_path()
  for name, value in pairs(require("luv").os_environ()) do
    if not name:find("^LUA_C?PATH") then
      list[#list + 1] = name .. "=" .. value
    end
  end
  list[#list + 1] = "LUA_PATH=" .. path .. package.path
  list[#list + 1] = "LUA_CPATH=" .. own_cpath() .. package.cpath
  return list
end

local function command(args, arguments)
  for _, argument in ipairs(arguments) do args[#args + 1] = argument end
  return { file = require("luv").exepath(), args = args, env = environment() }
end

--- What starts this tare again with such arguments; relative entries of Lua's
--- paths stay relative to the child's folder.
---@param arguments string[] of the command line, like { "run", "x.lua" }
---@return { file: string, args: string[], env: string[] }? command
---@return string? message
function itself.tare(arguments)
  local _, script = own_path()
  if not script then
    return nil, "can't start itself again: tare/cli/bin.lua is not on the path"
  end
  return command({ script }, arguments)
end

--- What starts the program that runs now again: the script, under the options
--- that its interpreter was given.
---@param arguments string[] of the script
---@param arg table? the global of that name, unless told
---@return { file: string, args: string[], env: string[] }? command
---@return string? message
function itself.script(arguments, arg)
  arg = arg or rawget(_G, "arg")
  if type(arg) ~= "table" or not arg[0] or not arg[-1] then
    return nil, "can't start itself again: 'arg' names no script"
  end
  local first, args = -1, {}
  while arg[first - 1] do first = first - 1 end
  for i = first + 1, 0 do args[#args + 1] = arg[i] end
  return command(args, arguments)
end

return itself
