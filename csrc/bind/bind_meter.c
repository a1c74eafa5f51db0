/* core.meter: the clock, the counters and the timed batch as a userdata. */
#include "bind/bind.h"

#include <string.h>

#include "bind/host.h"
#include "bind/userdata.h"
#include "platform/predictor.h"
#include "state/batch.h"
#include "state/keep.h"

tare_meter *tare_check_meter(lua_State *L, int i) {
  return (tare_meter *)luaL_checkudata(L, i, TARE_METER);
}

/*
** The number in field 'name' of the table at 1, from 1 up to 'most' ('range' is
** that in words); 0 where it is absent or 0.
*/
static lua_Number number_field(lua_State *L, const char *name, lua_Number most,
                               const char *range) {
  lua_Number value = 0;
  lua_getfield(L, 1, name);
  if (!lua_isnil(L, -1)) {
    value = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER ||
        !(value == 0 || (value >= 1 && value <= most)))
      luaL_error(L, "tare.meter: '%s' must be 0 or in %s", name, range);
  }
  lua_pop(L, 1);
  return value;
}

static int flag_field(lua_State *L, const char *name) {
  int value;
  lua_getfield(L, 1, name);
  value = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}

/*
** meter{manual_tick_ns =, by_cpu =, cpu =, chain_steps =, stolen_ns =, watch =}
** -> meter.
** 'manual_tick_ns': its clock moves only by meter:advance(ns), in such ticks;
** 'by_cpu': its clock is the CPU time of this process.
** 'watch': count collections; 'cpu': read CPU time; 'chain_steps': read the
** length of a core cycle before and after each batch; 'stolen_ns': after each
** batch of four times this length or more, look this long for stolen time.
*/
static int meter_new(lua_State *L) {
  tare_meter *m;
  lua_Number tick;
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
    lua_newtable(L);
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  tick = number_field(L, "manual_tick_ns", 1e18, "[1, 1e18]");
  m = (tare_meter *)lua_newuserdata(L, sizeof *m);
  memset(m, 0, sizeof *m);
  m->shift = m->branches = (uint64_t)(uintptr_t)m; /* differs by process */
  luaL_setmetatable(L, TARE_METER);
  m->wall = tare_wall_of(L);
  if (tick >= 1) {
    m->manual.tick_ns = (uint64_t)tick;
    m->wall = tare_clock_manual(&m->manual);
  } else {
    if (flag_field(L, "by_cpu")) m->wall = tare_clock_cpu();
    if (flag_field(L, "cpu")) m->cpu = tare_clock_cpu();
    m->chain_steps = (size_t)number_field(L, "chain_steps", 1e9, "[1, 1e9]");
    m->stolen_ns = number_field(L, "stolen_ns", 1e9, "[1, 1e9]");
  }
  if (flag_field(L, "watch")) {
    m->watch = tare_gcwatch_new(L);
    tare_keep(L, m);
  }
  m->epoch_ns = tare_now(&m->wall);
  return 1;
}

/*
** meter:counters() -> true | nil, why not: from here on rows of timed batches
** have the processor's counts for this thread, where these can be read.
*/
static int meter_counters(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  const char *why = m->perf.is_open ? NULL : tare_perf_open(&m->perf);
  lua_pushboolean(L, 1);
  if (why == NULL) return 1;
  lua_pushnil(L);
  lua_pushstring(L, why);
  return 2;
}

/* The state may be closed in a batch: then the cap is still in place. */
static void free_cap(lua_State *L, tare_meter *m) {
  if (m->cap == NULL) return;
  m->cap->depth = 0;
  if (tare_memcap_end(L, m->cap)) tare_wrap_free(L, m->cap, sizeof *m->cap);
  m->cap = NULL;
  m->cap_bytes = 0;
}

static int meter_gc(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  free_cap(L, m);
  tare_perf_close(&m->perf);
  tare_let_go(L, m);
  m->watch = NULL;
  return 0;
}

/* meter:now() -> nanoseconds since the meter was made */
static int meter_now(lua_State *L) {
  const tare_meter *m = tare_check_meter(L, 1);
  lua_pushnumber(L, tare_elapsed_ns(m->epoch_ns, tare_now(&m->wall)));
  return 1;
}

/* meter:clear_predictor(): what ran before does not affect what runs next. */
static int meter_clear_predictor(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  m->branches = tare_predictor_clear(m->branches);
  return 0;
}

/* meter:resolution() -> nanoseconds; for a manual clock, its tick */
static int meter_resolution(lua_State *L) {
  const tare_meter *m = tare_check_meter(L, 1);
  lua_pushnumber(L, m->manual.tick_ns ? (lua_Number)m->manual.tick_ns
                                      : tare_clock_resolution_ns(&m->wall));
  return 1;
}

/* meter:advance(ns): moves a manual clock, not to before it began. */
static int meter_advance(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  lua_Number ns = luaL_checknumber(L, 2);
  luaL_argcheck(L, m->manual.tick_ns > 0, 1, "its clock is not a manual one");
  luaL_argcheck(L, ns >= -(lua_Number)m->manual.time_ns && ns <= 1e18, 2,
                "must be in [-now, 1e18]");
  if (ns < 0)
    m->manual.time_ns -= (uint64_t)-ns;
  else
    m->manual.time_ns += (uint64_t)ns;
  return 0;
}

/*
** meter:limit([bytes]): a batch that allocates more than this ends with an
** error; what it frees is not subtracted. Without a number there is no limit.
*/
static int meter_limit(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  lua_Number bytes = luaL_optnumber(L, 2, 0);
  luaL_argcheck(L, bytes >= 0 && bytes <= 4e18, 2, "must be in [0, 4e18]");
  if (bytes >= 1 && m->cap == NULL) {
    tare_memcap *cap = (tare_memcap *)tare_wrap_new(L, sizeof *cap);
    if (cap == NULL) return luaL_error(L, "not enough memory for a limit");
    if (m->cap == NULL)
      m->cap = cap;
    else /* a finalizer has set it meanwhile */
      tare_wrap_free(L, cap, sizeof *cap);
  }
  m->cap_bytes = bytes < (lua_Number)(size_t)-1 ? (size_t)bytes : (size_t)-1;
  return 0;
}

/* meter:reached_limit() -> whether the last batch ended for that reason */
static int meter_reached_limit(lua_State *L) {
  const tare_memcap *cap = tare_check_meter(L, 1)->cap;
  lua_pushboolean(L, cap != NULL && cap->reached);
  return 1;
}

/*
** Pushes the watch of the meter below all that is above the store: so it stays,
** even if the function, or a finalizer, closes the meter.
*/
static void push_watch(lua_State *L, const tare_meter *m) {
  tare_push_kept(L, m);
  lua_insert(L, 3);
}

/*
** meter:time(samples, loop, iters) -> true | nil, error. Calls loop(iters)
** once and keeps a row.
*/
static int meter_time(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  tare_samples *s = tare_check_open_samples(L, 2);
  double iters = tare_check_iters(L, 4);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  lua_settop(L, 3);
  push_watch(L, m);
  tare_push_count(L, iters);
  return tare_push_outcome(L, tare_batch_time(L, m, s, 1, iters));
}

/*
** meter:time_calls(samples, f, iters, ...) -> true | nil, error. Calls f(...)
** from a loop in C and keeps a row.
*/
static int meter_time_calls(lua_State *L) {
  tare_meter *m = tare_check_meter(L, 1);
  tare_samples *s = tare_check_open_samples(L, 2);
  double iters = tare_check_iters(L, 4);
  int nargs = lua_gettop(L) - 4;
  luaL_checktype(L, 3, LUA_TFUNCTION);
  tare_batch_push_caller(L);
  lua_insert(L, 3);
  push_watch(L, m);
  return tare_push_outcome(L, tare_batch_time(L, m, s, nargs + 2, iters));
}

static const luaL_Reg methods[] = {
    {"now", meter_now},
    {"resolution", meter_resolution},
    {"clear_predictor", meter_clear_predictor},
    {"advance", meter_advance},
    {"counters", meter_counters},
    {"limit", meter_limit},
    {"reached_limit", meter_reached_limit},
    {"time", meter_time},
    {"time_calls", meter_time_calls},
    {"__gc", meter_gc},
    {NULL, NULL},
};

void tare_bind_meter(lua_State *L) {
  tare_define_type(L, TARE_METER, methods, 0);
  lua_pushcfunction(L, meter_new);
  lua_setfield(L, -2, "meter");
}
