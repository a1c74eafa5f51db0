/*
** Frames, scopes and marks one by one as text, into a buffer that its owner
** empties: comma-separated values, or the trace events that ui.perfetto.dev and
** chrome://tracing open (the "JSON Array Format" of Google's "Trace Event
** Format", whose closing bracket may be missing: what a program that crashed
** has written can be opened, too).
*/
#ifndef TARE_TRACE_H
#define TARE_TRACE_H

#include <stddef.h>

#include "pure/framelog.h"

typedef enum tare_trace_format {
  TARE_TRACE_CSV,
  TARE_TRACE_EVENTS
} tare_trace_format;

enum {
  TARE_TRACE_BUFFER = 16384,
  TARE_TRACE_ROOM = 2048 /* more than any of the functions below needs */
};

typedef struct tare_trace {
  tare_trace_format format;
  double frames;     /* until now */
  double heap_bytes; /* last written */
  size_t used;       /* bytes of the text */
  char text[TARE_TRACE_BUFFER];
} tare_trace;

/* The format of that name, "csv" or "perfetto"; -1: there is none. */
int tare_trace_find(const char *name);

/*
** Begins a text. All of these need TARE_TRACE_ROOM bytes of room; to empty the
** buffer, set 'used' to 0.
*/
void tare_trace_begin(tare_trace *t, tare_trace_format format);
void tare_trace_frame(tare_trace *t, const tare_frame *frame);
void tare_trace_scope(tare_trace *t, const char *name, const tare_span *span);
void tare_trace_mark(tare_trace *t, const char *name, double at_ns);
void tare_trace_end(tare_trace *t);

static inline int tare_trace_is_full(const tare_trace *t) {
  return t->used > TARE_TRACE_BUFFER - TARE_TRACE_ROOM;
}

#endif
