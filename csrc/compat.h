/*
** One Lua C API over the versions: 5.1 (LuaJIT with it) to 5.5.
** In csrc, only this file and csrc/state, for what differs between collectors,
** stacks and hooks, test LUA_VERSION_NUM. A new version begins here
** (docs/architecture.md).
*/
#ifndef TARE_COMPAT_H
#define TARE_COMPAT_H

#include <lua.h>
#include <lauxlib.h>

#if LUA_VERSION_NUM < 501 || LUA_VERSION_NUM > 505
#error "tare is for Lua 5.1 to 5.5 and LuaJIT 2; lua.h is of another"
#endif

#if LUA_VERSION_NUM < 502

#define TARE_LOAD "loadstring", "unpack" /* globals; later load, table.unpack */
#define luaL_checkversion(L) ((void)(L))
#define LUA_OK 0
#define lua_rawlen(L, i) lua_objlen(L, i)
#define lua_pushglobaltable(L) lua_pushvalue(L, LUA_GLOBALSINDEX)
#undef luaL_newlib /* LuaJIT has some of these */
#undef luaL_setmetatable
#undef luaL_testudata
#define luaL_newlib(L, l) (lua_newtable(L), luaL_register(L, NULL, l))
#define luaL_setmetatable(L, t)                                                \
  (luaL_getmetatable(L, t), lua_setmetatable(L, -2))

/* LuaJIT has it as a function; a macro of that name serves stock 5.1. */
#define luaL_setfuncs(L, l, nup) tare_setfuncs(L, l, nup)

static inline void tare_setfuncs(lua_State *L, const luaL_Reg *l, int nup) {
  luaL_checkstack(L, nup + 1, "too many upvalues");
  for (; l->name != NULL; l++) {
    int i;
    for (i = 0; i < nup; i++) lua_pushvalue(L, -nup);
    lua_pushcclosure(L, l->func, nup);
    lua_setfield(L, -(nup + 2), l->name);
  }
  lua_pop(L, nup);
}

#define luaL_testudata(L, i, name) tare_testudata(L, i, name)

static inline void *tare_testudata(lua_State *L, int i, const char *name) {
  void *ud = lua_touserdata(L, i);
  int is_it;
  if (ud == NULL || !lua_getmetatable(L, i)) return NULL;
  luaL_getmetatable(L, name);
  is_it = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is_it ? ud : NULL;
}

/* Calls f(ud) protected; on failure the error value is on top of the stack. */
static inline int tare_cpcall(lua_State *L, lua_CFunction f, void *ud) {
  return lua_cpcall(L, f, ud);
}

#else

#define TARE_LOAD "load"

/* A collection frees the call frames that are not in use, one block each. */
#define TARE_FREES_FRAMES

static inline int tare_cpcall(lua_State *L, lua_CFunction f, void *ud) {
  lua_pushcfunction(L, f);
  lua_pushlightuserdata(L, ud);
  return lua_pcall(L, 1, 0, 0);
}

#endif /* 5.1 */

#endif
