#include "pure/moments.h"
#include "pure/order.h"

#include <assert.h>
#include <math.h>

int tare_all_equal(const double *xs, size_t n) {
  size_t i;
  for (i = 1; i < n; i++)
    if (xs[i] != xs[0]) return 0;
  return 1;
}

/* A sum and what its roundings lost, after Neumaier (1974), ZAMM 54. */
typedef struct exact_sum {
  double total, lost;
} exact_sum;

static void add(exact_sum *s, double x) {
  double t = s->total + x;
  if (fabs(s->total) >= fabs(x))
    s->lost += (s->total - t) + x;
  else
    s->lost += (x - t) + s->total;
  s->total = t;
}

double tare_sum(const double *xs, size_t n) {
  exact_sum s = {0.0, 0.0};
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
  exact_sum squares = {0.0, 0.0}, rest = {0.0, 0.0};
  double mean = tare_mean(xs, n), shift;
  size_t i;
  if (tare_all_equal(xs, n)) return 0.0; /* where rounding would leave a rest */
  for (i = 0; i < n; i++) {
    double d = xs[i] - mean;
    add(&squares, d * d);
    add(&rest, d);
  }
  shift = rest.total + rest.lost;
  return (squares.total + squares.lost - shift * shift / (double)n) /
         (double)(n - 1);
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
  exact_sum squares = {0.0, 0.0}, products = {0.0, 0.0};
  double mean = tare_mean(xs, n), all;
  size_t i;
  assert(lag >= 1 && lag < n);
  if (tare_all_equal(xs, n)) return 0.0; /* where rounding would leave a rest */
  for (i = 0; i < n; i++) {
    double d = xs[i] - mean;
    add(&squares, d * d);
    if (i + lag < n) add(&products, d * (xs[i + lag] - mean));
  }
  all = squares.total + squares.lost;
  return all > 0.0 ? (products.total + products.lost) / all : 0.0;
}
