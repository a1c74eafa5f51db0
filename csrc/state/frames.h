/*
** The recorder around the frames of a host. It reads the clock, the collector's
** counts and the heap where a frame or a scope begins and ends; the rest is in
** pure/framelog.h. It needs no memory, except to begin a frame after a
** collection whose sentinel could not be replaced (state/gcwatch.h).
*/
#ifndef TARE_STATE_FRAMES_H
#define TARE_STATE_FRAMES_H

#include "compat.h"
#include "platform/clock.h"
#include "pure/framelog.h"
#include "pure/trace.h"
#include "state/framepacer.h"
#include "state/gcwatch.h"
#include "state/profile.h"

/*
** Takes a part of a text that is written while frames are recorded. Returns 0
** to end the stream. Must not raise.
*/
typedef int (*tare_sink)(lua_State *L, void *ud, const char *text,
                         size_t length);

/* Frames one by one, as they end, in constant memory. */
typedef struct tare_stream {
  tare_sink sink;
  void *ud;
  int is_broken; /* the sink wants no more */
  int is_busy;   /* the sink is running: its own frames are not streamed */
  tare_trace trace;
} tare_stream;

/* A profile of some frames, which are in no other figure. */
typedef struct tare_frames_profile {
  tare_profile *profile;    /* NULL: it is gone */
  int is_busy;              /* no finalizer may end it now */
  double wanted, begun, ns; /* frames, and their time */
} tare_frames_profile;

struct tare_frames {
  tare_framelog *log;
  const struct tare_host *host; /* whose allocator is used; NULL: the state's */
  lua_State *L;                 /* in which it was made, for the C interface */
  const char *message;          /* of the last failure, for the C interface */
  char words[2 * TARE_FRAMES_NAME + 80]; /* of a message that names scopes */
  tare_gcwatch *watch; /* armed as long as there is a recorder */
  int is_paced;        /* whether 'pacer' is in use */
  tare_framepacer pacer;
  tare_clock clock;
  uint64_t epoch_ns; /* times count from here */
  int is_open;       /* between begin and finish */
  double began_ns;
  unsigned long collections, majors; /* before the frame */
  double heap_bytes;                 /* at the end of the last frame */
  double least_bytes;  /* the smallest heap since the last collection ended, or
                          began */
  double growth;       /* the next collection begins at so many times that heap;
                          NaN: unknown */
  int is_under_way;    /* whether it has begun */
  tare_stream *stream; /* or NULL */
  tare_frames_profile *profile; /* or NULL */
  int is_profiled;              /* whether the present frame is profiled */
  int readers; /* calls that are turning the log or the profile into tables */
  int (*write)(void *ud, const char *text, size_t length); /* of the host */
  void *write_ud;
};

/* Times count from now. To be called once, when 'clock' and 'watch' are set. */
void tare_recorder_start(lua_State *L, struct tare_frames *f);

/*
** From now on the collector's steps run where scopes begin or end and where
** frames end, and are timed. Returns 0 if this Lua can't do that. May raise (no
** memory).
*/
int tare_recorder_pace(lua_State *L, struct tare_frames *f);

/*
** The host's frame begins. A frame that did not finish, because of an error, is
** dropped.
*/
void tare_recorder_begin(lua_State *L, struct tare_frames *f);

/*
** The frame has ended, and is recorded. 'collector_ns': the time that the host
** spent on collecting in it, NaN if that is not known; the time of paced steps
** is added. Returns NULL; or what was wrong, and records nothing. The next
** message may overwrite this text.
*/
const char *tare_recorder_finish(lua_State *L, struct tare_frames *f,
                                 double collector_ns);

/* Records a frame that the host measured; it follows the one before. */
void tare_recorder_push(lua_State *L, struct tare_frames *f, double ns,
                        double collector_ns);

const char *tare_recorder_mark(lua_State *L, struct tare_frames *f,
                               const char *name);

/*
** From now on frames go to 'stream', too; its sink, ud and memory are the
** caller's. A stream that was there before must have ended.
*/
void tare_recorder_stream(struct tare_frames *f, tare_stream *stream,
                          tare_trace_format format);

/*
** Hands the rest of the text to the sink, and ends the stream. Returns whether
** the sink took all text. The sink itself must not call this.
*/
int tare_recorder_end_stream(lua_State *L, struct tare_frames *f);

/*
** The next frames go to the profile of 'p', and are not recorded. When the last
** of them has ended, the profile ends, and tare_recorder_after_profile is
** called. The memory of 'p' is the caller's.
*/
void tare_recorder_profile(struct tare_frames *f, tare_frames_profile *p);

/*
** Calls the function that is kept under the address of p->wanted, if there is
** one, and keeps it no longer. Its errors are lost.
*/
void tare_recorder_after_profile(lua_State *L, tare_frames_profile *p);

/* Whether all frames of the profile have ended. */
int tare_recorder_has_profiled(const struct tare_frames *f);

/* Scope 'scope' begins; ends. Returns NULL, or what was wrong. */
const char *tare_recorder_enter(lua_State *L, struct tare_frames *f, int scope);
const char *tare_recorder_leave(lua_State *L, struct tare_frames *f, int scope);

#endif
