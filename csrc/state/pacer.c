#include "state/pacer.h"

#include <math.h>
#include <string.h>

#define ROUNDS 8            /* calibrations of which the least counts */
#define REPEATS 16          /* empty calls in each */
#define CAUTIOUS_CALLS 16.0 /* at most so many are known of a new batch */

/* A batch under way. */
typedef struct paced {
  tare_pacer *pacer;
  const tare_clock *clock;
  double iters;
  double mutator_ns, collector_ns, steps;
  double minor_ns, nursery_bytes, promoted_bytes;
  unsigned long cycles, majors; /* of the watch, before */
} paced;

void tare_pacer_init(tare_pacer *p, tare_gcwatch *watch,
                     tare_histogram *pauses) {
  memset(p, 0, sizeof *p);
  p->watch = watch;
  p->pauses = pauses;
}

static double elapsed_ns(uint64_t start, uint64_t end) {
  return (double)(end - start);
}

/* Where on the stack of 'chunks' things stand. */
enum { LOOP = 1, EMPTY = 2, BATCH = 3 };

/* Time of loop(calls). */
static double call_ns(lua_State *L, const tare_clock *c, double calls) {
  uint64_t start;
  lua_pushvalue(L, LOOP);
  tare_push_count(L, calls);
  start = tare_now(c);
  lua_call(L, 1, 0);
  return elapsed_ns(start, tare_now(c));
}

/* Mean time of empty(0) and a reading of the clock. */
static double empty_call_ns(lua_State *L, const tare_clock *c) {
  uint64_t start = tare_now(c), end = start;
  int i;
  for (i = 0; i < REPEATS; i++) {
    lua_pushvalue(L, EMPTY);
    tare_push_count(L, 0.0);
    lua_call(L, 1, 0);
    end = tare_now(c);
  }
  return elapsed_ns(start, end) / REPEATS;
}

/* Mean time of a look that finds nothing due and a reading of the clock. */
static double empty_look_ns(lua_State *L, const tare_clock *c) {
  uint64_t start = tare_now(c), end = start;
  int i;
  for (i = 0; i < REPEATS; i++) {
    tare_pace_look_idly(L, i);
    end = tare_now(c);
  }
  return elapsed_ns(start, end) / REPEATS;
}

/* What timing adds to each side: the least of some empty rounds. */
static void calibrate(lua_State *L, const paced *b) {
  double call = INFINITY, look = INFINITY;
  int i;
  for (i = 0; i < ROUNDS; i++) {
    call = fmin(call, empty_call_ns(L, b->clock));
    look = fmin(look, empty_look_ns(L, b->clock));
  }
  b->pacer->call_ns = call;
  b->pacer->look_ns = look;
}

static double call_bytes(const tare_pacer *p) {
  return p->recent_calls > 0.0 ? p->recent_bytes / p->recent_calls : 0.0;
}

/* Has what calls allocated count less by a factor, if that is above 1. */
static void forget(tare_pacer *p, double factor) {
  if (factor <= 1.0) return;
  p->recent_bytes /= factor;
  p->recent_calls /= factor;
}

/* Calls until the next look, at most 'left' and at least 1. */
static double plan(tare_pacer *p, double left) {
  double each = call_bytes(p);
  double bytes = tare_pace_next(&p->pace, each);
  double calls = p->recent_calls * 4.0 + 1.0; /* no leap into the unknown */
  if (bytes < calls * each) calls = bytes / each;
  if (calls > left) return left;
  return calls < 1.0 ? 1.0 : floor(calls);
}

static void mutate(lua_State *L, paced *b, double calls) {
  tare_pacer *p = b->pacer;
  double before = p->pace.since_bytes, grown;
  double expected = (calls + 2.0) * call_bytes(p);
  tare_pace_lend(L, &p->pace, 1024.0 + fmax(expected, p->peak_bytes));
  b->mutator_ns += call_ns(L, b->clock, calls) - p->call_ns;
  tare_pace_see(L, &p->pace);
  grown = p->pace.since_bytes - before;
  p->peak_bytes = fmax(0.98 * p->peak_bytes, grown);
  p->recent_bytes += grown;
  p->recent_calls += calls;
}

/*
** Whether the look that was taken did a step, and what it saw. Where Lua does
** not tell, the time does: a step takes far longer than none. To look for the
** end of marking costs the collector a little; once a minor collection was
** seen each step is taken for one, until one ends a cycle, as no minor
** collection does.
*/
static int was_step(lua_State *L, tare_pacer *p, tare_turn turn, double ns,
                    tare_seen *seen) {
  int stepped = turn != TARE_TURN_MAYBE || ns > 500.0 + 8.0 * p->look_ns;
  *seen = TARE_SEEN_NONE;
  if (!p->pace.generational)
    *seen = tare_gcwatch_poll(L, p->watch);
  else if (stepped)
    *seen = tare_gcwatch_count(L, p->watch);
  if (p->pace.generational && turn == TARE_TURN_CYCLE)
    tare_gcwatch_mark(L, p->watch);
  return stepped || *seen != TARE_SEEN_NONE;
}

/*
** What a minor collection kept of what was new: only that is freed in one.
** 'before' is the pace before the step; nothing is known if it was lost.
*/
static void note_minor(paced *b, const tare_pace *before, double ns) {
  b->minor_ns += ns;
  if (before->lost || before->base_bytes <= 0.0) return;
  b->nursery_bytes += before->heap_bytes - before->base_bytes;
  b->promoted_bytes += b->pacer->pace.heap_bytes - before->base_bytes;
}

/* Accounts for a step; true if another one may be due. */
static int note_step(lua_State *L, paced *b, tare_turn turn, tare_seen seen,
                     double ns) {
  tare_pacer *p = b->pacer;
  tare_pace before = p->pace;
  b->steps++;
  b->collector_ns += ns;
  tare_histogram_add(p->pauses, ns);
  tare_pace_stepped(L, &p->pace, turn, seen);
  if (seen == TARE_SEEN_MINOR) note_minor(b, &before, ns);
  forget(p, 2.0);
  return turn == TARE_TURN_STEP;
}

/*
** Has the collector do what is due. What a look without a step takes, in the
** midst of the mutator, is what is taken off those with one.
*/
static void collect(lua_State *L, paced *b) {
  tare_pacer *p = b->pacer;
  int more = 1;
  tare_seen seen;
  while (more) {
    uint64_t start = tare_now(b->clock);
    tare_turn turn = tare_pace_look(L, &p->pace);
    double ns = elapsed_ns(start, tare_now(b->clock));
    if (turn == TARE_TURN_IDLE) return;
    if (was_step(L, p, turn, ns, &seen)) {
      more = note_step(L, b, turn, seen, fmax(ns - p->look_ns, 0.0));
    } else {
      p->look_ns += (ns - p->look_ns) / 16.0;
      more = 0;
    }
  }
}

/* chunks(loop, empty, paced): the whole batch; called protected. */
static int chunks(lua_State *L) {
  paced *b = (paced *)lua_touserdata(L, BATCH);
  tare_pacer *p = b->pacer;
  double left = b->iters;
  p->pace.generational = 0; /* until it is seen */
  forget(p, p->recent_calls / CAUTIOUS_CALLS);
  tare_pace_found(&p->pace, tare_gcwatch_poll(L, p->watch));
  tare_gcwatch_mark(L, p->watch);
  b->cycles = p->watch->cycles;
  b->majors = p->watch->majors;
  calibrate(L, b);
  while (left > 0.0) {
    double calls = plan(p, left);
    mutate(L, b, calls);
    collect(L, b);
    left -= calls;
  }
  return 0;
}

static void keep_row(tare_samples *s, const paced *b, double start_ns,
                     double wall_ns) {
  const tare_gcwatch *w = b->pacer->watch;
  double majors = (double)(w->majors - b->majors);
  size_t row = tare_samples_append(s);
  s->col[TARE_ITERS][row] = b->iters;
  s->col[TARE_START_NS][row] = start_ns;
  s->col[TARE_WALL_NS][row] = wall_ns;
  s->col[TARE_MUTATOR_NS][row] = b->mutator_ns;
  s->col[TARE_COLLECTOR_NS][row] = b->collector_ns;
  s->col[TARE_MINOR_NS][row] = b->minor_ns;
  s->col[TARE_NURSERY_BYTES][row] = b->nursery_bytes;
  s->col[TARE_PROMOTED_BYTES][row] = b->promoted_bytes;
  s->col[TARE_GC_STEPS][row] = b->steps;
  s->col[TARE_GC_MAJOR][row] = majors;
  s->col[TARE_GC_MINOR][row] = (double)(w->cycles - b->cycles) - majors;
}

int tare_pacer_run(lua_State *L, tare_pacer *p, const tare_meter *m,
                   tare_samples *s, double iters) {
  paced b;
  tare_chain_reading before = tare_meter_chain(m);
  uint64_t start;
  double wall_ns;
  int status;
  memset(&b, 0, sizeof b);
  b.pacer = p;
  b.clock = &m->wall;
  b.iters = iters;
  lua_pushcfunction(L, chunks);
  lua_insert(L, -3);
  lua_pushlightuserdata(L, &b);
  tare_pace_hold(L, &p->pace);
  start = tare_now(&m->wall);
  status = lua_pcall(L, 3, 0, 0);
  wall_ns = elapsed_ns(start, tare_now(&m->wall));
  tare_pace_release(L, &p->pace);
  if (status != LUA_OK) return status;
  keep_row(s, &b, elapsed_ns(m->epoch_ns, start), wall_ns);
  tare_keep_chain(s, s->rows - 1, before, tare_meter_chain(m));
  return status;
}
