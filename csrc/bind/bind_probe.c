/* core.census and core.instructions: exact figures, in passes of their own. */
#include "bind/bind.h"

#include <string.h>

#include "state/batch.h"
#include "state/census.h"
#include "state/counthook.h"
#include "state/hook.h"
#include "state/keep.h"

#define TARE_CENSUS "tare.census"

/* The state may be closed while it counts: then the allocator goes back. */
static int census_gc(lua_State *L) {
  tare_census_end(L, (tare_census *)lua_touserdata(L, 1));
  return 0;
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

/* Room for calls before these are watched: it is not the function's doing. */
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
** census(f, iters, ...) -> figures | nil, error. Calls f(...) so often and
** counts what is allocated meanwhile: blocks and bytes, in all and by type
** ('other' holds what has none, and growth). A block that grows counts its
** growth as bytes, but not as an allocation.
*/
static int probe_census(lua_State *L) {
  double iters = prepare_calls(L);
  tare_hook hook = tare_hook_get(L);
  tare_census *c;
  int status;
  make_room(L);
  c = (tare_census *)lua_newuserdata(L, sizeof *c);
  memset(c, 0, sizeof *c);
  luaL_setmetatable(L, TARE_CENSUS);
  tare_keep(L, c); /* from here on nothing may raise */
  tare_census_begin(L, c);
  status = lua_pcall(L, lua_gettop(L) - 1, 0, 0);
  tare_hook_put(L, &hook);
  if (tare_census_end(L, c)) tare_let_go(L, c);
  if (status != LUA_OK) return tare_push_outcome(L, status);
  push_census(L, c, iters);
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
** instructions(f, iters, ...) -> count | nil, error. Calls f(...) so often
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

static const luaL_Reg functions[] = {
    {"census", probe_census},
    {"instructions", probe_instructions},
    {NULL, NULL},
};

void tare_bind_probe(lua_State *L) {
  luaL_newmetatable(L, TARE_CENSUS);
  lua_pushcfunction(L, census_gc);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
