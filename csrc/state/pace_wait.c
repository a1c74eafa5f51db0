/* The collector's pace in Lua 5.5, whose parameters give the waits. */
#include "state/pace_parts.h"

#if LUA_VERSION_NUM >= 505

#include <math.h>

#include "state/gcsettings.h"

#define LEAST_WAIT 16.0 /* bytes: as good as at once */

/*
** The share of some bytes that a parameter asks for. Lua keeps it in 128ths and
** returns percent, rounded down.
*/
static double share_of(lua_State *L, int parameter, double bytes) {
  int percent = lua_gc(L, LUA_GCPARAM, parameter, -1);
  return ceil(percent * 1.28) / 128.0 * bytes;
}

/* Bytes from a step within a cycle to the next. */
static double step_bytes(lua_State *L) {
  return lua_gc(L, LUA_GCPARAM, LUA_GCPSTEPSIZE, -1);
}

/*
** Bytes from a minor collection to the next, computed from the heap after the
** last major one.
*/
static double minor_bytes(lua_State *L, const tare_pace *p) {
  return share_of(L, LUA_GCPMINORMUL, fmax(p->base_bytes - p->bare_bytes, 0.0));
}

/*
** The heap at which a pause ends. Lua computes it from the bytes that it has
** marked, without those allocated since and those that are no object.
*/
static double threshold_bytes(lua_State *L, const tare_pace *p) {
  double born = p->born_bytes < INFINITY ? p->born_bytes : 0.0;
  double marked = p->heap_bytes - born - p->bare_bytes;
  return fmax(share_of(L, LUA_GCPPAUSE, marked), p->heap_bytes);
}

/*
** The same after a cycle. If others ran the marking, it is not known what was
** allocated since, and all of it counts as alive: then the pause is no longer
** than the last one.
*/
static double rest_after(lua_State *L, const tare_pace *p) {
  double rest = threshold_bytes(L, p);
  if (p->born_bytes < INFINITY || p->rest_bytes <= p->heap_bytes) return rest;
  return fmin(rest, p->rest_bytes);
}

#define PARTS 1024

/* Shortens the wait bit by bit, until a step frees some garbage. Protected. */
static int shorten_wait(lua_State *L) {
  tare_pace *p = (tare_pace *)lua_touserdata(L, 1);
  double heap, marked;
  int part;
  lua_gc(L, LUA_GCCOLLECT);
  heap = tare_heap_bytes(L);
  (void)lua_newuserdata(L, 64);
  lua_pop(L, 1);
  for (part = 0; part <= PARTS; part++) {
    double before = tare_heap_bytes(L);
    (void)lua_gc(L, LUA_GCSTEP, (size_t)(heap / PARTS) + 1);
    if (tare_heap_bytes(L) < before) break;
  }
  marked = heap * fmin((part + 0.5) / PARTS, 1.0);
  if (tare_gc_last_mode(L) != TARE_GC_GENERATIONAL)
    marked = (marked + heap) / 2.0; /* the wait was 2 * marked - heap */
  p->bare_bytes = heap - marked;
  p->base_bytes = p->left_bytes = heap;
  p->kept_share = -1.0;
  return 0;
}

/*
** Finds the bytes of the heap that are no objects, mainly the table of short
** strings. A full collection sets a wait by what it has marked, here as much or
** twice as much, and that wait is measured.
*/
void tare_pace_weigh(lua_State *L, tare_pace *p) {
  tare_gcstate before = tare_gc_capture(L);
  (void)lua_gc(L, LUA_GCPARAM, LUA_GCPMINORMUL, 100);
  (void)lua_gc(L, LUA_GCPARAM, LUA_GCPPAUSE, 200);
  (void)lua_gc(L, LUA_GCPARAM, LUA_GCPSTEPMUL, 0); /* a step is a whole cycle */
  if (tare_cpcall(L, shorten_wait, p) != LUA_OK) lua_pop(L, 1);
  tare_gc_restore(L, &before);
  p->rest_bytes = share_of(L, LUA_GCPPAUSE, p->base_bytes - p->bare_bytes);
}

/* A held collector is a stopped one here, which has no bound. */
int tare_pace_bound(tare_pace *p) {
  (void)p;
  return 0;
}

void tare_pace_lend(lua_State *L, tare_pace *p, double bytes) {
  (void)L;
  (void)p;
  (void)bytes;
}

void tare_pace_overran(tare_pace *p) {
  (void)p;
}

static int is_minor(const tare_pace *p) {
  return p->after == TARE_AFTER_MINOR || p->after == TARE_AFTER_MAJOR;
}

/* A full collection is over. */
static void begin_anew(lua_State *L, tare_pace *p) {
  p->born_bytes = 0.0;
  p->unmarked = p->asks = 0;
  if (tare_gc_last_mode(L) == TARE_GC_GENERATIONAL) {
    p->after = TARE_AFTER_MAJOR;
    p->base_bytes = p->left_bytes = p->heap_bytes;
    p->kept_share = -1.0;
    p->due_bytes = p->heap_bytes + minor_bytes(L, p);
  } else {
    p->after = TARE_AFTER_CYCLE;
    p->due_bytes = p->rest_bytes = threshold_bytes(L, p);
  }
}

/*
** What was allocated since the release counts towards the wait, unless it was
** more than had been granted or the heap has shrunk: then the collector has
** worked. In incremental mode it is in a pause, if the heap is below the end of
** the last one; in generational mode it may be anywhere between two minor
** collections.
*/
void tare_pace_hold(lua_State *L, tare_pace *p) {
  double heap, released = p->heap_bytes;
  if (released <= 0.0 && tare_gc_last_mode(L) == TARE_GC_GENERATIONAL)
    p->after = TARE_AFTER_MAJOR;
  heap = tare_heap_bytes(L);
  if (!p->held) {
    p->lost = released <= 0.0 || heap < released ||
              heap > released + p->granted_bytes;
    if (!p->lost) p->born_bytes += heap - released;
  }
  p->heap_bytes = heap;
  tare_pace_take(L, p);
  lua_gc(L, LUA_GCSTOP);
  if (p->lost) p->left_bytes = 0.0;
  if (p->lost && is_minor(p))
    p->due_bytes = heap + minor_bytes(L, p) / 2.0;
  else if (p->lost)
    p->due_bytes = fmax(heap, p->rest_bytes);
}

/*
** What minor collections have added to the heap since a major one that others
** ran, as a share of the heap after that one. The next major one comes when it
** is a known share (a parameter). It is estimated as that share times the
** number of minor collections since, divided by their usual number between two
** major ones.
*/
static double kept_since(lua_State *L, const tare_gccount *count) {
  double minors = (double)(count->collections - count->majors);
  double usual = minors / fmax((double)count->majors, 1.0);
  double newer = count->majors == 0
                     ? 0.0 /* a full collection that nobody counted */
                     : fmin((double)count->newer / fmax(usual, 1.0), 1.0);
  return share_of(L, LUA_GCPMINORMAJOR, newer);
}

/*
** The heap after the last major collection, computed from the heap after a
** minor one.
*/
static double base_of(const tare_pace *p) {
  double objects = p->heap_bytes - p->bare_bytes;
  return p->bare_bytes + objects / (1.0 + p->kept_share);
}

void tare_pace_found(lua_State *L, tare_pace *p, tare_seen seen,
                     const tare_gccount *count) {
  if (!p->lost && (seen == TARE_SEEN_NONE || !is_minor(p))) return;
  p->lost = 0;
  if (seen != TARE_SEEN_NONE) {
    p->left_bytes = 0.0;
    p->born_bytes = INFINITY;
  }
  if (seen == TARE_SEEN_MAJOR && is_minor(p)) {
    p->kept_share = kept_since(L, count);
    p->base_bytes = base_of(p); /* includes a part of a nursery */
  }
  if (seen == TARE_SEEN_NONE && p->in_cycle) p->due_bytes = p->heap_bytes;
  /* others may have left the collector in a sweep, or in the pause after it */
  p->asks = !is_minor(p);
}

void tare_pace_others(lua_State *L, tare_pace *p) {
  lua_gc(L, LUA_GCSTOP);
  p->heap_bytes = tare_heap_bytes(L);
  begin_anew(L, p);
}

void tare_pace_push_newest(lua_State *L, const tare_pace *p) {
  if (is_minor(p))
    lua_pushnil(L);
  else
    lua_newuserdata(L, 0); /* see pace_debt.c */
}

void tare_pace_look_idly(lua_State *L, int i) {
  (void)i;
  (void)lua_gc(L, LUA_GCCOUNT);
}

double tare_pace_next(tare_pace *p, double call_bytes) {
  if (p->asks) return call_bytes;
  return fmax(p->due_bytes - p->heap_bytes, call_bytes);
}

/*
** Asks Lua whether it is in a cycle, whose steps come after short waits: then a
** step is done now. Used just after a minor collection, which may have been the
** last before a major one, and after a hold, when only Lua knows. This shortens
** Lua's own wait, which decides nothing while the collector is held.
*/
static tare_turn ask(lua_State *L, tare_pace *p) {
  p->asks = 0;
  p->owed_bytes = 0.0;
  return lua_gc(L, LUA_GCSTEP, (size_t)step_bytes(L)) ? TARE_TURN_CYCLE
                                                      : TARE_TURN_MAYBE;
}

tare_turn tare_pace_look(lua_State *L, tare_pace *p) {
  if (p->asks) return ask(L, p);
  if (p->heap_bytes < p->due_bytes) return TARE_TURN_IDLE;
  p->owed_bytes = p->heap_bytes - p->due_bytes;
  return lua_gc(L, LUA_GCSTEP, (size_t)0) ? TARE_TURN_CYCLE : TARE_TURN_STEP;
}

/*
** What the step was. Both the end of marking in a major collection and a return
** to minor ones are seen as a major collection, but only the latter frees all
** dead objects at once. (An incremental collector has no minor collections, but
** the watch may take one of its cycles for one.)
*/
static tare_after after_step(lua_State *L, const tare_pace *p, tare_turn turn,
                             tare_seen seen, double before) {
  if (turn == TARE_TURN_CYCLE) return TARE_AFTER_CYCLE;
  if (seen == TARE_SEEN_NONE || tare_gc_last_mode(L) == TARE_GC_INCREMENTAL)
    return TARE_AFTER_STEP;
  if (seen == TARE_SEEN_MINOR) return TARE_AFTER_MINOR;
  return p->heap_bytes < before ? TARE_AFTER_MAJOR : TARE_AFTER_STEP;
}

void tare_pace_stepped(lua_State *L, tare_pace *p, tare_turn turn,
                       tare_seen seen) {
  double before = p->heap_bytes, wait;
  p->heap_bytes = p->left_bytes = tare_heap_bytes(L);
  p->since_bytes = 0.0;
  p->after = after_step(L, p, turn, seen, before);
  if (seen != TARE_SEEN_NONE) p->born_bytes = 0.0;
  if (p->after == TARE_AFTER_CYCLE) {
    p->rest_bytes = rest_after(L, p);
    /* Lua marks nothing between the last minor collection and a major one */
    p->due_bytes = p->unmarked ? p->heap_bytes : p->rest_bytes;
    p->due_bytes = fmax(p->due_bytes, p->heap_bytes + LEAST_WAIT);
    return;
  }
  if (p->after == TARE_AFTER_MAJOR) p->kept_share = 0.0;
  if (is_minor(p) && p->kept_share >= 0.0) {
    p->base_bytes = base_of(p);
    p->kept_share = -1.0;
  }
  if (p->after == TARE_AFTER_MINOR)
    p->unmarked = 1;
  else if (seen != TARE_SEEN_NONE)
    p->unmarked = 0;
  wait = is_minor(p) ? minor_bytes(L, p) : step_bytes(L);
  /* minor collections that a long call has skipped are left out for good */
  if (is_minor(p) && p->owed_bytes >= wait) p->owed_bytes = 0.0;
  p->asks = p->after == TARE_AFTER_MINOR && wait > 4.0 * step_bytes(L);
  wait = fmax(wait, LEAST_WAIT); /* a parameter may be 0 */
  /* If a call was longer than a wait, this is below the heap: more are due. */
  p->due_bytes = p->heap_bytes + wait - p->owed_bytes;
}

int tare_pace_asks(const tare_pace *p) {
  return p->asks;
}

/* grant(slots): makes Lua wait until so many slots' bytes are allocated. */
static int grant(lua_State *L) {
  lua_Integer slots = lua_tointeger(L, 1);
  lua_createtable(L, (int)slots, 0);
  lua_gc(L, LUA_GCRESTART);
  lua_pushboolean(L, 1);
  lua_rawseti(L, -2, slots + 1); /* a rehash frees the empty slots */
  return 0;
}

/*
** Lua has no function that makes it wait, but what is freed counts as a wait.
** So a large table is made, the collector is restarted, which clears its debt,
** and then the table is made smaller. Only as much is granted as will soon be
** allocated, judged by the last batch.
*/
#define SLOT_BYTES 9.0 /* a value and its type */
#define LEAST_GRANT 65536.0

static void restart(lua_State *L, tare_pace *p) {
  double wait = p->due_bytes - p->heap_bytes;
  double before = p->heap_bytes;
  wait = fmin(wait, fmax(4.0 * p->spent_bytes, LEAST_GRANT));
  p->granted_bytes = 0.0;
  p->in_cycle = wait <= 0.0 || p->after == TARE_AFTER_STEP;
  lua_gc(L, LUA_GCSTOP);
  if (wait > step_bytes(L) && lua_checkstack(L, 4)) {
    lua_pushcfunction(L, grant);
    lua_pushinteger(L, (lua_Integer)(wait / SLOT_BYTES));
    if (lua_pcall(L, 1, 0, 0) == LUA_OK)
      p->granted_bytes = wait;
    else
      lua_pop(L, 1);
  }
  if (!tare_gc_is_running(L)) lua_gc(L, LUA_GCRESTART);
  p->heap_bytes = tare_heap_bytes(L);
  p->due_bytes += p->heap_bytes - before;
}

void tare_pace_release(lua_State *L, tare_pace *p) {
  if (!p->held) return;
  p->held = 0;
  p->heap_bytes = tare_heap_bytes(L);
  if (p->was_running)
    restart(L, p);
  else
    p->granted_bytes = 0.0;
  p->spent_bytes = 0.0;
}

#endif
