/* The exponent of a cost that grows with a size, with its interval. */
#ifndef TARE_EXPONENT_H
#define TARE_EXPONENT_H

#include <stddef.h>

/* A sweep in logarithms, those of the sizes about their mean. */
typedef struct tare_sweep {
  size_t n;
  double *log_n, *log_t;
  double *g; /* scratch */
} tare_sweep;

typedef struct tare_exponent {
  double value, low, high; /* NaN where it is not known */
} tare_exponent;

/*
** Puts sizes and costs in logarithms into 'work', 3 n doubles long. Requires
** them to be above 0.
*/
tare_sweep tare_sweep_of(const double *ns, const double *ts, size_t n,
                         double *work);

/* The slope that the least-squares line of ys[] over log_n has. */
double tare_sweep_slope(const tare_sweep *s, const double *ys);

/*
** p of cost = factor * n^p with the interval of the regression of logarithms.
** Requires n >= 3 and more than one size.
*/
tare_exponent tare_exponent_pure(const tare_sweep *s, double confidence);

/*
** p of cost = constant + factor * n^p, with the interval of the profile
** likelihood (Bates and Watts 1988, Nonlinear Regression Analysis, section
** 6.1). The constant always takes part: where it was left out because it did
** not pay (AICc, F), simulated intervals missed p up to nine times in ten,
** while it makes them hardly wider where there is none. Ends beyond the range
** searched, -2 to 8, are not known. Requires n >= 5 and three sizes.
*/
tare_exponent tare_exponent_raised(tare_sweep *s, double confidence);

#endif
