#include "pure/distributions.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_2PI 2.50662827463100050242
#define PI 3.14159265358979323846
#define FAR_OUT 1e-20 /* a tail that is found by logarithms */

double tare_normal_cdf(double z) {
  return 0.5 * erfc(-z * SQRT_HALF);
}

/*
** A start good to 4.5e-4 (Abramowitz and Stegun 1964, 26.2.23; from Hastings
** 1955), then Halley's method, which triples the digits each time.
*/
double tare_normal_quantile(double p) {
  double t, z;
  int i;
  assert(p > 0.0 && p < 1.0);
  if (p == 0.5) return 0.0;
  if (p > 0.5) return -tare_normal_quantile(1.0 - p);
  t = sqrt(-2.0 * log(p));
  z = (2.515517 + t * (0.802853 + t * 0.010328)) /
          (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
      t;
  for (i = 0; i < 3; i++) {
    double density = exp(-0.5 * z * z) / SQRT_2PI;
    double step = (tare_normal_cdf(z) - p) / density;
    z -= step / (1.0 + 0.5 * z * step);
  }
  return z;
}

/* A continued fraction 1/(1 + d1/(1 + d2/(...))) under evaluation. */
typedef struct continued_fraction {
  double value, c, d;
} continued_fraction;

static double away_from_zero(double x) {
  return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* Takes in one more numerator; returns by what factor the value changed. */
static double take_in(continued_fraction *f, double numerator) {
  double step;
  f->d = 1.0 / away_from_zero(1.0 + numerator * f->d);
  f->c = away_from_zero(1.0 + numerator / f->c);
  step = f->c * f->d;
  f->value *= step;
  return step;
}

/*
** DLMF 8.17.22 by Lentz's method, as Thompson and Barnett (1986), "Coulomb and
** Bessel functions", Journal of Computational Physics 64, made it safe.
*/
static double beta_fraction(double x, double a, double b) {
  continued_fraction f = {1.0, 1.0, 1.0};
  int m;
  f.d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  f.value = f.d;
  for (m = 1; m < 100000; m++) {
    double am = a + 2.0 * m, step;
    (void)take_in(&f, m * (b - m) * x / ((am - 1.0) * am));
    step = take_in(&f, -(a + m) * (a + b + m) * x / (am * (am + 1.0)));
    if (fabs(step - 1.0) < 2.0 * DBL_EPSILON) break;
  }
  return f.value;
}

/*
** Logarithm of the beta function B(a, 1/2): DLMF 5.11.13, reached by the
** recurrence B(a, b) = B(a + 1, b) (a + b)/a. (lgamma writes a global.)
*/
static double log_beta_half(double a) {
  double ratio = 1.0, a2;
  while (a < 16.0) {
    ratio *= (a + 0.5) / a;
    a += 1.0;
  }
  a2 = a * a;
  return log(ratio) + 0.5 * log(PI / a) +
         (1.0 / 8.0 -
          (1.0 / 192.0 - (1.0 / 640.0 - 17.0 / 14336.0 / a2) / a2) / a2) /
             a;
}

/* The incomplete beta function of beta_share, where x is rather small. */
static double lower_share(double x, double y, double a, double b) {
  double log_front = a * (x > 0.5 ? log1p(-y) : log(x)) +
                     b * (y > 0.5 ? log1p(-x) : log(y)) -
                     log_beta_half(b == 0.5 ? a : b);
  return exp(log_front) * beta_fraction(x, a, b) / a;
}

/*
** Regularised incomplete beta function I_x(a, b), one of a and b being 1/2,
** where y = 1 - x is known without cancellation. x and y were each rounded: at
** the border both may be beyond it, so they are swapped at most once.
*/
static double beta_share(double x, double y, double a, double b) {
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - lower_share(y, x, b, a);
  return lower_share(x, y, a, b);
}

/*
** By the incomplete beta function (Abramowitz and Stegun 26.7.1); where that
** converges slowly, by a normal deviate good to 1 / df^2 (26.7.8).
*/
double tare_t_two_sided(double t, double df) {
  double t2 = t * t, ratio = fabs(t) / sqrt(df);
  assert(df > 0.0);
  if (isinf(t)) return 0.0;
  if (ratio > 1e8) /* practically a power of t; t2 may overflow */
    return exp(-df * log(ratio) - log_beta_half(0.5 * df)) / (0.5 * df);
  if (df > 1e7)
    return 2.0 * tare_normal_cdf(-fabs(t) * (1.0 - 0.25 / df) /
                                 sqrt(1.0 + 0.5 * ratio * ratio));
  return beta_share(df / (df + t2), t2 / (df + t2), 0.5 * df, 0.5);
}

double tare_t_cdf(double t, double df) {
  double tail = 0.5 * tare_t_two_sided(t, df);
  return t < 0.0 ? tail : 1.0 - tail;
}

/* Logarithm of the density, but for 1 / sqrt(df). */
static double log_t_density(double t, double df) {
  double grown = t < 1e100 ? log1p(t * t / df) : 2.0 * log(t) - log(df);
  return -0.5 * (df + 1.0) * grown - log_beta_half(0.5 * df);
}

/*
** Newton's method from the normal quantile, which lies nearer to 0. The tail is
** convex from there on, so every step stays short of the root or ends on it.
** Far out the tail is a power of t. Such steps are always too short there, and
** the tail and its density underflow. So there it is Newton's method on the
** logarithm of the tail over that of t, a concave curve.
*/
static double upper_t(double tail, double df) {
  double t;
  int i;
  tail = fmax(tail, DBL_MIN);
  t = -tare_normal_quantile(tail);
  if (isinf(df)) return t; /* it is the normal distribution */
  for (i = 0; i < 200; i++) {
    double above = 0.5 * tare_t_two_sided(t, df);
    double density = log_t_density(t, df), step;
    if (tail < FAR_OUT)
      step = t * expm1(log(above / tail) * sqrt(df) *
                       exp(log(above) - log(t) - density));
    else
      step = (above - tail) / (exp(density) / sqrt(df));
    t += step;
    if (fabs(step) <= 4.0 * DBL_EPSILON * t || isinf(t)) break;
  }
  return t;
}

double tare_t_quantile(double p, double df) {
  assert(p > 0.0 && p < 1.0 && df >= 1.0);
  if (p < 0.5) return -upper_t(p, df);
  return p == 0.5 ? 0.0 : upper_t(1.0 - p, df);
}
