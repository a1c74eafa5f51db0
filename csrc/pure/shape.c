#include "pure/shape.h"
#include "pure/minimum.h"

#include <math.h>

/* constant / factor is searched from this share of the least g to this
** multiple of the largest; beyond, the one or the other does not show. */
#define REACH 1e4

/* Fits c * (g + ratio): c is the mean of what is left over in logarithms. */
static tare_shape_fit fit_ratio(const tare_shape *s, double ratio) {
  tare_shape_fit fit = {0.0, 0.0, 0.0};
  double mean = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) {
    double rest = s->log_t[i] - log(s->g[i] + ratio), gap = rest - mean;
    mean += gap / (double)(i + 1); /* Welford (1962), Technometrics 4(3) */
    fit.rss += gap * (rest - mean);
  }
  fit.factor = exp(mean);
  fit.constant = ratio * fit.factor;
  return fit;
}

static double rss_at(void *context, double log_ratio) {
  return fit_ratio((const tare_shape *)context, exp(log_ratio)).rss;
}

tare_shape_fit tare_shape_fit_of(const tare_shape *s) {
  double least = HUGE_VAL, most = 0.0;
  tare_shape copy = *s;
  tare_shape_fit pure, raised;
  int zeros = 0;
  size_t i;
  for (i = 0; i < s->n; i++) {
    if (s->g[i] > 0.0)
      least = fmin(least, s->g[i]);
    else
      zeros = 1;
    most = fmax(most, s->g[i]);
  }
  raised = fit_ratio(s, exp(tare_minimum(rss_at, &copy, log(least / REACH),
                                         log(most * REACH), 40, 1e-7)));
  if (zeros) return raised;
  pure = fit_ratio(s, 0.0);
  return pure.rss <= raised.rss ? pure : raised;
}

double tare_aicc(double rss, size_t n, int k) {
  double points = (double)n, rest = points - k - 1.0;
  if (rest <= 0.0 || isinf(rss)) return HUGE_VAL;
  /* the least variance stands for rounding: a fit can't be better than that */
  return points * log(fmax(rss / points, 1e-30)) + 2.0 * k * points / rest;
}
