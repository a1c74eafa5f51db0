#include "pure/stats.h"
#include "pure/order.h"

#include <assert.h>
#include <math.h>

/* A sum and what its roundings lost, after Neumaier (1974), ZAMM 54. */
typedef struct sum {
  double total, lost;
} sum;

static void add(sum *s, double x) {
  double t = s->total + x;
  if (fabs(s->total) >= fabs(x))
    s->lost += (s->total - t) + x;
  else
    s->lost += (x - t) + s->total;
  s->total = t;
}

double tare_sum(const double *xs, size_t n) {
  sum s = {0.0, 0.0};
  size_t i;
  for (i = 0; i < n; i++) add(&s, xs[i]);
  return s.total + s.lost;
}

double tare_mean(const double *xs, size_t n) {
  assert(n >= 1);
  return tare_sum(xs, n) / (double)n;
}

/*
** Two passes, the second corrected for the rounding of the mean: Chan, Golub
** and LeVeque (1983), "Algorithms for computing the sample variance", The
** American Statistician 37(3), equation 1.7.
*/
double tare_variance(const double *xs, size_t n) {
  sum squares = {0.0, 0.0}, rest = {0.0, 0.0};
  double mean = tare_mean(xs, n), shift;
  size_t i;
  if (n < 2) return 0.0;
  for (i = 0; i < n; i++) {
    double d = xs[i] - mean;
    add(&squares, d * d);
    add(&rest, d);
  }
  shift = rest.total + rest.lost;
  return (squares.total + squares.lost - shift * shift / (double)n) /
         (double)(n - 1);
}

static double smallest(const double *xs, size_t n) {
  double x = xs[0];
  size_t i;
  for (i = 1; i < n; i++)
    if (xs[i] < x) x = xs[i];
  return x;
}

/* Between two neighbours; written so that infinite ones do not make NaN. */
static double between(double a, double b, double share) {
  if (share <= 0.0 || a == b) return a;
  return isfinite(a) ? a + share * (b - a) : a * (1.0 - share) + b * share;
}

double tare_quantile(double *work, size_t n, double p) {
  double pos = p * (double)(n - 1), x;
  size_t below = (size_t)pos;
  assert(n >= 1 && p >= 0.0 && p <= 1.0);
  x = tare_select(work, n, below);
  if (below + 1 >= n) return x; /* p == 1: no right neighbour */
  return between(x, smallest(work + below + 1, n - below - 1),
                 pos - (double)below);
}

double tare_quantile_sorted(const double *xs, size_t n, double p) {
  double pos = p * (double)(n - 1);
  size_t below = (size_t)pos;
  assert(n >= 1 && p >= 0.0 && p <= 1.0);
  if (below + 1 >= n) return xs[n - 1];
  return between(xs[below], xs[below + 1], pos - (double)below);
}

double tare_median(double *work, size_t n) {
  return tare_quantile(work, n, 0.5);
}

double tare_mad(double *work, size_t n) {
  double median = tare_median(work, n);
  size_t i;
  for (i = 0; i < n; i++) work[i] = fabs(work[i] - median);
  return tare_median(work, n);
}

double tare_trimmed_mean(double *work, size_t n, double share) {
  size_t cut = (size_t)(share * (double)n);
  assert(n >= 1 && share >= 0.0 && share < 0.5);
  if (cut == 0) return tare_mean(work, n);
  tare_select(work, n, cut);
  tare_select(work + cut, n - cut, n - 2 * cut - 1);
  return tare_mean(work + cut, n - 2 * cut);
}

double tare_autocorrelation(const double *xs, size_t n, size_t lag) {
  sum squares = {0.0, 0.0}, products = {0.0, 0.0};
  double mean = tare_mean(xs, n), all;
  size_t i;
  assert(lag >= 1 && lag < n);
  for (i = 0; i < n; i++) {
    double d = xs[i] - mean;
    add(&squares, d * d);
    if (i + lag < n) add(&products, d * (xs[i + lag] - mean));
  }
  all = squares.total + squares.lost;
  return all > 0.0 ? (products.total + products.lost) / all : 0.0;
}
