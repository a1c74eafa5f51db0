#include "pure/exponent.h"
#include "pure/dist.h"
#include "pure/minimum.h"
#include "pure/shape.h"

#include <assert.h>
#include <math.h>

#define LOWEST (-2.0)
#define HIGHEST 8.0

tare_sweep tare_sweep_of(const double *ns, const double *ts, size_t n,
                         double *work) {
  tare_sweep s;
  double mean = 0.0;
  size_t i;
  s.n = n, s.log_n = work, s.log_t = work + n, s.g = work + 2 * n;
  for (i = 0; i < n; i++) mean += log(ns[i]) / (double)n;
  for (i = 0; i < n; i++) {
    s.log_n[i] = log(ns[i]) - mean;
    s.log_t[i] = log(ts[i]);
  }
  return s;
}

/* Squared distances of the log sizes from their mean. */
static double spread_of(const tare_sweep *s) {
  double spread = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) spread += s->log_n[i] * s->log_n[i];
  return spread;
}

double tare_sweep_slope(const tare_sweep *s, const double *ys) {
  double product = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) product += s->log_n[i] * (ys[i] - ys[0]);
  return product / spread_of(s);
}

/* Squared distances of the log costs from the line of that slope. */
static double rss_of_line(const tare_sweep *s, double slope) {
  double mean = 0.0, rss = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) mean += s->log_t[i] / (double)s->n;
  for (i = 0; i < s->n; i++) {
    double rest = s->log_t[i] - mean - slope * s->log_n[i];
    rss += rest * rest;
  }
  return rss;
}

tare_exponent tare_exponent_pure(const tare_sweep *s, double confidence) {
  double df = (double)s->n - 2.0, reach;
  tare_exponent e;
  assert(s->n >= 3);
  e.value = tare_sweep_slope(s, s->log_t);
  reach = tare_t_quantile(0.5 + 0.5 * confidence, df) *
          sqrt(rss_of_line(s, e.value) / df / spread_of(s));
  e.low = e.value - reach;
  e.high = e.value + reach;
  return e;
}

/* Least squared distances that constant + factor * n^p leaves. */
static double rss_of(void *context, double p) {
  const tare_sweep *s = (const tare_sweep *)context;
  tare_shape shape;
  size_t i;
  shape.n = s->n, shape.log_t = s->log_t, shape.g = s->g;
  for (i = 0; i < s->n; i++) s->g[i] = exp(p * s->log_n[i]);
  return tare_shape_fit_of(&shape).rss;
}

/*
** Where rss_of() rises to 'most', from p on towards 'end'; NaN where it does
** not before that.
*/
static double profile_end(tare_sweep *s, double p, double end, double most) {
  double step = end > p ? 0.01 : -0.01, inside = p, outside = p + step;
  int i;
  while ((outside - end) * step < 0.0 && rss_of(s, outside) <= most) {
    inside = outside;
    step *= 1.5;
    outside += step;
  }
  if ((outside - end) * step >= 0.0) {
    outside = end;
    if (rss_of(s, end) <= most) return NAN;
  }
  for (i = 0; i < 30; i++) {
    double middle = 0.5 * (inside + outside);
    if (rss_of(s, middle) <= most)
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

tare_exponent tare_exponent_raised(tare_sweep *s, double confidence) {
  tare_exponent e;
  double df = (double)s->n - 3.0, p, rss, t;
  assert(s->n >= 5);
  p = tare_minimum(rss_of, s, LOWEST, HIGHEST, 50, 1e-6);
  rss = rss_of(s, p);
  t = tare_t_quantile(0.5 + 0.5 * confidence, df);
  rss *= 1.0 + t * t / df;
  e.value = p;
  e.low = profile_end(s, p, LOWEST, rss);
  e.high = profile_end(s, p, HIGHEST, rss);
  return e;
}
