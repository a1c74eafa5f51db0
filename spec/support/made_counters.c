/*
** A processor whose hardware counters are made up, to be preloaded: three
** cycles, 7.5 instructions and a hundredth of a wrong branch for each nanosecond
** of this thread, of which others have the counters for a half. No cache misses
** are counted. With MADE_ERRNO the kernel refuses for that reason.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double COUNTS[] = {3.0, 7.5, 0.01, 0.0, 0.0}; /* as opened */

static int leader = -1;
static uint64_t members;

static long open_counter(const struct perf_event_attr *a, long pid, long cpu,
                         long group) {
  const char *refusal = getenv("MADE_ERRNO");
  if (refusal != NULL) {
    errno = atoi(refusal);
    return -1;
  }
  /* of this thread, in user mode only, read as a group */
  if (pid != 0 || cpu != -1 || !a->exclude_kernel || !a->exclude_hv ||
      !(a->read_format & PERF_FORMAT_GROUP) || (group >= 0 && group != leader))
    abort();
  if (a->type == PERF_TYPE_HARDWARE &&
      a->config == PERF_COUNT_HW_CACHE_MISSES) {
    errno = ENOENT;
    return -1;
  }
  if (group < 0) {
    leader = open("/dev/null", O_RDONLY);
    members = 1;
    return leader;
  }
  members++;
  return open("/dev/null", O_RDONLY);
}

long syscall(long number, ...) {
  long (*others)(long, ...);
  long a[6];
  va_list list;
  int i;
  va_start(list, number);
  for (i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_perf_event_open)
    return open_counter((const struct perf_event_attr *)a[0], (int)a[1],
                        (int)a[2], (int)a[3]);
  *(void **)&others = dlsym(RTLD_NEXT, "syscall");
  return others(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t read(int fd, void *to, size_t size) {
  ssize_t (*others)(int, void *, size_t);
  if (fd == leader && leader >= 0 && size > 3 * sizeof(uint64_t)) {
    uint64_t *words = (uint64_t *)to, i;
    struct timespec now;
    double ns;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    ns = (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
    words[0] = members;
    words[1] = (uint64_t)ns;
    words[2] = (uint64_t)(ns / 2.0);
    for (i = 0; i < members; i++)
      words[3 + i] = (uint64_t)(COUNTS[i] * ns / 2.0);
    return (ssize_t)((3 + members) * sizeof(uint64_t));
  }
  *(void **)&others = dlsym(RTLD_NEXT, "read");
  return others(fd, to, size);
}
