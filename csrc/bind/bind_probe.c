/* core.census and core.instructions: exact figures, in passes of their own. */
#include "bind/bind.h"
#include "bind/host.h"

#include <string.h>

#include "bind/userdata.h"
#include "state/batch.h"
#include "state/census.h"
#include "state/counthook.h"
#include "state/hook.h"
#include "state/keep.h"

#define TARE_CENSUS "tare.census"

/*
** A census is outside of the heap. If somebody has put an allocator around that
** of the census, the census has to stay until that allocator is gone. So the
** userdata holds it until it can end, and tries again when the state is closed.
*/
typedef struct census_holder {
  tare_census *census; /* NULL once it has ended */
} census_holder;

/* Returns 0 where it has to stay. */
static int end_census(lua_State *L, census_holder *h) {
  tare_census *c = h->census;
  if (c == NULL) return 1;
  if (!tare_census_end(L, c)) return 0;
  h->census = NULL;
  tare_wrap_free(L, c, sizeof *c);
  return 1;
}

/* The state may be closed while it counts: then the allocator goes back. */
static int census_gc(lua_State *L) {
  census_holder *h = (census_holder *)luaL_checkudata(L, 1, TARE_CENSUS);
  (void)end_census(L, h);
  if (tare_kept(L, h) == NULL) tare_let_go(L, h); /* a room at most */
  return 0;
}

/*
** A new census, kept by its holder. A census that could not be kept would take
** memory until its holder is collected, so there is room for the holder first.
*/
static census_holder *new_census(lua_State *L) {
  census_holder *h = (census_holder *)lua_newuserdata(L, sizeof *h);
  h->census = NULL;
  luaL_setmetatable(L, TARE_CENSUS);
  tare_keep_room(L, h);
  h->census = (tare_census *)tare_wrap_new(L, sizeof *h->census);
  if (h->census == NULL) luaL_error(L, "not enough memory for a census");
  tare_keep(L, h);
  return h;
}

/* Leaves (caller, f, iters, ...) of the arguments (f, iters, ...): iters. */
static double prepare_calls(lua_State *L) {
  double iters = tare_check_iters(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  tare_batch_push_caller(L);
  lua_insert(L, 1);
  return iters;
}

#define DEPTH 16 /* of calls that the state has room for beforehand */

/* Makes room for calls before they are counted: this is not the function's. */
static void make_room(lua_State *L) {
  tare_batch_push_nest(L, DEPTH);
  lua_call(L, 1, 0);
}

static void push_kinds(lua_State *L, const tare_census *c) {
  int kind;
  lua_createtable(L, 0, TARE_BLOCK_KINDS);
  for (kind = 0; kind < TARE_BLOCK_KINDS; kind++) {
    if (c->kind[kind].allocs == 0.0 && c->kind[kind].bytes == 0.0) continue;
    lua_createtable(L, 0, 2);
    tare_set_number(L, "allocs", c->kind[kind].allocs);
    tare_set_number(L, "bytes", c->kind[kind].bytes);
    lua_setfield(L, -2, tare_block_name((tare_block)kind));
  }
}

static void push_census(lua_State *L, const tare_census *c, double iters) {
  lua_createtable(L, 0, 8);
  tare_set_number(L, "iters", iters);
  tare_set_number(L, "allocs", c->allocs);
  tare_set_number(L, "reallocs", c->reallocs);
  tare_set_number(L, "bytes", c->bytes);
  tare_set_number(L, "freed_bytes", c->freed_bytes);
  tare_set_number(L, "peak_bytes", c->peak_bytes);
  tare_set_number(L, "growth_bytes", c->bytes - c->freed_bytes);
  push_kinds(L, c);
  lua_setfield(L, -2, "by_type");
}

/*
** census(f, iters, ...) -> figures | nil, error. Calls f(...) 'iters' times and
** counts what is allocated meanwhile: blocks and bytes, in all and by type
** ('other' holds blocks without a type, and growth). A block that grows counts
** its growth as bytes, but not as an allocation.
*/
static int probe_census(lua_State *L) {
  double iters = prepare_calls(L);
  tare_hook hook = tare_hook_get(L);
  census_holder *holder;
  tare_census counted;
  int status, was_closed;
  make_room(L);
  holder = new_census(L); /* from here on nothing may raise */
  tare_census_begin(L, holder->census);
  status = lua_pcall(L, lua_gettop(L) - 1, 0, 0);
  tare_hook_put(L, &hook);
  memset(&counted, 0, sizeof counted);
  was_closed = holder->census == NULL;
  if (!was_closed) counted = *holder->census;
  if (end_census(L, holder)) tare_let_go(L, holder);
  if (was_closed && status == LUA_OK) {
    lua_pushliteral(L, "the census was closed by the function");
    status = LUA_ERRRUN;
  }
  if (status != LUA_OK) return tare_push_outcome(L, status);
  push_census(L, &counted, iters);
  return 1;
}

/* Whether LuaJIT's compiler is on: what it compiled would not be counted. */
static int compiler_is_on(lua_State *L) {
  int on = 0, top = lua_gettop(L);
  lua_pushglobaltable(L);
  lua_pushliteral(L, "jit");
  lua_rawget(L, -2); /* globals may raise errors where there is none */
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "status");
    if (lua_pcall(L, 0, 1, 0) == LUA_OK) on = lua_toboolean(L, -1);
  }
  lua_settop(L, top);
  return on;
}

/*
** instructions(f, iters, ...) -> count | nil, error. Calls f(...) 'iters' times
** and counts the instructions of the virtual machine, without those of the
** loop, which is in C. Not available while LuaJIT's compiler is on.
*/
static int probe_instructions(lua_State *L) {
  tare_counthook c;
  int status;
  (void)prepare_calls(L);
  if (compiler_is_on(L)) {
    lua_pushnil(L);
    lua_pushliteral(L, "not available while the JIT compiler is on");
    return 2;
  }
  tare_counthook_begin(L, &c);
  status = lua_pcall(L, lua_gettop(L) - 1, 0, 0);
  tare_counthook_end(L, &c);
  if (status != LUA_OK) return tare_push_outcome(L, status);
  lua_pushnumber(L, c.instructions);
  return 1;
}

/*
** The function whose machine instructions valgrind's callgrind counts. It finds
** the function by its name (lua/tare/conductor/callgrind.lua), so the symbol
** has to be kept.
*/
#if defined(__GNUC__) && !defined(TARE_EMBEDDED)
__attribute__((visibility("default"), noinline, used))
#endif
int tare_counted_calls(lua_State *L, int arguments);

int tare_counted_calls(lua_State *L, int arguments) {
  return lua_pcall(L, arguments, 0, 0);
}

/* counted(f, ...) -> true | nil, error. Calls f(...) for callgrind. */
static int probe_counted(lua_State *L) {
  int status;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  status = tare_counted_calls(L, lua_gettop(L) - 1);
  if (status != LUA_OK) return tare_push_outcome(L, status);
  lua_pushboolean(L, 1);
  return 1;
}

static const luaL_Reg census_methods[] = {
    {"__gc", census_gc},
    {NULL, NULL},
};

static const luaL_Reg functions[] = {
    {"census", probe_census},
    {"instructions", probe_instructions},
    {"counted", probe_counted},
    {NULL, NULL},
};

void tare_bind_probe(lua_State *L) {
  tare_define_type(L, TARE_CENSUS, census_methods, 0);
  luaL_setfuncs(L, functions, 0);
}
