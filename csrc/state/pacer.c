#include "state/pacer.h"

#include <math.h>
#include <string.h>

#include "state/hook.h"
#include "state/idle.h"
#include "state/keep.h"

#define CAUTIOUS_CALLS 16.0 /* at most so many are known of a new batch */
#define HOOK_COUNT 10       /* instructions between looks inside a call */
#define HOOK_LOAN 1e6       /* bytes that they may allocate at least */

/* Its address is the key of the batch whose calls are looked into. */
static const char inside_key = 'i';

/* A batch under way. */
typedef struct paced {
  tare_pacer *pacer;
  const tare_clock *clock;
  double iters;
  int inside;          /* whether steps come in the midst of calls */
  tare_hook hook;      /* ... then the one that was found, ... */
  struct paced *outer; /* ... the batch around this one, or NULL, ... */
  int hooked;          /* ... whether ours is set, ... */
  double look_bytes; /* ... and allocated since the last step, to look again */
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
** not tell, the time does, for a step takes far longer than none, and the heap,
** for a short one has freed a few large things. To look for the end of marking
** costs the collector a little; once a minor collection was seen each step is
** taken for one, until one ends a cycle, as no minor collection does.
*/
static int was_step(lua_State *L, tare_pacer *p, tare_turn turn, double ns,
                    tare_seen *seen) {
  int stepped = turn != TARE_TURN_MAYBE || ns > 500.0 + 8.0 * p->look_ns ||
                tare_heap_bytes(L) < p->pace.heap_bytes;
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

/* The next look inside a call: when it may be worth it. */
static void plan_look(lua_State *L, paced *b) {
  tare_pacer *p = b->pacer;
  double next = tare_pace_next(&p->pace, 0.0);
  b->look_bytes = p->pace.since_bytes + next;
  tare_pace_lend(L, &p->pace, next + fmax(2.0 * call_bytes(p), HOOK_LOAN));
}

static void look_inside(lua_State *L, lua_Debug *ar) {
  paced *b = (paced *)tare_kept(L, &inside_key);
  (void)ar;
  if (b == NULL) return;
  tare_pace_see(L, &b->pacer->pace);
  if (b->pacer->pace.since_bytes < b->look_bytes) return;
  collect(L, b);
  plan_look(L, b);
}

static void keep_batch(lua_State *L, paced *b) {
  if (b)
    lua_pushlightuserdata(L, b);
  else
    lua_pushnil(L);
  tare_keep(L, &inside_key);
}

/* Sets the hook; unhook takes it away again, on every path. */
static void hook_up(lua_State *L, paced *b) {
  b->outer = (paced *)tare_kept(L, &inside_key);
  keep_batch(L, b);
  b->hooked = 1;
  plan_look(L, b);
  lua_sethook(L, look_inside, LUA_MASKCOUNT, HOOK_COUNT);
}

static void unhook(lua_State *L, const paced *b) {
  if (!b->hooked) return;
  tare_hook_put(L, &b->hook);
  keep_batch(L, b->outer);
}

/* Calls between which the collector does what is due. */
static void run_between(lua_State *L, paced *b) {
  double left = b->iters;
  while (left > 0.0) {
    double calls = plan(b->pacer, left);
    mutate(L, b, calls);
    collect(L, b);
    left -= calls;
  }
}

/* Calls in the midst of which it does. */
static void run_inside(lua_State *L, paced *b) {
  hook_up(L, b);
  (void)call_ns(L, b->clock, b->iters);
  tare_pace_see(L, &b->pacer->pace);
  collect(L, b);
}

/* chunks(loop, empty, paced): the whole batch; called protected. */
static int chunks(lua_State *L) {
  paced *b = (paced *)lua_touserdata(L, BATCH);
  tare_pacer *p = b->pacer;
  p->pace.generational = 0; /* until it is seen */
  forget(p, p->recent_calls / CAUTIOUS_CALLS);
  tare_pace_found(&p->pace, tare_gcwatch_poll(L, p->watch));
  tare_gcwatch_mark(L, p->watch);
  b->cycles = p->watch->cycles;
  b->majors = p->watch->majors;
  p->call_ns = tare_idle_call_ns(L, b->clock, EMPTY);
  p->look_ns = tare_idle_look_ns(L, b->clock);
  if (b->inside)
    run_inside(L, b);
  else
    run_between(L, b);
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
  if (!b->inside) s->col[TARE_MUTATOR_NS][row] = b->mutator_ns;
  s->col[TARE_COLLECTOR_NS][row] = b->collector_ns;
  s->col[TARE_MINOR_NS][row] = b->minor_ns;
  s->col[TARE_NURSERY_BYTES][row] = b->nursery_bytes;
  s->col[TARE_PROMOTED_BYTES][row] = b->promoted_bytes;
  s->col[TARE_GC_STEPS][row] = b->steps;
  s->col[TARE_GC_MAJOR][row] = majors;
  s->col[TARE_GC_MINOR][row] = (double)(w->cycles - b->cycles) - majors;
}

int tare_pacer_run(lua_State *L, tare_pacer *p, const tare_meter *m,
                   tare_samples *s, double iters, int inside) {
  paced b;
  tare_chain_reading before = tare_meter_chain(m);
  tare_core_reading core, core_after;
  uint64_t start;
  double wall_ns;
  int status;
  memset(&b, 0, sizeof b);
  b.pacer = p;
  b.clock = &m->wall;
  b.iters = iters;
  b.inside = inside;
  b.hook = tare_hook_get(L);
  lua_pushcfunction(L, chunks);
  lua_insert(L, -3);
  lua_pushlightuserdata(L, &b);
  tare_pace_hold(L, &p->pace);
  core = tare_meter_core(m);
  start = tare_now(&m->wall);
  status = lua_pcall(L, 3, 0, 0);
  wall_ns = elapsed_ns(start, tare_now(&m->wall));
  core_after = tare_meter_core(m);
  unhook(L, &b);
  tare_pace_release(L, &p->pace);
  if (status != LUA_OK) return status;
  keep_row(s, &b, elapsed_ns(m->epoch_ns, start), wall_ns);
  tare_keep_core(m, s, s->rows - 1, &core, &core_after);
  tare_keep_chain(s, s->rows - 1, before, tare_meter_chain(m));
  return status;
}
