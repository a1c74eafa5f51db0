#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* dup, dup2 */
#endif
#include "platform/divert.h"

#if defined(TARE_EMBEDDED) /* the streams of a host are not ours to move */

int tare_divert_begin(void) {
  return -1;
}

void tare_divert_end(int saved) {
  (void)saved;
}

#else

#include <stdio.h>

#if defined(_WIN32)
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define close _close
#else
#include <unistd.h>
#endif

enum { OUT = 1, ERR = 2 }; /* descriptors of the standard streams */

int tare_divert_begin(void) {
  int saved;
  (void)fflush(stdout);
  saved = dup(OUT);
  if (saved >= 0 && dup2(ERR, OUT) < 0) {
    (void)close(saved);
    saved = -1;
  }
  return saved;
}

void tare_divert_end(int saved) {
  (void)fflush(stdout);
  (void)dup2(saved, OUT);
  (void)close(saved);
}

#endif
