/* The collector's pace in Lua 5.1, 5.2 and LuaJIT: tare keeps a threshold. */
#include "state/pace_parts.h"

#if LUA_VERSION_NUM < 503

#include <math.h>

#include "state/gcsettings.h"

#if LUA_VERSION_NUM == 502
#define STEP_BYTES 2400.0
#define STEP_KB 2 /* 5.2 subtracts the size of a step from it */
#else
#define STEP_BYTES 1024.0
#define STEP_KB 0
#endif

/* Whether the length of a pause can be set on release: in LuaJIT. */
#if LUA_VERSION_NUM == 501 && defined(LUA_GCISRUNNING)
#define HAS_WAIT 1
#else
#define HAS_WAIT 0
#endif

int tare_pace_bound(tare_pace *p) {
  p->is_bounded = HAS_WAIT;
  return HAS_WAIT;
}

void tare_pace_hold(lua_State *L, tare_pace *p) {
  double heap = tare_heap_bytes(L);
  if (!p->held) p->lost = heap < p->heap_bytes || heap > p->heap_bytes + 4096.0;
  p->heap_bytes = heap;
  tare_pace_take(L, p);
  lua_gc(L, LUA_GCSTOP, 0);
  if (p->lost) p->due_bytes = fmax(p->heap_bytes, p->rest_bytes);
}

void tare_pace_found(lua_State *L, tare_pace *p, tare_seen seen,
                     const tare_gccount *count) {
  (void)L;
  (void)count;
  if (!p->lost) return;
  p->lost = 0;
  if (seen != TARE_SEEN_NONE) p->born_bytes = INFINITY;
  if (seen == TARE_SEEN_NONE && p->in_cycle) p->due_bytes = p->heap_bytes;
}

/*
** Lua's estimate of the live heap excludes what was allocated after marking.
** Half a grain is subtracted: on average, steps are that much late.
*/
static double threshold_bytes(lua_State *L, const tare_pace *p) {
  double born = p->born_bytes < INFINITY ? p->born_bytes : 0.0;
  double alive = p->heap_bytes - born;
  double threshold =
      alive / 100.0 * tare_gc_pause_percent(L) - tare_pace_grain_bytes(p) / 2.0;
  return threshold > p->heap_bytes ? threshold : p->heap_bytes;
}

void tare_pace_others(lua_State *L, tare_pace *p) {
  lua_gc(L, LUA_GCSTOP, 0); /* a full collection has set a threshold */
  p->heap_bytes = tare_heap_bytes(L);
  p->born_bytes = 0.0;
  p->due_bytes = p->rest_bytes = threshold_bytes(L, p);
}

void tare_pace_look_idly(lua_State *L, int i) {
  (void)i;
  (void)lua_gc(L, LUA_GCCOUNT, 0);
  (void)lua_gc(L, LUA_GCSTOP, 0); /* it is stopped already */
}

/*
** On LuaJIT, a restart with -1 begins a pause, as after a cycle: until the heap
** is 'percent' percent of its present size.
*/
static void wait_until(lua_State *L, double percent) {
  int pause = lua_gc(L, LUA_GCSETPAUSE, (int)fmin(percent, 1e6));
  lua_gc(L, LUA_GCRESTART, -1);
  lua_gc(L, LUA_GCSETPAUSE, pause);
}

void tare_pace_lend(lua_State *L, tare_pace *p, double bytes) {
  double percent = ceil((1.0 + bytes / p->heap_bytes) * 100.0);
  if (!p->is_bounded) return;
  p->lent_bytes = p->heap_bytes * percent / 100.0;
  wait_until(L, percent);
}

void tare_pace_overran(tare_pace *p) {
  p->due_bytes = fmax(p->heap_bytes, p->due_bytes); /* Lua has done the steps */
}

double tare_pace_next(tare_pace *p, double call_bytes) {
  double left = p->due_bytes - p->heap_bytes;
  double grain = tare_pace_grain_bytes(p);
  if (left < grain && p->since_bytes < grain) left = grain;
  return left > call_bytes ? left : call_bytes;
}

void tare_pace_push_newest(lua_State *L, const tare_pace *p) {
  (void)p;
  if (LUA_VERSION_NUM == 502)
    lua_newuserdata(L, 0); /* see pace_debt.c */
  else
    lua_pushnil(L);
}

tare_turn tare_pace_look(lua_State *L, tare_pace *p) {
  double owed = p->heap_bytes - p->due_bytes;
  int ended;
  if (owed < 0.0) return TARE_TURN_IDLE;
  ended = lua_gc(L, LUA_GCSTEP, STEP_KB);
  lua_gc(L, LUA_GCSTOP, 0); /* the step has set a threshold again */
  /* From the heap after the step on, which tare_pace_stepped() adds: */
  p->due_bytes = STEP_BYTES - owed;
  return ended ? TARE_TURN_CYCLE : TARE_TURN_STEP;
}

void tare_pace_stepped(lua_State *L, tare_pace *p, tare_turn turn,
                       tare_seen seen) {
  p->heap_bytes = tare_heap_bytes(L);
  p->since_bytes = 0.0;
  p->due_bytes += p->heap_bytes;
  if (seen != TARE_SEEN_NONE) p->born_bytes = 0.0;
  if (turn != TARE_TURN_CYCLE) return;
  p->due_bytes = p->rest_bytes = threshold_bytes(L, p);
}

/*
** Except on LuaJIT, the collector continues at once: if it was in a pause, the
** next cycle begins.
*/
static void restart(lua_State *L, tare_pace *p) {
  double percent = p->due_bytes / p->heap_bytes * 100.0;
  p->in_cycle = percent < 101.0 || !HAS_WAIT;
  if (percent >= 101.0 && HAS_WAIT)
    wait_until(L, percent);
  else
    lua_gc(L, LUA_GCRESTART, 0);
}

void tare_pace_release(lua_State *L, tare_pace *p) {
  if (!p->held) return;
  p->held = 0;
  if (p->was_running) restart(L, p);
}

#endif
