/*
** How often the system took the core away from this thread.
*/
#ifndef TARE_SWITCHES_H
#define TARE_SWITCHES_H

typedef struct tare_switches {
  double preemptions; /* the thread could have gone on */
  double waits;       /* it had to wait for something, or gave way */
} tare_switches;

/*
** Counts since the thread began (since the process began, if the system does
** not count by thread); NaN if nothing is counted.
*/
tare_switches tare_switches_read(void);

#endif
