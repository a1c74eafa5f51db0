#include "pure/bounds.h"
#include "pure/dist.h"
#include "pure/stats.h"

#include <assert.h>
#include <float.h>
#include <math.h>

tare_bounds tare_bounds_percentile(double *replicate, size_t n,
                                   double confidence) {
  double tail = 0.5 * (1.0 - confidence);
  tare_bounds b;
  assert(n >= 1 && confidence > 0.0 && confidence < 1.0);
  b.low = tare_quantile(replicate, n, tail);
  b.high = tare_quantile(replicate, n, 1.0 - tail);
  return b;
}

double tare_expanded_confidence(double confidence, size_t units, int terms) {
  double dof = fmax((double)units - terms, 1.0), p = 0.5 * (1.0 + confidence);
  double reach = sqrt((dof + terms) / dof) * tare_t_quantile(p, dof);
  p = 1.0 - 2.0 * tare_normal_cdf(-reach);
  /* of two or three units: all there is; of next to no confidence: a little */
  return fmax(fmin(p, 1.0 - DBL_EPSILON), DBL_EPSILON);
}

/* Normal score of the share of replicates below the estimate. */
static double bias_score(const double *replicate, size_t n, double estimate) {
  double below = 0.0, least = 0.5 / (double)n, share;
  size_t i;
  for (i = 0; i < n; i++) {
    if (replicate[i] < estimate)
      below += 1.0;
    else if (replicate[i] == estimate)
      below += 0.5;
  }
  share = below / (double)n; /* kept off 0 and 1, whose scores are infinite */
  return tare_normal_quantile(fmin(fmax(share, least), 1.0 - least));
}

/* Where the quantile of normal score z lies without bias and skew. */
static double corrected_share(double z, double bias, double acceleration) {
  double w = bias + z, slope = 1.0 - acceleration * w;
  if (slope <= 0.0) return w > 0.0 ? 1.0 : 0.0; /* beyond the formula's pole */
  return tare_normal_cdf(bias + w / slope);
}

tare_bounds tare_bounds_bca(double *replicate, size_t n, double confidence,
                            double estimate, double acceleration) {
  double z = tare_normal_quantile(0.5 * (1.0 + confidence));
  double bias = bias_score(replicate, n, estimate);
  tare_bounds b;
  assert(n >= 1 && confidence > 0.0 && confidence < 1.0);
  b.low = tare_quantile(replicate, n, corrected_share(-z, bias, acceleration));
  b.high = tare_quantile(replicate, n, corrected_share(z, bias, acceleration));
  return b;
}

double tare_acceleration(const double *left_out, size_t n) {
  double mean, unit = 0.0, squares = 0.0, cubes = 0.0;
  size_t i;
  if (n == 0) return 0.0;
  mean = tare_mean(left_out, n);
  for (i = 0; i < n; i++) unit = fmax(unit, fabs(mean - left_out[i]));
  if (!(unit > 0.0)) return 0.0;
  for (i = 0; i < n; i++) { /* in units that no cube leaves the doubles in */
    double d = (mean - left_out[i]) / unit;
    squares += d * d;
    cubes += d * d * d;
  }
  return cubes / (6.0 * squares * sqrt(squares));
}
