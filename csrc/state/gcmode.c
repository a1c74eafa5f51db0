#include "state/gcmode.h"

int tare_gc_is_running(lua_State *L) {
#if defined(LUA_GCISRUNNING)
  return lua_gc(L, LUA_GCISRUNNING, 0) == 1;
#else
  (void)L;
  return 1;
#endif
}

void tare_gc_set_running(lua_State *L, int running) {
#if defined(LUA_GCISRUNNING)
  if (tare_gc_is_running(L) == running) return;
#endif
  lua_gc(L, running ? LUA_GCRESTART : LUA_GCSTOP, 0);
}

tare_gcstate tare_gc_nothing(void) {
  tare_gcstate s = {TARE_GC_UNKNOWN, -1, -1, -1, -1, -1, -1};
  return s;
}

/* A parameter that is told when it is set. */
static int ask(lua_State *L, int what, int harmless) {
  int value = lua_gc(L, what, harmless);
  if (value >= 0) lua_gc(L, what, value);
  return value;
}

static void set(lua_State *L, int what, int value) {
  if (value >= 0) lua_gc(L, what, value);
}

tare_gcstate tare_gc_settings(lua_State *L) {
  tare_gcstate s = tare_gc_nothing();
  s.pause = ask(L, LUA_GCSETPAUSE, 200);
  s.step_multiplier = ask(L, LUA_GCSETSTEPMUL, 200);
  s.running = tare_gc_is_running(L);
  return s;
}

static void apply_settings(lua_State *L, const tare_gcstate *s) {
  set(L, LUA_GCSETPAUSE, s->pause);
  set(L, LUA_GCSETSTEPMUL, s->step_multiplier);
  if (s->running >= 0) tare_gc_set_running(L, s->running);
}

#if LUA_VERSION_NUM >= 504

#define KNOWN "tare.gcmode" /* in the registry: what tare has set */
#define MOST_STEPS 6

/* Pushes a table with weak values and, in it alone, an object. */
static void push_marked(lua_State *L) {
  lua_createtable(L, 1, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

/* Does a step; whether an object that nothing refers to was found dead. */
static int step_kills(lua_State *L, int *ended) {
  int dead;
  lua_newuserdatauv(L, 0, 0);
  lua_rawseti(L, -2, 1);
  *ended = lua_gc(L, LUA_GCSTEP, 0);
  dead = lua_rawgeti(L, -1, 1) == LUA_TNIL;
  lua_pop(L, 1);
  return dead;
}

/*
** In generational mode each step is a collection; in incremental mode two
** steps can't both find what is dead without one of them ending a cycle. A
** bad major collection ends one as well, but not many in a row.
*/
static tare_gcmode find_mode(lua_State *L) {
  int steps, ended, without_end = 0;
  tare_gcmode mode = TARE_GC_INCREMENTAL;
  push_marked(L);
  for (steps = 0; steps < MOST_STEPS; steps++) {
    if (!step_kills(L, &ended)) break;
    if (ended < 0) mode = TARE_GC_UNKNOWN; /* inside a finalizer */
    if (ended < 0) break;
    without_end = ended ? 0 : without_end + 1;
    if (without_end == 2) mode = TARE_GC_GENERATIONAL;
    if (without_end == 2) break;
  }
  lua_pop(L, 1);
  return mode;
}

/* The number that tare has set under a name, or Lua's default. */
static int known(lua_State *L, const char *name, int otherwise) {
  int value = otherwise;
  lua_getfield(L, LUA_REGISTRYINDEX, KNOWN);
  if (lua_istable(L, -1)) {
    if (lua_getfield(L, -1, name) == LUA_TNUMBER)
      value = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return value;
}

static void remember(lua_State *L, const char *name, int value) {
  if (value < 0) return;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, KNOWN);
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

static void capture_known(lua_State *L, tare_gcstate *s) {
  s->step_size = known(L, "step_size", 13);
  s->minor_multiplier = known(L, "minor_multiplier", 20);
  s->major_multiplier = known(L, "major_multiplier", 100);
}

tare_gcstate tare_gc_capture(lua_State *L) {
  tare_gcstate s = tare_gc_settings(L);
  s.mode = find_mode(L);
  capture_known(L, &s);
  return s;
}

static int or_zero(int value) {
  return value > 0 ? value : 0; /* 0: to stay as it is */
}

static int has_numbers(const tare_gcstate *s, tare_gcmode mode) {
  if (mode == TARE_GC_INCREMENTAL) return s->step_size >= 0;
  return s->minor_multiplier >= 0 || s->major_multiplier >= 0;
}

/* Enters the mode, or stays in it, with the numbers that are its own. */
static void enter(lua_State *L, tare_gcmode mode, const tare_gcstate *s) {
  if (mode == TARE_GC_GENERATIONAL) {
    remember(L, "minor_multiplier", s->minor_multiplier);
    remember(L, "major_multiplier", s->major_multiplier);
    lua_gc(L, LUA_GCGEN, or_zero(s->minor_multiplier),
           or_zero(s->major_multiplier));
  } else {
    remember(L, "step_size", s->step_size);
    lua_gc(L, LUA_GCINC, 0, 0, or_zero(s->step_size));
  }
}

/* Whether a number of the mode is to be other than what it was last set to. */
static int differs(lua_State *L, const tare_gcstate *s, tare_gcmode mode) {
  tare_gcstate k = tare_gc_nothing();
  capture_known(L, &k);
  if (mode == TARE_GC_INCREMENTAL)
    return s->step_size >= 0 && s->step_size != k.step_size;
  return (s->minor_multiplier >= 0 &&
          s->minor_multiplier != k.minor_multiplier) ||
         (s->major_multiplier >= 0 &&
          s->major_multiplier != k.major_multiplier);
}

/*
** The numbers of a mode can only be set in it: those of the one that is left
** are set before, and the other one is visited if need be.
*/
static void apply_modes(lua_State *L, const tare_gcstate *s, tare_gcmode now) {
  tare_gcmode other =
      now == TARE_GC_INCREMENTAL ? TARE_GC_GENERATIONAL : TARE_GC_INCREMENTAL;
  if (has_numbers(s, now)) enter(L, now, s);
  if (s->mode == other) {
    enter(L, other, s);
  } else if (differs(L, s, other)) {
    enter(L, other, s);
    enter(L, now, s);
  }
}

int tare_gc_apply(lua_State *L, const tare_gcstate *s) {
  if (s->mode != TARE_GC_UNKNOWN || has_numbers(s, TARE_GC_INCREMENTAL) ||
      has_numbers(s, TARE_GC_GENERATIONAL)) {
    tare_gcmode now = find_mode(L);
    if (now != TARE_GC_UNKNOWN) apply_modes(L, s, now);
  }
  apply_settings(L, s);
  return 1;
}

#else

tare_gcstate tare_gc_capture(lua_State *L) {
  tare_gcstate s = tare_gc_settings(L);
  s.mode = TARE_GC_INCREMENTAL;
  return s;
}

int tare_gc_apply(lua_State *L, const tare_gcstate *s) {
  if (s->mode == TARE_GC_GENERATIONAL) return 0;
  apply_settings(L, s);
  return 1;
}

#endif
