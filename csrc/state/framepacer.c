#include "state/framepacer.h"

#include <math.h>
#include <string.h>

#include "state/gcsettings.h"
#include "state/idle.h"
#include "state/keep.h"

/*
** Bytes that may be allocated between two looks: so many times the recent
** peak...
*/
#define LENT_PEAKS 2.0
#define PEAK_DECAY 0.98
/*
** ... plus this, which is little compared with what is allocated per
** collection.
*/
#define LENT_BYTES 1048576.0

/*
** Where Lua does not report steps, a look that took less did none: see pacer.c.
*/
#define LEAST_STEP_NS 500.0

/* These three functions may do a step that is due, and so count as looks. */
static void lend(lua_State *L, tare_framepacer *p) {
  p->is_looking = 1;
  tare_pace_lend(L, &p->pace, LENT_PEAKS * p->peak_bytes + LENT_BYTES);
  p->is_looking = 0;
}

static void hold(lua_State *L, tare_framepacer *p) {
  p->is_looking = 1;
  tare_pace_hold(L, &p->pace);
  p->is_looking = 0;
}

static void note_others(lua_State *L, tare_framepacer *p) {
  p->is_looking = 1;
  tare_pace_others(L, &p->pace);
  p->is_looking = 0;
}

/* run_due(framepacer): the steps that are due, one by one. Protected. */
static int run_due(lua_State *L) {
  tare_framepacer *p = (tare_framepacer *)lua_touserdata(L, 1);
  tare_turn turn;
  do {
    double before = tare_heap_bytes(L), ns;
    p->look_began = tare_now(p->clock);
    turn = tare_pace_look(L, &p->pace);
    ns = tare_elapsed_ns(p->look_began, tare_now(p->clock));
    if (turn == TARE_TURN_IDLE) break;
    if (turn != TARE_TURN_MAYBE || tare_heap_bytes(L) < before ||
        ns > LEAST_STEP_NS + 8.0 * p->look_ns)
      p->collector_ns += fmax(ns - p->look_ns, 0.0);
    else if (ns < 2.0 * p->look_ns)
      p->look_ns += (ns - p->look_ns) / 16.0;
    if (turn != TARE_TURN_MAYBE) /* else Lua knows by itself what is due next */
      tare_pace_stepped(L, &p->pace, turn, tare_gcwatch_poll(L, p->watch));
  } while (turn == TARE_TURN_STEP);
  return 0;
}

/*
** Looks. Returns whether the collector is still held: after an error its state
** is not known, and it is released.
*/
static int look(lua_State *L, tare_framepacer *p) {
  int is_sound;
  p->is_looking = 1;
  tare_push_kept(L, p); /* kept, since on LuaJIT lua_cpcall allocates */
  lua_pushlightuserdata(L, p);
  is_sound = lua_pcall(L, 1, 0, 0) == LUA_OK;
  if (!is_sound) {
    lua_pop(L, 1);
    p->collector_ns +=
        fmax(tare_elapsed_ns(p->look_began, tare_now(p->clock)), 0.0);
    /* LuaJIT goes on by itself after a step that raised, but not after others. */
    if (LUA_VERSION_NUM >= 503 || !tare_gc_is_running(L))
      tare_pace_release(L, &p->pace);
    p->pace.held = 0;
  }
  p->is_looking = 0;
  p->collections = p->watch->armed_count.collections;
  p->pace.heap_bytes = tare_heap_bytes(L);
  return is_sound;
}

/* The host has stopped the collector during a frame: it stays stopped. */
static void let_stop(lua_State *L, tare_framepacer *p) {
  p->is_stopped = 1;
  p->pace.was_running = 0;
  tare_pace_release(L, &p->pace);
}

/* Accounts for what was allocated since the last look. */
static void see(lua_State *L, tare_framepacer *p) {
  double before = p->pace.heap_bytes;
  tare_pace_see(L, &p->pace);
  p->peak_bytes = fmax(PEAK_DECAY * p->peak_bytes, p->pace.heap_bytes - before);
  if (p->pace.heap_bytes > p->pace.lent_bytes) {
    tare_pace_overran(&p->pace);
    p->is_untimed = 1;
  }
  if (p->watch->armed_count.collections != p->collections) {
    note_others(L, p);
    p->is_untimed = 1;
  }
}

int tare_framepacer_init(lua_State *L, tare_framepacer *p, tare_gcwatch *watch,
                         const tare_clock *clock) {
  memset(p, 0, sizeof *p);
  p->watch = watch;
  p->clock = clock;
  if (!tare_pace_bound(&p->pace)) return 0;
  lua_pushcfunction(L, run_due);
  tare_keep(L, p);
  if (tare_gc_is_running(L)) lua_gc(L, LUA_GCCOLLECT, 0);
  tare_gcwatch_mark(L, watch);
  if (!tare_gc_is_running(L)) return 1;
  tare_pace_hold(L, &p->pace);
  tare_pace_others(L, &p->pace);
  p->look_ns = tare_idle_look_ns(L, clock);
  tare_pace_release(L, &p->pace);
  p->collections = watch->armed_count.collections;
  return 1;
}

void tare_framepacer_begin(lua_State *L, tare_framepacer *p) {
  if (p->is_looking) return; /* a finalizer uses the recorder that runs it */
  tare_framepacer_drop(L, p);
  p->collector_ns = 0.0;
  p->is_untimed = 0;
  p->is_stopped = !tare_gc_is_running(L);
  if (p->is_stopped) return;
  hold(L, p);
  if (p->watch->armed_count.collections != p->collections)
    note_others(L, p);
  else
    tare_pace_found(L, &p->pace, TARE_SEEN_NONE, &p->watch->armed_count);
  p->collections = p->watch->armed_count.collections;
  lend(L, p);
}

void tare_framepacer_look(lua_State *L, tare_framepacer *p) {
  if (!p->pace.held || p->is_looking) return;
  if (!tare_gc_is_running(L)) {
    let_stop(L, p);
    return;
  }
  if (tare_heap_bytes(L) <= p->pace.heap_bytes) return; /* nothing is due */
  see(L, p);
  if (!look(L, p)) hold(L, p);
  lend(L, p);
}

double tare_framepacer_finish(lua_State *L, tare_framepacer *p) {
  if (p->is_looking) return NAN;
  if (p->pace.held && !tare_gc_is_running(L)) let_stop(L, p);
  if (p->pace.held) {
    see(L, p);
    if (look(L, p)) tare_pace_release(L, &p->pace);
  }
  p->untimed += p->is_untimed;
  p->stopped += p->is_stopped;
  return p->is_stopped ? NAN : p->collector_ns;
}

void tare_framepacer_drop(lua_State *L, tare_framepacer *p) {
  if (!p->pace.held || p->is_looking) return;
  if (!tare_gc_is_running(L))
    let_stop(L, p);
  else if (look(L, p))
    tare_pace_release(L, &p->pace);
}
