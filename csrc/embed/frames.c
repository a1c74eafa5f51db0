/* The C interface to frames. */
#include "tare.h"

#include <math.h>

#include "bind/bind.h"
#include "bind/frames.h"
#include "bind/host.h"
#include "embed/served.h"
#include "state/frames.h"
#include "state/keep.h"

enum { DEFAULT_RING = 1000, MOST_RING = 10000000 };

/* Its address is the key, in the registry, of a recorder that was just made. */
static const char made_key = 'f';

typedef struct new_call {
  const tare_frames_options *options;
  tare_frames *made;
} new_call;

/* make(call): a recorder, kept in the registry. Protected. */
static int make_frames(lua_State *L) {
  new_call *call = (new_call *)lua_touserdata(L, -1);
  tare_clock clock = tare_wall_of(L);
  double budget_ms = 0.0;
  size_t ring = 0;
  if (call->options != NULL) {
    budget_ms = call->options->budget_ms;
    ring = call->options->ring;
  }
  if (!(budget_ms >= 0.0 && budget_ms <= 1e12))
    return luaL_error(L, "tare: budget_ms must be in [0, 1e12]");
  if (ring > MOST_RING) return luaL_error(L, "tare: ring must be at most 1e7");
  tare_push_served(L, "frames"); /* raises if tare_open failed midway, too */
  lua_pop(L, 1);
  call->made =
      tare_push_frames(L, &clock, budget_ms > 0.0 ? budget_ms : 1000.0 / 60.0,
                       ring > 0 ? ring : (size_t)DEFAULT_RING);
  if (call->options != NULL && call->options->paced &&
      !tare_recorder_pace(L, call->made))
    return luaL_error(L, "tare: %s", TARE_NO_PACE);
  tare_keep(L, &made_key);
  return 0;
}

tare_frames *tare_frames_new(lua_State *L, const tare_frames_options *options) {
  new_call call = {NULL, NULL};
  call.options = options;
  if (tare_cpcall(L, make_frames, &call) != LUA_OK) return NULL;
  call.made->L = L;
  tare_push_kept(L, &made_key);
  tare_let_go(L, &made_key);
  return call.made;
}

/*
** Whether there is a recorder to work with. A host whose tare_frames_new failed
** may go on without one (NULL), and scripts that have it can close it.
*/
static int is_open(tare_frames *f) {
  if (f == NULL) return 0;
  if (f->log == NULL) f->message = "the recorder is closed";
  return f->log != NULL;
}

static int outcome(tare_frames *f, const char *wrong) {
  if (wrong == NULL) return TARE_OK;
  f->message = wrong;
  return TARE_FAILED;
}

void tare_frame_begin(tare_frames *f) {
  if (!is_open(f)) return;
  f->message = "";
  tare_recorder_begin(f->L, f);
}

static int end_frame(tare_frames *f, double collector_ns) {
  if (!is_open(f)) return TARE_FAILED;
  return outcome(f, tare_recorder_finish(f->L, f, collector_ns));
}

int tare_frame_end(tare_frames *f) {
  return end_frame(f, NAN);
}

int tare_frame_finish(tare_frames *f, uint64_t collector_ns) {
  return end_frame(f, (double)collector_ns);
}

/* 31 years; a difference of clocks that became negative is more than that. */
#define LONGEST_NS 1000000000000000000u

int tare_frame_push(tare_frames *f, uint64_t ns, uint64_t collector_ns) {
  if (!is_open(f)) return TARE_FAILED;
  if (ns > LONGEST_NS || collector_ns > LONGEST_NS)
    return outcome(f, "a pushed frame is longer than 31 years: was a "
                      "difference of times negative?");
  f->message = "";
  tare_recorder_push(f->L, f, (double)ns, (double)collector_ns);
  return TARE_OK;
}

int tare_scope(tare_frames *f, const char *name, double budget_ms) {
  int scope = -1;
  if (!is_open(f)) return -1;
  if (name == NULL) {
    f->message = "a scope needs a name";
    return -1;
  }
  if (!(budget_ms >= 0.0)) {
    f->message = "a scope's budget must be a number of at least 0";
    return -1;
  }
  scope = tare_recorder_scope(f->L, f, name, budget_ms);
  if (scope < 0)
    f->message = f->log->scope_count == TARE_FRAMES_SCOPES
                     ? "no room for a scope: 32 at most"
                     : "not enough memory for a scope";
  return scope;
}

int tare_scope_begin(tare_frames *f, int scope) {
  if (!is_open(f)) return TARE_FAILED;
  return outcome(f, tare_recorder_enter(f->L, f, scope));
}

int tare_scope_end(tare_frames *f, int scope) {
  if (!is_open(f)) return TARE_FAILED;
  return outcome(f, tare_recorder_leave(f->L, f, scope));
}

int tare_frames_mark(tare_frames *f, const char *name) {
  if (!is_open(f)) return TARE_FAILED;
  if (name == NULL) return outcome(f, "a mark needs a name");
  return outcome(f, tare_recorder_mark(f->L, f, name));
}

const char *tare_frames_message(const tare_frames *f) {
  return f != NULL ? f->message : "there is no recorder: it is NULL";
}

void tare_frames_live(const tare_frames *f, tare_frames_now *now) {
  static const tare_frames_now none = {0.0, 0.0, 0.0, NAN, NAN, NAN,
                                       NAN, NAN, NAN, NAN, NAN};
  if (now == NULL) return;
  if (f != NULL && f->log != NULL)
    tare_recorder_now(f->L, f, now);
  else
    *now = none;
}

typedef struct write_call {
  const tare_frames *frames;
  const char *format;
  tare_write write;
  void *ud;
} write_call;

/* write(call): all that is known, in a format. Protected. */
static int write_frames(lua_State *L) {
  const write_call *c = (const write_call *)lua_touserdata(L, -1);
  const char *text;
  size_t length;
  if (c->frames->log == NULL)
    return luaL_error(L, "tare: the recorder is closed");
  if (c->write == NULL) return luaL_error(L, "tare: no function to write with");
  tare_push_served(L, "frames");
  tare_push_record(L, c->frames);
  lua_pushstring(L, c->format);
  lua_call(L, 2, 1);
  text = lua_tolstring(L, -1, &length);
  if (c->write(c->ud, text, length) != TARE_OK)
    return luaL_error(L, "tare: frames could not be written");
  return 0;
}

int tare_frames_write(tare_frames *f, const char *format, tare_write write,
                      void *ud) {
  write_call call = {NULL, NULL, NULL, NULL};
  int status;
  if (f == NULL) return TARE_FAILED;
  call.frames = f;
  call.format = format != NULL ? format : "json";
  call.write = write;
  call.ud = ud;
  f->readers++; /* so that no finalizer closes it meanwhile */
  status = tare_cpcall(f->L, write_frames, &call);
  f->readers--;
  return status == LUA_OK ? TARE_OK : TARE_FAILED;
}

static const char STOPPED[] = "the stream was stopped by its writer";

static int write_part(lua_State *L, void *ud, const char *text, size_t length) {
  tare_frames *f = (tare_frames *)ud;
  (void)L;
  if (f->write(f->write_ud, text, length) == TARE_OK) return 1;
  f->message = STOPPED;
  return 0;
}

int tare_frames_stream(tare_frames *f, const char *format, tare_write write,
                       void *ud) {
  if (!is_open(f)) return TARE_FAILED;
  if (f->stream != NULL) return outcome(f, "there is a stream: end it first");
  if (write == NULL)
    return outcome(f, "a stream needs a function to write with");
  if (format == NULL || tare_trace_find(format) < 0)
    return outcome(f, "the format of a stream must be 'csv' or 'perfetto'");
  f->write = write;
  f->write_ud = ud;
  if (!tare_stream_open(f->L, f, format, write_part, f))
    return outcome(f, "not enough memory for a stream");
  return TARE_OK;
}

int tare_frames_stream_end(tare_frames *f) {
  if (!is_open(f)) return TARE_FAILED;
  if (f->stream == NULL) return outcome(f, "there is no stream to end");
  if (f->stream->is_busy)
    return outcome(f, "its own writer ends a stream by what it returns");
  if (!tare_stream_close(f->L, f)) return outcome(f, STOPPED);
  return TARE_OK;
}
