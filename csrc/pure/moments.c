#include "pure/moments.h"

#include <math.h>
#include <string.h>

/* The most variables of the sums: the terms, and the residual. */
#define VARIABLES_MAX (TARE_TERMS_MAX + 1)
#define COLLINEAR 1e-10 /* of a column's sum of squares, once others are out */
#define CONSTANT 1e-13  /* of the response's sum of squares */

/* The intercept is no variable: all others are taken about their means. */
static int variables(int terms, int intercept) {
  return terms - intercept + 1;
}

static int values_of(int terms, int intercept) {
  int n = variables(terms, intercept);
  return n * (n + 1) / 2 + (intercept ? n : 0);
}

size_t tare_moments_doubles(size_t rows, int terms, int intercept) {
  return tare_table_doubles(rows, values_of(terms, intercept));
}

/* s->x := Q, times the root of the number of rows. */
static void make_coordinates(tare_lsq *s) {
  size_t n = s->qr.rows;
  int t;
  memset(s->x, 0, n * (size_t)s->qr.terms * sizeof *s->x);
  for (t = 0; t < s->qr.terms; t++) {
    double *q = s->x + (size_t)t * n;
    q[t] = sqrt((double)n);
    tare_qr_unproject(&s->qr, q);
  }
}

/* Writes row i: with an intercept the variables, then all their products. */
static void fill_row(const tare_moments *m, const tare_lsq *s, size_t i) {
  double z[VARIABLES_MAX], *out = tare_table_at(&m->table, i);
  int n = variables(m->terms, m->intercept), a, b;
  for (a = 0; a < n - 1; a++)
    z[a] = s->x[(size_t)(a + m->intercept) * s->qr.rows + i];
  z[n - 1] = s->residual[i];
  for (a = 0; m->intercept && a < n; a++) *out++ = z[a];
  for (a = 0; a < n; a++)
    for (b = a; b < n; b++) *out++ = z[a] * z[b];
}

/* The response is the sum of the variables, weighted so, and a constant. */
static void set_weights(tare_moments *m, const tare_lsq *s) {
  int n = variables(m->terms, m->intercept), a, t;
  for (a = 0; a < n - 1; a++) {
    double sum = 0.0;
    for (t = a + m->intercept; t < m->terms; t++)
      sum += tare_qr_r(&s->qr, a + m->intercept, t) * s->beta[t];
    m->weight[a] = sum / sqrt((double)s->qr.rows);
  }
  m->weight[n - 1] = 1.0;
}

/*
** How a step of the coordinates moves the coefficients: R^-1, in the units of
** the data. The intercept's column of Q is 1 or -1; here it is 1.
*/
static void set_units(tare_moments *m, const tare_lsq *s) {
  double root = sqrt((double)s->qr.rows);
  int t, j;
  tare_qr_inverse(&s->qr, m->back);
  for (t = 0; t < m->terms; t++) {
    double unit = tare_lsq_unit(s, t);
    m->slot[t] = tare_lsq_slot(s, t);
    m->beta[t] = s->beta[t] * unit;
    for (j = 0; j < m->terms; j++) m->back[t * m->terms + j] *= root * unit;
  }
  if (m->intercept && s->qr.diagonal[0] < 0.0) m->back[0] = -m->back[0];
}

void tare_moments_init(tare_moments *m, tare_lsq *s, double *scratch) {
  size_t rows = s->qr.rows, i;
  m->terms = s->qr.terms;
  m->intercept = s->intercept;
  m->constant = CONSTANT * tare_lsq_tss(s) / (double)rows;
  tare_table_init(&m->table, scratch, rows, values_of(m->terms, m->intercept));
  set_weights(m, s);
  set_units(m, s);
  make_coordinates(s);
  for (i = 0; i < rows; i++) fill_row(m, s, i);
}

/*
** a[n * n] := the sums of products, about the means if there is an intercept;
** zeros below the diagonal.
*/
static void load_products(const tare_moments *m, const double *sum,
                          double count, double *a) {
  int n = variables(m->terms, m->intercept), i, j;
  const double *first = sum, *product = m->intercept ? sum + n : sum;
  memset(a, 0, (size_t)(n * n) * sizeof *a);
  for (i = 0; i < n; i++)
    for (j = i; j < n; j++) {
      double v = *product++;
      a[i * n + j] = m->intercept ? v - first[i] * first[j] / count : v;
    }
}

/* Sum of squares of the response. */
static double response_ss(const tare_moments *m, const double *a) {
  int n = variables(m->terms, m->intercept), i, j;
  double total = 0.0;
  for (i = 0; i < n; i++) {
    double row = 0.5 * a[i * n + i] * m->weight[i];
    for (j = i + 1; j < n; j++) row += a[i * n + j] * m->weight[j];
    total += 2.0 * row * m->weight[i];
  }
  return total;
}

/*
** Gaussian elimination of all variables but the last, the residual, of which
** the sum of squares is left over. Returns 0 on a pivot next to nothing.
*/
static int eliminate(double *a, int n, double least) {
  int p, i, j;
  for (p = 0; p < n - 1; p++) {
    double pivot = a[p * n + p];
    if (!(pivot > least)) return 0;
    for (i = p + 1; i < n; i++) {
      double share = a[p * n + i] / pivot;
      for (j = i; j < n; j++) a[i * n + j] -= share * a[p * n + j];
    }
  }
  return 1;
}

/* Substitutes back: step[0..n-2], from the eliminated triangle. */
static void substitute(const double *a, int n, double *step) {
  int i, j;
  for (i = n - 2; i >= 0; i--) {
    double v = a[i * n + n - 1];
    for (j = i + 1; j < n - 1; j++) v -= a[i * n + j] * step[j];
    step[i] = v / a[i * n + i];
  }
}

/* The coefficients, 'step' away from the fit in coordinates. */
static void move(const tare_moments *m, const double *step, double *out) {
  int t, j;
  for (t = 0; t < m->terms; t++) {
    double v = m->beta[t];
    for (j = t; j < m->terms; j++) v += m->back[t * m->terms + j] * step[j];
    out[m->slot[t]] = v;
  }
}

int tare_moments_refit(const tare_moments *m, const double *sum, double count,
                       double *out) {
  double a[VARIABLES_MAX * VARIABLES_MAX], step[TARE_TERMS_MAX], tss, rss;
  int n = variables(m->terms, m->intercept), i;
  memset(step, 0, (size_t)m->terms * sizeof *step);
  load_products(m, sum, count, a);
  tss = response_ss(m, a);
  if (m->constant > 0.0 && tss <= m->constant * count) return 0;
  if (!eliminate(a, n, COLLINEAR * count)) return 0;
  substitute(a, n, step + m->intercept);
  if (m->intercept) {
    step[0] = sum[n - 1];
    for (i = 0; i < n - 1; i++) step[0] -= step[i + 1] * sum[i];
    step[0] /= count;
  }
  move(m, step, out);
  rss = a[n * n - 1];
  out[m->terms] = m->constant > 0.0 ? 1.0 - fmax(rss, 0.0) / tss : NAN;
  return 1;
}
