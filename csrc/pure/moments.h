/*
** Sum, mean, variance and serial dependence of a sample. All values have to be
** finite, and their squares, too.
*/
#ifndef TARE_MOMENTS_H
#define TARE_MOMENTS_H

#include <stddef.h>

/* Whether all of xs[0..n-1] are the same; true of none. */
int tare_all_equal(const double *xs, size_t n);

/*
** Sum of xs[0..n-1], as exact as if it were added up with twice the precision.
*/
double tare_sum(const double *xs, size_t n);

/* Arithmetic mean. Requires n >= 1. */
double tare_mean(const double *xs, size_t n);

/* Sample variance, divided by n - 1; 0 for a single value. Requires n >= 1. */
double tare_variance(const double *xs, size_t n);

/*
** Mean of what is left after floor(share * n) values are removed at either end;
** reorders work[]. Requires n >= 1 and 0 <= share < 0.5.
*/
double tare_trimmed_mean(double *work, size_t n, double share);

/*
** Correlation of xs with itself 'lag' places on, about the common mean and
** over the common sum of squares, as NIST's StRD defines it; 0 where all
** values are equal. Requires 1 <= lag < n.
*/
double tare_autocorrelation(const double *xs, size_t n, size_t lag);

#endif
