-- Writes the whole library as two files to drop into an engine: all of csrc in
-- the order of its layers, the Lua part packed in it, and the public header.
--   lua spec/support/amalgam.lua OUT_FOLDER
local pack = require "spec.support.pack"

local LAYERS = { "pure", "platform", "state", "bind", "embed" }
local MODULES = "csrc/embed/modules.c" -- its place is taken by the Lua part
-- Starts and forks processes, which a library in a host does not.
local LEFT_OUT_C = { ["csrc/platform/process.c"] = true,
  ["csrc/bind/bind_process.c"] = true }
-- The Lua part is what these need, without the command line.
local ROOTS = { "tare", "tare.embed" }
local COMMAND_LINE = "tare.cli"

local out_folder = assert(arg[1], "usage: amalgam.lua OUT_FOLDER")

local contents = require("spec.support.command").read

local function listed(command)
  local list = {}
  for name in io.popen(command):lines() do list[#list + 1] = name end
  assert(#list > 0, command)
  return list
end

local out = {}
local function emit(...) out[#out + 1] = table.concat { ... } end

-- Lines of a C text, without the includes of our own headers and of Lua's; the
-- system's that stand outside of any condition go to 'hoisted'. The others
-- declare what is not hidden, as tare's own names are.
local function body_of(text, hoisted)
  local depth, lines = 0, {}
  for line in text:gmatch("([^\n]*)\n") do
    if line:find("^#%s*if") then depth = depth + 1 end
    if line:find("^#%s*endif") then depth = depth - 1 end
    local system = line:match("^#include <([^>]+)>")
    if system and depth <= hoisted.depth then
      hoisted[system] = not system:find("^lua") and not system:find("^lauxlib")
    elseif system then
      lines[#lines + 1] = "TARE_SHOWN\n" .. line .. "\nTARE_AS_BEFORE"
    elseif not line:find('^#include "') then
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Names that a C file has to itself: statics, types, constants, macros.
local function own_names(text)
  local names, macros = {}, {}
  local function add(name) if name then names[name] = true end end
  for line in text:gmatch("[^\n]+") do
    add(line:match("^static [^(%[=;]-([%w_]+)%s*[(%[=;]"))
    add(line:match("^typedef struct ([%w_]+)") or line:match("^} ([%w_]+);"))
    local macro = line:match("^#%s*define ([%w_]+)")
    if macro and not macro:find("^_") then macros[macro] = true end
  end
  for list in text:gmatch("\nenum[%s%w_]-{(.-)}") do
    for name in list:gmatch("[%a_][%w_]*") do add(name) end
  end
  return names, macros
end

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- The headers, each after those that it includes.
local emitted = {}
local function emit_header(path, hoisted)
  if emitted[path] then return end
  emitted[path] = true
  local text = contents("csrc/" .. path)
  for own in text:gmatch('\n#include "([^"]+)"') do
    emit_header(own, hoisted)
  end
  emit("\n/* ---- ", path, " ---- */\n", body_of(text, hoisted))
end

local function emit_headers(sources, hoisted)
  hoisted.depth = 1 -- that of the include guard
  for _, source in ipairs(sources) do
    for own in ("\n" .. source.text):gmatch('\n#include "([^"]+)"') do
      emit_header(own, hoisted)
    end
  end
end

-- One source; names that another has too are told apart while it is read.
local function emit_source(source, uses, hoisted)
  local stem = source.path:match("([%w_]+)%.c$")
  emit("\n/* ---- ", source.path, " ---- */\n")
  local own = {}
  for _, name in ipairs(sorted(source.names)) do
    if uses[name] > 1 then own[#own + 1] = name end
  end
  for _, name in ipairs(own) do
    emit("#define ", name, " ", stem, "_", name, "\n")
  end
  hoisted.depth = 0
  emit((body_of(source.text, hoisted)))
  for _, name in ipairs(own) do emit("#undef ", name, "\n") end
  for _, name in ipairs(sorted(source.macros)) do
    emit("#undef ", name, "\n")
  end
end

local function read_sources()
  local sources, uses = {}, {}
  for _, layer in ipairs(LAYERS) do
    for _, path in ipairs(listed("LC_ALL=C ls csrc/" .. layer .. "/*.c")) do
      if path ~= MODULES and not LEFT_OUT_C[path] then
        local text = contents(path)
        local names, macros = own_names(text)
        for name in pairs(names) do uses[name] = (uses[name] or 0) + 1 end
        sources[#sources + 1] = { path = path, text = text, names = names,
          macros = macros }
      end
    end
  end
  return sources, uses
end

local function emit_bytes(bytes)
  for i = 1, #bytes, 24 do
    emit(table.concat({ bytes:byte(i, i + 23) }, ","), ",\n")
  end
end

local HISTORY_SIZE = 65000 -- that modules are packed with; 65535 are in reach

-- The largest texts, one after the other: what modules may refer to. Without
-- the very largest, the page's script, which no other is like.
local function history_of(texts)
  local order, pieces, size = {}, {}, 0
  for i, text in ipairs(texts) do order[i] = text end
  table.sort(order, function(a, b)
    if #a ~= #b then return #a > #b end
    return a < b
  end)
  for i, text in ipairs(order) do
    if i > 1 and size + #text <= HISTORY_SIZE then
      pieces[#pieces + 1], size = text, size + #text
    end
  end
  return table.concat(pieces)
end

local function path_of(name)
  local path = "lua/" .. name:gsub("%.", "/")
  for _, each in ipairs { path .. ".lua", path .. "/init.lua" } do
    local file = io.open(each)
    if file then
      file:close()
      return each
    end
  end
end

-- The modules that are needed: what code requires, or names in a string to
-- require it later.
local function needed_modules()
  local needed = {}
  local function visit(name)
    if needed[name] or name == COMMAND_LINE or name == "tare.core" then
      return
    end
    needed[name] = true
    local code = contents(assert(path_of(name),
      name .. " is required, and there is no such file")):gsub("%-%-[^\n]*", "")
    for required in code:gmatch 'require%s*%(?%s*"(tare[%w_.]*)"' do
      visit(required)
    end
    for mentioned in code:gmatch '"(tare%.[%w_.]+)"' do
      if path_of(mentioned) then visit(mentioned) end
    end
  end
  for _, root in ipairs(ROOTS) do visit(root) end
  return sorted(needed)
end

-- What the page's style and script have of comments and indentation.
local STYLE = "tare.report.html.style"
local OF_PAGE = { [STYLE] = true, ["tare.report.html.script"] = true }
local function page_bare(name, text)
  text = text:gsub("\n%s*//[^\n]*", ""):gsub("\n%s*/%*.-%*/", "")
    :gsub("\n +", "\n")
  if name ~= STYLE then return text end
  return (text:gsub("%s*([{};,>])%s*", "%1"):gsub("(%w):%s+", "%1:")
    :gsub(";}", "}"))
end

-- Names and bare texts of the Lua modules.
local function read_modules()
  local names, texts = needed_modules(), {}
  for i, name in ipairs(names) do
    texts[i] = pack.bare(contents(path_of(name)))
    if OF_PAGE[name] then texts[i] = page_bare(name, texts[i]) end
  end
  return names, texts
end

-- The Lua part: an array of all packed modules, and the list of them.
local function emit_modules()
  local names, texts = read_modules()
  local rows, at, history = {}, 0, history_of(texts)
  emit("const unsigned char tare_packed[] = {\n")
  local function emit_module(name, text, known)
    local bytes = pack.packed(text, known)
    emit("/* ", name, " */\n")
    emit_bytes(bytes)
    rows[#rows + 1] = ('    {"%s", %d, %d},\n'):format(name, at, #text)
    at = at + #bytes
  end
  emit_module("", history)
  for i, name in ipairs(names) do emit_module(name, texts[i], history) end
  emit("};\nconst tare_module tare_modules[] = {\n", table.concat(rows),
    ("    {NULL, %d, 0},\n};\n"):format(at))
end

local TOP = [[
/*
** tare %s, amalgamated: all of the library in one file, made by
** 'make amalgam'. C99 or C++; compile it with the headers of your Lua (5.1 to
** 5.5, or LuaJIT) and link with libm. See tare.h for what it offers.
**
** Define TARE_STATIC where it becomes part of the program itself, and
** TARE_LUA_CPP where your Lua was compiled as C++.
*/
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* clock_gettime, syscall, dladdr */
#endif
#define TARE_EMBEDDED 1 /* leaves the streams of the process alone */
%s
#if defined(__cplusplus) && !defined(TARE_LUA_CPP)
extern "C" {
#endif
#include <lua.h>
#include <lauxlib.h>
#if defined(__cplusplus) && !defined(TARE_LUA_CPP)
}
#endif
/* A library exports what tare.h offers, and no other name of tare's. */
#if defined(__GNUC__)
#define TARE_HIDDEN _Pragma("GCC visibility push(hidden)")
#define TARE_SHOWN _Pragma("GCC visibility push(default)")
#define TARE_AS_BEFORE _Pragma("GCC visibility pop")
#else
#define TARE_HIDDEN
#define TARE_SHOWN
#define TARE_AS_BEFORE
#endif
TARE_HIDDEN
]]
local BOTTOM = "TARE_AS_BEFORE\n"

local function top_of(hoisted)
  local includes = {}
  for _, name in ipairs(sorted(hoisted)) do
    if hoisted[name] == true then
      includes[#includes + 1] = "#include <" .. name .. ">\n"
    end
  end
  local version = contents("csrc/tare.h"):match('TARE_VERSION "(.-)"')
  return TOP:format(version, table.concat(includes))
end

-- Renamed when it is whole: another program may be compiling the one before.
local function write(name, text)
  local path = out_folder .. "/" .. name
  local file = assert(io.open(path .. ".new", "wb"))
  assert(file:write(text))
  file:close()
  assert(os.rename(path .. ".new", path))
end

-- What is called seldom is to be small, not quick: all but what runs beside the
-- benches or for each row of a resample.
local QUICK = {}
for _, stem in ipairs { "batch", "bootstrap", "bootstrap_fit", "census",
  "chain", "clock", "density", "gcwatch", "memcap", "moments", "order", "pace",
  "pacer", "perf", "regression", "resample", "rng", "robust_fit", "samples",
  "switches" } do
  QUICK[stem] = "unused"
end
local SMALL = [[

#if defined(__clang__)
#pragma clang diagnostic push /* some sources are empty for some Luas */
#pragma clang diagnostic ignored "-Wpragma-clang-attribute"
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif
]]
local SMALL_END = [[

#if defined(__clang__)
#pragma clang attribute pop
#pragma clang diagnostic pop
#endif
]]

local sources, uses = read_sources()
local hoisted = { depth = 0 }
emit_headers(sources, hoisted)
for _, source in ipairs(sources) do
  if source.path:find("^csrc/embed/") and not emitted.modules then
    emitted.modules = true
    emit_modules()
  end
  local stem = source.path:match("([%w_]+)%.c$")
  local is_small = not QUICK[stem]
  if QUICK[stem] then QUICK[stem] = "used" end
  if is_small then emit(SMALL) end
  emit_source(source, uses, hoisted)
  if is_small then emit(SMALL_END) end
end
for stem, use in pairs(QUICK) do
  assert(use == "used", "QUICK names " .. stem .. ", and no such file is there")
end
-- What 'make' looks at is written last.
write("tare.h", contents("csrc/tare.h"))
write("tare.c", top_of(hoisted) .. table.concat(out) .. BOTTOM)
