/* core.pacer: the function and the collector are timed separately. */
#include "bind/bind.h"
#include "bind/host.h"
#include "bind/userdata.h"

#include <string.h>

#include "state/keep.h"
#include "state/pacer.h"

#define TARE_PACER "tare.pacer"

typedef struct owner {
  tare_pacer pacer;      /* the first field, so that an owner is a pacer, too */
  const tare_host *host; /* of its pauses, see tare_new_block() */
} owner;

static tare_pacer *check_pacer(lua_State *L, int i) {
  tare_pacer *p = (tare_pacer *)luaL_checkudata(L, i, TARE_PACER);
  luaL_argcheck(L, p->pauses != NULL, i, "the pacer is closed");
  return p;
}

/*
** Gives the pacer the watch of the meter at index 1, which is idle during
** pacing. Without one, the pacer gets a watch of its own, which runs a full
** collection in 5.4.
*/
static void take_watch(lua_State *L, tare_pacer *p) {
  tare_meter *m = lua_isnoneornil(L, 1) ? NULL : tare_check_meter(L, 1);
  if (m != NULL && m->watch != NULL) {
    p->watch = m->watch;
    tare_push_kept(L, m); /* the meter may let go of it */
  } else {
    p->watch = tare_gcwatch_new(L);
  }
  tare_keep(L, p);
}

/*
** pacer([meter]) -> pacer: times the function and the collector separately. Its
** histogram of pauses is outside the heap under test. If the meter counts
** collections, the pacer shares its watch, since a new watch runs a full
** collection.
*/
static int pacer_new(lua_State *L) {
  const tare_host *host = tare_host_of(L);
  tare_histogram *pauses;
  tare_pacer *p;
  owner *o;
  lua_settop(L, 1);
  o = (owner *)lua_newuserdata(L, sizeof *o);
  memset(o, 0, sizeof *o);
  o->host = host;
  p = &o->pacer;
  luaL_setmetatable(L, TARE_PACER);
  pauses = (tare_histogram *)tare_new_block(L, host, sizeof *pauses);
  if (pauses == NULL) return luaL_error(L, "not enough memory for a pacer");
  tare_histogram_init(pauses);
  p->pauses = pauses;
  take_watch(L, p);
  tare_pace_weigh(L, &p->pace);
  tare_gcwatch_mark(L, p->watch); /* that collection does not count */
  return 1;
}

static int pacer_gc(lua_State *L) {
  tare_pacer *p = (tare_pacer *)luaL_checkudata(L, 1, TARE_PACER);
  if (p->pauses != NULL)
    tare_free_block(L, ((const owner *)p)->host, p->pauses, sizeof *p->pauses);
  p->pauses = NULL;
  tare_let_go(L, p);
  return 0;
}

/*
** pacer:run(samples, meter, loop, iters [, empty [, inside]]) -> true | nil,
** error. Calls loop(n) several times, with iters calls in all, and keeps a row.
** empty(0), by default loop(0), is called to measure what calling a loop costs.
** inside: whether the collector's steps run inside calls (interpreted ones
** only); the row has no mutator_ns then.
*/
static int pacer_run(lua_State *L) {
  tare_pacer *p = check_pacer(L, 1);
  tare_samples *s = tare_check_open_samples(L, 2);
  tare_meter *m = tare_check_meter(L, 3);
  double iters = tare_check_iters(L, 5);
  int inside = lua_toboolean(L, 7);
  luaL_argcheck(L, !p->pace.held, 1, "a batch of the pacer is under way");
  luaL_checktype(L, 4, LUA_TFUNCTION);
  if (!lua_isnoneornil(L, 6)) luaL_checktype(L, 6, LUA_TFUNCTION);
  lua_settop(L, 6);
  tare_push_kept(L, p); /* its watch: the function may close the pacer */
  lua_pushvalue(L, 4);
  lua_pushvalue(L, lua_isnil(L, 6) ? 4 : 6);
  return tare_push_outcome(L, tare_pacer_run(L, p, m, s, iters, inside));
}

/* Pushes {edges_ns = {...}, counts = {...}} of the bins that are in use. */
static void push_bins(lua_State *L, const tare_histogram *h) {
  int first = 0, end = TARE_HISTOGRAM_BINS, i;
  while (first < end && h->counts[first] <= 0.0) first++;
  while (end > first && h->counts[end - 1] <= 0.0) end--;
  lua_createtable(L, 0, 2);
  lua_createtable(L, end - first + 1, 0);
  for (i = first; i <= end; i++) {
    lua_pushnumber(L, tare_histogram_edge_ns(i));
    lua_rawseti(L, -2, i - first + 1);
  }
  lua_setfield(L, -2, "edges_ns");
  tare_push_numbers(L, h->counts + first, (size_t)(end - first));
  lua_setfield(L, -2, "counts");
}

static int push_pauses(lua_State *L, const tare_histogram *h) {
  if (h->total <= 0.0) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, 0, 6);
  tare_set_number(L, "count", h->total);
  tare_set_number(L, "max", h->max_ns);
  tare_set_number(L, "p50", tare_histogram_quantile_ns(h, 0.50));
  tare_set_number(L, "p95", tare_histogram_quantile_ns(h, 0.95));
  tare_set_number(L, "p99", tare_histogram_quantile_ns(h, 0.99));
  push_bins(L, h);
  lua_setfield(L, -2, "histogram");
  return 1;
}

/*
** pacer:pauses() -> {count, p50, p95, p99, max (ns), histogram = {edges_ns,
** counts}} of the steps of all runs, or nil if there were none.
*/
static int pacer_pauses(lua_State *L) {
  /* A copy: a finalizer that runs while tables are made may close the pacer. */
  tare_histogram h = *check_pacer(L, 1)->pauses;
  return push_pauses(L, &h);
}

#define MOST_PAUSES 9007199254740992.0 /* 2^53: counts are whole */

/* Adds what pacer:pauses() has returned, at index 2, to a histogram. */
static void add_pauses(lua_State *L, tare_histogram *h) {
  static const char wrong[] = "must be a list of pauses";
  double max_ns, first_ns, first, count;
  size_t n, i;
  luaL_argcheck(L, lua_istable(L, 2), 1, wrong);
  lua_getfield(L, 2, "max");
  luaL_argcheck(L, lua_type(L, -1) == LUA_TNUMBER, 1, wrong);
  max_ns = lua_tonumber(L, -1);
  lua_getfield(L, 2, "histogram");
  luaL_argcheck(L, lua_istable(L, 4), 1, wrong);
  lua_getfield(L, 4, "edges_ns");
  luaL_argcheck(L, lua_istable(L, 5), 1, wrong);
  lua_rawgeti(L, 5, 1);
  first_ns = lua_tonumber(L, -1);
  luaL_argcheck(L, first_ns > 0.0 && max_ns >= 0.0, 1, wrong);
  lua_getfield(L, 4, "counts");
  luaL_argcheck(L, lua_istable(L, 7), 1, wrong);
  n = lua_rawlen(L, 7);
  first = tare_histogram_bin_at(first_ns);
  luaL_argcheck(
      L, n > 0 && first >= 0.0 && first + (double)n <= TARE_HISTOGRAM_BINS, 1,
      wrong);
  for (i = 0; i < n; i++) {
    lua_rawgeti(L, 7, (int)i + 1);
    count = lua_tonumber(L, -1);
    luaL_argcheck(L,
                  lua_type(L, -1) == LUA_TNUMBER && count >= 0.0 &&
                      count <= MOST_PAUSES,
                  1, wrong);
    tare_histogram_add_count(h, (int)first + (int)i, count, max_ns);
    lua_pop(L, 1);
  }
}

/*
** pauses(list) -> the pauses of several pacers, or launches, as if one pacer
** had counted them all; nil if there are none
*/
static int join_pauses(lua_State *L) {
  tare_histogram h;
  int i;
  luaL_checktype(L, 1, LUA_TTABLE);
  tare_histogram_init(&h);
  for (i = 1;; i++) {
    lua_settop(L, 1);
    lua_rawgeti(L, 1, i);
    if (lua_isnil(L, 2)) break;
    add_pauses(L, &h);
  }
  return push_pauses(L, &h);
}

static const luaL_Reg methods[] = {
    {"run", pacer_run},
    {"pauses", pacer_pauses},
    {"__gc", pacer_gc},
    {NULL, NULL},
};

void tare_bind_pacer(lua_State *L) {
  tare_define_type(L, TARE_PACER, methods, 0);
  lua_pushcfunction(L, pacer_new);
  lua_setfield(L, -2, "pacer");
  lua_pushcfunction(L, join_pauses);
  lua_setfield(L, -2, "pauses");
}
