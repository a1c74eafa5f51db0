/*
** The recorder around the frames of a host: the clock, the collector's counts
** and the heap are read where a frame or a scope begins and ends; the rest is
** in pure/framelog.h. None of it needs memory, but to begin a frame after a
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
** Takes a part of a text that is written while frames are recorded; 0 ends that.
** May not raise.
*/
typedef int (*tare_sink)(lua_State *L, void *ud, const char *text,
                         size_t length);

/* Frames one by one, as they end, in constant memory. */
typedef struct tare_stream {
  tare_sink sink;
  void *ud;
  int is_broken; /* the sink wants no more */
  int is_busy;   /* the sink is being called: what it records goes nowhere */
  tare_trace trace;
} tare_stream;

/* A profile of some frames, which are in no other figure. */
typedef struct tare_frames_profile {
  tare_profile *profile;    /* NULL: it is gone */
  double wanted, begun, ns; /* frames, and their time */
} tare_frames_profile;

struct tare_frames {
  tare_framelog *log;
  const struct tare_host *host; /* of that memory; NULL: the state's */
  lua_State *L;                 /* that of who made it, for the C interface */
  const char *message;          /* there, what was wrong last */
  char words[2 * TARE_FRAMES_NAME + 80]; /* of a message that names scopes */
  tare_gcwatch *watch; /* armed as long as there is a recorder */
  int is_paced;        /* whether the next is in use */
  tare_framepacer pacer;
  tare_clock clock;
  uint64_t epoch_ns; /* times count from here */
  int is_open;       /* between begin and finish */
  double began_ns;
  unsigned long collections, majors; /* before the frame */
  double heap_bytes;                 /* at the end of the last frame */
  double least_bytes;  /* since the last collection ended, or began */
  double growth;       /* of that, at which the next one begins; NaN: unknown */
  int is_under_way;    /* whether it has */
  tare_stream *stream; /* or NULL */
  tare_frames_profile *profile; /* or NULL */
  int is_profiled;              /* the present frame */
  int is_read; /* how often the log or the profile is being turned into tables */
  int (*write)(void *ud, const char *text, size_t length); /* of the host */
  void *write_ud;
};

/* Times count from now. To be called once, when 'clock' and 'watch' are set. */
void tare_recorder_start(lua_State *L, struct tare_frames *f);

/*
** From now on the collector's steps run where scopes and frames end, and are
** timed. 0: not in this Lua. May raise (no memory).
*/
int tare_recorder_pace(lua_State *L, struct tare_frames *f);

/* The host's frame begins. One that did not finish, after an error, is none. */
void tare_recorder_begin(lua_State *L, struct tare_frames *f);

/*
** The frame has ended, and is recorded. 'collector_ns': what of it the host
** spent on collecting, NaN if that is not known; what was paced is added. NULL, or
** what was wrong: then nothing is recorded. The text may be overwritten by the next one.
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
** The rest of the text goes out. Returns whether the sink took all of it. Not
** while the sink is called.
*/
int tare_recorder_end_stream(lua_State *L, struct tare_frames *f);

/*
** The next frames go to the profile that 'p' begins with, and are not recorded.
** When the last one has ended, so has the profile, and tare_recorder_after_profile
** is called. Memory of 'p' is the caller's.
*/
void tare_recorder_profile(struct tare_frames *f, tare_frames_profile *p);

/*
** Calls the function, once, that is kept under the address of 'wanted', if there
** is one. Its errors are lost.
*/
void tare_recorder_after_profile(lua_State *L, tare_frames_profile *p);

/* Whether all of those frames have ended. */
int tare_recorder_has_profiled(const struct tare_frames *f);

/* Scope 'scope' begins, ends. NULL, or what was wrong with that. */
const char *tare_recorder_enter(lua_State *L, struct tare_frames *f, int scope);
const char *tare_recorder_leave(lua_State *L, struct tare_frames *f, int scope);

#endif
