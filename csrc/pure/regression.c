#include "pure/regression.h"
#include "pure/moments.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/*
** A column is collinear if less than this share of it is left once the others
** are taken out: that is no more than rounding.
*/
#define COLLINEAR 1e-12
#define REFINEMENTS 5

/* ---- the design ---- */

#define FIT_CODE(id, code, message) code,
static const char *const codes[] = {TARE_FIT_STATUS(FIT_CODE)};
#define FIT_MESSAGE(id, code, message) message,
static const char *const messages[] = {TARE_FIT_STATUS(FIT_MESSAGE)};

const char *tare_fit_code(tare_fit_status status) {
  assert(status < TARE_FIT_STATUS_COUNT);
  return codes[status];
}

const char *tare_fit_message(tare_fit_status status) {
  assert(status < TARE_FIT_STATUS_COUNT);
  return messages[status];
}

int tare_design_terms(const tare_design *d) {
  return d->columns + d->intercept;
}

static int all_finite(const double *xs, size_t n) {
  size_t i;
  for (i = 0; i < n; i++)
    if (!isfinite(xs[i])) return 0;
  return 1;
}

static int all_zero(const double *xs, size_t n) {
  size_t i;
  for (i = 0; i < n; i++)
    if (xs[i] != 0.0) return 0;
  return 1;
}

tare_fit_status tare_design_check(const tare_design *d, int *column) {
  int c;
  assert(d->columns >= 0 && tare_design_terms(d) <= TARE_TERMS_MAX);
  assert(tare_design_terms(d) >= 1);
  *column = -1;
  if (d->rows < (size_t)tare_design_terms(d)) return TARE_FIT_TOO_FEW_ROWS;
  if (!all_finite(d->y, d->rows)) return TARE_FIT_NOT_FINITE;
  for (c = 0; c < d->columns; c++) {
    *column = c;
    if (!all_finite(d->x[c], d->rows)) return TARE_FIT_NOT_FINITE;
    if (all_zero(d->x[c], d->rows)) return TARE_FIT_ZERO_COLUMN;
  }
  *column = -1;
  return TARE_FIT_OK;
}

/* ---- refinement of a solution ---- */

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

/*
** Solves y ~ x beta given the factors of x, and refines both beta and the
** residuals as the solution of one augmented system (Bjorck 1967, "Iterative
** refinement of linear least squares solutions I"), until a step no longer
** helps. 'x' is the matrix before it was factored; 'work' has 'rows' values.
*/
static void refine(const tare_qr *qr, const double *x, const double *y,
                   double *beta, double *residual, double *work) {
  double step[TARE_TERMS_MAX], last = HUGE_VAL;
  int n, t;
  size_t i;
  memset(beta, 0, (size_t)qr->terms * sizeof *beta);
  memset(residual, 0, qr->rows * sizeof *residual);
  for (n = 0; n < REFINEMENTS; n++) {
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

/* ---- the solved problem ---- */

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

/*
** The power of two that brings xs[0..n-1] below 1, as its exponent, so that no
** sum of squares overflows: scaling by it is exact. 0 where all are zero.
*/
static int scale_exponent(const double *xs, size_t n) {
  double greatest = 0.0;
  int exponent = 0;
  size_t i;
  for (i = 0; i < n; i++) greatest = fmax(greatest, fabs(xs[i]));
  if (greatest > 0.0) (void)frexp(greatest, &exponent);
  return exponent;
}

static int scale_into(double *to, const double *from, size_t n) {
  int exponent = scale_exponent(from, n);
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
  refine(&s->qr, s->x, s->y, s->beta, s->residual, s->work);
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

/* Sum of squares of the residuals, in units of the scaled response. */
static double residual_squares(const tare_lsq *s) {
  return tare_sum_of_squares(s->residual, s->qr.rows);
}

double tare_lsq_tss(const tare_lsq *s) {
  size_t n = s->qr.rows;
  if (!s->intercept) return tare_sum_of_squares(s->y, n);
  return tare_variance(s->y, n) * (double)(n - 1);
}

/* ---- ordinary least squares ---- */

double tare_adjusted_r2(double r2, size_t rows, int terms, int intercept) {
  double dof = (double)rows - terms;
  return dof > 0.0 ? 1.0 - (1.0 - r2) * ((double)rows - intercept) / dof : NAN;
}

/*
** Sum of squares of a term's column, about its mean where there is an
** intercept: R's column without the row of the intercept.
*/
static double column_ss(const tare_lsq *s, int term) {
  double sum = 0.0;
  int i;
  for (i = s->intercept; i <= term; i++) {
    double v = tare_qr_r(&s->qr, i, term);
    sum += v * v;
  }
  return sum;
}

void tare_ols_summary(const tare_lsq *s, tare_ols *fit) {
  double gram[TARE_TERMS_MAX];
  int terms = s->qr.terms, t;
  double rss = residual_squares(s), tss = tare_lsq_tss(s), sd;
  fit->dof = s->qr.rows - (size_t)terms;
  sd = fit->dof > 0 ? sqrt(rss / (double)fit->dof) : NAN;
  tare_qr_inverse_gram(&s->qr, gram);
  for (t = 0; t < terms; t++) {
    double unit = tare_lsq_unit(s, t);
    int slot = tare_lsq_slot(s, t);
    fit->coefficient[slot] = s->beta[t] * unit;
    fit->stderror[slot] = sd * sqrt(gram[t]) * unit;
    if (slot < s->columns) fit->vif[slot] = gram[t] * column_ss(s, t);
  }
  fit->r2 = tss > 0.0 ? 1.0 - rss / tss : NAN;
  fit->adjusted_r2 = tare_adjusted_r2(fit->r2, s->qr.rows, terms, s->intercept);
  fit->residual_sd = ldexp(sd, s->y_exponent);
}

tare_fit_status tare_ols_fit(const tare_design *d, double *scratch,
                             tare_ols *fit, int *column) {
  tare_lsq s;
  tare_fit_status status = tare_lsq_solve(&s, d, scratch, column);
  if (status == TARE_FIT_OK) tare_ols_summary(&s, fit);
  return status;
}
