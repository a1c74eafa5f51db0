/* core.gcwatch, core.gc_state...: the collector's counts and settings. */
#include <assert.h>
#include <limits.h>

#include "bind/bind.h"
#include "bind/userdata.h"

#include "state/gcsettings.h"
#include "state/gcwatch.h"
#include "state/hook.h"

static tare_gcwatch *check_watch(lua_State *L, int i) {
  tare_gcwatch *w = (tare_gcwatch *)luaL_checkudata(L, i, TARE_GCWATCH);
  luaL_argcheck(L, w->has_slots, i, "the watch is closed");
  return w;
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
  tare_gcwatch_disarm(L, check_watch(L, 1));
  return 0;
}

/* watch:counts() -> minor, major: collections that ended while armed */
static int watch_counts(lua_State *L) {
  const tare_gccount *w = tare_gcwatch_counts(L, check_watch(L, 1));
  lua_pushinteger(L, (lua_Integer)(w->collections - w->majors));
  lua_pushinteger(L, (lua_Integer)w->majors);
  return 2;
}

/* As base/gc_modes.lua names them, in the order of tare_gcmode. */
static const char *const modes[] = {"incremental", "generational", NULL};

static void set_known(lua_State *L, const char *name, int value) {
  if (value < 0) return;
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/*
** gc_state() -> {mode, pause, step_multiplier, step_size, minor_multiplier,
** major_multiplier, step_bytes, back_multiplier, running}: how the collector is
** set, as far as this Lua has it. To find the mode, 5.4 and 5.5 do a few steps
** of the collector.
*/
static int gc_state(lua_State *L) {
  tare_gcstate s = tare_gc_capture(L);
  lua_createtable(L, 0, 9);
#define SET_FIELD(field, name) set_known(L, name, s.field);
  TARE_GC_NUMBERS(SET_FIELD)
#undef SET_FIELD
  if (s.mode != TARE_GC_UNKNOWN) {
    lua_pushstring(L, modes[s.mode]);
    lua_setfield(L, -2, "mode");
  }
  lua_pushboolean(L, s.running);
  lua_setfield(L, -2, "running");
  return 1;
}

/* The greatest number that gc_apply() takes; a host may have set a greater. */
#define MOST_SET 1000000

/* The number in a field of the table at 1; -1 if it is absent. */
static int number_field(lua_State *L, const char *name, int most) {
  lua_Number value = -1;
  lua_getfield(L, 1, name);
  if (!lua_isnil(L, -1)) {
    value = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER || !(value >= 0 && value <= most))
      luaL_error(L, "tare.core: '%s' must be a number in [0, %d]", name, most);
  }
  lua_pop(L, 1);
  return (int)value;
}

static tare_gcmode mode_field(lua_State *L) {
  tare_gcmode mode = TARE_GC_UNKNOWN;
  lua_getfield(L, 1, "mode");
  if (!lua_isnil(L, -1))
    mode = (tare_gcmode)luaL_checkoption(L, -1, NULL, modes);
  lua_pop(L, 1);
  return mode;
}

/* The fields of gc_state() that the table at 1 has. */
static tare_gcstate check_state(lua_State *L, int most) {
  tare_gcstate s = tare_gc_nothing();
  luaL_checktype(L, 1, LUA_TTABLE);
#define GET_FIELD(field, name) s.field = number_field(L, name, most);
  TARE_GC_NUMBERS(GET_FIELD)
#undef GET_FIELD
  s.mode = mode_field(L);
  lua_getfield(L, 1, "running");
  if (!lua_isnil(L, -1)) s.running = lua_toboolean(L, -1);
  return s;
}

/*
** gc_apply(settings) -> true | nil, message: sets the fields of gc_state() that
** the table has. To change the mode runs a full collection.
*/
static int gc_apply(lua_State *L) {
  tare_gcstate s = check_state(L, MOST_SET);
  if (!tare_gc_apply(L, &s)) {
    assert(s.mode != TARE_GC_UNKNOWN); /* nothing else is refused */
    lua_pushnil(L);
    lua_pushfstring(L, "this Lua has no %s collector", modes[s.mode]);
    return 2;
  }
  lua_pushboolean(L, 1);
  return 1;
}

/*
** gc_restore(settings): restores what gc_state() returned. Of the numbers that
** 5.4 can't report, it restores those that tare has set since.
*/
static int gc_restore(lua_State *L) {
  tare_gcstate s = check_state(L, INT_MAX);
  if (s.running < 0) s.running = tare_gc_is_running(L);
  tare_gc_restore(L, &s);
  tare_gc_set_running(L, s.running); /* 5.1 can't say whether it runs */
  return 0;
}

/*
** gc_settings() -> pause, step multiplier, running: the settings that can be
** read without a step of the collector.
*/
static int gc_settings(lua_State *L) {
  tare_gcstate s = tare_gc_settings(L);
  lua_pushinteger(L, s.pause);
  lua_pushinteger(L, s.step_multiplier);
  lua_pushboolean(L, s.running);
  return 3;
}

/* gc_run(boolean): starts or stops it, unless it is in that state already. */
static int gc_run(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  tare_gc_set_running(L, lua_toboolean(L, 1));
  return 0;
}

static int check_setting(lua_State *L, int i) {
  lua_Number value = luaL_checknumber(L, i);
  luaL_argcheck(L, value >= INT_MIN && value <= INT_MAX, i, "is out of range");
  return (int)luaL_checkinteger(L, i);
}

/*
** gc_put(pause, step multiplier, running): restores what gc_settings()
** returned.
*/
static int gc_put(lua_State *L) {
  tare_gcstate s = tare_gc_nothing();
  s.pause = check_setting(L, 1);
  s.step_multiplier = check_setting(L, 2);
  luaL_checktype(L, 3, LUA_TBOOLEAN);
  s.running = lua_toboolean(L, 3);
  tare_gc_put_back(L, &s);
  return 0;
}

/* Calls as pcall() does; needs no memory to restore what was captured. */
static int call_guarded(lua_State *L, const tare_gcstate *before) {
  tare_hook hook = tare_hook_get(L);
  int status;
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  lua_remove(L, 1); /* results may fill the stack: a slot to restore with */
  tare_hook_put(L, &hook);
  tare_gc_restore(L, before);
  tare_gc_set_running(L, before->running); /* 5.1 can't say whether it runs */
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/*
** guard(f, ...) -> true, results... | false, error: pcall(f, ...), which then
** restores the hook and the settings that gc_settings() returns.
*/
static int gc_guard(lua_State *L) {
  tare_gcstate before = tare_gc_settings(L);
  return call_guarded(L, &before);
}

/* guard_all(f, ...): guard(), which also restores the rest of gc_state(). */
static int gc_guard_all(lua_State *L) {
  tare_gcstate before = tare_gc_capture(L);
  return call_guarded(L, &before);
}

static const luaL_Reg watch_methods[] = {
    {"arm", watch_arm},
    {"disarm", watch_disarm},
    {"counts", watch_counts},
    {NULL, NULL},
};

static const luaL_Reg functions[] = {
    {"gcwatch", gc_watch},        {"gc_state", gc_state},
    {"gc_apply", gc_apply},       {"gc_restore", gc_restore},
    {"gc_settings", gc_settings}, {"gc_run", gc_run},
    {"gc_put", gc_put},           {"guard", gc_guard},
    {"guard_all", gc_guard_all},  {NULL, NULL},
};

void tare_bind_gc(lua_State *L) {
  tare_gcwatch_metatable(L); /* has __gc */
  lua_pop(L, 1);
  tare_define_type(L, TARE_GCWATCH, watch_methods, 0);
  luaL_setfuncs(L, functions, 0);
}
