/*
** A timer that calls a function in the very thread that it was set in, between
** two instructions, whatever runs there: as a signal's handler does. Nothing
** is static but the handler itself; what to call travels with the signal.
*/
#ifndef TARE_ALARM_H
#define TARE_ALARM_H

#include <signal.h>
#include <stdint.h>

typedef struct tare_alarm {
  void (*ring)(void *ud); /* may do what a signal's handler may */
  void *ud;
  void *timer;                    /* of the system */
  long thread;                    /* whose timer it is; 0: there is none */
  volatile sig_atomic_t is_armed; /* a signal that comes late does nothing */
} tare_alarm;

/*
** From 'ns' (at least 1) nanoseconds on ring(ud) is called, every 20
** milliseconds, until tare_alarm_end. NULL, or why there can be no alarm. '*a'
** is all zeros before its first use, and does not move.
*/
const char *tare_alarm_begin(tare_alarm *a, uint64_t ns);

/* It does not ring any more. */
void tare_alarm_end(tare_alarm *a);

/* Frees what belongs to it. */
void tare_alarm_free(tare_alarm *a);

#endif
