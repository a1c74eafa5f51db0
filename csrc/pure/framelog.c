#include "pure/framelog.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The usual frame: an average in which each new frame has this weight... */
static const double USUAL_WEIGHT = 1.0 / 16.0;
/* ... and counts as this many usual ones at most: a hitch hides no other. */
static const double STUTTER = 2.0;

size_t tare_framelog_size(size_t ring_size) {
  return sizeof(tare_framelog) +
         ring_size *
             (sizeof(tare_frame) + TARE_FRAMES_SPANS * sizeof(tare_span));
}

/* As fmin and fmax, whose calls would cost more than all else of a frame. */
static inline double least(double a, double b) {
  return b < a || isnan(a) ? b : a;
}
static inline double most(double a, double b) {
  return b > a || isnan(a) ? b : a;
}

tare_framelog *tare_framelog_init(void *memory, size_t ring_size,
                                  double budget_ns) {
  tare_framelog *log = (tare_framelog *)memory;
  assert(ring_size >= 1);
  memset(log, 0, sizeof *log);
  log->budget_ns = budget_ns;
  log->block_frames = TARE_FRAMES_BLOCK_FIRST;
  log->heap_first = log->heap_last = log->heap_max = NAN;
  log->ring = (tare_frame *)(log + 1);
  log->ring_size = ring_size;
  log->spans = (tare_span *)(log->ring + ring_size);
  return log;
}

size_t tare_framelog_kept(const tare_framelog *log) {
  return log->all.count < (double)log->ring_size ? (size_t)log->all.count
                                                 : log->ring_size;
}

const tare_frame *tare_framelog_at(const tare_framelog *log, size_t i) {
  size_t first = log->all.count > (double)log->ring_size ? log->ring_next : 0;
  assert(i < tare_framelog_kept(log));
  return &log->ring[(first + i) % log->ring_size];
}

size_t tare_framelog_spans_kept(const tare_framelog *log) {
  size_t size = TARE_FRAMES_SPANS * log->ring_size;
  return log->span_count < (double)size ? (size_t)log->span_count : size;
}

const tare_span *tare_framelog_span_at(const tare_framelog *log, size_t i) {
  size_t size = TARE_FRAMES_SPANS * log->ring_size;
  size_t first = log->span_count > (double)size ? log->spans_next : 0;
  assert(i < tare_framelog_spans_kept(log));
  return &log->spans[(first + i) % size];
}

/* Joins each block with its neighbour: half as many, twice as long. */
static void halve_blocks(tare_framelog *log) {
  int i, bin;
  for (i = 0; i < TARE_FRAMES_BLOCKS; i += 2) {
    tare_frame_block *to = &log->blocks[i / 2];
    const tare_frame_block *other = &log->blocks[i + 1];
    if (i > 0) *to = log->blocks[i];
    to->frames += other->frames;
    to->total_ns += other->total_ns;
    to->over += other->over;
    to->stutters += other->stutters;
    to->least_heap_bytes = least(to->least_heap_bytes, other->least_heap_bytes);
    for (bin = 0; bin < TARE_FRAMES_BLOCK_BINS; bin++)
      to->bins[bin] += other->bins[bin];
  }
  log->block_count = TARE_FRAMES_BLOCKS / 2;
  log->block_frames *= 2.0;
}

/* The block of the next frame. */
static tare_frame_block *current_block(tare_framelog *log, double start_ns) {
  tare_frame_block *block;
  if (log->block_count > 0) {
    block = &log->blocks[log->block_count - 1];
    if (block->frames < log->block_frames) return block;
  }
  if (log->block_count == TARE_FRAMES_BLOCKS) halve_blocks(log);
  block = &log->blocks[log->block_count++];
  memset(block, 0, sizeof *block);
  block->start_ns = start_ns;
  block->least_heap_bytes = NAN;
  return block;
}

/*
** Adds what the scopes took in a frame of 'ns', and clears it. Returns the
** scope with the longest own time, or -1 if more time was outside of all
** scopes.
*/
static int close_scopes(tare_framelog *log, double ns) {
  int i, longest = -1;
  double most_ns = 0.0, outside_ns = ns;
  for (i = 0; i < log->scope_count; i++) {
    tare_scope_log *scope = log->scopes[i];
    if (scope->now_ns < 0.0) continue; /* was not in this frame */
    (void)tare_durations_add(&scope->frames, scope->now_ns);
    scope->calls += scope->now_calls;
    scope->collections += scope->now_collections;
    scope->grown_bytes += scope->now_grown_bytes;
    if (!isnan(scope->now_collector_ns)) {
      scope->collector_ns += scope->now_collector_ns;
      scope->collector_of_ns += scope->now_ns;
      scope->collector_max_ns =
          most(scope->collector_max_ns, scope->now_collector_ns);
    }
    if (scope->budget_ns > 0.0 && scope->now_ns > scope->budget_ns)
      scope->over += 1.0;
    outside_ns -= scope->own_ns;
    if (scope->own_ns > most_ns) {
      most_ns = scope->own_ns;
      longest = i;
    }
  }
  tare_framelog_drop(log);
  return most_ns > outside_ns ? longest : -1;
}

/* Puts a frame in its place among the worst, if it has one. */
static void keep_worst(tare_framelog *log, const tare_frame *f, int scope) {
  int at = log->worst_count;
  if (at == TARE_FRAMES_WORST) {
    if (f->ns <= log->worst[at - 1].ns) return;
    at--;
  } else {
    log->worst_count++;
  }
  for (; at > 0 && log->worst[at - 1].ns < f->ns; at--)
    log->worst[at] = log->worst[at - 1];
  log->worst[at].frame = log->all.count;
  log->worst[at].start_ns = f->start_ns;
  log->worst[at].ns = f->ns;
  log->worst[at].usual_ns = log->usual_ns;
  log->worst[at].collector_ns = f->collector_ns;
  log->worst[at].collections = f->minor + f->major;
  log->worst[at].has_steps = f->has_steps;
  log->worst[at].scope = scope;
}

/* The run of frames within the budget goes on, or ends. */
static void keep_run(tare_framelog *log, const tare_frame *f, int is_over) {
  if (is_over) {
    log->run = log->run_ns = 0.0;
    return;
  }
  log->run += 1.0;
  log->run_ns += f->ns;
  if (log->run <= log->best_run) return;
  log->best_run = log->run;
  log->best_run_ns = log->run_ns;
  log->best_run_start_ns = f->start_ns + f->ns - log->run_ns;
}

static void keep_heap(tare_framelog *log, double bytes) {
  if (isnan(bytes)) return;
  if (isnan(log->heap_first)) log->heap_first = bytes;
  log->heap_last = bytes;
  log->heap_max = most(log->heap_max, bytes);
}

void tare_framelog_add(tare_framelog *log, const tare_frame *f) {
  int is_over = f->ns > log->budget_ns, is_stutter = 0, scope, bin;
  tare_frame_block *block = current_block(log, f->start_ns);
  log->ring[log->ring_next++] = *f;
  if (log->ring_next == log->ring_size) log->ring_next = 0;
  bin = tare_durations_add(&log->all, f->ns);
  log->end_ns = f->start_ns + f->ns;

  /* What happened in it. */
  if (f->minor + f->major > 0)
    (void)tare_durations_add(&log->collecting, f->ns);
  else if (f->has_steps)
    (void)tare_durations_add(&log->stepping, f->ns);
  log->minor += f->minor;
  log->major += f->major;
  if (!isnan(f->collector_ns)) {
    (void)tare_durations_add(&log->collector, f->collector_ns);
    log->collector_frame_ns += f->ns;
  }
  keep_heap(log, f->heap_bytes);
  scope = close_scopes(log, f->ns);

  /* How it looks beside its neighbours: before it counts as one of them. */
  keep_worst(log, f, scope);
  if (log->all.count <= 1.0) log->usual_ns = f->ns;
  if (is_over && f->ns > STUTTER * log->usual_ns) {
    is_stutter = 1;
    log->stutters += 1.0;
    log->lost_ns += f->ns - log->usual_ns;
  }
  log->usual_ns +=
      USUAL_WEIGHT * (least(f->ns, STUTTER * log->usual_ns) - log->usual_ns);
  log->over += is_over;
  keep_run(log, f, is_over);

  block->frames += 1.0;
  block->total_ns += f->ns;
  block->over += is_over;
  block->stutters += is_stutter;
  block->least_heap_bytes = least(block->least_heap_bytes, f->heap_bytes);
  block->bins[bin / TARE_FRAMES_COARSE]++;
  if (log->mark_count > 0) {
    tare_mark *mark = &log->marks[log->mark_count - 1];
    mark->over += is_over;
    mark->total_ns += f->ns;
    mark->max_ns = most(mark->max_ns, f->ns);
  }
}

/* Bytes of the UTF-8 character that begins a text; 0: it is none. */
static size_t character(const char *text) {
  unsigned char lead = (unsigned char)text[0];
  size_t n = lead < 0x80   ? 1
             : lead < 0xC2 ? 0
             : lead < 0xE0 ? 2
             : lead < 0xF0 ? 3
             : lead < 0xF5 ? 4
                           : 0;
  size_t i;
  for (i = 1; i < n; i++)
    if (((unsigned char)text[i] & 0xC0) != 0x80) return 0;
  return n;
}

void tare_framelog_name(char to[TARE_FRAMES_NAME], const char *name) {
  size_t used = 0;
  while (*name != '\0') {
    size_t n = character(name);
    if (used + (n > 0 ? n : 1) >= TARE_FRAMES_NAME) break;
    if (n == 0) {
      to[used++] = '?';
      name++;
    }
    for (; n > 0; n--) to[used++] = *name++;
  }
  to[used] = '\0';
}

int tare_framelog_mark(tare_framelog *log, const char *name, double start_ns,
                       double heap_bytes) {
  tare_mark *mark;
  if (log->mark_count == TARE_FRAMES_MARKS) {
    log->lost_marks += 1.0;
    return 0;
  }
  mark = &log->marks[log->mark_count++];
  memset(mark, 0, sizeof *mark);
  tare_framelog_name(mark->name, name);
  mark->first = log->all.count + 1.0;
  mark->start_ns = start_ns;
  mark->heap_bytes = heap_bytes;
  return 1;
}

int tare_framelog_scope(tare_framelog *log, tare_scope_log *scope,
                        const char *name, double budget_ns) {
  assert(log->scope_count < TARE_FRAMES_SCOPES);
  memset(scope, 0, sizeof *scope);
  tare_framelog_name(scope->name, name);
  scope->budget_ns = budget_ns;
  scope->now_ns = -1.0;
  log->scopes[log->scope_count] = scope;
  return log->scope_count++;
}

int tare_framelog_find(const tare_framelog *log, const char *name) {
  char cut[TARE_FRAMES_NAME];
  int i;
  tare_framelog_name(cut, name);
  for (i = 0; i < log->scope_count; i++)
    if (strcmp(log->scopes[i]->name, cut) == 0) return i;
  return -1;
}

void tare_framelog_enter(tare_framelog *log, int scope,
                         const tare_reading *began) {
  tare_open_scope *open;
  assert(log->depth < TARE_FRAMES_DEPTH);
  open = &log->open[log->depth++];
  open->scope = scope;
  open->inner_ns = 0.0;
  open->began = *began;
}

const tare_span *tare_framelog_leave(tare_framelog *log,
                                     const tare_reading *ended) {
  const tare_open_scope *open;
  const tare_reading *began;
  tare_span *span = &log->spans[log->spans_next];
  tare_scope_log *scope;
  double ns;
  assert(log->depth > 0);
  open = &log->open[--log->depth];
  began = &open->began;
  scope = log->scopes[open->scope];
  ns = ended->ns > began->ns ? ended->ns - began->ns : 0.0;
  if (scope->now_ns < 0.0) {
    scope->now_ns = scope->own_ns = 0.0;
    scope->now_calls = scope->now_collections = scope->now_grown_bytes = 0.0;
    scope->now_collector_ns = 0.0;
  }
  scope->now_ns += ns;
  scope->own_ns += ns - open->inner_ns;
  scope->now_calls += 1.0;
  scope->now_collections += ended->collections - began->collections;
  if (ended->heap_bytes > began->heap_bytes)
    scope->now_grown_bytes += ended->heap_bytes - began->heap_bytes;
  scope->now_collector_ns += ended->collector_ns - began->collector_ns;
  if (log->depth > 0) log->open[log->depth - 1].inner_ns += ns;
  span->start_ns = began->ns;
  span->collector_ns = ended->collector_ns - began->collector_ns;
  tare_span_set(span, ns, open->scope);
  log->span_count += 1.0;
  if (++log->spans_next == TARE_FRAMES_SPANS * log->ring_size)
    log->spans_next = 0;
  return span;
}

void tare_framelog_drop(tare_framelog *log) {
  int i;
  log->depth = 0;
  for (i = 0; i < log->scope_count; i++) log->scopes[i]->now_ns = -1.0;
}
