/* Interval ends from the replicates of a bootstrap. */
#ifndef TARE_BOUNDS_H
#define TARE_BOUNDS_H

#include <stddef.h>

typedef struct tare_bounds {
  double low, high; /* low <= high */
} tare_bounds;

/*
** The percentile interval: quantiles (type 7) of replicate[0..n-1], which it
** reorders by selection. Requires n >= 1 and 0 < confidence < 1.
*/
tare_bounds tare_bounds_percentile(double *replicate, size_t n,
                                   double confidence);

/*
** The confidence at which percentile intervals are as wide, against those of
** normal data, as Student's are: quantiles of resamples know neither that the
** 'units' resampled are few nor that 'terms' were estimated (Hesterberg 2015,
** "What teachers should know about the bootstrap", the expanded percentile
** interval). Where there are no more units than terms, as if for one more.
*/
double tare_expanded_confidence(double confidence, size_t units, int terms);

/*
** The bias-corrected and accelerated interval (Efron 1987, "Better bootstrap
** confidence intervals"). The bias is read off the share of replicates below
** the estimate, ties counting half.
*/
tare_bounds tare_bounds_bca(double *replicate, size_t n, double confidence,
                            double estimate, double acceleration);

/*
** Acceleration from the n leave-one-out values of the statistic (Efron and
** Tibshirani 1993, 14.15): sum d^3 / (6 (sum d^2)^(3/2)), d = mean - value.
** 0 where the values are all alike.
*/
double tare_acceleration(const double *left_out, size_t n);

#endif
