/* The median of paired values with the interval of the sign test. */
#ifndef TARE_PAIRED_H
#define TARE_PAIRED_H

#include <stddef.h>

/*
** Largest r such that the interval from the r-th smallest to the r-th largest
** of n values (from 1) covers their median with probability 'confidence' or
** more, whatever their distribution; 0 where even the whole range does not
** (n < 6 at 95 %). That probability is put into *covered (0 where r is 0).
** Thompson (1936), "On confidence ranges for the median", Annals of
** Mathematical Statistics 7. Requires n >= 1 and 0 < confidence < 1.
*/
size_t tare_sign_rank(size_t n, double confidence, double *covered);

typedef struct tare_interval {
  double value;     /* the median */
  double low, high; /* NaN where n is too small */
  double covered;   /* the confidence that the interval really has */
} tare_interval;

/*
** Sign interval on the median of work[0..n-1], which it reorders. The values
** are positive ratios; the median is taken of their logarithms, so that a
** against b is the inverse of b against a. Requires n >= 1.
*/
tare_interval tare_sign_interval(double *work, size_t n, double confidence);

#endif
