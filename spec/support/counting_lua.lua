-- counting_lua.lua SOURCE OUT: copies the source of Lua 5.4 and puts counters
-- into its collector. The interpreter that is built of it has gccounters():
-- steps that allocation caused, minor and major collections of any cause, and
-- nanoseconds spent in those steps. (make counted)
local source, out = assert(arg[1], "no source"), assert(arg[2], "no folder")

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

if read(source .. "/src/lgc.c") then source = source .. "/src" end

-- What is put before or after the first place where a text stands, from the
-- beginning of a function on.
local function insert(text, where, anchor, before, after)
  local from = where and assert(text:find(where, 1, true),
    "not the source of Lua 5.4: no " .. where) or 1
  local first, last = text:find(anchor, from, true)
  assert(first, "not the source of Lua 5.4: no " .. anchor)
  return text:sub(1, first - 1) .. (before or "") .. anchor .. (after or "")
    .. text:sub(last + 1)
end

local COUNTERS = [[

#include <time.h>
double tare_counted[4];
static double tare_now (void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
]]
local MINOR, MAJOR = " tare_counted[1]++;\n", " tare_counted[2]++;\n"

local function counting_collector(text)
  text = insert(text, nil, '#include "ltm.h"\n', nil, COUNTERS)
  text = insert(text, "static void youngcollection", "atomic(L);", nil, MINOR)
  text = insert(text, "void luaC_changemode", "entergen(L, g);", "{",
    MAJOR .. "}")
  text = insert(text, "static lu_mem fullgen", "enterinc(g);", MAJOR)
  text = insert(text, "static void stepgenfull", "g->lastatomic;", nil,
    MAJOR)
  text = insert(text, "static void incstep",
    "setpause(g);", "{" .. MAJOR, "}")
  text = insert(text, "static void fullinc", "if (keepinvariant(g))", MAJOR)
  text = insert(text, "void luaC_step", "if(isdecGCmodegen(g))",
    "double start = tare_now(); tare_counted[0]++;\n")
  return insert(text, "void luaC_step", "incstep(L, g);", nil,
    " tare_counted[3] += tare_now() - start;")
end

local PUSH = [[
extern double tare_counted[4];
static int tare_counters (lua_State *L) {
  int i;
  for (i = 0; i < 4; i++) lua_pushnumber(L, tare_counted[i]);
  return 4;
}
]]

local function counting_library(text)
  text = insert(text, nil, "static int luaB_print", PUSH)
  return insert(text, nil, '{"print", luaB_print},', nil,
    '\n  {"gccounters", tare_counters},')
end

local EDIT = { ["lgc.c"] = counting_collector,
  ["lbaselib.c"] = counting_library }

for name in io.popen('ls "' .. source .. '"'):lines() do
  if name:find "%.[ch]$" and name ~= "luac.c" then
    local edit = EDIT[name] or function(text) return text end
    write(out .. "/" .. name, edit(assert(read(source .. "/" .. name))))
  end
end
