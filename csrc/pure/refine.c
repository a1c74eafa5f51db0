#include "pure/refine.h"

#include <math.h>
#include <string.h>

#define STEPS_MAX 5

/* A sum carried in two doubles. */
typedef struct twofold {
  double high, low;
} twofold;

/* s += x, with the rounding error kept (Knuth's TwoSum). */
static void add(twofold *s, double x) {
  double sum = s->high + x, part = sum - s->high;
  s->low += (s->high - (sum - part)) + (x - part);
  s->high = sum;
}

/* The upper 26 bits of x (Veltkamp). Requires |x| < 2^996. */
static double upper_half(double x) {
  double c = 134217729.0 * x; /* 2^27 + 1 */
  return c - (c - x);
}

/* s += a * b, with all bits of the product (Dekker 1971). */
static void add_product(twofold *s, double a, double b) {
  double p = a * b, ah = upper_half(a), bh = upper_half(b);
  double al = a - ah, bl = b - bh;
  add(s, p);
  s->low += ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/* out[i] = y[i] - residual[i] - (x beta)[i] */
static void row_defects(const tare_qr *qr, const double *x, const double *y,
                        const double *beta, const double *residual,
                        double *out) {
  size_t i;
  int t;
  for (i = 0; i < qr->rows; i++) {
    twofold s = {0.0, 0.0};
    add(&s, y[i]);
    add(&s, -residual[i]);
    for (t = 0; t < qr->terms; t++)
      add_product(&s, -x[(size_t)t * qr->rows + i], beta[t]);
    out[i] = s.high + s.low;
  }
}

/* out[t] = -(x' residual)[t] */
static void term_defects(const tare_qr *qr, const double *x,
                         const double *residual, double *out) {
  size_t i;
  int t;
  for (t = 0; t < qr->terms; t++) {
    twofold s = {0.0, 0.0};
    for (i = 0; i < qr->rows; i++)
      add_product(&s, -x[(size_t)t * qr->rows + i], residual[i]);
    out[t] = s.high + s.low;
  }
}

/*
** Solves [I x; x' 0] [dr; db] = [f; g] from the factors of x: with z = R^-T g
** and d = Q'f, db = R^-1 (d1 - z) and dr = Q [z; d2]. dr replaces f, db g.
*/
static void solve_augmented(const tare_qr *qr, double *f, double *g) {
  int t;
  tare_qr_solve_transposed(qr, g);
  tare_qr_project(qr, f);
  for (t = 0; t < qr->terms; t++) {
    double z = g[t];
    g[t] = f[t] - z;
    f[t] = z;
  }
  tare_qr_solve(qr, g);
  tare_qr_unproject(qr, f);
}

void tare_refine(const tare_qr *qr, const double *x, const double *y,
                 double *beta, double *residual, double *work) {
  double step[TARE_TERMS_MAX], last = HUGE_VAL;
  int n, t;
  size_t i;
  memset(beta, 0, (size_t)qr->terms * sizeof *beta);
  memset(residual, 0, qr->rows * sizeof *residual);
  for (n = 0; n < STEPS_MAX; n++) {
    double size;
    row_defects(qr, x, y, beta, residual, work);
    term_defects(qr, x, residual, step);
    solve_augmented(qr, work, step);
    size = sqrt(tare_sum_of_squares(step, (size_t)qr->terms));
    if (!(size < last / 2.0)) break; /* it no longer converges */
    for (t = 0; t < qr->terms; t++) beta[t] += step[t];
    for (i = 0; i < qr->rows; i++) residual[i] += work[i];
    if (size == 0.0) break;
    last = size;
  }
}
