/* The collector's pace in Lua 5.3 and 5.4, which keep a debt of bytes. */
#include "state/pace_parts.h"

#if LUA_VERSION_NUM >= 503

#include <math.h>

#define LARGEST_KB 0x3fffffff /* fits an int wherever Lua runs */

static void step_kb(lua_State *L, int kb) {
  if (kb != 0) (void)lua_gc(L, LUA_GCSTEP, kb);
}

static int to_kb(double bytes) {
  double kb = ceil(bytes / 1024.0);
  return kb < LARGEST_KB ? (int)kb : LARGEST_KB;
}

void tare_pace_hold(lua_State *L, tare_pace *p) {
  tare_pace_take(L, p);
  tare_pace_lend(L, p, 1.0); /* a step of 0 KB would be something else */
}

void tare_pace_found(tare_pace *p, tare_seen seen) {
  (void)p; /* its debt tells what is due */
  (void)seen;
}

void tare_pace_lend(lua_State *L, tare_pace *p, double bytes) {
  int kb = to_kb(bytes);
  if (kb <= p->loan_kb) return;
  step_kb(L, p->loan_kb - kb);
  p->loan_kb = kb;
}

tare_turn tare_pace_look(lua_State *L, tare_pace *p) {
  int ended = lua_gc(L, LUA_GCSTEP, p->loan_kb);
  p->loan_kb = 0;
  return ended == 1 ? TARE_TURN_CYCLE : TARE_TURN_MAYBE;
}

void tare_pace_look_idly(lua_State *L, int i) {
  step_kb(L, i % 2 == 0 ? -1 : 1);
}

/* Bytes that a look is worth it for. */
static double least_bytes(const tare_pace *p, double call_bytes) {
  double least = p->wait_bytes > 0.0 ? p->wait_bytes / 128.0 : 1024.0;
  if (p->after == TARE_AFTER_CYCLE && p->step_bytes > 0.0)
    least = fmin(least, p->step_bytes / 16.0);
  if (p->lost) least = fmax(least, p->wait_bytes / 32.0);
  if (LUA_VERSION_NUM == 503) least = fmax(least, tare_pace_grain_bytes(p));
  return fmax(least, call_bytes);
}

/* The wait that is next to be reached, of those that it may be. */
static double next_wait(const tare_pace *p) {
  double longer = p->major_share * p->base_bytes;
  if (p->after == TARE_AFTER_MAJOR && p->since_bytes > 1.1 * p->wait_bytes &&
      p->since_bytes < longer)
    return longer;
  return p->wait_bytes;
}

/*
** Most of the way to where the next step is expected at once, then half of
** what is left again and again.
*/
double tare_pace_next(tare_pace *p, double call_bytes) {
  double least = least_bytes(p, call_bytes);
  double wait = next_wait(p);
  double left = wait - p->since_bytes;
  double leap = left - wait / 32.0;
  p->leapt = leap > least && !p->lost;
  if (p->leapt) return leap;
  if (p->lost) return least;
  return fmax(least, left > 0.0 ? left / 2.0 : -left / 8.0);
}

/*
** Bytes before now at which the step was due: none is known of, or it was so
** at the end of a leap, and may have been for a while; once more, for long.
*/
static double early_bytes(tare_pace *p) {
  p->overshot = p->leapt ? p->overshot + 1 : 0;
  if (p->overshot == 0) return 0.0;
  return (p->overshot == 1 ? 0.1 : 0.5) * p->since_bytes;
}

/* The pause of a cycle, as a share of the heap that it left. */
static double pause_share(lua_State *L) {
  return fmax(tare_pace_percent(L) / 100.0 - 1.0, 0.0);
}

/* Learns from when the step that was just done had become due. */
static void learn(lua_State *L, tare_pace *p) {
  double early = early_bytes(p);
  double wait = p->since_bytes - early;
  switch (p->after) {
  case TARE_AFTER_STEP: p->step_bytes = wait; break;
  case TARE_AFTER_CYCLE: p->start_bytes = p->heap_bytes - early; break;
  case TARE_AFTER_MINOR:
    p->surprises = wait > 1.5 * p->wait_bytes ? p->surprises + 1 : 0;
    if (p->minor_share == 0.0 || p->surprises != 1)
      p->minor_share = wait / p->base_bytes;
    break;
  case TARE_AFTER_MAJOR:
    if (wait > 1.5 * p->wait_bytes)
      p->major_share = fmin(wait / p->base_bytes, pause_share(L));
    else if (p->overshot > 1)
      p->minor_share = wait / p->base_bytes;
    break;
  }
}

static tare_after after_step(tare_pace *p, tare_turn turn, tare_seen seen) {
  if (seen == TARE_SEEN_MINOR) p->generational = 1;
  if (turn == TARE_TURN_CYCLE) p->generational = 0;
  if (turn == TARE_TURN_CYCLE) return TARE_AFTER_CYCLE;
  if (seen == TARE_SEEN_MINOR) return TARE_AFTER_MINOR;
  return p->generational ? TARE_AFTER_MAJOR : TARE_AFTER_STEP;
}

/*
** The wait after a cycle: to the heap at which the last one began, or to the
** pause in percent of what it left, whichever comes first.
*/
static double pause_bytes(lua_State *L, const tare_pace *p) {
  double wait = p->start_bytes - p->heap_bytes;
  return fmax(fmin(wait, pause_share(L) * p->heap_bytes), 0.0);
}

void tare_pace_stepped(lua_State *L, tare_pace *p, tare_turn turn,
                       tare_seen seen) {
  if (!p->lost) learn(L, p);
  p->lost = 0;
  p->after = after_step(p, turn, seen);
  p->since_bytes = 0.0;
  p->base_bytes = p->heap_bytes = tare_heap_bytes(L);
  if (p->after == TARE_AFTER_STEP)
    p->wait_bytes = p->step_bytes;
  else if (p->after == TARE_AFTER_CYCLE)
    p->wait_bytes = pause_bytes(L, p);
  else
    p->wait_bytes = p->minor_share * p->base_bytes;
}

void tare_pace_release(lua_State *L, tare_pace *p) {
  double left = p->wait_bytes - p->since_bytes;
  if (!p->held) return;
  p->held = 0;
  p->loan_kb = 0;
  if (!p->was_running) return;
  lua_gc(L, LUA_GCRESTART, 0);
  if (left >= 1024.0) step_kb(L, -(int)fmin(left / 1024.0, LARGEST_KB));
}

#endif
