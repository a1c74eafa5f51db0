#include "pure/qr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double *column_of(const tare_qr *qr, int j) {
  return qr->a + (size_t)j * qr->rows;
}

double tare_sum_of_squares(const double *xs, size_t n) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < n; i++) sum += xs[i] * xs[i];
  return sum;
}

static double norm(const double *xs, size_t n) {
  return sqrt(tare_sum_of_squares(xs, n));
}

/* Reflects y[k..] at the k-th reflector v: y -= v (v'y) / v[k]. */
static void reflect(const tare_qr *qr, int k, double *y) {
  const double *v = column_of(qr, k);
  double dot = 0.0;
  size_t i;
  for (i = (size_t)k; i < qr->rows; i++) dot += v[i] * y[i];
  dot /= v[k];
  for (i = (size_t)k; i < qr->rows; i++) y[i] -= dot * v[i];
}

/*
** Makes column k a reflector, scaled to v'v / 2 = v[k], and sets R's diagonal.
** 'left' is the column's length from row k down. Requires left > 0.
*/
static void make_reflector(tare_qr *qr, int k, double left) {
  double *v = column_of(qr, k);
  size_t i;
  if (v[k] < 0.0) left = -left; /* the sign that does not cancel */
  for (i = (size_t)k; i < qr->rows; i++) v[i] /= left;
  v[k] += 1.0;
  qr->diagonal[k] = -left;
}

int tare_qr_factor(tare_qr *qr, double tolerance) {
  int j, k;
  assert(qr->rows >= (size_t)qr->terms && qr->terms <= TARE_QR_MAX);
  for (k = 0; k < qr->terms; k++) {
    double *column = column_of(qr, k);
    double whole = norm(column, qr->rows), left;
    for (j = 0; j < k; j++) reflect(qr, j, column);
    left = norm(column + k, qr->rows - (size_t)k);
    if (!(left > tolerance * whole)) return k;
    make_reflector(qr, k, left);
  }
  return -1;
}

double tare_qr_r(const tare_qr *qr, int i, int j) {
  assert(i <= j && j < qr->terms);
  return i == j ? qr->diagonal[j] : column_of(qr, j)[i];
}

void tare_qr_project(const tare_qr *qr, double *y) {
  int k;
  for (k = 0; k < qr->terms; k++) reflect(qr, k, y);
}

void tare_qr_unproject(const tare_qr *qr, double *y) {
  int k;
  for (k = qr->terms - 1; k >= 0; k--) reflect(qr, k, y);
}

void tare_qr_solve(const tare_qr *qr, double *x) {
  int i, j;
  for (i = qr->terms - 1; i >= 0; i--) {
    for (j = i + 1; j < qr->terms; j++) x[i] -= tare_qr_r(qr, i, j) * x[j];
    x[i] /= qr->diagonal[i];
  }
}

void tare_qr_solve_transposed(const tare_qr *qr, double *x) {
  int i, j;
  for (i = 0; i < qr->terms; i++) {
    for (j = 0; j < i; j++) x[i] -= tare_qr_r(qr, j, i) * x[j];
    x[i] /= qr->diagonal[i];
  }
}

void tare_qr_inverse(const tare_qr *qr, double *inverse) {
  double unit[TARE_QR_MAX];
  int i, j;
  for (j = 0; j < qr->terms; j++) {
    memset(unit, 0, sizeof unit);
    unit[j] = 1.0;
    tare_qr_solve(qr, unit);
    for (i = 0; i < qr->terms; i++) inverse[i * qr->terms + j] = unit[i];
  }
}

void tare_qr_inverse_gram(const tare_qr *qr, double *diagonal) {
  double inverse[TARE_QR_MAX * TARE_QR_MAX];
  int terms = qr->terms, t, j;
  tare_qr_inverse(qr, inverse);
  for (t = 0; t < terms; t++) {
    diagonal[t] = 0.0;
    for (j = t; j < terms; j++) {
      double v = inverse[t * terms + j];
      diagonal[t] += v * v;
    }
  }
}
