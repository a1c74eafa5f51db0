/* The bootstrap of one column: its mean, spread or quantiles. */
#ifndef TARE_BOOT_VALUE_H
#define TARE_BOOT_VALUE_H

#include "pure/boot.h"

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
