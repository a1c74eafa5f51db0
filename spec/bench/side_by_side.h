/*
** Ways of doing one thing, timed side by side: in turns, so that a drift of
** the machine meets all of them, and by the fastest turn of each.
*/
#ifndef TARE_SIDE_BY_SIDE_H
#define TARE_SIDE_BY_SIDE_H

#include "platform/clock.h"

typedef struct way {
  const char *name;
  void (*run)(void *data);
  double count;   /* units of work that one run does */
  double best_ns; /* a unit, by the fastest run; set by side_by_side() */
} way;

/* Runs all 'n' ways in turns, 'turns' times each. */
static inline void side_by_side(way *ways, int n, int turns, void *data) {
  tare_clock clock = tare_clock_wall();
  int turn, i;
  for (turn = 0; turn < turns; turn++)
    for (i = 0; i < n; i++) {
      uint64_t start = tare_now(&clock);
      double ns;
      ways[i].run(data);
      ns = (double)(tare_now(&clock) - start) / ways[i].count;
      if (turn == 0 || ns < ways[i].best_ns) ways[i].best_ns = ns;
    }
}

#endif
