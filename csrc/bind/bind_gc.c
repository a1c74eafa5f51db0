/* core.gcwatch: what the collector did. */
#include "bind/bind.h"

#include "state/gcwatch.h"

static tare_gcwatch *check_watch(lua_State *L, int i) {
  return (tare_gcwatch *)luaL_checkudata(L, i, TARE_GCWATCH);
}

/* gcwatch() -> watch: counts collections while armed. */
static int gc_watch(lua_State *L) {
  (void)tare_gcwatch_new(L);
  return 1;
}

/* watch:arm() */
static int watch_arm(lua_State *L) {
  tare_gcwatch_arm(L, check_watch(L, 1));
  return 0;
}

/* watch:disarm() */
static int watch_disarm(lua_State *L) {
  tare_gcwatch_disarm(check_watch(L, 1));
  return 0;
}

/* watch:counts() -> minor, major: collections that ended while armed */
static int watch_counts(lua_State *L) {
  const tare_gcwatch *w = check_watch(L, 1);
  lua_pushinteger(L, (lua_Integer)(w->cycles - w->majors));
  lua_pushinteger(L, (lua_Integer)w->majors);
  return 2;
}

static const luaL_Reg watch_methods[] = {
    {"arm", watch_arm},
    {"disarm", watch_disarm},
    {"counts", watch_counts},
    {NULL, NULL},
};

static const luaL_Reg functions[] = {
    {"gcwatch", gc_watch},
    {NULL, NULL},
};

void tare_bind_gc(lua_State *L) {
  tare_gcwatch_metatable(L);
  luaL_setfuncs(L, watch_methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
