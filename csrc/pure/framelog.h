/*
** What is known of a session's frames, in memory that never grows: counts,
** histograms, the worst frames, blocks of frames for intervals, marks, scopes,
** and a ring of the latest frames for plots. Nothing but the ring forgets.
*/
#ifndef TARE_FRAMELOG_H
#define TARE_FRAMELOG_H

#include <stddef.h>
#include <stdint.h>

#include "pure/durations.h"

enum {
  TARE_FRAMES_WORST = 10,       /* longest frames that are kept */
  TARE_FRAMES_BLOCKS = 64,      /* blocks at most; always an even number */
  TARE_FRAMES_BLOCK_FIRST = 16, /* frames of a block in a short session */
  TARE_FRAMES_MARKS = 64,       /* marks that are kept */
  TARE_FRAMES_SCOPES = 32,      /* scopes at most */
  TARE_FRAMES_DEPTH = 16,       /* scopes open at once at most */
  TARE_FRAMES_NAME = 48         /* bytes of a name, its end included */
};

/* Bins of a block's histogram are this many of the session's: 9 % wide. */
#define TARE_FRAMES_COARSE 16
#define TARE_FRAMES_BLOCK_BINS (TARE_DURATIONS_BINS / TARE_FRAMES_COARSE)

/* One frame, as the ring keeps it. */
typedef struct tare_frame {
  double start_ns, ns;
  double collector_ns;   /* NaN: not known */
  double heap_bytes;     /* at its end; NaN: not known */
  uint32_t minor, major; /* collections that ended in it */
  uint32_t has_steps;    /* whether one was under way, and none ended */
} tare_frame;

/* One scope of one frame, as another ring keeps it. */
typedef struct tare_span {
  double start_ns;
  double collector_ns;   /* NaN: not known */
  uint64_t ns_and_scope; /* whole nanoseconds, and the scope in 8 bits */
} tare_span;

/* A time that is NaN, below 0 or beyond 56 bits becomes 0 (damaged files). */
static inline void tare_span_set(tare_span *span, double ns, int scope) {
  uint64_t whole = ns > 0.0 && ns < 7.2e16 ? (uint64_t)(ns + 0.5) : 0;
  span->ns_and_scope = whole << 8 | (uint64_t)scope;
}
static inline double tare_span_ns(const tare_span *span) {
  return (double)(span->ns_and_scope >> 8);
}
static inline int tare_span_scope(const tare_span *span) {
  return (int)(span->ns_and_scope & 0xff);
}

/* Scopes that are kept, for each frame of the ring. */
#define TARE_FRAMES_SPANS 4

/* One of the longest frames. */
typedef struct tare_worst {
  double frame; /* its number, from 1 */
  double start_ns, ns;
  double usual_ns;     /* what the frames before it took */
  double collector_ns; /* NaN: not known */
  uint32_t collections;
  uint32_t has_steps;
  int scope; /* the one with the longest own time; -1: more was outside */
} tare_worst;

/* Neighbouring frames. */
typedef struct tare_frame_block {
  double frames, start_ns, total_ns, over, stutters;
  double least_heap_bytes; /* at the end of a frame; NaN: not known */
  uint32_t bins[TARE_FRAMES_BLOCK_BINS];
} tare_frame_block;

/* From a mark to the next; the first begins with the session. */
typedef struct tare_mark {
  char name[TARE_FRAMES_NAME];
  double first; /* number of the first frame after it, from 1 */
  double start_ns;
  double heap_bytes; /* when it was made; NaN: not known */
  double over, total_ns, max_ns;
} tare_mark;

typedef struct tare_scope_log {
  char name[TARE_FRAMES_NAME];
  double budget_ns;   /* 0: none */
  double calls, over; /* over: frames in which it took more than its budget */
  double collections; /* that ended in it */
  double grown_bytes; /* by which the heap grew in it, shrinking not counted */
  double collector_ns, collector_max_ns; /* the most of a frame */
  double collector_of_ns; /* time of the scope in frames where that is known */
  tare_durations frames;  /* its time in each frame in which it was */
  double now_ns, own_ns;  /* of the current frame; own: without inner scopes */
  double now_calls, now_collections, now_grown_bytes; /* of the current frame */
  double now_collector_ns;
} tare_scope_log;

/* What is read where a scope begins, and where it ends. */
typedef struct tare_reading {
  double ns, heap_bytes, collections;
  double collector_ns; /* of the frame until now; NaN: not known */
} tare_reading;

/* A scope that is open. */
typedef struct tare_open_scope {
  int scope;
  double inner_ns;
  tare_reading began;
} tare_open_scope;

typedef struct tare_framelog {
  double budget_ns;
  double end_ns;                            /* of the last frame */
  tare_durations all, collecting, stepping; /* frames; those in which a
                        collection ended; in which one was under way */
  tare_durations collector;                 /* its time where that is known */
  double over, stutters, lost_ns; /* lost: by stutters, beyond the usual */
  double usual_ns;                /* moving average, see framelog.c */
  double minor, major, collector_frame_ns; /* the last: of frames it is known */
  double heap_first, heap_last, heap_max;  /* NaN: not known */
  double run, run_ns, best_run, best_run_ns, best_run_start_ns;
  tare_worst worst[TARE_FRAMES_WORST]; /* the longest first */
  int worst_count;
  tare_frame_block blocks[TARE_FRAMES_BLOCKS];
  int block_count;
  double block_frames; /* frames of a full block */
  tare_mark marks[TARE_FRAMES_MARKS];
  int mark_count;
  double lost_marks; /* that there was no room for */
  tare_scope_log *scopes[TARE_FRAMES_SCOPES];
  int scope_count;
  tare_open_scope open[TARE_FRAMES_DEPTH];
  int depth;
  tare_frame *ring;
  size_t ring_size, ring_next; /* next: where the next frame goes */
  tare_span *spans;
  size_t spans_next;
  double span_count; /* until now */
} tare_framelog;

/* Bytes of a log with a ring of so many frames. */
size_t tare_framelog_size(size_t ring_size);

/* Makes a log in that much memory. Requires ring_size >= 1. */
tare_framelog *tare_framelog_init(void *memory, size_t ring_size,
                                  double budget_ns);

/* Adds a frame, and what its scopes took. Requires frame->ns >= 0. */
void tare_framelog_add(tare_framelog *log, const tare_frame *frame);

/* Number of frames that the ring keeps, and the i-th of them, oldest first. */
size_t tare_framelog_kept(const tare_framelog *log);
const tare_frame *tare_framelog_at(const tare_framelog *log, size_t i);

/* The same of scopes. */
size_t tare_framelog_spans_kept(const tare_framelog *log);
const tare_span *tare_framelog_span_at(const tare_framelog *log, size_t i);

/*
** Copies a name. A long one is cut between UTF-8 characters, and each byte that
** is not UTF-8 becomes '?'.
*/
void tare_framelog_name(char to[TARE_FRAMES_NAME], const char *name);

/*
** Marks that the frames from here on are of the level, the scene... 'name'; a
** long name is cut. Returns whether there was room for the mark.
*/
int tare_framelog_mark(tare_framelog *log, const char *name, double start_ns,
                       double heap_bytes);

/*
** Adds a scope in the memory 'scope'; returns its number. Requires
** scope_count < TARE_FRAMES_SCOPES.
*/
int tare_framelog_scope(tare_framelog *log, tare_scope_log *scope,
                        const char *name, double budget_ns);

/* The number of the scope of that name, or -1. A long name is cut. */
int tare_framelog_find(const tare_framelog *log, const char *name);

/* Opens a scope. Requires a known one and depth < TARE_FRAMES_DEPTH. */
void tare_framelog_enter(tare_framelog *log, int scope,
                         const tare_reading *began);

/* Closes the innermost scope, which it returns. Requires depth > 0. */
const tare_span *tare_framelog_leave(tare_framelog *log,
                                     const tare_reading *ended);

/* Closes all scopes, and drops what they took since the last frame. */
void tare_framelog_drop(tare_framelog *log);

#endif
