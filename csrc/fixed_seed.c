/*
** Preloaded into the process in which valgrind counts instructions of the
** processor (lua/tare/conductor/callgrind.lua), and only there: what an
** interpreter draws its seeds from is the same in each such process, or the
** order of its tables, and the count with it, would differ. Stock Lua takes the
** time of day, LuaJIT the system's random numbers. Linux only; no part of the
** core.
*/
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

#define ARGUMENTS 6 /* of a system call, at most */

/* A second passes with each look, so that who waits for one does not hang. */
time_t time(time_t *to) {
  static time_t now;
  now++;
  if (to != NULL) *to = now;
  return now;
}

int getentropy(void *to, size_t bytes) {
  memset(to, 1, bytes);
  return 0;
}

long syscall(long number, ...) {
  static long (*real)(long, ...);
  long a[ARGUMENTS];
  va_list list;
  int i;
  va_start(list, number);
  for (i = 0; i < ARGUMENTS; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_getrandom) {
    memset((void *)a[0], 1, (size_t)a[1]);
    return a[1];
  }
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "syscall");
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
