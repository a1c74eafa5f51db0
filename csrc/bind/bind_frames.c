/* core.frames: the recorder of frames as a userdata. */
#include "bind/bind.h"

#include <math.h>
#include <string.h>

#include "bind/frames.h"
#include "bind/host.h"
#include "bind/userdata.h"
#include "state/batch.h"
#include "state/frames.h"
#include "state/gcsettings.h"
#include "state/keep.h"

/*
** The recorder at index 1. Upvalue 1 of each method is the metatable: a look-up
** by its name would take a third of the time of a frame.
*/
static tare_frames *check_frames(lua_State *L) {
  tare_frames *f = (tare_frames *)lua_touserdata(L, 1);
  int is_it = 0;
  if (f != NULL && lua_getmetatable(L, 1)) {
    is_it = lua_rawequal(L, -1, lua_upvalueindex(1));
    lua_pop(L, 1);
  }
  if (!is_it)
    f = (tare_frames *)luaL_checkudata(L, 1, TARE_FRAMES); /* raises */
  luaL_argcheck(L, f->log != NULL, 1, "the recorder is closed");
  return f;
}

/* Raises an error about misuse, at the level of the method's caller. */
static int misuse(lua_State *L, const char *message) {
  return luaL_error(L, "tare.frames: %s", message);
}

tare_frames *tare_push_frames(lua_State *L, const tare_clock *clock,
                              double budget_ms, size_t ring_size) {
  const tare_host *host = tare_host_of(L);
  void *memory;
  tare_frames *f = (tare_frames *)lua_newuserdata(L, sizeof *f);
  memset(f, 0, sizeof *f);
  luaL_setmetatable(L, TARE_FRAMES);
  memory = tare_new_block(L, host, tare_framelog_size(ring_size));
  if (memory == NULL) luaL_error(L, "not enough memory for frames");
  f->log = tare_framelog_init(memory, ring_size, budget_ms * 1e6);
  f->host = host;
  f->L = L;
  f->message = "";
  f->clock = *clock;
  f->watch = tare_gcwatch_new(L);
  lua_pushvalue(L, -1);
  tare_keep(L, f);
  lua_pop(L, 1);
  tare_gcwatch_arm(L, f->watch);
  tare_recorder_start(L, f);
  return f;
}

/*
** frames(budget_ms, rows [, meter [, paced]]) -> recorder: by the meter's
** clock, or the host's. What it keeps is outside the heap. With 'paced': nil,
** message where this Lua can't do that.
*/
static int frames_new(lua_State *L) {
  lua_Number budget_ms = luaL_checknumber(L, 1);
  lua_Number rows = luaL_checknumber(L, 2);
  tare_clock clock = tare_wall_of(L);
  tare_frames *f;
  luaL_argcheck(L, budget_ms > 0 && budget_ms <= 1e12, 1,
                "must be in (0, 1e12]");
  luaL_argcheck(L, rows >= 1 && rows <= 1e7, 2, "must be in [1, 1e7]");
  lua_settop(L, 4);
  if (!lua_isnil(L, 3)) clock = tare_check_meter(L, 3)->wall;
  f = tare_push_frames(L, &clock, budget_ms, (size_t)rows);
  if (!lua_isnil(L, 3)) { /* a manual clock is in the meter */
    lua_pushvalue(L, 3);
    tare_keep(L, &f->clock);
  }
  if (lua_toboolean(L, 4) && !tare_recorder_pace(L, f)) {
    lua_pushnil(L);
    lua_pushliteral(L, TARE_NO_PACE);
    return 2;
  }
  return 1;
}

static void free_stream(lua_State *L, tare_frames *f, tare_stream *stream) {
  tare_let_go(L, &f->stream);
  tare_free_block(L, f->host, stream, sizeof *stream);
}

static int frames_gc(lua_State *L) {
  tare_frames *f = (tare_frames *)luaL_checkudata(L, 1, TARE_FRAMES);
  int i;
  if (f->log == NULL) return 0;
  if (f->stream != NULL && f->stream->is_busy)
    return misuse(L, "the function of its stream can't close a recorder");
  if (f->pacer.is_looking)
    return misuse(L, "a finalizer can't close the recorder that runs it");
  if (f->readers)
    return misuse(L, "a finalizer can't close the recorder that is being read");
  if (f->is_paced) {
    tare_framepacer_drop(L, &f->pacer);
    f->is_paced = 0;
  }
  tare_let_go(L, &f->pacer); /* also where it could not be prepared */
  if (f->stream != NULL) {
    free_stream(L, f, f->stream);
    f->stream = NULL;
  }
  for (i = 0; i < f->log->scope_count; i++)
    tare_free_block(L, f->host, f->log->scopes[i], sizeof *f->log->scopes[i]);
  tare_free_block(L, f->host, f->log, tare_framelog_size(f->log->ring_size));
  f->log = NULL;
  f->watch = NULL; /* it may be gone already */
  tare_let_go(L, f);
  tare_let_go(L, &f->clock);
  tare_frames_drop_profile(L, f); /* last: what it calls finds it closed */
  return 0;
}

/* recorder:begin() */
static int frames_begin(lua_State *L) {
  tare_recorder_begin(L, check_frames(L));
  return 0;
}

/* A duration in nanoseconds at index 'i', or NaN where it is absent. */
static double opt_ns(lua_State *L, int i, const char *method,
                     const char *name) {
  double ns;
  if (lua_isnoneornil(L, i)) return NAN;
  ns = lua_type(L, i) == LUA_TNUMBER ? lua_tonumber(L, i) : -1.0;
  if (!(ns >= 0.0 && ns <= 1e18)) {
    const char *given = lua_tostring(L, i);
    luaL_error(
        L, "tare.frames: %s(): '%s' must be a number from 0 to 1e18, got %s",
        method, name, given != NULL ? given : luaL_typename(L, i));
  }
  return ns;
}

/* recorder:finish([collector_ns]) */
static int frames_finish(lua_State *L) {
  tare_frames *f = check_frames(L);
  const char *wrong =
      tare_recorder_finish(L, f, opt_ns(L, 2, "finish", "collector_ns"));
  return wrong == NULL ? 0 : misuse(L, wrong);
}

/* recorder:push(ns [, collector_ns]) */
static int frames_push(lua_State *L) {
  tare_frames *f = check_frames(L);
  double ns = opt_ns(L, 2, "push", "ns");
  if (isnan(ns)) return misuse(L, "push() takes the frame's nanoseconds");
  tare_recorder_push(L, f, ns, opt_ns(L, 3, "push", "collector_ns"));
  return 0;
}

/* A name at index 2, or an error. */
static const char *check_name(lua_State *L, const char *method) {
  if (lua_type(L, 2) != LUA_TSTRING)
    luaL_error(L, "tare.frames: %s(): the name must be a string, got %s",
               method, luaL_typename(L, 2));
  return lua_tostring(L, 2);
}

/* recorder:mark(name) */
static int frames_mark(lua_State *L) {
  tare_frames *f = check_frames(L);
  tare_recorder_mark(L, f, check_name(L, "mark"));
  return 0;
}

int tare_recorder_scope(lua_State *L, tare_frames *f, const char *name,
                        double budget_ms) {
  int i = tare_framelog_find(f->log, name);
  tare_scope_log *scope;
  if (i >= 0) {
    if (budget_ms >= 0.0) f->log->scopes[i]->budget_ns = budget_ms * 1e6;
    return i;
  }
  if (f->log->scope_count == TARE_FRAMES_SCOPES) return -1;
  scope = (tare_scope_log *)tare_new_block(L, f->host, sizeof *scope);
  if (scope == NULL) return -1;
  return tare_framelog_scope(f->log, scope, name, fmax(budget_ms, 0.0) * 1e6);
}

/* recorder:scope(name [, budget_ms]) -> handle for enter() and leave() */
static int frames_scope(lua_State *L) {
  tare_frames *f = check_frames(L);
  const char *name = check_name(L, "scope");
  double budget_ms = -1.0;
  int handle;
  if (!lua_isnoneornil(L, 3)) {
    budget_ms = lua_type(L, 3) == LUA_TNUMBER ? lua_tonumber(L, 3) : 0.0;
    if (!(budget_ms > 0.0 && budget_ms <= 1e12))
      return misuse(L, "scope(): the budget must be a positive number of "
                       "milliseconds");
  }
  handle = tare_recorder_scope(L, f, name, budget_ms);
  if (handle < 0)
    return misuse(L, f->log->scope_count == TARE_FRAMES_SCOPES
                         ? "scope(): no room: 32 scopes at most"
                         : "scope(): not enough memory");
  lua_pushinteger(L, handle + 1);
  return 1;
}

/* The scope whose handle is at index 2; -1 if it can't be one. */
static int scope_at(lua_State *L) {
  lua_Number handle = lua_tonumber(L, 2);
  return handle >= 1 && handle <= TARE_FRAMES_SCOPES ? (int)handle - 1 : -1;
}

/* recorder:enter(handle) */
static int frames_enter(lua_State *L) {
  const char *wrong = tare_recorder_enter(L, check_frames(L), scope_at(L));
  return wrong == NULL ? 0 : misuse(L, wrong);
}

/* recorder:leave(handle) */
static int frames_leave(lua_State *L) {
  const char *wrong = tare_recorder_leave(L, check_frames(L), scope_at(L));
  return wrong == NULL ? 0 : misuse(L, wrong);
}

void tare_recorder_now(lua_State *L, const tare_frames *f,
                       tare_frames_now *now) {
  const tare_framelog *log = f->log;
  now->frames = log->all.count;
  now->over = log->over;
  now->stutters = log->stutters;
  now->p50_ms = tare_durations_quantile_ns(&log->all, 0.5) / 1e6;
  now->p99_ms = tare_durations_quantile_ns(&log->all, 0.99) / 1e6;
  now->low1_ms = tare_durations_longest_ns(&log->all, 0.01) / 1e6;
  now->low01_ms = tare_durations_longest_ns(&log->all, 0.001) / 1e6;
  now->max_ms = log->all.count > 0.0 ? log->all.max_ns / 1e6 : NAN;
  now->heap_bytes = tare_known_heap_bytes(L);
  now->collector_p99_ms =
      tare_durations_quantile_ns(&log->collector, 0.99) / 1e6;
  now->collector_share = log->collector.count > 0.0
                             ? log->collector.total_ns / log->collector_frame_ns
                             : NAN;
}

/* recorder:live(t) -> t, with the figures until now in its fields */
static int frames_live(lua_State *L) {
  const tare_frames *f = check_frames(L);
  tare_frames_now now;
  if (!lua_istable(L, 2)) return misuse(L, "live() takes a table to fill");
  lua_settop(L, 2);
  tare_recorder_now(L, f, &now);
  tare_set_number(L, "frames", now.frames);
  tare_set_number(L, "over", now.over);
  tare_set_number(L, "stutters", now.stutters);
  tare_set_number(L, "p50", now.p50_ms);
  tare_set_number(L, "p99", now.p99_ms);
  tare_set_number(L, "low1", now.low1_ms);
  tare_set_number(L, "low01", now.low01_ms);
  tare_set_number(L, "max", now.max_ms);
  tare_set_number(L, "heap_bytes", now.heap_bytes);
  tare_set_number(L, "collector_p99", now.collector_p99_ms);
  tare_set_number(L, "collector_share", now.collector_share);
  return 1;
}

/* Sets element 'i' of the list at stack index 'list'. */
static void append(lua_State *L, int list, int i, double value) {
  lua_pushnumber(L, value);
  lua_rawseti(L, list, i);
}

/* Sets 'bins' of the table on top: {lower edges}, {upper edges}, {counts}. */
static void set_bins(lua_State *L, const uint32_t *bins, int n, int width) {
  int i, at = 0, low, high, counts;
  lua_newtable(L);
  low = lua_gettop(L);
  lua_newtable(L);
  high = low + 1;
  lua_newtable(L);
  counts = low + 2;
  for (i = 0; i < n; i++) {
    if (bins[i] == 0) continue;
    at++;
    append(L, low, at, tare_durations_edge_ns(i * width));
    append(L, high, at, tare_durations_edge_ns((i + 1) * width));
    append(L, counts, at, bins[i]);
  }
  lua_setfield(L, low - 1, "counts");
  lua_setfield(L, low - 1, "high_ns");
  lua_setfield(L, low - 1, "low_ns");
}

/* Sets field 'name' of the table on top; none where nothing is counted. */
static void set_durations(lua_State *L, const char *name,
                          const tare_durations *d) {
  if (d->count <= 0.0) return;
  lua_newtable(L);
  tare_set_whole(L, "count", d->count);
  tare_set_number(L, "total_ns", d->total_ns);
  tare_set_number(L, "min_ns", d->min_ns);
  tare_set_number(L, "max_ns", d->max_ns);
  set_bins(L, d->bins, TARE_DURATIONS_BINS, 1);
  lua_setfield(L, -2, name);
}

static void set_worst(lua_State *L, const tare_framelog *log) {
  int i;
  lua_createtable(L, log->worst_count, 0);
  for (i = 0; i < log->worst_count; i++) {
    const tare_worst *worst = &log->worst[i];
    lua_createtable(L, 0, 8);
    tare_set_whole(L, "frame", worst->frame);
    tare_set_number(L, "start_ns", worst->start_ns);
    tare_set_number(L, "ns", worst->ns);
    tare_set_number(L, "collector_ns", worst->collector_ns);
    tare_set_number(L, "usual_ns", worst->usual_ns);
    tare_set_whole(L, "collections", worst->collections);
    tare_set_whole(L, "steps", worst->has_steps);
    if (worst->scope >= 0) {
      lua_pushstring(L, log->scopes[worst->scope]->name);
      lua_setfield(L, -2, "scope");
    }
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "worst");
}

static void set_blocks(lua_State *L, const tare_framelog *log) {
  int i;
  lua_createtable(L, log->block_count, 0);
  for (i = 0; i < log->block_count; i++) {
    const tare_frame_block *block = &log->blocks[i];
    lua_createtable(L, 0, 9);
    tare_set_whole(L, "frames", block->frames);
    tare_set_number(L, "start_ns", block->start_ns);
    tare_set_number(L, "total_ns", block->total_ns);
    tare_set_whole(L, "over", block->over);
    tare_set_whole(L, "stutters", block->stutters);
    tare_set_number(L, "least_heap_bytes", block->least_heap_bytes);
    set_bins(L, block->bins, TARE_FRAMES_BLOCK_BINS, TARE_FRAMES_COARSE);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "blocks");
}

static void set_marks(lua_State *L, const tare_framelog *log) {
  int i;
  lua_createtable(L, log->mark_count, 0);
  for (i = 0; i < log->mark_count; i++) {
    const tare_mark *mark = &log->marks[i];
    double last = i + 1 < log->mark_count ? log->marks[i + 1].first - 1.0
                                          : log->all.count;
    lua_createtable(L, 0, 7);
    lua_pushstring(L, mark->name);
    lua_setfield(L, -2, "name");
    tare_set_whole(L, "first", mark->first);
    tare_set_whole(L, "frames", last - mark->first + 1.0);
    tare_set_number(L, "start_ns", mark->start_ns);
    tare_set_number(L, "total_ns", mark->total_ns);
    tare_set_number(L, "max_ns", mark->max_ns);
    tare_set_whole(L, "over", mark->over);
    tare_set_number(L, "heap_bytes", mark->heap_bytes);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "marks");
  tare_set_whole(L, "lost_marks", log->lost_marks);
}

static void set_scopes(lua_State *L, const tare_framelog *log) {
  int i;
  lua_createtable(L, log->scope_count, 0);
  for (i = 0; i < log->scope_count; i++) {
    const tare_scope_log *scope = log->scopes[i];
    lua_createtable(L, 0, 10);
    lua_pushstring(L, scope->name);
    lua_setfield(L, -2, "name");
    if (scope->budget_ns > 0.0)
      tare_set_number(L, "budget_ns", scope->budget_ns);
    tare_set_whole(L, "calls", scope->calls);
    tare_set_whole(L, "over", scope->over);
    tare_set_whole(L, "collections", scope->collections);
    tare_set_number(L, "grown_bytes", scope->grown_bytes);
    if (scope->collector_of_ns > 0.0) {
      tare_set_number(L, "collector_ns", scope->collector_ns);
      tare_set_number(L, "collector_of_ns", scope->collector_of_ns);
      tare_set_number(L, "collector_max_ns", scope->collector_max_ns);
    }
    set_durations(L, "frames", &scope->frames);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "scopes");
}

static const char *const ring_columns[] = {
    "start_ns", "wall_ns",  "collector_ns", "heap_bytes",
    "gc_minor", "gc_major", "gc_steps"};
enum { COLUMNS = sizeof ring_columns / sizeof ring_columns[0] };

static double value_of(const tare_frame *f, int column) {
  const double values[COLUMNS] = {f->start_ns,         f->ns,
                                  f->collector_ns,     f->heap_bytes,
                                  (double)f->minor,    (double)f->major,
                                  (double)f->has_steps};
  return values[column];
}

/* The frames of the ring, in columns; those without any value are left out. */
static void set_samples(lua_State *L, const tare_framelog *log) {
  size_t n = tare_framelog_kept(log), i;
  int column;
  lua_createtable(L, 0, COLUMNS);
  for (column = 0; column < COLUMNS; column++) {
    int has_values = 0;
    lua_createtable(L, (int)n, 0);
    for (i = 0; i < n; i++) {
      double value = value_of(tare_framelog_at(log, i), column);
      has_values = has_values || !isnan(value);
      append(L, lua_gettop(L), (int)i + 1, value);
    }
    if (has_values)
      lua_setfield(L, -2, ring_columns[column]);
    else
      lua_pop(L, 1);
  }
  lua_setfield(L, -2, "samples");
}

/* Scopes one by one: of which (counted from 1), when, and how long. */
static void set_spans(lua_State *L, const tare_framelog *log) {
  size_t n = tare_framelog_spans_kept(log), i;
  int scopes, starts, times, collector, is_timed = 0;
  lua_createtable(L, 0, 4);
  lua_createtable(L, (int)n, 0);
  scopes = lua_gettop(L);
  lua_createtable(L, (int)n, 0);
  starts = scopes + 1;
  lua_createtable(L, (int)n, 0);
  times = scopes + 2;
  lua_createtable(L, (int)n, 0);
  collector = scopes + 3;
  for (i = 0; i < n; i++) {
    const tare_span *span = tare_framelog_span_at(log, i);
    append(L, scopes, (int)i + 1, tare_span_scope(span) + 1);
    append(L, starts, (int)i + 1, span->start_ns);
    append(L, times, (int)i + 1, tare_span_ns(span));
    is_timed = is_timed || !isnan(span->collector_ns);
    append(L, collector, (int)i + 1, span->collector_ns);
  }
  if (is_timed)
    lua_setfield(L, scopes - 1, "collector_ns");
  else
    lua_pop(L, 1);
  lua_setfield(L, scopes - 1, "ns");
  lua_setfield(L, scopes - 1, "start_ns");
  lua_setfield(L, scopes - 1, "scope");
  lua_setfield(L, -2, "spans");
}

void tare_push_record(lua_State *L, const tare_frames *f) {
  const tare_framelog *log = f->log;
  luaL_checkstack(L, 12, "too many values");
  lua_createtable(L, 0, 24);
  tare_set_number(L, "budget_ns", log->budget_ns);
  tare_set_whole(L, "over", log->over);
  tare_set_whole(L, "stutters", log->stutters);
  tare_set_number(L, "lost_ns", log->lost_ns);
  tare_set_whole(L, "gc_minor", log->minor);
  tare_set_whole(L, "gc_major", log->major);
  tare_set_number(L, "collector_frame_ns", log->collector_frame_ns);
  tare_set_whole(L, "best_run", log->best_run);
  tare_set_number(L, "best_run_ns", log->best_run_ns);
  tare_set_number(L, "best_run_start_ns", log->best_run_start_ns);
  tare_set_number(L, "heap_first", log->heap_first);
  tare_set_number(L, "heap_last", log->heap_last);
  tare_set_number(L, "heap_max", log->heap_max);
  set_durations(L, "all", &log->all);
  set_durations(L, "collecting", &log->collecting);
  set_durations(L, "stepping", &log->stepping);
  set_durations(L, "collector", &log->collector);
  set_worst(L, log);
  set_blocks(L, log);
  set_marks(L, log);
  set_scopes(L, log);
  set_samples(L, log);
  set_spans(L, log);
  if (f->is_paced) {
    lua_createtable(L, 0, 2);
    tare_set_whole(L, "untimed", f->pacer.untimed);
    tare_set_whole(L, "stopped", f->pacer.stopped);
    lua_setfield(L, -2, "paced");
  }
  tare_set_whole(L, "dropped",
                 log->all.count - (double)tare_framelog_kept(log));
  tare_set_whole(L, "dropped_spans",
                 log->span_count - (double)tare_framelog_spans_kept(log));
}

static int push_record(lua_State *L) {
  tare_push_record(L, (const tare_frames *)lua_touserdata(L, 1));
  return 1;
}

int tare_frames_read(lua_State *L, tare_frames *f) {
  int status;
  f->readers++;
  status = lua_pcall(L, 1, 1, 0);
  f->readers--;
  return status;
}

/* recorder:record() -> what is known of the frames, as plain data */
static int frames_record(lua_State *L) {
  tare_frames *f;
  lua_settop(L, 1);
  lua_pushcfunction(L, push_record);
  f = check_frames(L);
  lua_pushlightuserdata(L, f);
  if (tare_frames_read(L, f) != LUA_OK) return lua_error(L);
  return 1;
}

/* Streams and traces */

typedef struct sink_call {
  tare_frames *f;
  const char *text;
  size_t length;
  int is_wanted;
} sink_call;

/* call(call): the function that is kept under the address of 'f->stream'. */
static int call_function(lua_State *L) {
  sink_call *c = (sink_call *)lua_touserdata(L, -1);
  tare_push_kept(L, &c->f->stream);
  lua_pushlstring(L, c->text, c->length);
  lua_call(L, 1, 1);
  c->is_wanted = !lua_isboolean(L, -1) || lua_toboolean(L, -1);
  return 0;
}

/*
** An error of the function, or the result false, ends the stream. The error
** takes the function's place, which is not called any more: that needs no
** memory.
*/
static int call_sink(lua_State *L, void *ud, const char *text, size_t length) {
  sink_call c = {NULL, NULL, 0, 0};
  c.f = (tare_frames *)ud;
  c.text = text;
  c.length = length;
  if (tare_cpcall(L, call_function, &c) != LUA_OK) tare_keep(L, &c.f->stream);
  return c.is_wanted;
}

int tare_stream_open(lua_State *L, tare_frames *f, const char *format,
                     tare_sink sink, void *ud) {
  int found = tare_trace_find(format);
  tare_stream *stream;
  if (found < 0 || f->stream != NULL) return 0;
  stream = (tare_stream *)tare_new_block(L, f->host, sizeof *stream);
  if (stream == NULL) return 0;
  stream->sink = sink;
  stream->ud = ud;
  tare_recorder_stream(f, stream, (tare_trace_format)found);
  return 1;
}

int tare_stream_close(lua_State *L, tare_frames *f) {
  tare_stream *stream = f->stream;
  int is_whole = tare_recorder_end_stream(L, f);
  free_stream(L, f, stream);
  return is_whole;
}

/*
** Ends the stream. Pushes whether the function took all of it and, if it did
** not, the error that the function raised, if any. Returns how many values. A
** stream that a host began has no function here.
*/
static int end_stream(lua_State *L, tare_frames *f) {
  tare_stream *stream = f->stream;
  int is_whole = tare_recorder_end_stream(L, f), has_raised;
  lua_pushboolean(L, is_whole);
  tare_push_kept(L, &f->stream);
  has_raised = !is_whole && !lua_isnil(L, -1) && !lua_isfunction(L, -1);
  free_stream(L, f, stream);
  if (!has_raised) lua_pop(L, 1);
  return has_raised ? 2 : 1;
}

/*
** recorder:stream(format, write): from now on passes the frames, as text, to a
** function. recorder:stream() -> whether it took all, an error: ends the
** stream.
*/
static int frames_stream(lua_State *L) {
  tare_frames *f = check_frames(L);
  const char *format = lua_isstring(L, 2) ? lua_tostring(L, 2) : "";
  if (lua_isnoneornil(L, 2)) {
    if (f->stream == NULL) return misuse(L, "stream(): there is none to end");
    if (f->stream->is_busy)
      return misuse(L, "stream(): its own function ends it by returning false");
    return end_stream(L, f);
  }
  if (f->stream != NULL)
    return misuse(L, "stream(): there is one: end it by stream() first");
  if (tare_trace_find(format) < 0)
    return misuse(L, "stream(): the format must be 'csv' or 'perfetto'");
  if (!lua_isfunction(L, 3))
    return misuse(L, "stream() takes a function for the text");
  lua_settop(L, 3);
  tare_keep(L, &f->stream); /* first: it may run out of memory */
  if (!tare_stream_open(L, f, format, call_sink, f)) {
    tare_let_go(L, &f->stream);
    return misuse(L, "stream(): not enough memory");
  }
  return 0;
}

/* A list in the table at 'from', at the index that is returned. */
static int push_list(lua_State *L, int from, const char *name) {
  lua_getfield(L, from, name);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
  }
  return lua_gettop(L);
}

/* A number of a list; 'missing' where there is none. */
static double number_at(lua_State *L, int list, int i, double missing) {
  double value;
  lua_rawgeti(L, list, i);
  value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : missing;
  lua_pop(L, 1);
  return value;
}

static double field_of(lua_State *L, int table, const char *name) {
  double value;
  lua_getfield(L, table, name);
  value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

static uint32_t count_at(lua_State *L, int list, int i) {
  double value = number_at(L, list, i, 0.0);
  return value >= 1.0 && value < 4e9 ? (uint32_t)value : 0;
}

/* The name of the i-th of a list of tables. */
static void name_at(lua_State *L, int list, int i,
                    char name[TARE_FRAMES_NAME]) {
  name[0] = '\0';
  lua_rawgeti(L, list, i);
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "name");
    if (lua_type(L, -1) == LUA_TSTRING)
      tare_framelog_name(name, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Lists of a record, as indices of the stack. */
typedef struct record_lists {
  int start, ns, collector, heap, minor, major, steps;
  int span_scope, span_start, span_ns, span_collector, scopes, marks;
  double dropped; /* frames before the first that is there */
} record_lists;

static record_lists push_lists(lua_State *L, int record) {
  record_lists r;
  int samples = push_list(L, record, "samples"), spans;
  r.start = push_list(L, samples, "start_ns");
  r.ns = push_list(L, samples, "wall_ns");
  r.collector = push_list(L, samples, "collector_ns");
  r.heap = push_list(L, samples, "heap_bytes");
  r.minor = push_list(L, samples, "gc_minor");
  r.major = push_list(L, samples, "gc_major");
  r.steps = push_list(L, samples, "gc_steps");
  spans = push_list(L, record, "spans");
  r.span_scope = push_list(L, spans, "scope");
  r.span_start = push_list(L, spans, "start_ns");
  r.span_ns = push_list(L, spans, "ns");
  r.span_collector = push_list(L, spans, "collector_ns");
  r.scopes = push_list(L, record, "scopes");
  r.marks = push_list(L, record, "marks");
  r.dropped = field_of(L, record, "dropped");
  return r;
}

/* Writes mark 'i' if it is before frame 'number'; returns the next mark. */
static int trace_mark(lua_State *L, tare_trace *t, const record_lists *r, int i,
                      double number) {
  char name[TARE_FRAMES_NAME];
  lua_rawgeti(L, r->marks, i);
  if (lua_istable(L, -1) && field_of(L, lua_gettop(L), "first") <= number) {
    double first = field_of(L, lua_gettop(L), "first");
    double at_ns = field_of(L, lua_gettop(L), "start_ns");
    name_at(L, r->marks, i++, name);
    if (first > r->dropped) /* else its first frame is gone */
      tare_trace_mark(t, name, at_ns);
  }
  lua_pop(L, 1);
  return i;
}

/*
** frames_trace(format, record) -> the latest frames, their scopes and all marks
** one by one as "csv" or "perfetto"
*/
static int frames_trace(lua_State *L) {
  int format = tare_trace_find(luaL_checkstring(L, 1)), i, span = 1, mark = 1;
  tare_trace *t;
  record_lists r;
  luaL_Buffer text;
  luaL_argcheck(L, format >= 0, 1, "must be 'csv' or 'perfetto'");
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checkstack(L, 40, "too many values");
  lua_settop(L, 2);
  t = (tare_trace *)lua_newuserdata(L, sizeof *t);
  tare_trace_begin(t, (tare_trace_format)format);
  r = push_lists(L, 2);
  t->frames = r.dropped;
  luaL_buffinit(L, &text);
  for (i = 1;; i++) {
    tare_frame f;
    double end_ns;
    int next;
    f.ns = number_at(L, r.ns, i, -1.0);
    f.start_ns = number_at(L, r.start, i, 0.0);
    f.collector_ns = number_at(L, r.collector, i, NAN);
    f.heap_bytes = number_at(L, r.heap, i, NAN);
    f.minor = count_at(L, r.minor, i);
    f.major = count_at(L, r.major, i);
    f.has_steps = count_at(L, r.steps, i) > 0;
    end_ns = f.ns >= 0.0 ? f.start_ns + f.ns : INFINITY;
    while ((next = trace_mark(L, t, &r, mark,
                              f.ns >= 0.0 ? t->frames + 1.0 : INFINITY)) >
           mark) {
      mark = next;
      luaL_addlstring(&text, t->text, t->used);
      t->used = 0;
    }
    for (; number_at(L, r.span_start, span, INFINITY) < end_ns; span++) {
      char name[TARE_FRAMES_NAME];
      tare_span one = {0.0, NAN, 0};
      one.start_ns = number_at(L, r.span_start, span, 0.0);
      if (one.start_ns < number_at(L, r.start, 1, 0.0))
        continue; /* of a frame that is gone */
      tare_span_set(&one, number_at(L, r.span_ns, span, 0.0), 0);
      one.collector_ns = number_at(L, r.span_collector, span, NAN);
      name_at(L, r.scopes, (int)count_at(L, r.span_scope, span), name);
      tare_trace_scope(t, name, &one);
      luaL_addlstring(&text, t->text, t->used);
      t->used = 0;
    }
    if (f.ns < 0.0) break;
    tare_trace_frame(t, &f);
    luaL_addlstring(&text, t->text, t->used);
    t->used = 0;
  }
  tare_trace_end(t);
  luaL_addlstring(&text, t->text, t->used);
  luaL_pushresult(&text);
  return 1;
}

static const luaL_Reg methods[] = {
    {"begin", frames_begin},   {"finish", frames_finish},
    {"push", frames_push},     {"mark", frames_mark},
    {"scope", frames_scope},   {"enter", frames_enter},
    {"leave", frames_leave},   {"live", frames_live},
    {"stream", frames_stream}, {"record", frames_record},
    {"__gc", frames_gc},       {NULL, NULL},
};

void tare_bind_frames(lua_State *L) {
  luaL_newmetatable(L, TARE_FRAMES);
  tare_define_type(L, TARE_FRAMES, methods, 1);
  lua_pushcfunction(L, frames_new);
  lua_setfield(L, -2, "frames");
  lua_pushcfunction(L, frames_trace);
  lua_setfield(L, -2, "frames_trace");
  luaL_getmetatable(L, TARE_FRAMES);
  lua_getfield(L, -1, "__index");
  lua_setfield(L, -3, "frames_methods");
  lua_pop(L, 1);
}
