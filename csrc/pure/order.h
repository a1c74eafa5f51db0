/*
** Order statistics: selection, sorting, quantiles, and the sign test's interval
** on a median; without malloc and without recursion. NaN has no order: callers
** keep it out. Functions with a parameter 'work' reorder it: pass a copy.
*/
#ifndef TARE_ORDER_H
#define TARE_ORDER_H

#include <stddef.h>

/*
** Moves the k-th smallest (from 0) of xs[0..n-1] to xs[k], nothing greater
** before it and nothing smaller behind it; returns it. Linear time on average.
** Requires k < n.
*/
double tare_select(double *xs, size_t n, size_t k);

/* Sorts xs[0..n-1] upwards. At most n log n steps, whatever the input. */
void tare_sort(double *xs, size_t n);

/* How many of the ascending xs[0..n-1] are below x. */
size_t tare_count_below(const double *xs, size_t n, double x);

/* Makes a MAD estimate the standard deviation of normal data: 1 / qnorm(3/4) */
#define TARE_MAD_SCALE 1.4826022185056018

/*
** Value below which a fraction p of the sample lies, interpolating linearly
** between neighbours (Hyndman and Fan 1996, type 7). Infinite values may take
** part. Requires n >= 1 and 0 <= p <= 1.
*/
double tare_quantile(double *work, size_t n, double p);

/* The same of values that are ascending already. */
double tare_quantile_sorted(const double *xs, size_t n, double p);

/* Median: the mean of the two in the middle where n is even. n >= 1. */
double tare_median(double *work, size_t n);

/*
** Median of the absolute distances from the median, not scaled; work[0..n-1]
** ends up as those distances. Requires n >= 1.
*/
double tare_mad(double *work, size_t n);

typedef struct tare_interval {
  double value;     /* the median */
  double low, high; /* NaN where n is too small */
  double covered;   /* the confidence that the interval really has */
} tare_interval;

/*
** Sign interval on the median of work[0..n-1], which it reorders. The values
** are positive ratios; the median is taken of their logarithms, so that the
** median of the inverse ratios is its inverse. The interval is that of the sign
** test, whatever the distribution (Thompson 1936). Requires n >= 1.
*/
tare_interval tare_sign_interval(double *work, size_t n, double confidence);

#endif
