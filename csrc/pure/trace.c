#include "pure/trace.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/*
** The tracks of a trace: the frames with their scopes, and below these the
** collector's work.
*/
#define FRAMES_TRACK "\"pid\":1,\"tid\":1"
#define COLLECTOR_TRACK "\"pid\":1,\"tid\":2"

static void put(tare_trace *t, const char *text) {
  size_t n = strlen(text);
  assert(t->used + n <= sizeof t->text);
  memcpy(t->text + t->used, text, n);
  t->used += n;
}

static void put_char(tare_trace *t, char c) {
  assert(t->used < sizeof t->text);
  t->text[t->used++] = c;
}

/* A whole number of at least 0. (printf is slow: it asks for the locale.) */
static void put_whole(tare_trace *t, double value) {
  char digits[20];
  uint64_t left = value > 0.0 && value < 1e19 ? (uint64_t)(value + 0.5) : 0;
  int n = 0;
  do {
    digits[n++] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  while (n > 0) put_char(t, digits[--n]);
}

static uint64_t whole_ns(double ns) {
  return ns > 0.0 && ns < 1e19 ? (uint64_t)(ns + 0.5) : 0;
}

/* Nanoseconds as microseconds with three decimals, what trace events have. */
static void put_us(tare_trace *t, uint64_t whole) {
  unsigned rest = (unsigned)(whole % 1000);
  whole /= 1000;
  put_whole(t, (double)whole);
  put_char(t, '.');
  put_char(t, (char)('0' + rest / 100));
  put_char(t, (char)('0' + rest / 10 % 10));
  put_char(t, (char)('0' + rest % 10));
}

/* A name of the host's as JSON, or as a field of CSV that is quoted. */
static void put_name(tare_trace *t, const char *name) {
  static const char hex[] = "0123456789abcdef";
  int is_csv = t->format == TARE_TRACE_CSV;
  put_char(t, '"');
  for (; *name != '\0'; name++) {
    unsigned char c = (unsigned char)*name;
    if (c == '"') {
      put(t, is_csv ? "\"\"" : "\\\"");
    } else if (c == '\\' && !is_csv) {
      put(t, "\\\\");
    } else if (c < 32) { /* a line is a row in both */
      put(t, is_csv ? "?" : "\\u00");
      if (is_csv) continue;
      put_char(t, hex[c >> 4]);
      put_char(t, hex[c & 15]);
    } else {
      put_char(t, (char)c);
    }
  }
  put_char(t, '"');
}

static void put_known(tare_trace *t, double value) {
  if (!isnan(value)) put_whole(t, value);
}

int tare_trace_find(const char *name) {
  if (strcmp(name, "csv") == 0) return TARE_TRACE_CSV;
  return strcmp(name, "perfetto") == 0 ? (int)TARE_TRACE_EVENTS : -1;
}

void tare_trace_begin(tare_trace *t, tare_trace_format format) {
  t->format = format;
  t->frames = 0.0;
  t->heap_bytes = NAN;
  t->used = 0;
  if (format == TARE_TRACE_CSV) {
    put(t, "kind,name,frame,start_ns,ns,collector_ns,heap_bytes,gc_minor,"
           "gc_major,gc_steps\n");
    return;
  }
  put(t, "[{\"ph\":\"M\"," FRAMES_TRACK ",\"name\":\"process_name\","
         "\"args\":{\"name\":\"tare\"}},\n"
         "{\"ph\":\"M\"," FRAMES_TRACK ",\"name\":\"thread_name\","
         "\"args\":{\"name\":\"frames\"}},\n"
         "{\"ph\":\"M\"," COLLECTOR_TRACK ",\"name\":\"thread_name\","
         "\"args\":{\"name\":\"collector\"}}");
}

/* ,"name":...}: a name of the host's ends an event. */
static void put_name_end(tare_trace *t, const char *name) {
  put(t, ",\"name\":");
  put_name(t, name);
  put_char(t, '}');
}

/* kind,name,frame,start_ns,: of something in the frame that has yet to end. */
static void put_csv_head(tare_trace *t, const char *kind, const char *name,
                         double start_ns) {
  put(t, kind);
  put_char(t, ',');
  put_name(t, name);
  put_char(t, ',');
  put_whole(t, t->frames + 1.0);
  put_char(t, ',');
  put_whole(t, start_ns);
  put_char(t, ',');
}

/* {"ph":head,"ts":...: an event begun; the name is to follow. */
static void put_event(tare_trace *t, const char *head, double at_ns) {
  put(t, ",\n{\"ph\":");
  put(t, head);
  put(t, ",\"ts\":");
  put_us(t, whole_ns(at_ns));
}

/*
** The same for an event with a duration. It ends no later than the next begins:
** viewers drop events of a track that overlap by a nanosecond.
*/
static void put_span(tare_trace *t, const char *head, double start_ns,
                     double ns) {
  uint64_t start = whole_ns(start_ns), end = whole_ns(start_ns + ns);
  put_event(t, head, start_ns);
  put(t, ",\"dur\":");
  put_us(t, end > start ? end - start : 0);
}

static void put_csv_frame(tare_trace *t, const tare_frame *f) {
  const double cells[] = {t->frames,       f->start_ns,   f->ns,
                          f->collector_ns, f->heap_bytes, (double)f->minor,
                          (double)f->major};
  size_t i;
  put(t, "frame,");
  for (i = 0; i < sizeof cells / sizeof *cells; i++) {
    put_char(t, ',');
    put_known(t, cells[i]);
  }
  put(t, f->has_steps ? ",1\n" : ",0\n");
}

void tare_trace_frame(tare_trace *t, const tare_frame *f) {
  double end_ns = f->start_ns + f->ns;
  t->frames += 1.0;
  if (t->format == TARE_TRACE_CSV) {
    put_csv_frame(t, f);
    return;
  }
  put_span(t, "\"X\"," FRAMES_TRACK, f->start_ns, f->ns);
  put(t, ",\"name\":\"frame\",\"args\":{\"frame\":");
  put_whole(t, t->frames);
  put(t, "}}");
  if (f->collector_ns > 0.0) { /* drawn at the frame's end: when is not known */
    /* In a capture made by hand there may be more than the frame took. */
    double ns = f->collector_ns < f->ns ? f->collector_ns : f->ns;
    put_span(t, "\"X\"," COLLECTOR_TRACK, end_ns - ns, ns);
    put(t, ",\"name\":\"collecting\"}");
  } else if (f->has_steps) { /* nor is how long they took: all of the frame */
    put_span(t, "\"X\"," COLLECTOR_TRACK, f->start_ns, f->ns);
    put(t, ",\"name\":\"frame with steps\"}");
  }
  if (f->minor + f->major > 0) {
    put_event(t, "\"i\",\"s\":\"t\"," COLLECTOR_TRACK, end_ns);
    put(t, f->major > 0 ? ",\"name\":\"collection ended\"}"
                        : ",\"name\":\"minor collection ended\"}");
  }
  if (!isnan(f->heap_bytes) && f->heap_bytes != t->heap_bytes) {
    t->heap_bytes = f->heap_bytes;
    put_event(t, "\"C\",\"pid\":1", end_ns);
    put(t, ",\"name\":\"Lua heap\",\"args\":{\"bytes\":");
    put_whole(t, f->heap_bytes);
    put(t, "}}");
  }
}

void tare_trace_scope(tare_trace *t, const char *name, const tare_span *span) {
  if (t->format == TARE_TRACE_CSV) {
    put_csv_head(t, "scope", name, span->start_ns);
    put_whole(t, tare_span_ns(span));
    put_char(t, ',');
    put_known(t, span->collector_ns);
    put(t, ",,,,\n");
    return;
  }
  put_span(t, "\"X\"," FRAMES_TRACK, span->start_ns, tare_span_ns(span));
  if (!isnan(span->collector_ns)) {
    put(t, ",\"args\":{\"collector_ns\":");
    put_whole(t, span->collector_ns);
    put_char(t, '}');
  }
  put_name_end(t, name);
}

void tare_trace_mark(tare_trace *t, const char *name, double at_ns) {
  if (t->format == TARE_TRACE_CSV) {
    put_csv_head(t, "mark", name, at_ns);
    put(t, ",,,,,\n");
    return;
  }
  put_event(t, "\"i\",\"s\":\"p\"," FRAMES_TRACK, at_ns);
  put_name_end(t, name);
}

void tare_trace_end(tare_trace *t) {
  if (t->format == TARE_TRACE_EVENTS) put(t, "]\n");
}
