/*
** Durations counted in bins of 1/128 octave (0.8 % wide at most), from 64 ns to
** 2^40 ns (18 minutes); the outer bins hold what is beyond. Never grows, never
** forgets; the number, the sum, the shortest and the longest are exact.
*/
#ifndef TARE_DURATIONS_H
#define TARE_DURATIONS_H

#include <stdint.h>

#define TARE_DURATIONS_PER_OCTAVE 128
#define TARE_DURATIONS_BINS (34 * TARE_DURATIONS_PER_OCTAVE)

/* All of it is 0 before the first duration. */
typedef struct tare_durations {
  double count, total_ns;
  double min_ns, max_ns; /* of no meaning while 'count' is 0 */
  uint32_t bins[TARE_DURATIONS_BINS];
} tare_durations;

/* Counts a duration, whose bin it returns. Requires ns >= 0. */
int tare_durations_add(tare_durations *d, double ns);

/* Lower edge of a bin, in nanoseconds; of bin BINS: upper edge of the last. */
double tare_durations_edge_ns(int bin);

/*
** The duration below which a fraction 'q' of the counted ones lies (Hyndman-Fan
** type 7), to half a bin; exact where q is 0 or 1. NaN while none is counted.
** Requires 0 <= q <= 1.
*/
double tare_durations_quantile_ns(const tare_durations *d, double q);

/*
** Mean of the longest 'share' of the durations, at least of one. Each counts as
** the middle of its bin, except the longest, which is exact. NaN while none is
** counted. Requires 0 < share <= 1.
*/
double tare_durations_longest_ns(const tare_durations *d, double share);

#endif
