-- Child processes that run this very tare: the same interpreter, the same
-- modules, wherever they are started.
local child = {}

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

--- What starts this tare again with such arguments; relative entries of Lua's
--- paths stay relative to the child's folder.
---@param arguments string[] of the command line, like { "run", "x.lua" }
---@return { file: string, args: string[], env: string[] }? command
---@return string? message
function child.tare(arguments)
  local _, script = own_path()
  if not script then
    return nil, "can't start itself again: tare/cli/bin.lua is not on the path"
  end
  local args = { script }
  for _, argument in ipairs(arguments) do args[#args + 1] = argument end
  return { file = require("luv").exepath(), args = args, env = environment() }
end

-- Reads a pipe to its end into a list of pieces.
local function collect(pipe, pieces)
  pipe:read_start(function(_, data)
    if data then
      pieces[#pieces + 1] = data
    else
      pipe:close()
      pieces.ended = true
    end
  end)
end

local function spawn(uv, command, options, state)
  local out, err = uv.new_pipe(false), uv.new_pipe(false)
  local handle, pid = uv.spawn(command.file, { args = command.args,
    env = command.env, cwd = options.cwd, stdio = { nil, out, err } },
    function(code, signal) state.code, state.signal = code, signal end)
  if not handle then
    out:close()
    err:close()
    return nil, ("%s: %s"):format(command.file, tostring(pid))
  end
  collect(out, state.out)
  collect(err, state.err)
  return handle
end

-- Waits for the child; one that should stop is asked to.
local function wait(uv, handle, options, state)
  local asked
  while not (state.code and state.out.ended and state.err.ended) do
    uv.run("once")
    if not asked and options.should_stop and options.should_stop() then
      asked = true
      handle:kill("sigterm")
    end
  end
  handle:close()
  uv.run("nowait")
end

--- Runs a command to its end and gathers what it prints.
---@param command { file: string, args: string[], env: string[]? }
---@param options { cwd: string?, should_stop: (fun(): boolean)? }? should_stop
---  is asked whenever the loop of luv wakes up; the child is then terminated
---@return { code: integer, signal: integer, out: string, err: string }?
---@return string? message
function child.run(command, options)
  local uv = require "luv"
  local state = { out = {}, err = {} }
  local handle, message = spawn(uv, command, options or {}, state)
  if not handle then return nil, message end
  wait(uv, handle, options or {}, state)
  return { code = state.code, signal = state.signal,
    out = table.concat(state.out), err = table.concat(state.err) }
end

return child
