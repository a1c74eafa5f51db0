#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* RUSAGE_THREAD */
#endif
#include "platform/switches.h"

#include <math.h>

#if defined(_WIN32)

tare_switches tare_switches_read(void) {
  tare_switches none = {NAN, NAN};
  return none;
}

#else

#include <sys/resource.h>
#include <sys/time.h>

#if defined(RUSAGE_THREAD)
#define TARE_WHOSE RUSAGE_THREAD
#else
#define TARE_WHOSE RUSAGE_SELF
#endif

tare_switches tare_switches_read(void) {
  tare_switches s = {NAN, NAN};
  struct rusage usage;
  if (getrusage(TARE_WHOSE, &usage) != 0) return s;
  s.preemptions = (double)usage.ru_nivcsw;
  s.waits = (double)usage.ru_nvcsw;
  return s;
}

#undef TARE_WHOSE

#endif
