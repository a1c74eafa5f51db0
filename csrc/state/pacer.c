#include "state/pacer.h"

#include <math.h>
#include <string.h>

#include "state/gcsettings.h"
#include "state/hook.h"
#include "state/idle.h"
#include "state/keep.h"

#define CAUTIOUS_CALLS 16.0 /* most past calls that a new batch relies on */
#define HOOK_COUNT 10       /* instructions between two looks inside a call */
#define HOOK_MOST 160       /* the same, where little is allocated */
#define HOOK_BYTES 512.0    /* allocated between two looks, about */
#define HOOK_LOOKS 16       /* looks after which the number is adapted */
#define HOOK_LOAN 1e6       /* least bytes lent for these instructions */

/* Its address is the key of the batch that has the hook. */
static const char inside_key = 'i';

/* Calls and times of a part of a batch. */
typedef struct part {
  double calls, mutator_ns, collector_ns, minor_ns;
} part;

/* A batch under way. */
typedef struct paced {
  tare_pacer *pacer;
  const tare_meter *meter;
  const tare_clock *clock;
  double iters;
  int inside;          /* whether steps run inside calls */
  tare_hook hook;      /* the hook that was set before */
  struct paced *outer; /* the batch around this one, or NULL */
  int hooked;          /* whether our hook is set */
  int hook_count;      /* instructions between two looks of the hook */
  int looks;           /* looks since this was last adapted or checked */
  double look_heap;    /* the heap when 'looks' was 0 */
  double look_bytes;   /* look again at so much allocated since the last step */
  double calls;        /* done; not counted if 'inside' */
  double mutator_ns, collector_ns, steps;
  double minor_ns, nursery_bytes, promoted_bytes;
  part first, last; /* up to the step that ended the first collection; the last
                       one */
  int ends;         /* whether a step has ended a collection */
  unsigned long collections, majors; /* that the watch saw before the batch */
  tare_core_reading mark;            /* when preemption was last looked for */
  uint64_t mark_ns;
  double pieces_ns;   /* sum of the pieces timed since then */
  double longest_ns;  /* the longest of these pieces */
  double *longest_of; /* the sum that it was added to */
  uint64_t last_end;  /* end of the last step inside calls */
} paced;

/*
** Preemption is looked for after so much time, and after each piece that is
** long enough to have been interrupted. Not more often: it takes a call of the
** system, after which the function and the collector find less in the caches.
** (Every 0.2 ms, that cost 1 to 4 % of their time, where such a call empties
** the processor's TLB.)
*/
#define MARK_NS 1e6
#define LONG_NS 5e5
#define LEAST_LOST_NS 1e4 /* the shortest time in another process */

/* How long the system had given the core to others since the last look. */
static double lost_ns(paced *b) {
  uint64_t cpu_ns = tare_now(&b->meter->cpu), now_ns = tare_now(b->clock);
  double lost =
      tare_elapsed_ns(b->mark_ns, now_ns) - (double)(cpu_ns - b->mark.cpu_ns);
  tare_switches before = b->mark.switches;
  b->mark.cpu_ns = cpu_ns;
  b->mark_ns = now_ns;
  if (lost < LEAST_LOST_NS) return 0.0;
  b->mark.switches = tare_switches_read();
  return b->mark.switches.preemptions > before.preemptions &&
                 b->mark.switches.waits == before.waits
             ? lost
             : 0.0;
}

/* Adds a timed piece of the function or of the collector to '*sum'. */
static void note_piece(paced *b, double *sum, double ns) {
  *sum += ns;
  b->pieces_ns += ns;
  if (ns <= b->longest_ns) return;
  b->longest_ns = ns;
  b->longest_of = sum;
}

/*
** The same, and subtracts the time that the system took away since preemption
** was last looked for. It is subtracted from the longest piece since then, in
** which it must have happened; unless it is longer than that piece, for then it
** happened between pieces. Returns how long this piece took.
*/
static double add_piece(paced *b, double *sum, double ns) {
  double lost, own_ns = ns;
  note_piece(b, sum, ns);
  if (b->meter->cpu.now == NULL || (ns < LONG_NS && b->pieces_ns < MARK_NS))
    return ns;
  lost = lost_ns(b);
  if (lost <= b->longest_ns) {
    *b->longest_of -= lost;
    if (ns == b->longest_ns) own_ns -= lost;
  }
  b->pieces_ns = b->longest_ns = 0.0;
  return own_ns;
}

/* Positions on the stack of 'chunks'. */
enum { LOOP = 1, EMPTY = 2, BATCH = 3 };

/* Time of loop(calls). */
static double call_ns(lua_State *L, const tare_clock *c, double calls) {
  uint64_t start;
  lua_pushvalue(L, LOOP);
  tare_push_count(L, calls);
  start = tare_now(c);
  lua_call(L, 1, 0);
  return tare_elapsed_ns(start, tare_now(c));
}

static double call_bytes(const tare_pacer *p) {
  return p->recent_calls > 0.0 ? p->recent_bytes / p->recent_calls : 0.0;
}

/* Divides the weight of past calls by 'factor', if that is above 1. */
static void forget(tare_pacer *p, double factor) {
  if (factor <= 1.0) return;
  p->recent_bytes /= factor;
  p->recent_calls /= factor;
}

/* Number of calls until the next look: at most 'left', at least 1. */
static double plan(tare_pacer *p, double left) {
  double each = call_bytes(p);
  double bytes = tare_pace_next(&p->pace, each);
  double calls = p->recent_calls * 4.0 + 1.0; /* no leap into the unknown */
  if (bytes < calls * each) calls = bytes / each;
  if (calls > left) return left;
  return calls < 1.0 ? 1.0 : floor(calls);
}

/*
** Notes for the pace whether the function under test ran a collection of its
** own. Not needed in generational mode, whose collector looks only at the sign
** of the debt.
*/
static void note_others(lua_State *L, tare_pacer *p) {
  if (p->pace.generational) return;
  if (tare_gcwatch_poll(L, p->watch) != TARE_SEEN_NONE)
    tare_pace_others(L, &p->pace);
}

static void mutate(lua_State *L, paced *b, double calls) {
  tare_pacer *p = b->pacer;
  double before = p->pace.since_bytes, grown;
  double expected = (calls + 2.0) * call_bytes(p);
  tare_pace_lend(L, &p->pace, 1024.0 + fmax(expected, p->peak_bytes));
  add_piece(b, &b->mutator_ns, call_ns(L, b->clock, calls));
  b->mutator_ns -= p->call_ns;
  tare_pace_see(L, &p->pace);
  grown = p->pace.since_bytes - before;
  note_others(L, p);
  p->peak_bytes = fmax(0.98 * p->peak_bytes, grown);
  p->recent_bytes += grown;
  p->recent_calls += calls;
}

/*
** Whether the last look did a step, and which collection it ended ('seen').
** If Lua does not report it (TARE_TURN_MAYBE), the time and the heap decide: a
** step takes far longer than a look without one, and a short step has freed a
** few large objects. A look that took far less than the recent steps was only
** interrupted by the system. Polling for the end of marking costs the collector
** a little. So after the first minor collection each step counts as one, until
** a step ends a cycle, which no minor collection does.
*/
static int was_step(lua_State *L, tare_pacer *p, tare_turn turn, double ns,
                    tare_seen *seen) {
  double least_ns = fmax(500.0 + 8.0 * p->look_ns, p->short_ns / 8.0);
  int stepped = turn != TARE_TURN_MAYBE || ns > least_ns ||
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
** Adds a minor collection's time, the size of the nursery and the part of it
** that survived. 'before' is the pace before the step; if that was lost, the
** size of the nursery is not known.
*/
static void note_minor(paced *b, const tare_pace *before, double ns) {
  b->minor_ns += ns;
  if (before->lost || before->left_bytes <= 0.0) return;
  b->nursery_bytes += before->heap_bytes - before->left_bytes;
  b->promoted_bytes += b->pacer->pace.heap_bytes - before->left_bytes;
}

/* A collection has ended with the step that was added last. */
static void mark_end(paced *b) {
  b->last.calls = b->calls;
  b->last.mutator_ns = b->mutator_ns;
  b->last.collector_ns = b->collector_ns;
  b->last.minor_ns = b->minor_ns;
  if (!b->ends) b->first = b->last;
  b->ends = 1;
}

/* Updates the time of the shortest recent step, from certain steps only. */
static void learn_step(lua_State *L, tare_pacer *p, tare_turn turn, double ns) {
  if (turn == TARE_TURN_MAYBE && tare_heap_bytes(L) >= p->pace.heap_bytes)
    return;
  p->short_ns = p->short_ns > 0.0 ? fmin(1.02 * p->short_ns, ns) : ns;
}

/* Records a step; true if another one may be due. */
static int note_step(lua_State *L, paced *b, tare_turn turn, tare_seen seen,
                     double ns) {
  tare_pacer *p = b->pacer;
  tare_pace before = p->pace;
  b->steps++;
  ns = add_piece(b, &b->collector_ns, ns);
  learn_step(L, p, turn, ns);
  if (p->pauses != NULL) tare_histogram_add(p->pauses, ns); /* else closed */
  tare_pace_stepped(L, &p->pace, turn, seen);
  if (seen == TARE_SEEN_MINOR) note_minor(b, &before, ns);
  if (seen != TARE_SEEN_NONE) mark_end(b);
  forget(p, 2.0);
  return turn == TARE_TURN_STEP || tare_pace_asks(&p->pace);
}

/*
** Runs the collector's steps that are due. The time of a look without a step,
** learned between calls, is subtracted from that of looks with one.
*/
static void collect(lua_State *L, paced *b) {
  tare_pacer *p = b->pacer;
  int more = 1;
  tare_seen seen;
  while (more) {
    uint64_t start;
    tare_turn turn;
    double ns;
    if (!b->inside) tare_pace_push_newest(L, &p->pace);
    start = tare_now(b->clock);
    turn = tare_pace_look(L, &p->pace);
    ns = tare_elapsed_ns(start, tare_now(b->clock));
    if (!b->inside) lua_pop(L, 1);
    if (turn == TARE_TURN_IDLE) return;
    if (was_step(L, p, turn, ns, &seen)) {
      if (b->inside)
        note_piece(b, &b->mutator_ns, tare_elapsed_ns(b->last_end, start));
      more = note_step(L, b, turn, seen, fmax(ns - p->look_ns, 0.0));
      b->last_end = tare_now(b->clock);
    } else {
      if (ns < 2.0 * p->look_ns) p->look_ns += (ns - p->look_ns) / 16.0;
      more = 0;
    }
  }
}

/* Sets at how many bytes the hook looks again. */
static void plan_look(lua_State *L, paced *b) {
  tare_pacer *p = b->pacer;
  double next = tare_pace_next(&p->pace, 0.0);
  b->look_bytes = p->pace.since_bytes + next;
  tare_pace_lend(L, &p->pace, next + fmax(2.0 * call_bytes(p), HOOK_LOAN));
}

/*
** Each look makes the function slower. A slower function finds less of its
** memory in the caches, and so does the collector. So looks are as far apart as
** the rate of allocation allows.
*/
static void space_looks(lua_State *L, paced *b) {
  double heap = b->pacer->pace.heap_bytes;
  double each = (heap - b->look_heap) / HOOK_LOOKS;
  int count = b->hook_count;
  if (++b->looks < HOOK_LOOKS) return;
  if (each < HOOK_BYTES / 2.0 && each >= 0.0 && count < HOOK_MOST)
    count *= 2;
  else if (each > HOOK_BYTES)
    count = HOOK_COUNT;
  b->looks = 0;
  b->look_heap = heap;
  if (count == b->hook_count) return;
  b->hook_count = count;
  lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, count);
}

static void look_inside(lua_State *L, lua_Debug *ar) {
  paced *b = (paced *)tare_kept(L, &inside_key);
  uint64_t now;
  (void)ar;
  /* a coroutine that was made in an earlier batch keeps its hook */
  if (b == NULL) lua_sethook(L, NULL, 0, 0);
  if (b == NULL) return;
  tare_pace_see(L, &b->pacer->pace);
  space_looks(L, b);
  if (b->pacer->pace.since_bytes < b->look_bytes) return;
  now = tare_now(b->clock);
  if (tare_elapsed_ns(b->last_end, now) >
      MARK_NS) { /* before a step may follow */
    add_piece(b, &b->mutator_ns, tare_elapsed_ns(b->last_end, now));
    b->last_end = tare_now(b->clock);
  }
  collect(L, b);
  plan_look(L, b);
}

/* Sets the hook; unhook() removes it on every path. */
static void hook_up(lua_State *L, paced *b) {
  b->outer = (paced *)tare_kept(L, &inside_key);
  tare_keep_address(L, &inside_key, b);
  b->hooked = 1;
  plan_look(L, b);
  b->hook_count = HOOK_COUNT;
  b->look_heap = b->pacer->pace.heap_bytes;
  lua_sethook(L, look_inside, LUA_MASKCOUNT, HOOK_COUNT);
}

/* Restores the hook. The function may have set one of its own. */
static void unhook(lua_State *L, const paced *b) {
  tare_hook_put(L, &b->hook);
  if (b->hooked) tare_keep_address(L, &inside_key, b->outer);
}

/* Runs the batch, with the collector's steps between calls. */
static void run_between(lua_State *L, paced *b) {
  double left = b->iters;
  while (left > 0.0) {
    double calls = plan(b->pacer, left);
    mutate(L, b, calls);
    b->calls += calls;
    collect(L, b);
    left -= calls;
  }
}

/* Runs the batch, with the collector's steps inside calls, from the hook. */
static void run_inside(lua_State *L, paced *b) {
  hook_up(L, b);
  b->last_end = tare_now(b->clock);
  (void)call_ns(L, b->clock, b->iters);
  tare_pace_see(L, &b->pacer->pace);
  collect(L, b);
}

/* chunks(loop, empty, paced): the whole batch; called protected. */
static int chunks(lua_State *L) {
  paced *b = (paced *)lua_touserdata(L, BATCH);
  tare_pacer *p = b->pacer;
  p->pace.generational = 0; /* until a minor collection is seen */
  forget(p, p->recent_calls / CAUTIOUS_CALLS);
  tare_pace_found(L, &p->pace, tare_gcwatch_poll(L, p->watch),
                  &p->watch->armed_count);
  b->collections = p->watch->polled_count.collections;
  b->majors = p->watch->polled_count.majors;
  p->call_ns = tare_idle_call_ns(L, b->clock, EMPTY);
  p->look_ns = tare_idle_look_ns(L, b->clock);
  if (b->inside)
    run_inside(L, b);
  else
    run_between(L, b);
  return 0;
}

/*
** Stores the part of the row before the first end of a collection, and the part
** after the last end, so that rows that follow one another can be cut there, at
** whole cycles. If no step ended a collection, the first part is the whole row.
*/
static void keep_parts(tare_samples *s, size_t row, const paced *b) {
  part whole = {b->iters, b->mutator_ns, b->collector_ns, b->minor_ns};
  part head = b->ends ? b->first : whole, last = b->ends ? b->last : whole;
  s->col[TARE_HEAD_ITERS][row] = head.calls;
  s->col[TARE_HEAD_MUTATOR_NS][row] = head.mutator_ns;
  s->col[TARE_HEAD_COLLECTOR_NS][row] = head.collector_ns;
  s->col[TARE_HEAD_MINOR_NS][row] = head.minor_ns;
  s->col[TARE_TAIL_ITERS][row] = b->iters - last.calls;
  s->col[TARE_TAIL_MUTATOR_NS][row] = b->mutator_ns - last.mutator_ns;
  s->col[TARE_TAIL_COLLECTOR_NS][row] = b->collector_ns - last.collector_ns;
}

static void keep_row(tare_samples *s, const paced *b, double start_ns,
                     double wall_ns) {
  const tare_gccount *w = &b->pacer->watch->polled_count;
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
  if (!b->inside) keep_parts(s, row, b);
  s->col[TARE_GC_MAJOR][row] = majors;
  s->col[TARE_GC_MINOR][row] =
      (double)(w->collections - b->collections) - majors;
}

int tare_pacer_run(lua_State *L, tare_pacer *p, tare_meter *m, tare_samples *s,
                   double iters, int inside) {
  paced b;
  tare_chain_reading before = tare_meter_chain(m);
  tare_core_reading core, core_after;
  uint64_t start;
  double wall_ns;
  int status, slots;
  memset(&b, 0, sizeof b);
  b.pacer = p;
  b.meter = m;
  b.clock = &m->wall;
  b.iters = iters;
  b.inside = inside;
  b.hook = tare_hook_get(L);
  lua_pushcfunction(L, chunks);
  lua_insert(L, -3);
  lua_pushlightuserdata(L, &b);
  slots = tare_shift_stack(L, m, 4);
  tare_pace_hold(L, &p->pace);
  core = b.mark = tare_meter_core(m);
  start = b.mark_ns = tare_now(&m->wall);
  status = lua_pcall(L, 3, 0, 0);
  wall_ns = tare_elapsed_ns(start, tare_now(&m->wall));
  core_after = tare_meter_core(m);
  unhook(L, &b);
  tare_unshift_stack(L, slots, status);
  tare_pace_release(L, &p->pace);
  if (status != LUA_OK) return status;
  if (s->capacity == 0) return tare_batch_closed(L);
  keep_row(s, &b, tare_elapsed_ns(m->epoch_ns, start), wall_ns);
  tare_keep_core(m, s, s->rows - 1, &core, &core_after);
  tare_keep_chain(s, s->rows - 1, before, tare_meter_chain(m));
  return status;
}
