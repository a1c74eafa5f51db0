/*
** The bootstrap (Efron 1979; Efron and Tibshirani 1993; Davison and Hinkley
** 1997): how a statistic varies over resamples of its own rows. A seed gives
** the same numbers on every platform.
*/
#ifndef TARE_BOOT_H
#define TARE_BOOT_H

#include "pure/bounds.h"
#include "pure/draw.h"
#include "pure/ols.h"

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
** The confidence at which quantiles of replicates are taken, for a statistic
** with so many estimated terms: expanded where the method says so.
*/
double tare_boot_confidence(const tare_boot *boot, int terms);

/* Doubles of scratch for tare_boot_fit(). */
size_t tare_boot_fit_doubles(const tare_design *d, const tare_boot *boot);

/*
** Fits the design by least squares, and again for each resample of its rows
** (pairs, so that no model of the noise is needed): bounds[] become those of
** the coefficients, columns in order, then intercept, and last R2 (NaN where
** it has none). Resamples that cannot be fitted are drawn again; where these
** are most, the fit is refused as TARE_FIT_DEGENERATE. It needs one row more
** than terms. The work for each row drawn is one addition for each moment.
*/
tare_fit_status tare_boot_fit(const tare_design *d, const tare_boot *boot,
                              double *scratch, tare_ols *fit,
                              tare_bounds *bounds, int *column);

#endif
