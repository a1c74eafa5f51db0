/* The collector's own mode and parameters (--gc-mode, --gc-set; not --gc). */
#include "state/gcsettings.h"

#include <limits.h>
#include <math.h>

/*
** Stock 5.1 can't report whether the collector runs, and returns -1. Some hosts
** have LuaJIT, which can, with the headers of stock 5.1.
*/
#if defined(LUA_GCISRUNNING)
#define IS_RUNNING LUA_GCISRUNNING
#else
#define IS_RUNNING 9
#endif

double tare_heap_bytes(lua_State *L) {
  return lua_gc(L, LUA_GCCOUNT, 0) * 1024.0 + lua_gc(L, LUA_GCCOUNTB, 0);
}

double tare_known_heap_bytes(lua_State *L) {
  double bytes = tare_heap_bytes(L);
  return bytes >= 0.0 ? bytes : NAN; /* -1 kB and -1 byte: not known */
}

int tare_gc_is_running(lua_State *L) {
  return lua_gc(L, IS_RUNNING, 0) != 0;
}

void tare_gc_set_running(lua_State *L, int running) {
  if (lua_gc(L, IS_RUNNING, 0) == running) return;
  lua_gc(L, running ? LUA_GCRESTART : LUA_GCSTOP, 0);
}

tare_gcstate tare_gc_nothing(void) {
  tare_gcstate s = {TARE_GC_UNKNOWN, -1, -1, -1, -1, -1, -1, -1, -1};
  return s;
}

#if LUA_VERSION_NUM >= 505

#define PAUSE LUA_GCPPAUSE
#define STEP_MULTIPLIER LUA_GCPSTEPMUL

static int ask(lua_State *L, int parameter) {
  return lua_gc(L, LUA_GCPARAM, parameter, -1);
}

/*
** Lua keeps only a few binary digits of a parameter, so it may read as less
** than what was set. Then larger values are set until it reads as at least
** 'value'. So a value that was read can be restored: it reads the same again.
*/
static void set(lua_State *L, int parameter, int value) {
  int given = value;
  if (value < 0 || value == ask(L, parameter)) return;
  if (value > 1000000) value = given = 1000000; /* more than Lua can keep */
  do {
    (void)lua_gc(L, LUA_GCPARAM, parameter, given);
    given += 1 + given / 64;
  } while (ask(L, parameter) < value && given < 2 * value + 2);
}

#else

#define PAUSE LUA_GCSETPAUSE
#define STEP_MULTIPLIER LUA_GCSETSTEPMUL

/* Reads a parameter that lua_gc() returns only when it is set. */
static int ask(lua_State *L, int what) {
  int value = lua_gc(L, what, 200);
  if (value >= 0) lua_gc(L, what, value);
  return value;
}

#if LUA_VERSION_NUM >= 504
#define MOST_PERCENT 1020 /* 5.4 keeps a fourth of it, in a byte */
#else
#define MOST_PERCENT INT_MAX
#endif

static int at_most(int value, int most) {
  return value < most ? value : most;
}

static void set(lua_State *L, int what, int value) {
  if (value >= 0) lua_gc(L, what, at_most(value, MOST_PERCENT));
}

#endif

int tare_gc_pause_percent(lua_State *L) {
  return ask(L, PAUSE);
}

tare_gcstate tare_gc_settings(lua_State *L) {
  tare_gcstate s = tare_gc_nothing();
  s.pause = ask(L, PAUSE);
  s.step_multiplier = ask(L, STEP_MULTIPLIER);
  s.running = tare_gc_is_running(L);
  return s;
}

static void apply_settings(lua_State *L, const tare_gcstate *s) {
  set(L, PAUSE, s->pause);
  set(L, STEP_MULTIPLIER, s->step_multiplier);
  if (s->running >= 0) tare_gc_set_running(L, s->running);
}

void tare_gc_put_back(lua_State *L, const tare_gcstate *s) {
  set(L, PAUSE, s->pause);
  set(L, STEP_MULTIPLIER, s->step_multiplier);
  if (tare_gc_is_running(L) != s->running) tare_gc_set_running(L, s->running);
}

#if LUA_VERSION_NUM >= 504

#include "state/keep.h"

#define MOST_STEPS 6

/* The smallest step, in the type that Lua reads. */
#if LUA_VERSION_NUM >= 505
#define NO_BYTES ((size_t)0)
#else
#define NO_BYTES 0
#endif

/*
** What tare has set last, or else Lua's defaults. 5.5 reports the numbers
** itself.
*/
typedef struct tare_gcknown {
  int step_size, minor_multiplier, major_multiplier;
  tare_gcmode mode; /* as it was found or set last */
} tare_gcknown;

static const tare_gcknown defaults = {13, 20, 100, TARE_GC_UNKNOWN};

/* Its address is the key, in the registry, of what is known of the state. */
static const char known_key = 'g';

/*
** Does a step. Returns whether it found an object dead that nothing refers to.
*/
static int step_kills(lua_State *L, int *ended) {
  int dead;
  lua_newuserdatauv(L, 0, 0);
  lua_rawseti(L, -2, 1);
  *ended = lua_gc(L, LUA_GCSTEP, NO_BYTES);
  dead = lua_rawgeti(L, -1, 1) == LUA_TNIL;
  lua_pop(L, 1);
  return dead;
}

/*
** In generational mode each step is a collection. In incremental mode, two
** steps in a row can't both find a dead object unless one of them ends a cycle.
** A bad major collection of generational mode also ends a cycle, but not many
** in a row do.
*/
static tare_gcmode mode_by_steps(lua_State *L) {
  int steps, ended, without_end = 0;
  tare_gcmode mode = TARE_GC_INCREMENTAL;
  tare_push_weak(L, 1);
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

/* What is known of the state; NULL: nothing was set. Allocates nothing. */
static tare_gcknown *known(lua_State *L) {
  return (tare_gcknown *)tare_kept(L, &known_key);
}

/*
** The same; makes room for it if there is none, so that later calls need no
** memory.
*/
static tare_gcknown *know(lua_State *L) {
  tare_gcknown *k = known(L);
  if (k != NULL) return k;
  k = (tare_gcknown *)lua_newuserdatauv(L, sizeof *k, 0);
  *k = defaults;
  tare_keep(L, &known_key);
  return k;
}

tare_gcmode tare_gc_last_mode(lua_State *L) {
  const tare_gcknown *k = known(L);
  return k != NULL ? k->mode : TARE_GC_UNKNOWN;
}

#if LUA_VERSION_NUM >= 505

/*
** In generational mode 5.5 does a major collection in steps, during which it
** looks like incremental mode. Setting incremental mode changes nothing if it
** is set already, and returns the mode that was set. If that was generational
** mode, setting it again restores it, by a full collection.
*/
static tare_gcmode find_mode(lua_State *L) {
  tare_gcmode mode = mode_by_steps(L);
  if (mode == TARE_GC_INCREMENTAL && lua_gc(L, LUA_GCINC) == LUA_GCGEN) {
    (void)lua_gc(L, LUA_GCGEN);
    mode = TARE_GC_GENERATIONAL;
  }
  return mode;
}

tare_gcstate tare_gc_capture(lua_State *L) {
  tare_gcstate s = tare_gc_settings(L);
  s.mode = find_mode(L);
  s.step_bytes = ask(L, LUA_GCPSTEPSIZE);
  s.step_size = s.step_bytes > 0 ? (int)lround(log2(s.step_bytes)) : 0;
  s.minor_multiplier = ask(L, LUA_GCPMINORMUL);
  s.major_multiplier = ask(L, LUA_GCPMINORMAJOR);
  s.back_multiplier = ask(L, LUA_GCPMAJORMINOR);
  know(L)->mode = s.mode;
  return s;
}

/* Sets the numbers of both modes, in either of them. */
static void set_numbers(lua_State *L, const tare_gcstate *s) {
  int most = s->step_size < 20 ? s->step_size : 20; /* more than Lua can keep */
  set(L, LUA_GCPSTEPSIZE,
      s->step_bytes >= 0 || most < 0 ? s->step_bytes : 1 << most);
  set(L, LUA_GCPMINORMUL, s->minor_multiplier);
  set(L, LUA_GCPMINORMAJOR, s->major_multiplier);
  set(L, LUA_GCPMAJORMINOR, s->back_multiplier);
}

static void enter(lua_State *L, tare_gcmode mode) {
  tare_gcknown *k = known(L);
  if (k != NULL) k->mode = mode;
  (void)lua_gc(L, mode == TARE_GC_GENERATIONAL ? LUA_GCGEN : LUA_GCINC);
}

int tare_gc_apply(lua_State *L, const tare_gcstate *s) {
  if (s->mode != TARE_GC_UNKNOWN) (void)know(L); /* first, since it may raise */
  set_numbers(L, s);
  apply_settings(L, s);
  if (s->mode != TARE_GC_UNKNOWN) enter(L, s->mode);
  return 1;
}

void tare_gc_restore(lua_State *L, const tare_gcstate *s) {
  set_numbers(L, s);
  if (s->mode != TARE_GC_UNKNOWN) enter(L, s->mode);
  tare_gc_put_back(L, s);
}

#else /* 5.4 */

static tare_gcmode find_mode(lua_State *L) {
  return mode_by_steps(L);
}

static void remember(int *where, int value) {
  if (value >= 0) *where = value;
}

static void capture_known(lua_State *L, tare_gcstate *s) {
  const tare_gcknown *k = know(L);
  s->step_size = k->step_size;
  s->minor_multiplier = k->minor_multiplier;
  s->major_multiplier = k->major_multiplier;
}

tare_gcstate tare_gc_capture(lua_State *L) {
  tare_gcstate s = tare_gc_settings(L);
  s.mode = find_mode(L);
  capture_known(L, &s);
  known(L)->mode = s.mode;
  return s;
}

#define MOST_OF_BYTE 255

/*
** The numbers of both modes as Lua can keep them: it cuts larger ones without
** an error.
*/
static tare_gcstate within_bytes(const tare_gcstate *s) {
  tare_gcstate kept = *s;
  kept.step_size = at_most(s->step_size, MOST_OF_BYTE);
  kept.minor_multiplier = at_most(s->minor_multiplier, MOST_OF_BYTE);
  kept.major_multiplier = at_most(s->major_multiplier, MOST_PERCENT);
  return kept;
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
  tare_gcknown *k = know(L);
  k->mode = mode;
  if (mode == TARE_GC_GENERATIONAL) {
    remember(&k->minor_multiplier, s->minor_multiplier);
    remember(&k->major_multiplier, s->major_multiplier);
    lua_gc(L, LUA_GCGEN, or_zero(s->minor_multiplier),
           or_zero(s->major_multiplier));
  } else {
    remember(&k->step_size, s->step_size);
    lua_gc(L, LUA_GCINC, 0, 0, or_zero(s->step_size));
  }
}

/* Whether a number of the mode should differ from what it was last set to. */
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
** The numbers of a mode can only be set by entering it. Those of the present
** mode are set first. The other mode is entered if it is wanted, or for a
** moment if its numbers have to be set.
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

int tare_gc_apply(lua_State *L, const tare_gcstate *wanted) {
  tare_gcstate s = within_bytes(wanted);
  if (s.mode != TARE_GC_UNKNOWN || has_numbers(&s, TARE_GC_INCREMENTAL) ||
      has_numbers(&s, TARE_GC_GENERATIONAL)) {
    tare_gcmode now = find_mode(L);
    if (now != TARE_GC_UNKNOWN) apply_modes(L, &s, now);
  }
  apply_settings(L, &s);
  return 1;
}

/*
** The numbers of 's' that tare has changed since 's' was captured. A number
** that tare has not set stays as it is: it may be the host's, which can't be
** read.
*/
static tare_gcstate set_since(lua_State *L, const tare_gcstate *s) {
  tare_gcstate now = tare_gc_nothing(), back = within_bytes(s);
  capture_known(L, &now);
  if (now.step_size == back.step_size) back.step_size = -1;
  if (now.minor_multiplier == back.minor_multiplier) back.minor_multiplier = -1;
  if (now.major_multiplier == back.major_multiplier) back.major_multiplier = -1;
  return back;
}

void tare_gc_restore(lua_State *L, const tare_gcstate *s) {
  tare_gcmode other = s->mode == TARE_GC_INCREMENTAL ? TARE_GC_GENERATIONAL
                                                     : TARE_GC_INCREMENTAL;
  if (s->mode != TARE_GC_UNKNOWN) {
    tare_gcstate back = set_since(L, s);
    if (differs(L, &back, other)) enter(L, other, &back);
    enter(L, s->mode, &back);
  }
  tare_gc_put_back(L, s);
}

#endif

#else /* before 5.4: one mode, whose numbers can be read */

tare_gcmode tare_gc_last_mode(lua_State *L) {
  (void)L;
  return TARE_GC_INCREMENTAL;
}

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

void tare_gc_restore(lua_State *L, const tare_gcstate *s) {
  tare_gc_put_back(L, s);
}

#endif
