/*
** Hardware counters of the processor: Linux, where kernel and machine allow
** them; elsewhere absent, with a sentence that says why.
*/
#ifndef TARE_PERF_H
#define TARE_PERF_H

/* X(identifier, name): what is counted, for this thread in user mode. */
#define TARE_PERF_COUNTERS(X)                                                  \
  X(CYCLES, "cycles")               /* core cycles, not halted */              \
  X(INSTRUCTIONS, "instructions")   /* machine instructions retired */         \
  X(CACHE_MISSES, "cache_misses")   /* of the last level */                    \
  X(BRANCH_MISSES, "branch_misses") /* branches foretold wrongly */            \
  X(PAGE_FAULTS, "page_faults")     /* of either kind */                       \
  X(SWITCHES, "context_switches")   /* this thread had to give way */

#define TARE_PERF_ENUM(id, name) TARE_PERF_##id,
typedef enum tare_perf_counter {
  TARE_PERF_COUNTERS(TARE_PERF_ENUM) TARE_PERF_COUNT
} tare_perf_counter;
#undef TARE_PERF_ENUM

typedef struct tare_perf {
  int fd[TARE_PERF_COUNT]; /* -1: this one is absent */
} tare_perf;

/*
** Opens the counters as one group, counting from now on. Returns NULL, or a
** sentence that says why there are none; without cycles there are none. Then,
** as after tare_perf_close, 'p' is closed and may be closed again.
*/
const char *tare_perf_open(tare_perf *p);

/*
** Writes the counts since opening, NaN where absent; where the kernel let
** others have the counters for a while, they are scaled up to the whole time.
** Returns 0 if they can't be read (all NaN then). It is a system call, so not
** for the inside of a timed region.
*/
int tare_perf_read(const tare_perf *p, double counts[TARE_PERF_COUNT]);

void tare_perf_close(tare_perf *p);

/* The name of a counter. Requires 0 <= counter < TARE_PERF_COUNT. */
const char *tare_perf_name(int counter);

#endif
