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
  X(BRANCH_MISSES, "branch_misses") /* branches predicted wrongly */           \
  X(PAGE_FAULTS, "page_faults")     /* minor and major ones */                 \
  X(SWITCHES, "context_switches")   /* this thread left its core */

#define TARE_PERF_ENUM(id, name) TARE_PERF_##id,
typedef enum tare_perf_counter {
  TARE_PERF_COUNTERS(TARE_PERF_ENUM) TARE_PERF_COUNT
} tare_perf_counter;
#undef TARE_PERF_ENUM

typedef struct tare_perf {
  int is_open;
  int fd[TARE_PERF_COUNT]; /* -1: this one is absent */
} tare_perf;

/*
** A reading of all counters at once. All zeros: the reading when they were
** opened.
*/
typedef struct tare_perf_reading {
  double enabled_ns, running_ns; /* differ if others had the counters */
  double count[TARE_PERF_COUNT]; /* NaN where absent */
} tare_perf_reading;

/*
** Opens the counters as one group, counting from now on. Returns NULL, or a
** sentence that says why there are none; without a counter of cycles there are
** none. After such a failure, after tare_perf_close, and if it is all zeros,
** 'p' is closed. It may be closed again.
*/
const char *tare_perf_open(tare_perf *p);

/*
** Reads them; all NaN, and 0 is returned, if they can't be read. This is a
** system call, so it must not be inside of a timed region.
*/
int tare_perf_read(const tare_perf *p, tare_perf_reading *r);

/*
** Counts between two readings, scaled up to the whole time if other programs
** had the counters for a part of it; all NaN if they had them all the time.
*/
void tare_perf_between(const tare_perf_reading *from,
                       const tare_perf_reading *to,
                       double counts[TARE_PERF_COUNT]);

void tare_perf_close(tare_perf *p);

/* The name of a counter. Requires 0 <= counter < TARE_PERF_COUNT. */
const char *tare_perf_name(int counter);

#endif
