-- Runs what a page of the manual shows, in a folder of its own, quickly: with
-- a small quota, two launches where it says more, and few resamples.
local command = require "spec.support.command"
local quick = require "spec.support.quick"
local snippets = require "spec.support.snippets"

local manual = {}
manual.__index = manual

local LUA = os.getenv("TARE_LUA") or "lua5.4"
local HAS_MODES = _VERSION >= "Lua 5.4" -- of the collector
local quoted = command.quoted

local function root()
  local pipe = io.popen("pwd")
  local path = pipe:read("*l")
  pipe:close()
  return path
end

local function absolute(paths, at)
  return (paths:gsub("[^;]+", function(path)
    return path:sub(1, 1) == "/" and path or at .. "/" .. path
  end))
end

--- A folder in which pages are run.
---@return table manual
function manual.new()
  local self = setmetatable({ root = root(), counts = { lua = 0, commands = 0,
    outputs = 0, parsed = 0, unrun = 0 } }, manual)
  self.folder = command.path()
  local bin = self.folder .. "/.bin"
  os.execute(("mkdir -p %s && ln -s %s/examples %s"):format(quoted(bin),
    self.root, quoted(self.folder)))
  local text = quick.TARE:gsub("@(%u+)@", { LUA = LUA, ROOT = self.root })
  command.write(bin .. "/tare", text)
  command.write(bin .. "/lua", ('#!/bin/sh\nexec %s "$@"\n'):format(LUA))
  command.write(bin .. "/busted",
    ('#!/bin/sh\nexec %s "%s" --ignore-lua "$@"\n'):format(LUA,
      io.popen("command -v busted"):read("*l") or "busted"))
  command.write(bin .. "/quick.lua", quick.LUA)
  os.execute(("chmod +x %s/*; ln -s .bin/tare %s/tare"):format(quoted(bin),
    quoted(self.folder)))
  self.environment = ("COLUMNS=80 PATH=%s:\"$PATH\" LUA_PATH=%s "
    .. "LUA_CPATH=%s"):format(
    quoted(bin), quoted(absolute(os.getenv("LUA_PATH") or "", self.root)),
    quoted(absolute(os.getenv("LUA_CPATH") or "", self.root)))
  return self
end

--- Removes the folder.
function manual:close()
  os.execute("rm -rf " .. quoted(self.folder))
end

-- Runs a line in the page's folder; what it printed, or nil and why not.
function manual:_shell(line, allowed, quota)
  local code, out, err = command.shell(("cd %s && export %s%s && %s"):format(
    quoted(self.folder), self.environment, quota and " QUOTA=" .. quota or "",
    line))
  if code == 0 or code == allowed then return out end
  return nil, ("'%s' ended with %s: %s"):format(line, tostring(code), err)
end

-- What a line needs to be there: a repository whose tree is committed.
function manual:_prepare(line)
  if not line:find("--ref", 1, true) then return end
  os.execute(("cd %s && (git init -q -b main && git add *.lua && git -c "
    .. "user.name=a -c user.email=a@b commit -qm a) >/dev/null 2>&1"):format(
    quoted(self.folder)))
end

local function target_exists(name)
  return ("\n" .. command.read("Makefile")):find("\n" .. name:gsub("%-", "%%-")
    .. ":") ~= nil
end

function manual:_make(line)
  for word in line:gsub("^make%s*", ""):gmatch("%S+") do
    if not word:find("=") and not target_exists(word) then
      return nil, "the Makefile has no target " .. word
    end
  end
  self.counts.parsed = self.counts.parsed + 1
  return ""
end

function manual:_command(line, quota)
  if line:find("^make%f[%s]") then return self:_make(line) end
  local other = line:match("^LUA=(%S+)")
  if other and not io.open(("build/%s/tare/core.so"):format(other))
    or line:find("--gc-mode", 1, true) and not HAS_MODES then
    self.counts.unrun = self.counts.unrun + 1
    return ""
  end
  self:_prepare(line)
  self.counts.commands = self.counts.commands + 1
  return self:_shell(line, line:find("--fail-on", 1, true) and 3, quota)
end

function manual:_sh(block, quota)
  local out, why = ""
  for _, line in ipairs(snippets.commands(block)) do
    out, why = self:_command(line, quota)
    if not out then return nil, why end
  end
  return out
end

local function parent_of(path) return path:match("^(.*)/[^/]*$") or "." end

-- A bench file is run, a spec is run by busted, another file is there for what
-- comes after it.
function manual:_lua_file(name, text)
  os.execute(("mkdir -p %s/%s"):format(quoted(self.folder), parent_of(name)))
  command.write(self.folder .. "/" .. name, text)
  if name:find("_bench%.lua$") then return self:_shell("tare run " .. name) end
  if name:find("_spec%.lua$") then return self:_shell("busted " .. name) end
  return self:_shell(("lua -e 'assert(loadfile(%q))'"):format(name))
end

function manual:_lua(block)
  self.counts.lua = self.counts.lua + 1
  local name = snippets.file_name(block)
  if name then return self:_lua_file(name, block.text) end
  self.program = (block.continues and self.program or "") .. block.text
  command.write(self.folder .. "/snippet.lua", self.program)
  return self:_shell("lua -e 'dofile \".bin/quick.lua\"' snippet.lua")
end

function manual:_json(block)
  self.counts.parsed = self.counts.parsed + 1
  local ok, why = pcall(require("cjson").decode, block.text)
  return ok and "" or nil, why
end

function manual:_yaml(block)
  local has, lyaml = pcall(require, "lyaml")
  if not has then
    self.counts.unrun = self.counts.unrun + 1
    return ""
  end
  self.counts.parsed = self.counts.parsed + 1
  local ok, why = pcall(lyaml.load, block.text)
  return ok and "" or nil, why
end

-- A difference of shapes, where the block shows this interpreter.
function manual:_text(block)
  local shown = snippets.interpreter(block.text) or "Lua"
  if shown ~= (LUA:find("jit") and "LuaJIT" or "Lua") then return "" end
  if not LUA:find("jit") and not LUA:find("5.4", 1, true) then return "" end
  self.counts.outputs = self.counts.outputs + 1
  local expected, got = snippets.shape(block.text),
    snippets.shape(self.printed or "")
  if expected == got then return "" end
  return nil, ("shows\n%s\nand a fresh run prints\n%s"):format(expected, got)
end

local RUN = { sh = manual._sh, lua = manual._lua, json = manual._json,
  yaml = manual._yaml, text = manual._text }

--- Runs all of a page; nil, or what is wrong and in which line.
---@param path string
---@return string?
function manual:page(path)
  local blocks = snippets.of(command.read(path))
  self.program, self.printed = "", ""
  for i, block in ipairs(blocks) do
    local run = RUN[block.lang]
    local shown = blocks[i + 1] and blocks[i + 1].lang == "text"
    if block.skip then
      self.counts.unrun = self.counts.unrun + 1
    elseif not run then
      return ("%s:%d: no way to run '%s'"):format(path, block.line, block.lang)
    else
      local out, why = run(self, block, shown and "300ms")
      if not out then return ("%s:%d: %s"):format(path, block.line, why) end
      self.printed = out
    end
  end
end

return manual
