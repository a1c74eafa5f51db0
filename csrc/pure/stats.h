/*
** Location, spread and serial dependence of a sample. Every value is finite,
** and no greater than leaves its square finite; where a function takes 'work',
** it reorders what stands there: hand it a copy.
*/
#ifndef TARE_STATS_H
#define TARE_STATS_H

#include <stddef.h>

/* Makes a MAD estimate the standard deviation of normal data: 1 / qnorm(3/4) */
#define TARE_MAD_SCALE 1.4826022185056018

/*
** Sum of xs[0..n-1], as exact as if it were added up with twice the precision.
*/
double tare_sum(const double *xs, size_t n);

/* Arithmetic mean. Requires n >= 1. */
double tare_mean(const double *xs, size_t n);

/* Sample variance, with n - 1 below; 0 for a single value. Requires n >= 1. */
double tare_variance(const double *xs, size_t n);

/* Median: the mean of the two in the middle where n is even. n >= 1. */
double tare_median(double *work, size_t n);

/*
** Median of the absolute distances from the median, not scaled; work[0..n-1]
** ends up as those distances. Requires n >= 1.
*/
double tare_mad(double *work, size_t n);

/*
** Value below which a fraction p of the sample lies, interpolating linearly
** between neighbours (Hyndman and Fan 1996, type 7). Infinite values may take
** part. Requires n >= 1 and 0 <= p <= 1.
*/
double tare_quantile(double *work, size_t n, double p);

/* The same of values that are ascending already. */
double tare_quantile_sorted(const double *xs, size_t n, double p);

/*
** Mean of what is left after floor(share * n) values went from either end.
** Requires n >= 1 and 0 <= share < 0.5.
*/
double tare_trimmed_mean(double *work, size_t n, double share);

/*
** Correlation of xs with itself 'lag' places on, about the common mean and
** over the common sum of squares, as NIST's StRD defines it; 0 where all
** values are equal. Requires 1 <= lag < n.
*/
double tare_autocorrelation(const double *xs, size_t n, size_t lag);

#endif
