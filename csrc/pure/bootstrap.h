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
** The interval of a statistic with so many estimated terms, from its replicates
** (as many as boot->resamples; it reorders them) and its value, and for the
** method BCA its values without each unit of the plan in turn, 'left' of them.
** Percentile: quantiles (type 7) of the replicates.
** Expanded: quantiles at the confidence at which intervals are as wide, against
** those of normal data, as Student's are: quantiles of resamples know neither
** that the units resampled are few nor that terms were estimated (Hesterberg
** 2015, "What teachers should know about the bootstrap").
** BCA: bias-corrected and accelerated (Efron 1987, "Better bootstrap confidence
** intervals"). The bias is read off the share of replicates below the value,
** ties counting half.
*/
tare_bounds tare_boot_bounds(const tare_boot *boot, int terms, double value,
                             double *replicate, const double *left_out,
                             size_t left);

typedef enum tare_statistic {
  TARE_STATISTIC_MEAN,
  TARE_STATISTIC_STDDEV,  /* with n - 1 below; at least 2 rows */
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
