/*
** One Lua C API over the versions: 5.1 (LuaJIT with it), 5.2, 5.3 and 5.4.
** The only place, beside the collector's file, that asks LUA_VERSION_NUM.
*/
#ifndef TARE_COMPAT_H
#define TARE_COMPAT_H

#include <lua.h>
#include <lauxlib.h>

#if LUA_VERSION_NUM < 502

#define LUA_OK 0
#define lua_rawlen(L, i) lua_objlen(L, i)
#undef luaL_newlib /* LuaJIT has some of these */
#undef luaL_setmetatable
#define luaL_newlib(L, l) (lua_newtable(L), luaL_register(L, NULL, l))
#define luaL_setmetatable(L, t)                                                \
  (luaL_getmetatable(L, t), lua_setmetatable(L, -2))

static inline int lua_absindex(lua_State *L, int i) {
  return (i > 0 || i <= LUA_REGISTRYINDEX) ? i : lua_gettop(L) + i + 1;
}

/* LuaJIT has it as a function; a macro of that name serves stock 5.1. */
#define luaL_setfuncs(L, l, nup) tare_setfuncs(L, l, nup)
#define luaL_testudata(L, i, t) tare_testudata(L, i, t)
#define luaL_tolstring(L, i, len) tare_tolstring(L, i, len)

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

static inline void *tare_testudata(lua_State *L, int i, const char *tname) {
  void *p = lua_touserdata(L, i);
  int same;
  if (p == NULL || !lua_getmetatable(L, i)) return NULL;
  luaL_getmetatable(L, tname);
  same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? p : NULL;
}

static inline const char *tare_tolstring(lua_State *L, int i, size_t *len) {
  i = lua_absindex(L, i);
  if (!luaL_callmeta(L, i, "__tostring")) {
    switch (lua_type(L, i)) {
    case LUA_TNUMBER:
    case LUA_TSTRING: lua_pushvalue(L, i); break;
    case LUA_TBOOLEAN:
      lua_pushstring(L, lua_toboolean(L, i) ? "true" : "false");
      break;
    case LUA_TNIL: lua_pushliteral(L, "nil"); break;
    default:
      lua_pushfstring(L, "%s: %p", luaL_typename(L, i), lua_topointer(L, i));
      break;
    }
  }
  return lua_tolstring(L, -1, len);
}

/* Calls f(ud) protected; on failure the error value is on top of the stack. */
static inline int tare_cpcall(lua_State *L, lua_CFunction f, void *ud) {
  return lua_cpcall(L, f, ud);
}

#else

static inline int tare_cpcall(lua_State *L, lua_CFunction f, void *ud) {
  lua_pushcfunction(L, f);
  lua_pushlightuserdata(L, ud);
  return lua_pcall(L, 1, 0, 0);
}

#endif /* 5.1 */

#endif
