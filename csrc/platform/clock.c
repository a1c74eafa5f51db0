#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#endif
#include "platform/clock.h"

#if defined(_WIN32)

#include <windows.h>

static uint64_t wall_now(void *ud) {
  LARGE_INTEGER ticks, rate;
  (void)ud;
  QueryPerformanceFrequency(&rate);
  QueryPerformanceCounter(&ticks);
  return (uint64_t)(ticks.QuadPart / rate.QuadPart) * 1000000000u +
         (uint64_t)(ticks.QuadPart % rate.QuadPart) * 1000000000u /
             (uint64_t)rate.QuadPart;
}

static uint64_t filetime_100ns(const FILETIME *t) {
  return (uint64_t)t->dwHighDateTime << 32 | t->dwLowDateTime;
}

static uint64_t cpu_now(void *ud) {
  FILETIME created, ended, kernel, user;
  (void)ud;
  if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user))
    return 0;
  return (filetime_100ns(&kernel) + filetime_100ns(&user)) * 100;
}

#else

#include <time.h>

static uint64_t read_clock(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t wall_now(void *ud) {
  (void)ud;
  return read_clock(CLOCK_MONOTONIC);
}

static uint64_t cpu_now(void *ud) {
  (void)ud;
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

#endif

static uint64_t manual_now(void *ud) {
  const tare_manual_clock *m = (const tare_manual_clock *)ud;
  return m->time_ns - m->time_ns % m->tick_ns;
}

tare_clock tare_clock_wall(void) {
  tare_clock c = {wall_now, NULL};
  return c;
}

tare_clock tare_clock_cpu(void) {
  tare_clock c = {cpu_now, NULL};
  return c;
}

tare_clock tare_clock_manual(tare_manual_clock *m) {
  tare_clock c = {manual_now, NULL};
  c.ud = m;
  return c;
}

/* The step to the next different reading, or 0 after too many equal ones. */
static uint64_t next_step_ns(const tare_clock *c) {
  uint64_t start = tare_now(c), later;
  long tries;
  for (tries = 0; tries < 10000000; tries++)
    if ((later = tare_now(c)) != start) return later - start;
  return 0;
}

enum { MOST_WAIT_NS = 1000000 }; /* for the steps of a coarse clock */

double tare_clock_resolution_ns(const tare_clock *c) {
  uint64_t best = 0, waited = 0;
  int i;
  for (i = 0; i < 20 && waited < MOST_WAIT_NS; i++) {
    uint64_t step = next_step_ns(c);
    if (step == 0) return 0.0;
    if (best == 0 || step < best) best = step;
    waited += step;
  }
  return (double)best;
}
