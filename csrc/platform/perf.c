#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* syscall */
#endif
#include "platform/perf.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#define COUNTER_NAME(id, name) name,
static const char *const names[] = {TARE_PERF_COUNTERS(COUNTER_NAME)};

const char *tare_perf_name(int counter) {
  assert(counter >= 0 && counter < TARE_PERF_COUNT);
  return names[counter];
}

static void no_counts(double counts[TARE_PERF_COUNT]) {
  int i;
  for (i = 0; i < TARE_PERF_COUNT; i++) counts[i] = NAN;
}

void tare_perf_between(const tare_perf_reading *from,
                       const tare_perf_reading *to,
                       double counts[TARE_PERF_COUNT]) {
  double running_ns = to->running_ns - from->running_ns;
  double scale = (to->enabled_ns - from->enabled_ns) / running_ns;
  int i;
  no_counts(counts);
  if (!(running_ns > 0.0)) return;
  for (i = 0; i < TARE_PERF_COUNT; i++)
    counts[i] = scale * (to->count[i] - from->count[i]);
}

/* With a C library other than glibc, Linux's own headers may be missing. */
#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/perf_event.h>)
#define TARE_HAS_PERF
#endif
#endif

#if defined(TARE_HAS_PERF)

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct event {
  uint32_t type;
  uint64_t config;
} event;

/* In the order of TARE_PERF_COUNTERS. */
static const event events[TARE_PERF_COUNT] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
};

/* A descriptor for 'e' in the group of 'leader' (-1: a new one), or -1. */
static int open_event(const event *e, int leader) {
  struct perf_event_attr a;
  memset(&a, 0, sizeof a);
  a.size = sizeof a;
  a.type = e->type;
  a.config = e->config;
  a.exclude_kernel = 1; /* else refused to users at the usual settings */
  a.exclude_hv = 1;
  a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                  PERF_FORMAT_TOTAL_TIME_RUNNING;
  return (int)syscall(SYS_perf_event_open, &a, 0, -1, leader,
                      PERF_FLAG_FD_CLOEXEC);
}

static const char *refusal(int error) {
  switch (error) {
  case EACCES:
  case EPERM:
    return "the kernel does not let this user count: see "
           "/proc/sys/kernel/perf_event_paranoid (2 or less is needed), or "
           "the container's seccomp filter";
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    return "the processor shows no cycle counter, as is usual in a virtual "
           "machine";
  case ENOSYS: return "this kernel was built without perf_event_open";
  case EMFILE:
  case ENFILE: return "too many files are open";
  case EBUSY: return "another program has the counters to itself";
  default: return "the kernel refused perf_event_open";
  }
}

const char *tare_perf_open(tare_perf *p) {
  int i;
  p->is_open = 0;
  p->fd[0] = open_event(&events[0], -1);
  if (p->fd[0] < 0) return refusal(errno);
  for (i = 1; i < TARE_PERF_COUNT; i++)
    p->fd[i] = open_event(&events[i], p->fd[0]);
  p->is_open = 1;
  return NULL;
}

/* What read() of a group's leader yields, members in the order of opening. */
typedef struct counter_group {
  uint64_t members, enabled_ns, running_ns;
  uint64_t value[TARE_PERF_COUNT];
} counter_group;

int tare_perf_read(const tare_perf *p, tare_perf_reading *r) {
  counter_group g;
  int i, member = 0;
  no_counts(r->count);
  r->enabled_ns = r->running_ns = NAN;
  if (!p->is_open || read(p->fd[0], &g, sizeof g) <= 0) return 0;
  r->enabled_ns = (double)g.enabled_ns;
  r->running_ns = (double)g.running_ns;
  for (i = 0; i < TARE_PERF_COUNT; i++)
    if (p->fd[i] >= 0) r->count[i] = (double)g.value[member++];
  return 1;
}

void tare_perf_close(tare_perf *p) {
  int i;
  for (i = TARE_PERF_COUNT - 1; p->is_open && i >= 0; i--)
    if (p->fd[i] >= 0) close(p->fd[i]);
  p->is_open = 0;
}

#else

const char *tare_perf_open(tare_perf *p) {
  p->is_open = 0;
  return "hardware counters are read on Linux only";
}

int tare_perf_read(const tare_perf *p, tare_perf_reading *r) {
  (void)p;
  no_counts(r->count);
  r->enabled_ns = r->running_ns = NAN;
  return 0;
}

void tare_perf_close(tare_perf *p) {
  p->is_open = 0;
}

#endif
