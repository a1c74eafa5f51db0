/*
** Costs of a known shape: t = constant + factor * g, with relative noise, so
** that the fit is over logarithms. Both coefficients are 0 or more.
*/
#ifndef TARE_SHAPE_H
#define TARE_SHAPE_H

#include <stddef.h>

typedef struct tare_shape {
  size_t n;
  const double *log_t; /* logarithms of the costs */
  const double *g;     /* the shape: 0 or more, one at least above 0 */
} tare_shape;

typedef struct tare_shape_fit {
  double rss; /* squared distances in logarithms */
  double constant, factor;
} tare_shape_fit;

/* The best fit; its constant may be 0. */
tare_shape_fit tare_shape_fit_of(const tare_shape *s);

/*
** Akaike's criterion, corrected for few points (AICc: Hurvich and Tsai 1989,
** Biometrika 76), of a fit with k parameters, the variance being one; infinite
** where n is too small for k.
*/
double tare_aicc(double rss, size_t n, int k);

#endif
