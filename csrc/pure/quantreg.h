/*
** Quantile regression of one responder on one predictor: the line below which
** a fraction 'tau' of the points lies (Koenker and Bassett, Econometrica 46,
** 1978). Unlike least squares it does not follow the outliers, and with a small
** tau it follows the low end, where nothing disturbed the measurement.
*/
#ifndef TARE_QUANTREG_H
#define TARE_QUANTREG_H

#include <stddef.h>

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
