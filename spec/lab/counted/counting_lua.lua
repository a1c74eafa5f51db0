-- counting_lua.lua SOURCE OUT: copies the source of Lua 5.4, 5.5 or of LuaJIT
-- and puts counters into its collector. The interpreter that is built of it has
-- gccounters(): steps that were done, minor and major collections of any cause,
-- and nanoseconds spent in those steps; gckind(KIND) and gcpauses(KIND): how
-- many of the steps since were how long, as pairs of nanoseconds and a number,
-- to 0.8 %; gcparts(): what the function and the collector took
-- in the batch that gckind(0) has ended, up to the end of the first collection
-- in it and after that of the last; gcclock(): what reading the clock costs,
-- which each step does twice, once in its own time; gcobject() makes a userdata
-- with a finalizer in C. (make counted)
--
-- The clock is the one that needs no call of the system: that of the thread's
-- CPU time takes half a microsecond to one, as long as some steps. So the two
-- are compared after each piece of work, a step or what is between two of them,
-- that is long enough to have been interrupted; what the system gave to others
-- meanwhile is taken off the longest piece since. Taking it off a batch as a
-- whole was wrong by the length of a step where a batch was interrupted twice.
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
    "not the source of Lua 5.4 or 5.5: no " .. where) or 1
  local first, last = text:find(anchor, from, true)
  assert(first, "not the source of Lua 5.4 or 5.5: no " .. anchor)
  return text:sub(1, first - 1) .. (before or "") .. anchor .. (after or "")
    .. text:sub(last + 1)
end

local COUNTERS = [[

#include <string.h>
#include <time.h>
#define TARE_FIRST_PLACE (1023 << 7) /* of 1 ns */
double tare_counted[4];
int tare_kind;
double tare_pauses[3][40 << 7]; /* by the highest bits of a double, in ns */
static double tare_ended; /* when the last step ended */
static double tare_now (void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
static double tare_cpu (void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
double tare_clock_ns (void) { /* what reading the clock costs */
  double start = tare_now();
  int i;
  for (i = 1; i < 1000; i++) (void)tare_now();
  return (tare_now() - start) / 1000;
}
/* No logarithm: what a step does beside its work is in what tare measures. */
static void tare_count_pause (double ns, int number) {
  unsigned long long bits;
  memcpy(&bits, &ns, sizeof bits);
  if (ns >= 1 && ns < 1e12)
    tare_pauses[tare_kind][(bits >> 45) - TARE_FIRST_PLACE] += number;
}
double tare_place_ns (int place) { /* the middle of what is counted there */
  unsigned long long bits =
      ((unsigned long long)(place + TARE_FIRST_PLACE) << 45) | (1ULL << 44);
  double ns;
  memcpy(&ns, &bits, sizeof ns);
  return ns;
}
/* Since the clocks were last compared: when that was, the longest piece of
   work, and how long all took. */
static struct {
  double wall, cpu, longest, all;
  int is_step; /* whether the longest is one */
} tare_mark;
/* Of the batch that is under way: the work of its own, how much of it was the
   collector's, and both when the first and the last collection in it ended. */
static struct { double own, counted; } tare_sum, tare_head, tare_last;
static double tare_ends; /* collections that had ended after the last step */
static int tare_has_ended;
static void tare_set_mark (void) {
  tare_mark.longest = tare_mark.all = 0;
  tare_mark.cpu = tare_cpu();
  tare_mark.wall = tare_now();
}
static void tare_compare (void) {
  double lost = tare_now() - tare_mark.wall - (tare_cpu() - tare_mark.cpu);
  if (lost > 1e4 && lost <= tare_mark.longest) tare_sum.own -= lost;
  if (lost > 1e4 && lost <= tare_mark.longest && tare_mark.is_step) {
    tare_counted[3] -= lost;
    tare_sum.counted -= lost;
    tare_count_pause(tare_mark.longest, -1);
    tare_count_pause(tare_mark.longest - lost, 1);
  }
  tare_set_mark();
}
/* Adds a piece that ended at 'end'; when the next one begins. In paced batches
   (2) the clocks are compared after long steps only: that takes microseconds,
   which would be in the time that tare measures of a step. */
static double tare_piece (double start, double end, int is_step) {
  if (!tare_kind) return end;
  tare_mark.all += end - start;
  tare_sum.own += end - start;
  if (is_step) tare_sum.counted += end - start;
  if (end - start > tare_mark.longest) {
    tare_mark.longest = end - start;
    tare_mark.is_step = is_step;
  }
  if (tare_kind == 2 ? !is_step || end - start < 5e5
                     : end - start < 5e5 && tare_mark.all < 1e6)
    return end;
  tare_compare();
  return tare_now();
}
static double tare_begin (void) {
  return tare_piece(tare_ended, tare_now(), 0);
}
static void tare_end (double start) {
  double end = tare_now();
  tare_counted[0]++;
  tare_counted[3] += end - start;
  tare_count_pause(end - start, 1);
  tare_ended = tare_piece(start, end, 1);
  if (tare_counted[1] + tare_counted[2] == tare_ends) return;
  tare_ends = tare_counted[1] + tare_counted[2];
  tare_last = tare_sum;
  if (!tare_has_ended) tare_head = tare_sum;
  tare_has_ended = 1;
}
void tare_set_kind (int kind) { /* 0: no batch is under way */
  if (tare_kind) {
    (void)tare_piece(tare_ended, tare_now(), 0);
    tare_compare();
  }
  tare_kind = kind;
  if (kind) {
    tare_set_mark();
    tare_sum.own = tare_sum.counted = 0;
    tare_ends = tare_counted[1] + tare_counted[2];
    tare_has_ended = 0;
  }
  tare_ended = tare_now();
}
void tare_parts (double *parts) { /* of the last batch; without an end, all */
  if (!tare_has_ended) tare_head = tare_last = tare_sum;
  parts[0] = tare_head.own - tare_head.counted;
  parts[1] = tare_head.counted;
  parts[2] = tare_sum.own - tare_sum.counted
    - (tare_last.own - tare_last.counted);
  parts[3] = tare_sum.counted - tare_last.counted;
}
]]
local MINOR, MAJOR = " tare_counted[1]++;\n", " tare_counted[2]++;\n"

-- What 5.5 has otherwise: a major collection of generational mode is done in
-- steps, and ends where minor ones go on.
local function counting_5_5(text)
  text = insert(text, "static int checkmajorminor", "atomic2gen(L, g);", MAJOR)
  text = insert(text, "static void fullgen", "entergen(L, g);", MAJOR)
  text = insert(text, "void luaC_step", "luai_tracegc(L, 1);",
    "double start = tare_begin();\n")
  return insert(text, "void luaC_step", "luai_tracegc(L, 0);", nil,
    " tare_end(start);")
end

local function counting_5_4(text)
  text = insert(text, "static lu_mem fullgen", "enterinc(g);", MAJOR)
  text = insert(text, "static void stepgenfull", "g->lastatomic;", nil,
    MAJOR)
  text = insert(text, "void luaC_step", "if(isdecGCmodegen(g))",
    "double start = tare_begin();\n")
  return insert(text, "void luaC_step", "incstep(L, g);", nil,
    " tare_end(start);")
end

local function counting_collector(text)
  text = insert(text, nil, '#include "ltm.h"\n', nil, COUNTERS)
  text = insert(text, "static void youngcollection", "atomic(L);", nil, MINOR)
  text = insert(text, "void luaC_changemode", "entergen(L, g);", "{",
    MAJOR .. "}")
  text = insert(text, "static void incstep", "setpause(g);", "{" .. MAJOR, "}")
  text = insert(text, "static void fullinc", "if (keepinvariant(g))", MAJOR)
  return (text:find("luai_tracegc", 1, true) and counting_5_5
    or counting_5_4)(text)
end

local PUSH = [[
extern double tare_counted[4];
extern double tare_clock_ns (void);
static int tare_counters (lua_State *L) {
  int i;
  for (i = 0; i < 4; i++) lua_pushnumber(L, tare_counted[i]);
  return 4;
}
static int tare_clock_cost (lua_State *L) {
  lua_pushnumber(L, tare_clock_ns());
  return 1;
}
extern void tare_set_kind (int kind);
extern void tare_parts (double *parts);
static int tare_part_list (lua_State *L) {
  double parts[4];
  int i;
  tare_parts(parts);
  for (i = 0; i < 4; i++) lua_pushnumber(L, parts[i]);
  return 4;
}
extern double tare_pauses[3][40 << 7], tare_place_ns (int place);
static int tare_kind_set (lua_State *L) {
  tare_set_kind((int)luaL_checkinteger(L, 1));
  return 0;
}
static int tare_pause_list (lua_State *L) {
  int kind = (int)luaL_checkinteger(L, 1), i, n = 0;
  lua_newtable(L);
  for (i = 0; i < 40 << 7; i++) {
    if (tare_pauses[kind][i] == 0) continue;
    lua_pushnumber(L, tare_place_ns(i));
    lua_rawseti(L, -2, ++n);
    lua_pushnumber(L, tare_pauses[kind][i]);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}
]]

local OBJECT = [[
static int tare_collected (lua_State *L) { (void)L; return 0; }
static int tare_object (lua_State *L) {
  NEW_OBJECT;
  if (luaL_newmetatable(L, "tare.counted")) {
    lua_pushcfunction(L, tare_collected);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return 1;
}
]]

local function counting_library(text)
  text = insert(text, nil, "static int luaB_print", PUSH
    .. OBJECT:gsub("NEW_OBJECT", "lua_newuserdatauv(L, 16, 0)"))
  return insert(text, nil, '{"print", luaB_print},', nil,
    '\n  {"gccounters", tare_counters},\n  {"gckind", tare_kind_set},'
    .. '\n  {"gcparts", tare_part_list},'
    .. '\n  {"gcclock", tare_clock_cost},'
    .. '\n  {"gcpauses", tare_pause_list},\n  {"gcobject", tare_object},')
end

local function counting_jit(text)
  text = insert(text, nil, '#include "lj_vm.h"\n', nil, COUNTERS)
  local from = "static size_t gc_onestep"
  text = insert(text, from, "g->gc.debt = 0;\n      }", MAJOR)
  text = insert(text, "lj_tab_rehash(L, ctype_ctsG(g)",
    "g->gc.debt = 0;", MAJOR)
  text = text:gsub("int LJ_FASTCALL lj_gc_step%(lua_State %*L%)",
    "static int tare_step(lua_State *L)", 1)
  return insert(text, nil, "void LJ_FASTCALL lj_gc_step_fixtop", [[
int LJ_FASTCALL lj_gc_step(lua_State *L)
{
  double start = tare_begin();
  int ended = tare_step(L);
  tare_end(start);
  return ended;
}

]])
end

local function counting_main(text)
  text = insert(text, nil, "static int pmain", PUSH
    .. OBJECT:gsub("NEW_OBJECT", "lua_newuserdata(L, 16)"))
  return insert(text, "static int pmain", "luaL_openlibs(L);", nil, [[

  lua_register(L, "gccounters", tare_counters);
  lua_register(L, "gckind", tare_kind_set);
  lua_register(L, "gcparts", tare_part_list);
  lua_register(L, "gcclock", tare_clock_cost);
  lua_register(L, "gcpauses", tare_pause_list);
  lua_register(L, "gcobject", tare_object);
]])
end

local EDIT = { ["lgc.c"] = counting_collector,
  ["lbaselib.c"] = counting_library, ["lj_gc.c"] = counting_jit,
  ["luajit.c"] = counting_main }

if read(source .. "/src/lj_gc.c") then
  assert(os.execute(("cp -r '%s/.' '%s'"):format(source, out)))
  for _, name in ipairs { "lj_gc.c", "luajit.c" } do
    write(out .. "/src/" .. name,
      EDIT[name](assert(read(source .. "/src/" .. name))))
  end
  return
end

for name in io.popen('ls "' .. source .. '"'):lines() do
  if name:find "%.[ch]$" and name ~= "luac.c" and name ~= "onelua.c" then
    local edit = EDIT[name] or function(text) return text end
    write(out .. "/" .. name, edit(assert(read(source .. "/" .. name))))
  end
end
