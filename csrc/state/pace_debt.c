/* The collector's pace in Lua 5.3 and 5.4, which keep a debt of bytes. */
#include "state/pace_parts.h"

#if LUA_VERSION_NUM == 503 || LUA_VERSION_NUM == 504

#include <math.h>

#include "state/gcsettings.h"

/*
** The smallest loan: calls between two looks rarely allocate as much. If the
** function runs the collector itself, Lua clears the debt and the loan; paying
** the loan back then makes the debt so large that a whole cycle runs at once.
*/
#define LOAN_KB (1 << 20)
#define LARGEST_KB (sizeof(size_t) > 4 ? 0x3fffffff : 3 << 19)

static void step_kb(lua_State *L, int kb) {
  if (kb != 0) (void)lua_gc(L, LUA_GCSTEP, kb);
}

static int to_kb(double bytes) {
  double kb = ceil(bytes / 1024.0);
  return kb < LARGEST_KB ? (int)kb : (int)LARGEST_KB;
}

/* Sets the debt to zero. 'is_running': whether the collector then runs. */
static void clear_debt(lua_State *L, int is_running) {
  lua_gc(L, LUA_GCRESTART, 0);
  if (!is_running) lua_gc(L, LUA_GCSTOP, 0);
}

/* step(kb): protected. */
static int step(lua_State *L) {
  (void)lua_gc(L, LUA_GCSTEP, (int)lua_tointeger(L, 1));
  return 0;
}

/*
** A step that raises nothing, unlike that of a look. Lua does a step whenever
** it is in debt, also to lend and to pay back, and in 5.3 finalizers may raise
** in it. After such an error the debt is cleared, so that a loan then needs no
** step.
*/
static void step_quietly(lua_State *L, int kb) {
  if (kb == 0) return;
  lua_pushcfunction(L, step);
  lua_pushinteger(L, kb);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return;
  lua_pop(L, 1);
  clear_debt(L, 1);
  if (kb < 0) step_kb(L, kb);
}

/*
** Accounts for what was allocated since the release. If the heap has shrunk, or
** a step was due, the collector has worked, and it is not known how far.
*/
static void look_back(lua_State *L, tare_pace *p) {
  double before = p->heap_bytes;
  tare_pace_see(L, p);
  if (p->heap_bytes < before || p->since_bytes > p->wait_bytes) {
    p->lost = 1;
    p->born_bytes = INFINITY; /* until a marking is seen */
  }
}

int tare_pace_bound(tare_pace *p) {
  p->is_bounded = 1; /* by the loan */
  return 1;
}

void tare_pace_hold(lua_State *L, tare_pace *p) {
  double left = p->wait_bytes - p->since_bytes;
  if (!p->held) look_back(L, p);
  tare_pace_take(L, p);
  p->loan_kb = 0;
  if (!p->was_running) { /* stopped: Lua has lost the debt, so we set it */
    clear_debt(L, 0);
    if (left >= 1024.0) step_kb(L, -to_kb(left));
    p->lost = 0;
  }
  tare_pace_lend(L, p, 1.0);
}

void tare_pace_found(lua_State *L, tare_pace *p, tare_seen seen,
                     const tare_gccount *count) {
  (void)L;
  (void)p; /* Lua's debt decides what is due */
  (void)seen;
  (void)count;
}

void tare_pace_lend(lua_State *L, tare_pace *p, double bytes) {
  int kb = to_kb(bytes);
  if (kb < LOAN_KB && !p->is_bounded) kb = LOAN_KB;
  if (kb <= p->loan_kb) return;
  step_quietly(L, p->loan_kb - kb);
  p->loan_kb = kb;
  p->lent_bytes = p->heap_bytes + 1024.0 * kb;
}

void tare_pace_overran(tare_pace *p) {
  (void)p; /* Lua has done the steps that were due beyond the loan */
}

void tare_pace_others(lua_State *L, tare_pace *p) {
  p->loan_kb = 0;
  p->lost = 1;
  p->born_bytes = INFINITY;
  p->after = TARE_AFTER_CYCLE;
  tare_pace_lend(L, p, 1.0);
}

/*
** Lua runs the collector just after it has made an object, which is alive and
** at the front of its list of objects. Behind it, dead objects are swept one by
** one. Without it, dead objects at the very front would be swept all at once,
** without counting as work.
*/
void tare_pace_push_newest(lua_State *L, const tare_pace *p) {
  if (p->generational)
    lua_pushnil(L);
  else
    lua_newuserdata(L, 0);
}

tare_turn tare_pace_look(lua_State *L, tare_pace *p) {
  int kb = p->loan_kb, ended;
  p->loan_kb = 0; /* paid, also where a finalizer raises in 5.3 */
  ended = lua_gc(L, LUA_GCSTEP, kb);
  return ended == 1 ? TARE_TURN_CYCLE : TARE_TURN_MAYBE;
}

void tare_pace_look_idly(lua_State *L, int i) {
  step_kb(L, i % 2 == 0 ? -1 : 1);
}

/*
** Bytes between two looks when a step may be due. Within a cycle at least 8 kB
** are allocated between two steps, by default. With later looks a step would do
** the work of several at once: as much work, but in a longer pause.
*/
#define LOOK_BYTES 1024.0
#define LOST_LOOK_BYTES 4096.0 /* when it is not known when a step is due */
#define LOOKS_A_WAIT 64.0      /* for what is done in one piece, late or not */
#define MINOR_SHARE 0.2 /* of the heap, before the wait is known: 5.4's */

/* The next wait that may end: after a major collection there are two. */
static double next_wait(const tare_pace *p) {
  double longer = p->major_share * p->base_bytes;
  if (p->after == TARE_AFTER_MAJOR && p->since_bytes > 1.1 * p->wait_bytes &&
      p->since_bytes < longer)
    return longer;
  return p->wait_bytes;
}

/*
** Bytes between two looks. A minor collection takes no longer if it comes a
** little late, so LOOKS_A_WAIT looks are enough: on a large heap, looks every
** kilobyte would be most of what is timed.
*/
static double look_bytes(const tare_pace *p, double wait) {
  double least = p->lost ? LOST_LOOK_BYTES : LOOK_BYTES;
  if (p->after == TARE_AFTER_MINOR || p->after == TARE_AFTER_MAJOR) {
    double known = wait > 0.0 ? wait : MINOR_SHARE * p->heap_bytes;
    return p->lost ? fmax(least, known / LOOKS_A_WAIT) : known / LOOKS_A_WAIT;
  }
  if (!p->lost && p->after == TARE_AFTER_CYCLE)
    return fmin(least, wait / LOOKS_A_WAIT);
  return least;
}

/*
** Leaps over most of the way to the expected step, in several leaps, since it
** is not known exactly what calls will allocate. Not within a cycle: there the
** last wait does not predict the next, since a step traverses a large table
** whole.
*/
double tare_pace_next(tare_pace *p, double call_bytes) {
  double wait = next_wait(p);
  double leap = 0.875 * (wait - p->since_bytes - wait / 32.0);
  double least = look_bytes(p, wait);
  if (LUA_VERSION_NUM == 503) least = fmax(least, tare_pace_grain_bytes(p));
  least = fmax(least, call_bytes);
  p->leapt = leap > least && !p->lost && p->after != TARE_AFTER_STEP;
  return p->leapt ? leap : least;
}

/*
** How many bytes ago the step probably became due. After single looks: just
** now. If it was found due at the end of a leap, it may have been so for a
** while; after several such leaps in a row, probably for long.
*/
static double early_bytes(tare_pace *p) {
  p->overshot = p->leapt ? p->overshot + 1 : 0;
  if (p->overshot == 0) return 0.0;
  return (p->overshot == 1 ? 0.1 : 0.5) * p->since_bytes;
}

/* The pause after a cycle, as a share of the heap after it. */
static double pause_share(lua_State *L) {
  return fmax(tare_gc_pause_percent(L) / 100.0 - 1.0, 0.0);
}

/* Learns from the bytes at which the last step became due. */
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
** The wait after a cycle: until the heap is 'pause' percent of what the cycle
** left alive, to Lua's knowledge. That excludes what was allocated after the
** marking. If it is not known how much that was: until the heap is as large as
** when the last cycle began, or by the heap after it, whichever is less.
*/
static double pause_bytes(lua_State *L, const tare_pace *p) {
  double wait = pause_share(L) * p->heap_bytes;
  double seen = p->start_bytes - p->heap_bytes;
  if (p->born_bytes < INFINITY)
    return fmax(wait - (1.0 + pause_share(L)) * p->born_bytes, 0.0);
  return seen > 0.0 ? fmin(wait, seen) : wait;
}

void tare_pace_stepped(lua_State *L, tare_pace *p, tare_turn turn,
                       tare_seen seen) {
  if (!p->lost) learn(L, p);
  p->lost = 0;
  if (seen != TARE_SEEN_NONE) p->born_bytes = 0.0;
  p->after = after_step(p, turn, seen);
  p->since_bytes = 0.0;
  p->base_bytes = p->heap_bytes = p->left_bytes = tare_heap_bytes(L);
  if (p->after == TARE_AFTER_STEP)
    p->wait_bytes = p->step_bytes;
  else if (p->after == TARE_AFTER_CYCLE)
    p->wait_bytes = pause_bytes(L, p);
  else
    p->wait_bytes = p->minor_share * p->base_bytes;
}

void tare_pace_release(lua_State *L, tare_pace *p) {
  int kb = p->loan_kb;
  if (!p->held) return;
  p->held = 0;
  p->loan_kb = 0;
  if (p->was_running && tare_gc_is_running(L))
    step_quietly(L, kb); /* a step that is due is done now */
  else
    clear_debt(L, p->was_running);
  p->heap_bytes = tare_heap_bytes(L);
}

#endif
