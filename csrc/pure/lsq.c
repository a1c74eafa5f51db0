#include "pure/lsq.h"
#include "pure/refine.h"
#include "pure/stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/*
** A column of which less than this is left, once the others are taken out, is
** no more than the rounding of a linear combination of them.
*/
#define COLLINEAR 1e-12

size_t tare_lsq_doubles(size_t rows, int terms) {
  return rows * (2 * (size_t)terms + 3);
}

int tare_lsq_slot(const tare_lsq *s, int term) {
  if (!s->intercept) return term;
  return term == 0 ? s->columns : term - 1;
}

double tare_lsq_unit(const tare_lsq *s, int term) {
  return ldexp(1.0, s->y_exponent - s->exponent[term]);
}

static int scale_into(double *to, const double *from, size_t n) {
  int exponent = tare_scale_exponent(from, n);
  size_t i;
  for (i = 0; i < n; i++) to[i] = ldexp(from[i], -exponent);
  return exponent;
}

/* Lays the problem out in 'scratch' and scales it. */
static void load(tare_lsq *s, const tare_design *d, double *scratch) {
  size_t n = d->rows, i;
  int terms = tare_design_terms(d), c;
  memset(s, 0, sizeof *s);
  s->columns = d->columns;
  s->intercept = d->intercept;
  s->qr.rows = n;
  s->qr.terms = terms;
  s->x = scratch;
  s->qr.a = s->x + n * (size_t)terms;
  s->y = s->qr.a + n * (size_t)terms;
  s->residual = s->y + n;
  s->work = s->residual + n;
  if (s->intercept)
    for (i = 0; i < n; i++) s->x[i] = 1.0;
  for (c = 0; c < d->columns; c++) {
    int t = c + s->intercept;
    s->exponent[t] = scale_into(s->x + (size_t)t * n, d->x[c], n);
  }
  s->y_exponent = scale_into(s->y, d->y, n);
  memcpy(s->qr.a, s->x, n * (size_t)terms * sizeof *s->x);
}

tare_fit_status tare_lsq_solve(tare_lsq *s, const tare_design *d,
                               double *scratch, int *column) {
  tare_fit_status status = tare_design_check(d, column);
  int dependent;
  if (status != TARE_FIT_OK) return status;
  load(s, d, scratch);
  dependent = tare_qr_factor(&s->qr, COLLINEAR);
  if (dependent >= 0) {
    *column = dependent - s->intercept;
    return TARE_FIT_COLLINEAR;
  }
  tare_refine(&s->qr, s->x, s->y, s->beta, s->residual, s->work);
  return TARE_FIT_OK;
}

void tare_lsq_move(tare_lsq *s, double *pull) {
  size_t n = s->qr.rows, i;
  int t;
  tare_qr_project(&s->qr, pull);
  tare_qr_solve(&s->qr, pull);
  for (t = 0; t < s->qr.terms; t++) {
    const double *x = s->x + (size_t)t * n;
    s->beta[t] += pull[t];
    for (i = 0; i < n; i++) s->residual[i] -= pull[t] * x[i];
  }
}

double tare_lsq_rss(const tare_lsq *s) {
  return tare_sum_of_squares(s->residual, s->qr.rows);
}

static int all_equal(const double *xs, size_t n) {
  size_t i;
  for (i = 1; i < n; i++)
    if (xs[i] != xs[0]) return 0;
  return 1;
}

double tare_lsq_tss(const tare_lsq *s) {
  size_t n = s->qr.rows;
  if (!s->intercept) return tare_sum_of_squares(s->y, n);
  if (all_equal(s->y, n)) return 0.0; /* where rounding would leave a rest */
  return tare_variance(s->y, n) * (double)(n - 1);
}
