/*
** The timed batch: tare_batch_time, below, reads the clock. Above it are the
** readings that a row records, and the code that shifts the stack frames of the
** calls.
*/
#include "state/batch.h"

#include <math.h>

#include "state/gcsettings.h"
#include "state/hook.h"

/*
** Stolen time is looked for after batches that take at least so many times as
** long as the look itself.
*/
static const double LONG = 4.0;

/* Readings before and after a batch, outside of the timed region. */
typedef struct reading {
  tare_chain_reading chain;
  double heap_bytes, collections, majors;
  tare_core_reading core;
} reading;

tare_chain_reading tare_meter_chain(const tare_meter *m) {
  static const tare_chain_reading none = {NAN, NAN, NAN};
  return m->chain_steps > 0 ? tare_chain_read(&m->wall, m->chain_steps) : none;
}

void tare_keep_chain(tare_samples *s, size_t row, tare_chain_reading before,
                     tare_chain_reading after) {
  s->col[TARE_CYCLE_NS][row] = (before.cycle_ns + after.cycle_ns) / 2.0;
  s->col[TARE_WIDTH][row] = fmin(before.width, after.width);
}

tare_core_reading tare_meter_core(const tare_meter *m) {
  tare_core_reading core = {{0.0, 0.0}, 0};
  if (m->cpu.now == NULL) return core;
  core.switches = tare_switches_read();
  core.cpu_ns = tare_now(&m->cpu);
  return core;
}

void tare_keep_core(const tare_meter *m, tare_samples *s, size_t row,
                    const tare_core_reading *before,
                    const tare_core_reading *after) {
  if (m->cpu.now == NULL) return;
  s->col[TARE_CPU_NS][row] = (double)(after->cpu_ns - before->cpu_ns);
  s->col[TARE_PREEMPTIONS][row] =
      after->switches.preemptions - before->switches.preemptions;
  s->col[TARE_WAITS][row] = after->switches.waits - before->switches.waits;
}

static void read_state(lua_State *L, const tare_meter *m, reading *r) {
  r->core = tare_meter_core(m);
  r->heap_bytes = tare_heap_bytes(L);
  r->collections = r->majors = NAN;
  if (m->watch == NULL) return;
  r->collections = (double)m->watch->armed_count.collections;
  r->majors = (double)m->watch->armed_count.majors;
}

static void keep_row(const tare_meter *m, tare_samples *s, double iters,
                     uint64_t start, uint64_t end, const reading *before,
                     const reading *after) {
  size_t row = tare_samples_append(s);
  double wall_ns = tare_elapsed_ns(start, end);
  double majors = after->majors - before->majors;
  s->col[TARE_ITERS][row] = iters;
  s->col[TARE_WALL_NS][row] = wall_ns;
  s->col[TARE_START_NS][row] = tare_elapsed_ns(m->epoch_ns, start);
  s->col[TARE_HEAP_BYTES][row] = before->heap_bytes;
  s->col[TARE_GROWTH_BYTES][row] = after->heap_bytes - before->heap_bytes;
  s->col[TARE_GC_MAJOR][row] = majors;
  s->col[TARE_GC_MINOR][row] =
      after->collections - before->collections - majors;
  tare_keep_chain(s, row, before->chain, after->chain);
  s->col[TARE_CYCLES][row] = wall_ns / s->col[TARE_CYCLE_NS][row];
  tare_keep_core(m, s, row, &before->core, &after->core);
}

/* Stores in the last row what the processor counted between two readings. */
static void keep_counters(tare_samples *s, const tare_perf_reading *before,
                          const tare_perf_reading *after) {
  double counts[TARE_PERF_COUNT];
  size_t row = s->rows - 1;
  tare_perf_between(before, after, counts);
  s->col[TARE_HW_CYCLES][row] = counts[TARE_PERF_CYCLES];
  s->col[TARE_HW_INSTRUCTIONS][row] = counts[TARE_PERF_INSTRUCTIONS];
  s->col[TARE_CACHE_MISSES][row] = counts[TARE_PERF_CACHE_MISSES];
  s->col[TARE_BRANCH_MISSES][row] = counts[TARE_PERF_BRANCH_MISSES];
}

/* nest(depth) */
static int nest(lua_State *L) {
  lua_Integer depth = lua_tointeger(L, 1);
  if (depth < 1) return 0;
  tare_batch_push_nest(L, (int)depth - 1);
  lua_call(L, 1, 0);
  return 0;
}

void tare_batch_push_nest(lua_State *L, int depth) {
  lua_pushcfunction(L, nest);
  lua_pushinteger(L, depth);
}

#ifdef TARE_FREES_FRAMES

enum { FRAMES = 6 }; /* nested calls for which frames are allocated before */

/*
** Allocates call frames that the last collection may have freed, so that the
** timed region does not have to.
*/
static void make_frames(lua_State *L) {
  tare_batch_push_nest(L, FRAMES);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
}

#else

static void make_frames(lua_State *L) {
  (void)L;
}

#endif

/*
** SHIFTED FRAMES. A load takes longer if it follows a store to an address with
** the same low bits. A function's frame and a table that it reads may have such
** addresses. Then one of two equal functions takes up to an eighth longer until
** the process ends (a method call, Lua 5.4). So the frames of each batch are at
** one of 16 places, drawn by chance: 0 to 15 empty slots of the stack are below
** them. Not on LuaJIT, whose compiled code keeps little in frames, nor on
** 5.1, which is not distinguished from it here.
*/
#if LUA_VERSION_NUM >= 502

#define SHIFT_BITS 4

int tare_shift_stack(lua_State *L, tare_meter *m, int values) {
  int at = lua_gettop(L) - values + 1, slots, i;
  m->shift = m->shift * 6364136223846793005u + 1442695040888963407u;
  slots = (int)(m->shift >> (64 - SHIFT_BITS));
  if (!lua_checkstack(L, slots + LUA_MINSTACK)) return 0;
  for (i = 0; i < slots; i++) {
    lua_pushnil(L);
    lua_insert(L, at);
  }
  return slots;
}

#else

int tare_shift_stack(lua_State *L, tare_meter *m, int values) {
  (void)L, (void)m, (void)values;
  return 0;
}

#endif

void tare_unshift_stack(lua_State *L, int slots, int status) {
  if (slots == 0) return;
  if (status != LUA_OK) lua_insert(L, lua_gettop(L) - slots);
  lua_pop(L, slots);
}

int tare_batch_closed(lua_State *L) {
  lua_pushliteral(L, "the store was closed in the batch");
  return LUA_ERRRUN;
}

int tare_batch_time(lua_State *L, tare_meter *m, tare_samples *s, int nargs,
                    double iters) {
  reading before, after;
  tare_perf_reading began, ended;
  tare_hook hook = tare_hook_get(L);
  uint64_t start, end;
  int status, slots, has_cap;
  int is_counted = m->perf.is_open; /* the function may open, or close it */
  int was_armed = m->watch && m->watch->armed; /* by a batch around this one */

  /* FRAMES and WATCH, which may allocate, come before the heap is read. */
  make_frames(L);
  slots = tare_shift_stack(L, m, nargs + 1);
  if (m->watch) tare_gcwatch_arm(L, m->watch);
  has_cap = m->cap_bytes > 0; /* now: a finalizer may have closed the meter */

  /*
  ** READINGS BEFORE: the longest first, so that the others are close to the
  ** clock. Then the cap, which wraps the allocator.
  */
  before.chain = tare_meter_chain(m);
  read_state(L, m, &before);
  if (m->cap != NULL) m->cap->reached = 0;
  if (has_cap) tare_memcap_begin(L, m->cap, m->cap_bytes);
  if (is_counted) (void)tare_perf_read(&m->perf, &began);

  /*
  ** THE CLOCK: between its two readings, tare runs nothing but the loop around
  ** the calls, the finalizer that counts collections where calls make garbage
  ** (gcwatch.c), and the allocator of a memory cap.
  */
  start = tare_now(&m->wall);
  status = lua_pcall(L, nargs, 0, 0);
  end = tare_now(&m->wall);

  /*
  ** RESTORE whatever the function has changed, after an error too. Before that
  ** read the counters, since they have to be closest to the clock.
  */
  if (is_counted) (void)tare_perf_read(&m->perf, &ended);
  if (has_cap && m->cap != NULL) (void)tare_memcap_end(L, m->cap);
  tare_hook_put(L, &hook);
  tare_unshift_stack(L, slots, status);
  if (m->watch && was_armed)
    (void)tare_gcwatch_counts(L, m->watch);
  else if (m->watch)
    tare_gcwatch_disarm(L, m->watch);
  if (status != LUA_OK) return status;
  if (s->capacity == 0) return tare_batch_closed(L);

  /* READINGS AFTER, the longest last, and the ROW. */
  read_state(L, m, &after);
  after.chain = tare_meter_chain(m);
  keep_row(m, s, iters, start, end, &before, &after);
  if (m->stolen_ns > 0.0 && m->chain_steps > 0 &&
      tare_elapsed_ns(start, end) >= LONG * m->stolen_ns)
    s->col[TARE_STOLEN][s->rows - 1] =
        tare_chain_stolen(&m->wall, m->chain_steps, m->stolen_ns);
  if (is_counted) keep_counters(s, &began, &ended);
  return LUA_OK;
}

/* caller(f, count, ...) */
static int call_many(lua_State *L) {
  uint64_t count = (uint64_t)lua_tonumber(L, 2), i;
  int nargs = lua_gettop(L) - 2, a;
  if (!lua_checkstack(L, nargs + 1)) return luaL_error(L, "stack overflow");
  for (i = 0; i < count; i++) {
    lua_pushvalue(L, 1);
    for (a = 0; a < nargs; a++) lua_pushvalue(L, 3 + a);
    lua_call(L, nargs, 0);
  }
  return 0;
}

void tare_batch_push_caller(lua_State *L) {
  lua_pushcfunction(L, call_many);
}

void tare_push_count(lua_State *L, double count) {
  if (sizeof(lua_Integer) >= 8 || count < 2147483648.0)
    lua_pushinteger(L, (lua_Integer)count);
  else
    lua_pushnumber(L, count);
}
