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
** Counts since the thread began (since the process did, where the system does
** not tell threads apart); NaN where nothing is counted.
*/
tare_switches tare_switches_read(void);

#endif
