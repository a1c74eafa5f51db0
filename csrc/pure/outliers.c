#include "pure/outliers.h"
#include "pure/order.h"
#include "pure/moments.h"

#include <assert.h>
#include <math.h>

tare_outliers tare_outliers_count(double *work, size_t n) {
  tare_outliers o = {0, 0, 0, 0, 0};
  double q1, q3, iqr;
  size_t i;
  tare_sort(work, n);
  q1 = tare_quantile_sorted(work, n, 0.25);
  q3 = tare_quantile_sorted(work, n, 0.75);
  iqr = q3 - q1;
  for (i = 0; i < n; i++) {
    double x = work[i];
    int low = x <= q1 - 1.5 * iqr, high = x >= q3 + 1.5 * iqr;
    if (low == high) continue;
    if (x <= q1 - 3.0 * iqr)
      o.low_severe++;
    else if (low)
      o.low_mild++;
    else if (x < q3 + 3.0 * iqr)
      o.high_mild++;
    else
      o.high_severe++;
  }
  o.samples = n;
  return o;
}

/* The figures of the mixture that the formula needs, per sample. */
typedef struct mixture {
  double n, mean, sd2, good_sd2;
} mixture;

/* Most outliers that a bulk around 'x' leaves room for. */
static double most_outliers(const mixture *m, double x) {
  double gap = m->mean - x, nd = m->n * gap * gap;
  double k0 = -m->n * nd, k1 = m->sd2 - m->n * m->good_sd2 + nd;
  return floor(-2.0 * k0 / (k1 + sqrt(k1 * k1 - 4.0 * m->good_sd2 * k0)));
}

/* Variance that is left over when 'count' samples are outliers. */
static double outlier_share(const mixture *m, double count) {
  double rest = m->n - count;
  return rest / m->n * (m->sd2 - rest * m->good_sd2);
}

double tare_outlier_variance(double mean, double sd, double n) {
  mixture m;
  double least, good_sd, count;
  assert(n >= 1.0);
  m.n = n;
  m.mean = mean / n;
  m.sd2 = sd * sd;
  if (!(m.sd2 > 0.0)) return 0.0; /* also where it is too small for a double */
  least = m.mean / 2.0;
  good_sd = fmin(least / 4.0, sd / sqrt(n));
  m.good_sd2 = good_sd * good_sd;
  count = fmin(most_outliers(&m, 0.0), most_outliers(&m, least));
  return fmin(outlier_share(&m, 1.0), outlier_share(&m, count)) / m.sd2;
}

tare_effect tare_outlier_effect(double fraction) {
  if (fraction < 0.01) return TARE_UNAFFECTED;
  if (fraction < 0.1) return TARE_SLIGHT;
  return fraction < 0.5 ? TARE_MODERATE : TARE_SEVERE;
}
