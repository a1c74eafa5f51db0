/*
** Column store of measurements: one row per batch, one named column per metric.
** It is outside the Lua heap, so keeping a row does not affect the collector.
*/
#ifndef TARE_SAMPLES_H
#define TARE_SAMPLES_H

#include <stddef.h>

/* X(identifier, name): every value that a row can have; absent is NaN. */
#define TARE_COLUMNS(X)                                                        \
  X(ITERS, "iters")               /* calls in the batch */                     \
  X(WALL_NS, "wall_ns")           /* elapsed time of the batch */              \
  X(CPU_NS, "cpu_ns")             /* process CPU time of the batch */          \
  X(PREEMPTIONS, "preemptions")   /* times the core was taken away */          \
  X(WAITS, "waits")               /* times it waited, or gave way */           \
  X(WAIT_NS, "wait_ns")           /* between yields and resumptions */         \
  X(GC_MINOR, "gc_minor")         /* minor collections that ended in it */     \
  X(GC_MAJOR, "gc_major")         /* major collections (whole cycles) */       \
  X(GC_STEPS, "gc_steps")         /* collector steps that tare drove */        \
  X(MUTATOR_NS, "mutator_ns")     /* paced: time in the function */            \
  X(COLLECTOR_NS, "collector_ns") /* paced: time in the collector */           \
  X(MINOR_NS, "minor_ns")         /* paced: that of minor collections */       \
  /* paced: calls and times up to the first end of a collection in it */       \
  X(HEAD_ITERS, "head_iters")                                                  \
  X(HEAD_MUTATOR_NS, "head_mutator_ns")                                        \
  X(HEAD_COLLECTOR_NS, "head_collector_ns")                                    \
  X(HEAD_MINOR_NS, "head_minor_ns")                                            \
  /* paced: calls and times after the last end of a collection in it */        \
  X(TAIL_ITERS, "tail_iters")                                                  \
  X(TAIL_MUTATOR_NS, "tail_mutator_ns")                                        \
  X(TAIL_COLLECTOR_NS, "tail_collector_ns")                                    \
  X(NURSERY_BYTES, "nursery_bytes")   /* paced: what minor ones looked at */   \
  X(PROMOTED_BYTES, "promoted_bytes") /* paced: and what of it they kept */    \
  X(HEAP_BYTES, "heap_bytes")         /* heap in use when the batch began */   \
  X(GROWTH_BYTES, "growth_bytes")     /* heap in use: end minus begin */       \
  X(CYCLE_NS, "cycle_ns")             /* length of a core cycle beside it */   \
  X(WIDTH, "width")                   /* free operations a cycle, beside it */ \
  X(STOLEN, "stolen")                 /* share of the core that others had */  \
  X(CYCLES, "cycles")                 /* core cycles of the batch */           \
  X(HW_CYCLES, "hw_cycles")           /* by the processor's counters */        \
  X(HW_INSTRUCTIONS, "hw_instructions")                                        \
  X(CACHE_MISSES, "cache_misses")                                              \
  X(BRANCH_MISSES, "branch_misses")                                            \
  X(JIT_EVENTS, "jit_events") /* new traces that LuaJIT compiled */            \
  X(SPENT_NS, "spent_ns")     /* time of the request, with hooks, settings */  \
  X(START_NS, "start_ns")     /* when it began, on the clock of its launch */  \
  X(ROUND, "round")           /* round of the interleaved order */             \
  X(LAUNCH, "launch")         /* process that measured it, from 1 */           \
  X(DRAW, "draw")             /* of compiled code, where drawn in a process */

#define TARE_COLUMN_ENUM(id, name) TARE_##id,
typedef enum tare_column {
  TARE_COLUMNS(TARE_COLUMN_ENUM) TARE_COLUMN_COUNT
} tare_column;
#undef TARE_COLUMN_ENUM

typedef struct tare_samples {
  size_t rows, capacity;
  double thinned;                 /* rows dropped to keep within capacity */
  double *col[TARE_COLUMN_COUNT]; /* each 'capacity' long */
} tare_samples;

/* Doubles that a store of 'capacity' rows needs. */
size_t tare_samples_doubles(size_t capacity);

/* Makes 's' an empty store over tare_samples_doubles(capacity) doubles. */
void tare_samples_init(tare_samples *s, double *memory, size_t capacity);

/*
** Appends a row of NaN and returns its index. A full store is thinned first:
** every other row goes, so what stays is still spread over the whole run.
** Requires capacity >= 2.
*/
size_t tare_samples_append(tare_samples *s);

/* Room that the text of a row takes at most. */
#define TARE_SAMPLES_JSON_SIZE (TARE_COLUMN_COUNT * 64)

/*
** Writes a row as one JSON object, {"iters":100,"wall_ns":5210}, without the
** columns that it has no value in. Returns its length, or 0 where 'size' has no
** room for it; a zero follows it. Requires row < s->rows.
*/
size_t tare_samples_row_json(const tare_samples *s, size_t row, char *buf,
                             size_t size);

/* The name of a column. Requires 0 <= column < TARE_COLUMN_COUNT. */
const char *tare_column_name(int column);

#endif
