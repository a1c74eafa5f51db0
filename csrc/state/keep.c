#include "state/keep.h"

void tare_keep(lua_State *L, const void *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void tare_keep_room(lua_State *L, const void *key) {
  lua_pushboolean(L, 0);
  tare_keep(L, key);
}

void tare_push_kept(lua_State *L, const void *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_rawget(L, LUA_REGISTRYINDEX);
}

void *tare_kept(lua_State *L, const void *key) {
  void *kept;
  tare_push_kept(L, key);
  kept = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return kept;
}

void tare_keep_address(lua_State *L, const void *key, void *address) {
  if (address == NULL) {
    tare_let_go(L, key);
  } else {
    lua_pushlightuserdata(L, address);
    tare_keep(L, key);
  }
}

void tare_let_go(lua_State *L, const void *key) {
  int is_kept;
  tare_push_kept(L, key);
  is_kept = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (!is_kept) return; /* some versions need memory to set what is not there */
  lua_pushnil(L);
  tare_keep(L, key);
}

void tare_push_weak(lua_State *L, int slots) {
  lua_createtable(L, slots, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}
