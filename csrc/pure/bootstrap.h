/*
** The bootstrap (Efron 1979; Efron and Tibshirani 1993; Davison and Hinkley
** 1997): how a statistic varies over resamples of its own rows. A seed gives
** the same numbers on every platform. Here are its settings, its intervals and
** the statistics of one column; bootstrap_fit.h has regressions.
*/
#ifndef TARE_BOOTSTRAP_H
#define TARE_BOOTSTRAP_H

#include "pure/regression.h"
#include "pure/resample.h"

typedef enum tare_boot_method {
  TARE_BOOT_PERCENTILE,
  TARE_BOOT_EXPANDED, /* percentile, wider as Student's t is */
  TARE_BOOT_BCA       /* bias-corrected and accelerated */
} tare_boot_method;

typedef struct tare_boot {
  tare_plan plan;    /* how rows are drawn */
  size_t resamples;  /* at least 1 */
  double confidence; /* in (0, 1) */
  uint64_t seed;
  tare_boot_method method;
} tare_boot;

/*
** The interval of a statistic with so many estimated terms, from its value and
** its replicates: one for each of boot->resamples, which it reorders. The
** method BCA also needs the 'left' values of the statistic without each unit of
** the plan in turn ('left_out').
** Percentile: quantiles (type 7) of the replicates.
** Expanded: quantiles at a higher confidence, at which the interval is as wide
** for normal data as Student's. Plain quantiles are too narrow, since resamples
** account neither for few units nor for estimated terms (Hesterberg 2015, "What
** teachers should know about the bootstrap").
** BCA: bias-corrected and accelerated (Efron 1987, "Better bootstrap confidence
** intervals"). The bias is computed from the share of replicates below the
** value, with ties counting half.
*/
tare_bounds tare_boot_bounds(const tare_boot *boot, int terms, double value,
                             double *replicate, const double *left_out,
                             size_t left);

typedef enum tare_statistic {
  TARE_STATISTIC_MEAN,
  TARE_STATISTIC_STDDEV,  /* divided by n - 1; at least 2 rows */
  TARE_STATISTIC_QUANTILE /* type 7 */
} tare_statistic;

/* Doubles of scratch for tare_boot_value(). */
size_t tare_boot_value_doubles(const tare_boot *boot);

/*
** The statistic of xs[0..boot->plan.rows-1] and, in '*bounds', its interval.
** 'p' is the share below a quantile. A resample costs two additions for each
** row, or for a quantile one count: nothing is sorted but xs, once.
** Requires finite values and at least one row.
*/
double tare_boot_value(const double *xs, tare_statistic statistic, double p,
                       const tare_boot *boot, double *scratch,
                       tare_bounds *bounds);

#endif
