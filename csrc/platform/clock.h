/*
** Clocks: the system's, a host's own, and one moved by hand for tests.
** A reading is in nanoseconds since a moment that never changes.
*/
#ifndef TARE_CLOCK_H
#define TARE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t (*tare_clockfn)(void *ud);

typedef struct tare_clock {
  tare_clockfn now;
  void *ud;
} tare_clock;

/* A clock that is set by hand and read in whole ticks of 'tick_ns'. */
typedef struct tare_manual_clock {
  uint64_t time_ns;
  uint64_t tick_ns; /* at least 1 */
} tare_manual_clock;

/* Monotonic time of the machine. */
tare_clock tare_clock_wall(void);

/* CPU time that this process has used. */
tare_clock tare_clock_cpu(void);

/* Readings of 'm', cut to whole ticks. 'm' must outlive the clock. */
tare_clock tare_clock_manual(tare_manual_clock *m);

static inline uint64_t tare_now(const tare_clock *c) {
  return c->now(c->ud);
}

/* Nanoseconds between two readings; negative where a host's clock went back. */
static inline double tare_elapsed_ns(uint64_t start, uint64_t end) {
  return end >= start ? (double)(end - start) : -(double)(start - end);
}

/*
** Smallest step seen between different readings that follow each other, in
** nanoseconds; 0 if the clock does not move while it is looked at.
*/
double tare_clock_resolution_ns(const tare_clock *c);

#endif
