#include "pure/density.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#define POINTS TARE_DENSITY_POINTS
#define PI 3.14159265358979323846

/* What the equation for the bandwidth depends on. */
typedef struct spectrum {
  double n;             /* values in the sample */
  const double *energy; /* squared cosine coefficients, [0] unused */
} spectrum;

/* table[i] = cos(2 pi i / (4 POINTS)): all that the transforms need. */
static void fill_cosines(double *table) {
  size_t i;
  for (i = 0; i < 4 * POINTS; i++)
    table[i] = cos(PI * (double)i / (2.0 * POINTS));
}

static double cosine(const double *table, size_t point, size_t wave) {
  return table[(2 * point + 1) * wave % (4 * POINTS)];
}

/*
** Cosine coefficients of bins[] (DCT-II): ahat[k] = sum of h[j] cos(...). The
** factor 2 that they carry in the paper's code is applied on the way back.
*/
static void transform(const double *table, const double *bins, double *out) {
  size_t j, k;
  for (k = 0; k < POINTS; k++) {
    out[k] = 0.0;
    for (j = 0; j < POINTS; j++) out[k] += bins[j] * cosine(table, j, k);
  }
}

/* The way back (DCT-III), as a density over a mesh 'range' wide. */
static void restore(const double *table, const double *a, double range,
                    double *out) {
  size_t j, k;
  for (j = 0; j < POINTS; j++) {
    double y = 0.5 * a[0];
    for (k = 1; k < POINTS; k++) y += a[k] * cosine(table, j, k);
    out[j] = 2.0 * y / range;
  }
}

/* Squared norm of the order-th derivative of the density at time t. */
static double norm(const spectrum *s, int order, double t) {
  double total = 0.0;
  int k;
  for (k = 1; k < POINTS; k++) {
    double k2 = (double)k * k;
    total += pow(k2, order) * s->energy[k] * exp(-k2 * PI * PI * t);
  }
  return 2.0 * pow(PI, 2.0 * order) * total;
}

/* Product of the odd numbers up to 2 order - 1. */
static double odd_factorial(int order) {
  double product = 1.0;
  int i;
  for (i = 3; i < 2 * order; i += 2) product *= i;
  return product;
}

/* t minus what the paper's stages compute of t: 0 at the squared bandwidth. */
static double fixed_point(const spectrum *s, double t) {
  double f = norm(s, 7, t);
  int order;
  for (order = 6; order >= 2; order--) {
    double factor = (1.0 + pow(0.5, order + 0.5)) / 3.0;
    double k0 = odd_factorial(order) / sqrt(2.0 * PI);
    double stage = pow(2.0 * factor * k0 / s->n / f, 2.0 / (3.0 + 2.0 * order));
    f = norm(s, order, stage);
  }
  return t - pow(2.0 * s->n * sqrt(PI) * f, -0.4);
}

/*
** The root between a and b to about 1e-14, or NaN. Ridders (1979), "A new
** algorithm for computing a single root of a real continuous function", IEEE
** Transactions on Circuits and Systems 26. The function rises through it.
*/
static double find_root(const spectrum *s, double a, double b) {
  double fa = fixed_point(s, a), fb = fixed_point(s, b);
  int i;
  if (!(fa < 0.0 && fb > 0.0)) return NAN;
  for (i = 0; i < 100; i++) {
    double half = 0.5 * (b - a), m = a + half, fm = fixed_point(s, m);
    double x = m - half * fm / sqrt(fm * fm - fa * fb);
    double fx = fixed_point(s, x);
    if (fm == 0.0) return m;
    if (fx == 0.0 || b - a < 1e-14) return x;
    if (x <= a || x >= b) x = m, fx = fm; /* rounding: bisect */
    if ((fm < 0.0) != (fx < 0.0)) {
      a = fm < 0.0 ? m : x, b = fm < 0.0 ? x : m;
      fa = fmin(fm, fx), fb = fmax(fm, fx);
    } else if (fx > 0.0) {
      b = x, fb = fx;
    } else {
      a = x, fa = fx;
    }
  }
  return NAN;
}

/* Lowest value and range of the mesh: a tenth of the range either side. */
static double place_mesh(const double *sample, size_t n, double *low) {
  double min = sample[0], max = sample[0], range;
  size_t i;
  for (i = 1; i < n; i++) {
    if (sample[i] < min) min = sample[i];
    if (sample[i] > max) max = sample[i];
  }
  range = max - min;
  if (range / (8.0 * POINTS) <= 0.0) range = fmax(1.0, fabs(min) * 1e-9);
  *low = min - range / 10.0;
  return max + range / 10.0 - *low;
}

/* Share of the sample in each of POINTS bins. */
static void fill_bins(const double *sample, size_t n, double low, double range,
                      double *bins) {
  double width = range / POINTS * (1.0 + DBL_EPSILON);
  size_t i;
  for (i = 0; i < POINTS; i++) bins[i] = 0.0;
  for (i = 0; i < n; i++) {
    size_t bin = (size_t)((sample[i] - low) / width);
    bins[bin < POINTS ? bin : POINTS - 1] += 1.0;
  }
  for (i = 0; i < POINTS; i++) bins[i] /= (double)n;
}

double tare_density(const double *sample, size_t n, double *xs, double *ys,
                    double *work) {
  double *table = work, *a = work + 4 * POINTS, *bins = a + POINTS;
  double low, range = place_mesh(sample, n, &low), t;
  spectrum s;
  size_t i;
  assert(n >= 1);
  fill_cosines(table);
  fill_bins(sample, n, low, range, bins);
  transform(table, bins, a);
  for (i = 0; i < POINTS; i++) bins[i] = a[i] * a[i]; /* now the energy */
  s.n = (double)n;
  s.energy = bins;
  t = find_root(&s, 0.0, 0.1);
  if (isnan(t)) t = 0.28 * pow(s.n, -0.4);
  for (i = 0; i < POINTS; i++) {
    double wave = PI * (double)i;
    a[i] *= exp(-0.5 * wave * wave * t);
    xs[i] = low + range / (POINTS - 1) * (double)i;
  }
  restore(table, a, range, ys);
  return sqrt(t) * range;
}
