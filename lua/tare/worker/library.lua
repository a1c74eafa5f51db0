-- A private copy of the standard library for tare's modules, in a process that
-- runs benches. Modules loaded after keep() use it, so that benches may change
-- the library without affecting tare.
local library = {}

--- Exit codes of a launch that finds no core, and of one whose core was built
--- from other sources than the conductor's.
library.NO_CORE, library.OTHER_CORE = 97, 98

--- The version of a core and the checksum of the sources that it was built
--- from. A core that LuaRocks has built has no checksum.
---@param core table tare.core
---@return string
function library.sources_of(core)
  return core.version .. " " .. (core.sources or "")
end

--- Whether a core can replace another one: it has the same version and, where
--- both have one, the same checksum.
---@param core table tare.core
---@param other string of sources_of(), for the other core
---@return boolean
function library.is_like(core, other)
  local version, sources = other:match "^(%S*) ?(.*)$"
  return version == core.version
    and (sources == "" or not core.sources or sources == core.sources)
end

local next, type, rawget, rawset = next, type, rawget, rawset
local getmetatable, io_open = getmetatable, io.open
local loadfile, setfenv = loadfile, rawget(_G, "setfenv")
local set_metatable = type(rawget(_G, "debug")) == "table"
  and debug.setmetatable or nil
local public_string, methods = string, getmetatable ""
local own -- the globals that tare's modules see

-- The globals, with copies of the libraries among them.
local function copy()
  local globals = {}
  for name, value in next, _G do
    if type(value) == "table" and value ~= _G and value ~= package then
      local fields = {}
      for field, item in next, value do fields[field] = item end
      value = fields
    end
    globals[name] = value
  end
  globals._G = globals
  return globals
end

local function load_own(path)
  if not setfenv then return loadfile(path, "bt", own) end
  local chunk, message = loadfile(path)
  return chunk and setfenv(chunk, own), message
end

--- Loads tare's modules with a library of their own from now on.
---@param root string the folder that 'tare' is in
function library.keep(root)
  own = copy()
  local function search(name)
    if name ~= "tare" and name:sub(1, 5) ~= "tare." then return nil end
    local stem = root .. "/" .. name:gsub("%.", "/")
    for _, path in next, { stem .. ".lua", stem .. "/init.lua" } do
      local file = io_open(path, "rb")
      if file then
        file:close()
        local chunk, message = load_own(path)
        if not chunk then error(message, 0) end
        return chunk, path
      end
    end
  end
  table.insert(package.searchers or package.loaders, 2, search)
end

--- Restores string methods that a bench has removed, as far as tare's modules
--- need them: all code of a process shares these.
function library.mend_strings()
  if getmetatable "" ~= methods and set_metatable then
    set_metatable("", methods)
  end
  if type(rawget(methods, "__index")) ~= "table" then
    rawset(methods, "__index", public_string)
  end
  for name, method in next, own.string do
    if rawget(public_string, name) == nil then
      rawset(public_string, name, method)
    end
  end
end

return library
