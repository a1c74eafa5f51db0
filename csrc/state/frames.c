#include "state/frames.h"

#include <math.h>
#include <stdio.h>

#include "state/gcsettings.h"
#include "state/keep.h"

/* 0 if the clock was set back to before the recorder began. */
static double now_ns(const struct tare_frames *f) {
  double ns = tare_elapsed_ns(f->epoch_ns, tare_now(&f->clock));
  return ns > 0.0 ? ns : 0.0;
}

/* What is read where a scope begins or ends. */
static tare_reading reading(lua_State *L, const struct tare_frames *f) {
  tare_reading now;
  now.heap_bytes = tare_known_heap_bytes(L);
  now.ns = now_ns(f);
  now.collections = (double)f->watch->armed_count.collections;
  now.collector_ns =
      f->is_paced && !f->pacer.is_stopped ? f->pacer.collector_ns : NAN;
  return now;
}

/* rearm(recorder): gives its watch a new sentinel. Protected. */
static int rearm(lua_State *L) {
  const struct tare_frames *f =
      (const struct tare_frames *)lua_touserdata(L, -1);
  tare_push_kept(L, f); /* keeps the watch if a finalizer closes the recorder */
  tare_gcwatch_arm(L, f->watch);
  return 0;
}

/* What is alive is a little less than the smallest heap that is seen. */
static const double ALIVE = 0.997;

/*
** A collection has ended: Lua begins the next one when the heap has grown to
** 'pause' percent of what is alive.
*/
static void expect_next(lua_State *L, struct tare_frames *f,
                        double heap_bytes) {
  int is_automatic =
      tare_gc_is_running(L) && tare_gc_last_mode(L) != TARE_GC_GENERATIONAL;
  if (!f->is_under_way || heap_bytes < f->least_bytes)
    f->least_bytes = heap_bytes; /* else it was smallest during the sweep */
  f->growth =
      is_automatic ? ALIVE * tare_gc_pause_percent(L) / 100.0 : INFINITY;
  f->is_under_way = 0;
}

/*
** Whether steps of a collection ran in a frame in which no collection ended:
** the heap is beyond the size at which one begins, or has become smaller.
*/
static int has_steps(struct tare_frames *f, double heap_bytes) {
  if (!f->is_under_way && heap_bytes > f->growth * f->least_bytes) {
    f->is_under_way = 1;
    f->least_bytes = heap_bytes;
  } else if (heap_bytes < f->least_bytes) {
    f->least_bytes = heap_bytes;
  }
  return f->is_under_way || heap_bytes < f->heap_bytes;
}

void tare_recorder_start(lua_State *L, struct tare_frames *f) {
  (void)L;
  f->epoch_ns = tare_now(&f->clock);
  f->growth = NAN;
  f->collections = f->watch->armed_count.collections;
#if LUA_VERSION_NUM >= 504 /* there a new watch runs a full collection */
  expect_next(L, f, tare_heap_bytes(L));
#endif
}

int tare_recorder_pace(lua_State *L, struct tare_frames *f) {
  f->is_paced = tare_framepacer_init(L, &f->pacer, f->watch, &f->clock);
  return f->is_paced;
}

/* Hands the text to the sink. */
static void drain(lua_State *L, tare_stream *s) {
  s->is_busy = 1;
  if (!s->is_broken && s->trace.used > 0)
    s->is_broken = !s->sink(L, s->ud, s->trace.text, s->trace.used);
  s->is_busy = 0;
  s->trace.used = 0;
}

/* The trace to write to, with room for an event; NULL: there is none. */
static tare_trace *trace_of(lua_State *L, struct tare_frames *f) {
  if (f->stream == NULL || f->stream->is_broken || f->stream->is_busy)
    return NULL;
  if (tare_trace_is_full(&f->stream->trace)) drain(L, f->stream);
  return &f->stream->trace;
}

void tare_recorder_stream(struct tare_frames *f, tare_stream *stream,
                          tare_trace_format format) {
  stream->is_broken = stream->is_busy = 0;
  tare_trace_begin(&stream->trace, format);
  f->stream = stream;
}

int tare_recorder_end_stream(lua_State *L, struct tare_frames *f) {
  tare_trace *trace = trace_of(L, f);
  int is_whole;
  if (trace != NULL) tare_trace_end(trace);
  drain(L, f->stream);
  is_whole = !f->stream->is_broken;
  f->stream = NULL;
  return is_whole;
}

/* Records a frame that has ended, and streams it. */
static void add(lua_State *L, struct tare_frames *f, tare_frame *frame) {
  tare_trace *trace = trace_of(L, f);
  /*
  ** A host may have timed its collector with another clock, or before the
  ** frame.
  */
  if (frame->collector_ns > frame->ns) frame->collector_ns = frame->ns;
  tare_framelog_add(f->log, frame);
  if (trace == NULL) return;
  tare_trace_frame(trace, frame);
  if (trace->used > TARE_TRACE_BUFFER / 2) drain(L, f->stream);
}

void tare_recorder_profile(struct tare_frames *f, tare_frames_profile *p) {
  f->profile = p;
}

int tare_recorder_has_profiled(const struct tare_frames *f) {
  return f->profile->begun >= f->profile->wanted && !f->is_profiled;
}

void tare_recorder_after_profile(lua_State *L, tare_frames_profile *p) {
  tare_push_kept(L, &p->wanted);
  tare_let_go(L, &p->wanted); /* first, since it may end the profile itself */
  if (lua_isnil(L, -1) || lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
}

/* The frame that is profiled is over, however it has ended. */
static void end_profiled(lua_State *L, struct tare_frames *f) {
  tare_frames_profile *p = f->profile;
  f->is_profiled = 0;
  if (p == NULL || p->profile == NULL) return; /* it has ended meanwhile */
  tare_profile_rest(L, p->profile);
  p->ns += fmax(now_ns(f) - f->began_ns, 0.0);
  if (p->begun < p->wanted) return;
  (void)tare_profile_end(L, p->profile);
  tare_recorder_after_profile(L, p);
}

/*
** Where a function below looks at the collector, Lua may run finalizers. One of
** these could use the recorder, and change what that function has checked.
*/
static const char IN_FINALIZER[] =
    "a finalizer can't use the recorder that runs it";

void tare_recorder_begin(lua_State *L, struct tare_frames *f) {
  if (f->pacer.is_looking) return;
  if (f->is_profiled) end_profiled(L, f); /* it did not finish */
  if (f->log == NULL) return; /* the function after the profile closed it */
  if (f->watch->sentinel == NULL && tare_cpcall(L, rearm, f) != LUA_OK)
    lua_pop(L, 1); /* no memory: collections go uncounted until there is */
  if (f->log == NULL) return; /* a finalizer closed it */
  tare_framelog_drop(f->log);
  if (f->watch->armed_count.collections !=
      f->collections) /* one ended between frames */
    expect_next(L, f, tare_known_heap_bytes(L));
  f->collections = f->watch->armed_count.collections;
  f->majors = f->watch->armed_count.majors;
  f->is_open = 1;
  if (f->is_paced) tare_framepacer_begin(L, &f->pacer);
  f->began_ns = now_ns(f);
  if (f->profile == NULL || f->profile->profile == NULL ||
      f->profile->begun >= f->profile->wanted)
    return;
  f->profile->begun++;
  f->is_profiled = 1;
  if (f->is_paced) tare_framepacer_drop(L, &f->pacer);
  tare_profile_resume(L, f->profile->profile);
}

const char *tare_recorder_finish(lua_State *L, struct tare_frames *f,
                                 double collector_ns) {
  double ended_ns = now_ns(f);
  unsigned long majors;
  tare_frame frame;
  if (f->pacer.is_looking) return IN_FINALIZER;
  if (f->is_profiled) {
    end_profiled(L, f);
    f->is_open = 0;
    f->heap_bytes = tare_known_heap_bytes(L);
    return NULL;
  }
  if (!f->is_open) return "a frame ended that had not begun";
  if (f->log->depth > 0)
    return "a frame ended while a scope is open: end that first";
  if (f->is_paced) {
    double paced_ns = tare_framepacer_finish(L, &f->pacer);
    if (isnan(collector_ns))
      collector_ns = paced_ns;
    else if (!isnan(paced_ns))
      collector_ns += paced_ns;
    ended_ns = now_ns(f);
  }
  frame.start_ns = f->began_ns;
  frame.ns = ended_ns > f->began_ns ? ended_ns - f->began_ns : 0.0;
  frame.collector_ns = collector_ns;
  frame.heap_bytes = tare_known_heap_bytes(L);
  majors = f->watch->armed_count.majors - f->majors;
  frame.major = (uint32_t)majors;
  frame.minor =
      (uint32_t)(f->watch->armed_count.collections - f->collections - majors);
  frame.has_steps = 0;
  f->collections = f->watch->armed_count.collections;
  if (frame.minor + frame.major > 0)
    expect_next(L, f, frame.heap_bytes);
  else
    frame.has_steps = (uint32_t)has_steps(f, frame.heap_bytes);
  if (f->is_paced && !f->pacer.is_stopped && !f->pacer.is_untimed) /* exact */
    frame.has_steps =
        frame.minor + frame.major == 0 && f->pacer.collector_ns > 0.0;
  f->heap_bytes = frame.heap_bytes;
  add(L, f, &frame);
  f->is_open = 0;
  return NULL;
}

void tare_recorder_push(lua_State *L, struct tare_frames *f, double ns,
                        double collector_ns) {
  tare_frame frame;
  if (f->pacer.is_looking) return;
  if (f->is_profiled) end_profiled(L, f);
  if (f->log == NULL) return; /* as in begin */
  if (f->is_paced) tare_framepacer_drop(L, &f->pacer);
  frame.start_ns = f->log->end_ns;
  frame.ns = ns;
  frame.collector_ns = collector_ns;
  frame.heap_bytes = tare_known_heap_bytes(L);
  frame.minor = frame.major = frame.has_steps = 0;
  f->is_open = 0;
  add(L, f, &frame);
}

const char *tare_recorder_mark(lua_State *L, struct tare_frames *f,
                               const char *name) {
  double at_ns = f->is_open ? f->began_ns : f->log->end_ns;
  tare_trace *trace = trace_of(L, f);
  double heap_bytes = tare_known_heap_bytes(L);
  int is_kept = tare_framelog_mark(f->log, name, at_ns, heap_bytes);
  if (trace != NULL) {
    char cut[TARE_FRAMES_NAME];
    tare_framelog_name(cut, name);
    tare_trace_mark(trace, cut, at_ns);
  }
  return is_kept ? NULL
                 : "64 marks are kept at most: this one is in streams only";
}

const char *tare_recorder_enter(lua_State *L, struct tare_frames *f,
                                int scope) {
  tare_framelog *log = f->log;
  tare_reading began;
  int i;
  if (f->pacer.is_looking) return IN_FINALIZER;
  if (scope < 0 || scope >= log->scope_count) return "there is no such scope";
  if (f->is_profiled) return NULL;
  if (!f->is_open) return "a scope began outside of a frame";
  if (log->depth == TARE_FRAMES_DEPTH)
    return "16 scopes are open: end one before the next begins";
  for (i = 0; i < log->depth; i++)
    if (log->open[i].scope == scope)
      return "a scope began that is open: its time would count twice";
  if (f->is_paced) /* steps due until now belong to what is around the scope */
    tare_framepacer_look(L, &f->pacer);
  began = reading(L, f);
  tare_framelog_enter(log, scope, &began);
  return NULL;
}

const char *tare_recorder_leave(lua_State *L, struct tare_frames *f,
                                int scope) {
  tare_reading ended = reading(L, f);
  tare_framelog *log = f->log;
  const tare_span *span;
  tare_trace *trace;
  if (f->pacer.is_looking) return IN_FINALIZER;
  if (f->is_profiled) return NULL;
  if (log->depth == 0) return "a scope ended that had not begun";
  if (log->open[log->depth - 1].scope != scope) {
    if (scope < 0 || scope >= log->scope_count) return "there is no such scope";
    snprintf(f->words, sizeof f->words,
             "a scope ended that is not the last one that began: '%s', but "
             "'%s' is open",
             log->scopes[scope]->name,
             log->scopes[log->open[log->depth - 1].scope]->name);
    return f->words;
  }
  if (f->is_paced) {
    double heap_bytes = ended.heap_bytes; /* what the scope has allocated */
    tare_framepacer_look(L, &f->pacer);
    ended = reading(L, f);
    ended.heap_bytes = heap_bytes;
  }
  span = tare_framelog_leave(log, &ended);
  trace = trace_of(L, f);
  if (trace != NULL) tare_trace_scope(trace, log->scopes[scope]->name, span);
  return NULL;
}
