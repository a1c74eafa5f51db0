/*
** Regressions that outliers do not lead astray: Huber's, Theil and Sen's, and
** quantile regression. The first two take outliers to lie on either side;
** skew.h has one for outliers on the high side.
*/
#ifndef TARE_ROBUST_FIT_H
#define TARE_ROBUST_FIT_H

#include "pure/regression.h"

typedef struct tare_robust {
  double coefficient[TARE_TERMS_MAX]; /* columns in order, then intercept */
  tare_bounds bounds[TARE_TERMS_MAX]; /* of each; NaN where undefined */
  double noise_sd; /* standard deviation of the noise, outliers apart */
  double share;    /* of the rows that are disturbed; NaN where not asked */
  double excess;   /* mean of a disturbance; NaN where not asked or none is */
  double power;    /* of a row's size that noise goes with; NaN likewise */
} tare_robust;

/*
** Sets coefficients and intervals from those of a problem; fields that only
** skew.h computes become NaN. 'sd' has the standard errors by term, 'reach' is
** how many of them an interval reaches.
*/
void tare_robust_set(tare_robust *fit, const tare_lsq *s, const double *sd,
                     double reach);

/* Doubles of scratch for tare_huber_fit(). */
size_t tare_huber_doubles(size_t rows, int terms);

/*
** Huber's M-estimate (1964): the loss is quadratic for errors up to 1.345
** standard deviations and linear beyond, which keeps 95 % of the efficiency of
** least squares where noise is normal. Solved by modified residuals (Huber
** 1981, 7.8) with the scale from the median absolute residual. The interval is
** from the asymptotic covariance, corrected for few rows (Huber 1981, 7.6).
*/
tare_fit_status tare_huber_fit(const tare_design *d, double confidence,
                               double *scratch, tare_robust *fit, int *column);

/* Doubles of scratch for tare_theil_sen_fit(). */
size_t tare_theil_sen_doubles(size_t rows, int terms);

/*
** Theil and Sen's estimate for a single column. The slope is the median of the
** slopes of all pairs of rows, or of half a million pairs drawn with a fixed
** seed where there are more. Its interval is that of Sen (1968, "Estimates of
** the regression coefficient based on Kendall's tau"). Without intercept the
** slope is the median of y / x, with the interval of the sign test. The
** intercept is such that half of the rows lie above the line. Its interval
** combines the interval of the slope with that of the line's height at the mean
** of the column (Zou and Donner 2008, "Construction of confidence limits about
** effect measures").
** A column that is the same in all rows is TARE_FIT_COLLINEAR.
*/
tare_fit_status tare_theil_sen_fit(const tare_design *d, double confidence,
                                   double *scratch, tare_robust *fit,
                                   int *column);

/*
** Quantile regression of one response on one column: the line below which
** a fraction 'tau' of the points lies (Koenker and Bassett, Econometrica 46,
** 1978). Unlike least squares it does not follow the outliers, and with a small
** tau it follows the low end, where nothing disturbed the measurement.
*/
typedef struct tare_line {
  double slope, intercept;
} tare_line;

/*
** Slope of the line through the origin, by its closed form: the quantile of
** the ratios y / x, each weighing as much as its x. 'work' has room for n.
** Requires n >= 1, x > 0, 0 < tau < 1.
*/
double tare_quantreg_origin(const double *x, const double *y, size_t n,
                            double tau, double *work);

/*
** The line with an intercept. The loss, at the best intercept for each slope,
** is convex in the slope: golden-section search (Kiefer 1953) in a bracket
** around the slope through the origin, which is widened until it holds the
** least. 'work' has room for n. Requires n >= 2, x > 0 with two different ones,
** 0 < tau < 1.
*/
tare_line tare_quantreg_line(const double *x, const double *y, size_t n,
                             double tau, double *work);

#endif
