/* The machine as Lua sees it: clocks, the chain, counters, the build. */
#include "bind/bind.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "bind/host.h"
#include "bind/userdata.h"
#include "platform/chain.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/perf.h"
#include "pure/hash.h"

#define TARE_PERF "tare.perf"
#define MAX_CHAIN_STEPS 1e9

/* now_ns() -> monotonic time of the machine */
static int platform_now_ns(lua_State *L) {
  tare_clock c = tare_wall_of(L);
  lua_pushnumber(L, (lua_Number)tare_now(&c));
  return 1;
}

/* cpu_ns() -> CPU time that this process has used; for specs */
static int platform_cpu_ns(lua_State *L) {
  tare_clock c = tare_clock_cpu();
  lua_pushnumber(L, (lua_Number)tare_now(&c));
  return 1;
}

/* clock_resolution(["wall" | "cpu"]) -> ns; 0 if the clock stands still */
static int platform_clock_resolution(lua_State *L) {
  static const char *const kinds[] = {"wall", "cpu", NULL};
  int cpu = luaL_checkoption(L, 1, "wall", kinds);
  tare_clock c = cpu ? tare_clock_cpu() : tare_wall_of(L);
  lua_pushnumber(L, tare_clock_resolution_ns(&c));
  return 1;
}

/* The number of steps at index 'i', or the default. */
static size_t opt_steps(lua_State *L, int i) {
  lua_Number steps = luaL_optnumber(L, i, TARE_CHAIN_STEPS);
  luaL_argcheck(L, steps >= 1 && steps <= MAX_CHAIN_STEPS, i,
                "must be in [1, 1e9]");
  return (size_t)steps;
}

static void push_or_nil(lua_State *L, double x) {
  if (isnan(x))
    lua_pushnil(L);
  else
    lua_pushnumber(L, x);
}

/*
** chain_read([steps]) -> ns per core cycle, width, spread; nils if the clock
** did not move. See tare_chain_reading.
*/
static int platform_chain_read(lua_State *L) {
  tare_clock c = tare_wall_of(L);
  tare_chain_reading r = tare_chain_read(&c, opt_steps(L, 1));
  push_or_nil(L, r.cycle_ns);
  push_or_nil(L, r.width);
  push_or_nil(L, r.spread);
  return 3;
}

/*
** chain_step_ns("add" | "multiply" | "wide" [, steps]) -> ns per step,
** assumed core cycles per step (nil for the wide one); for specs
*/
static int platform_chain_step_ns(lua_State *L) {
  static const char *const kinds[] = {"add", "multiply", "wide", NULL};
  static const tare_chainfn chains[] = {tare_chain_add, tare_chain_multiply,
                                        tare_chain_wide};
  static const double cycles[] = {TARE_CHAIN_ADD_CYCLES,
                                  TARE_CHAIN_MULTIPLY_CYCLES, NAN};
  int kind = luaL_checkoption(L, 1, NULL, kinds);
  tare_clock c = tare_wall_of(L);
  lua_pushnumber(L, tare_chain_step_ns(&c, chains[kind], opt_steps(L, 2)));
  push_or_nil(L, cycles[kind]);
  return 2;
}

/*
** chain_steps([resolution_ns]) -> steps of a reading that suit a clock of this
** resolution (the wall clock's unless given), or nil if it is too coarse
*/
static int platform_chain_steps(lua_State *L) {
  tare_clock c = tare_wall_of(L);
  double resolution_ns = lua_isnoneornil(L, 1) ? tare_clock_resolution_ns(&c)
                                               : luaL_checknumber(L, 1);
  size_t steps = tare_chain_suitable_steps(resolution_ns);
  push_or_nil(L, steps > 0 ? (double)steps : NAN);
  return 1;
}

/* hash(text) -> 16 hexadecimal digits: FNV-1a of 64 bits */
static int platform_hash(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  uint64_t h = tare_hash(text, length);
  char digits[16];
  int i;
  for (i = 15; i >= 0; i--, h >>= 4) digits[i] = "0123456789abcdef"[h & 15];
  lua_pushlstring(L, digits, sizeof digits);
  return 1;
}

static int check_fd(lua_State *L, int i) {
  lua_Number fd = luaL_checknumber(L, i);
  luaL_argcheck(L, fd >= 0 && fd <= INT_MAX, i, "must be a file descriptor");
  return (int)fd;
}

/*
** lock_file(fd) -> true, or false if another run has locked the same file.
** The lock goes with the file descriptor.
*/
static int platform_lock_file(lua_State *L) {
  lua_pushboolean(L, tare_file_lock(check_fd(L, 1)));
  return 1;
}

/*
** unnamed_file(folder, mode) -> file descriptor of a new file, or nil where the
** system has no files without a name
*/
static int platform_unnamed_file(lua_State *L) {
  const char *folder = luaL_checkstring(L, 1);
  lua_Number mode = luaL_checknumber(L, 2);
  int fd;
  luaL_argcheck(L, mode >= 0 && mode <= 511, 2, "must be in [0, 511]");
  fd = tare_file_open_unnamed(folder, (unsigned)mode);
  if (fd < 0) return 0;
  lua_pushinteger(L, fd);
  return 1;
}

/* name_file(fd, name) -> true; or nil and why */
static int platform_name_file(lua_State *L) {
  int wrong = tare_file_name(check_fd(L, 1), luaL_checkstring(L, 2));
  lua_pushboolean(L, wrong == 0);
  if (wrong == 0) return 1;
  lua_pushnil(L);
  lua_pushstring(L, strerror(wrong));
  return 2;
}

/* perf() -> counters, counting from now on; or nil, why there are none */
static int platform_perf(lua_State *L) {
  tare_perf *p = (tare_perf *)lua_newuserdata(L, sizeof *p);
  const char *why = tare_perf_open(p);
  if (why != NULL) {
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
  }
  luaL_getmetatable(L, TARE_PERF);
  lua_setmetatable(L, -2);
  return 1;
}

/* counters:read() -> {cycles=, instructions=, ...} since opening, or nil */
static int perf_read(lua_State *L) {
  const tare_perf *p = (const tare_perf *)luaL_checkudata(L, 1, TARE_PERF);
  static const tare_perf_reading opened = {0.0, 0.0, {0.0}};
  tare_perf_reading now;
  double counts[TARE_PERF_COUNT];
  int i;
  if (!tare_perf_read(p, &now)) {
    lua_pushnil(L);
    return 1;
  }
  tare_perf_between(&opened, &now, counts);
  lua_createtable(L, 0, TARE_PERF_COUNT);
  for (i = 0; i < TARE_PERF_COUNT; i++) {
    push_or_nil(L, counts[i]);
    lua_setfield(L, -2, tare_perf_name(i));
  }
  return 1;
}

/* counters:close(); again does no harm */
static int perf_close(lua_State *L) {
  tare_perf_close((tare_perf *)luaL_checkudata(L, 1, TARE_PERF));
  return 0;
}

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#elif defined(_MSC_VER)
#define COMPILER "msvc"
#else
#define COMPILER "unknown"
#endif

#if defined(__x86_64__) || defined(_M_X64)
#define ARCH "x64"
#elif defined(__aarch64__) || defined(_M_ARM64)
#define ARCH "arm64"
#elif defined(__i386__) || defined(_M_IX86)
#define ARCH "x86"
#elif defined(__arm__) || defined(_M_ARM)
#define ARCH "arm"
#else
#define ARCH "other"
#endif

#if defined(__GNUC__) && !defined(__OPTIMIZE__)
#define OPTIMIZED 0
#else
#define OPTIMIZED 1 /* or not known */
#endif

#if defined(NDEBUG)
#define ASSERTS 0
#else
#define ASSERTS 1
#endif

/* Pushes {lua=, compiler=, arch=, pointer_bits=, optimized=, asserts=}. */
static void push_build(lua_State *L) {
  lua_createtable(L, 0, 6);
  lua_pushliteral(L, LUA_RELEASE); /* of the headers */
  lua_setfield(L, -2, "lua");
  lua_pushliteral(L, COMPILER);
  lua_setfield(L, -2, "compiler");
  lua_pushliteral(L, ARCH);
  lua_setfield(L, -2, "arch");
  lua_pushinteger(L, (lua_Integer)sizeof(void *) * CHAR_BIT);
  lua_setfield(L, -2, "pointer_bits");
  lua_pushboolean(L, OPTIMIZED);
  lua_setfield(L, -2, "optimized");
  lua_pushboolean(L, ASSERTS);
  lua_setfield(L, -2, "asserts");
}

static const luaL_Reg perf_methods[] = {
    {"read", perf_read},
    {"close", perf_close},
    {"__gc", perf_close},
    {NULL, NULL},
};

static const luaL_Reg functions[] = {
    {"now_ns", platform_now_ns},
    {"cpu_ns", platform_cpu_ns},
    {"clock_resolution", platform_clock_resolution},
    {"chain_read", platform_chain_read},
    {"chain_step_ns", platform_chain_step_ns},
    {"chain_steps", platform_chain_steps},
    {"hash", platform_hash},
    {"lock_file", platform_lock_file},
    {"unnamed_file", platform_unnamed_file},
    {"name_file", platform_name_file},
    {"perf", platform_perf},
    {NULL, NULL},
};

void tare_bind_platform(lua_State *L) {
  tare_define_type(L, TARE_PERF, perf_methods, 0);
  luaL_setfuncs(L, functions, 0);
  push_build(L);
  lua_setfield(L, -2, "build");
}
