/* The bootstrap of a regression. */
#ifndef TARE_BOOTSTRAP_FIT_H
#define TARE_BOOTSTRAP_FIT_H

#include "pure/bootstrap.h"

/* Doubles of scratch for tare_boot_fit(). */
size_t tare_boot_fit_doubles(const tare_design *d, const tare_boot *boot);

/*
** Fits the design by least squares, and again for each resample of its rows
** (pairs, so that no model of the noise is needed): bounds[] become those of
** the coefficients, columns in order, then intercept, and last R2 (NaN where
** it has none). Resamples that cannot be fitted are drawn again. Where fewer
** than one in 20 can be fitted, the fit is refused as TARE_FIT_DEGENERATE. It
** needs one row more than terms. The work for each row drawn is one addition
** for each moment.
*/
tare_fit_status tare_boot_fit(const tare_design *d, const tare_boot *boot,
                              double *scratch, tare_ols *fit,
                              tare_bounds *bounds, int *column);

#endif
