/*
** A timer that calls a function from a signal handler: in the thread that has
** set it, between any two instructions. Only the handler is static; the alarm
** to call is in the signal's value.
*/
#ifndef TARE_ALARM_H
#define TARE_ALARM_H

#include <signal.h>
#include <stdint.h>

typedef struct tare_alarm {
  void (*ring)(void *ud); /* limited as a signal handler is */
  void *ud;
  void *timer;                    /* the system's timer */
  long thread, process;           /* of the timer; thread 0: there is none */
  volatile sig_atomic_t is_armed; /* a signal that comes late does nothing */
} tare_alarm;

/*
** Calls ring(ud) after 'ns' (at least 1) nanoseconds and then every 20
** milliseconds, until tare_alarm_end. Returns NULL, or why there is no alarm.
** '*a' must be all zeros before its first use and must not move.
*/
const char *tare_alarm_begin(tare_alarm *a, uint64_t ns);

/* Stops the alarm. */
void tare_alarm_end(tare_alarm *a);

/* Frees the system's timer. */
void tare_alarm_free(tare_alarm *a);

#endif
