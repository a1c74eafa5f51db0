/* The collector's pace in Lua 5.1, 5.2 and LuaJIT: a threshold, kept here. */
#include "state/pace_parts.h"

#if LUA_VERSION_NUM < 503

#include <math.h>

#if LUA_VERSION_NUM == 502
#define STEP_BYTES 2400.0
#define STEP_KB 2 /* 5.2 takes off a step's worth of this */
#else
#define STEP_BYTES 1024.0
#define STEP_KB 0
#endif

/* Whether a pause can be set to end later than at once: in LuaJIT. */
#if LUA_VERSION_NUM == 501 && defined(LUA_GCISRUNNING)
#define HAS_WAIT 1
#else
#define HAS_WAIT 0
#endif

void tare_pace_hold(lua_State *L, tare_pace *p) {
  tare_pace_take(L, p);
  if (p->lost) p->due_bytes = fmax(p->heap_bytes, p->rest_bytes);
}

void tare_pace_found(tare_pace *p, tare_seen seen) {
  if (!p->lost) return;
  p->lost = 0;
  if (seen != TARE_SEEN_NONE) p->born_bytes = INFINITY;
  if (seen == TARE_SEEN_NONE && p->in_cycle) p->due_bytes = p->heap_bytes;
}

void tare_pace_lend(lua_State *L, tare_pace *p, double bytes) {
  (void)L;
  (void)p;
  (void)bytes;
}

void tare_pace_look_idly(lua_State *L, int i) {
  (void)i;
  (void)lua_gc(L, LUA_GCCOUNT, 0);
}

double tare_pace_next(tare_pace *p, double call_bytes) {
  double left = p->due_bytes - p->heap_bytes;
  double grain = tare_pace_grain_bytes(p);
  if (left < grain && p->since_bytes < grain) left = grain;
  return left > call_bytes ? left : call_bytes;
}

/*
** What was allocated after marking is not in Lua's estimate. Half a grain is
** taken off, as steps come half a grain late in the mean.
*/
static double threshold_bytes(lua_State *L, const tare_pace *p) {
  double born = p->born_bytes < INFINITY ? p->born_bytes : 0.0;
  double alive = p->heap_bytes - born;
  double threshold =
      alive / 100.0 * tare_pace_percent(L) - tare_pace_grain_bytes(p) / 2.0;
  return threshold > p->heap_bytes ? threshold : p->heap_bytes;
}

tare_turn tare_pace_look(lua_State *L, tare_pace *p) {
  double owed = p->heap_bytes - p->due_bytes;
  int ended;
  if (owed < 0.0) return TARE_TURN_IDLE;
  ended = lua_gc(L, LUA_GCSTEP, STEP_KB);
  lua_gc(L, LUA_GCSTOP, 0);         /* the step has set a threshold again */
  p->due_bytes = STEP_BYTES - owed; /* and the heap after it, see below */
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
** On LuaJIT, to restart with -1 is to wait as after a cycle, until the heap is
** the pause in percent of what it is now. Elsewhere the collector goes on at
** once: in a pause, with the next cycle.
*/
static void restart(lua_State *L, tare_pace *p) {
  double percent = p->due_bytes / p->heap_bytes * 100.0;
  p->in_cycle = percent < 101.0 || !HAS_WAIT;
  int pause = lua_gc(L, LUA_GCSETPAUSE, (int)fmin(percent, 1e6));
  lua_gc(L, LUA_GCRESTART, percent >= 101.0 ? -1 : 0);
  lua_gc(L, LUA_GCSETPAUSE, pause);
}

void tare_pace_release(lua_State *L, tare_pace *p) {
  if (!p->held) return;
  p->held = 0;
  if (p->was_running) restart(L, p);
}

#endif
