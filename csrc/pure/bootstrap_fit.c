#include "pure/bootstrap_fit.h"

#include <math.h>
#include <string.h>

#define TRIES 20 /* resamples drawn for each one wanted, before a refusal */
#define VARIABLES_MAX (TARE_TERMS_MAX + 1) /* of sums: terms and the residual */
#define SUMS_MAX ((TARE_TERMS_MAX + 1) * (TARE_TERMS_MAX + 4) / 2 + TARE_BLOCK)
#define COLLINEAR 1e-10 /* share of a column's squares that the others leave */
#define CONSTANT 1e-13  /* of the response's sum of squares */

/* ---- a regression refitted from sums alone ---- */

/*
** In the coordinates of the fit's own Q (scaled to unit variance) and its
** residuals, the normal equations of any resample are close to a multiple of
** the identity: they can be solved from sums without losing digits, however
** ill-conditioned the columns are.
*/
typedef struct refits {
  tare_table table; /* each row's coordinates and products, to be summed */
  int terms, intercept;
  double weight[TARE_TERMS_MAX + 1]; /* the response in these coordinates */
  double beta[TARE_TERMS_MAX];       /* the fit, by term, in the data's units */
  double back[TARE_TERMS_MAX * TARE_TERMS_MAX]; /* a step into those units */
  int slot[TARE_TERMS_MAX]; /* the place of a term's coefficient */
  double constant;          /* sum of squares per row that counts as none */
} refits;

/* The intercept is no variable: all others are taken about their means. */
static int variables(int terms, int intercept) {
  return terms - intercept + 1;
}

static int values_of(int terms, int intercept) {
  int n = variables(terms, intercept);
  return n * (n + 1) / 2 + (intercept ? n : 0);
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
static void fill_row(const refits *m, const tare_lsq *s, size_t i) {
  double z[VARIABLES_MAX], *out = tare_table_at(&m->table, i);
  int n = variables(m->terms, m->intercept), a, b;
  for (a = 0; a < n - 1; a++)
    z[a] = s->x[(size_t)(a + m->intercept) * s->qr.rows + i];
  z[n - 1] = s->residual[i];
  for (a = 0; m->intercept && a < n; a++) *out++ = z[a];
  for (a = 0; a < n; a++)
    for (b = a; b < n; b++) *out++ = z[a] * z[b];
}

/* Sets the weights with which the variables sum to the response (centred). */
static void set_weights(refits *m, const tare_lsq *s) {
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
static void set_units(refits *m, const tare_lsq *s) {
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

/* Builds the table in 'scratch'; uses up s->x and s->work. */
static void prepare(refits *m, tare_lsq *s, double *scratch) {
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
static void load_products(const refits *m, const double *sum, double count,
                          double *a) {
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
static double response_ss(const refits *m, const double *a) {
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
** Gaussian elimination of all variables but the last, the residual, whose sum
** of squares remains. Returns 0 if a pivot is at most 'least'.
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
static void move(const refits *m, const double *step, double *out) {
  int t, j;
  for (t = 0; t < m->terms; t++) {
    double v = m->beta[t];
    for (j = t; j < m->terms; j++) v += m->back[t * m->terms + j] * step[j];
    out[m->slot[t]] = v;
  }
}

/*
** Refits from the sums of 'count' drawn rows: out[0..terms-1] become the
** coefficients (columns in order, then intercept), out[terms] R2 (NaN where
** the response of the fit itself does not vary). Returns 0 where the drawn
** rows cannot be fitted: their columns are collinear, or their response does
** not vary.
*/
static int refit(const refits *m, const double *sum, double count,
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

/* ---- resampling ---- */

/* What a run works on; its arrays lie in the caller's scratch. */
typedef struct work {
  refits fit;
  double *replicate; /* a row of 'resamples' values for each statistic */
  double *left_out;  /* a row of 'units' values for each statistic */
  uint32_t *index;
} work;

size_t tare_boot_fit_doubles(const tare_design *d, const tare_boot *boot) {
  int terms = tare_design_terms(d);
  size_t statistics = (size_t)terms + 1;
  return tare_lsq_doubles(d->rows, terms) +
         tare_table_doubles(d->rows, values_of(terms, d->intercept)) +
         statistics * boot->resamples +
         (boot->method == TARE_BOOT_BCA
              ? statistics * tare_plan_units(&boot->plan)
              : 0) +
         tare_plan_doubles(&boot->plan);
}

static void set_up(work *w, tare_lsq *s, const tare_boot *boot,
                   double *scratch) {
  size_t statistics = (size_t)s->qr.terms + 1;
  w->replicate = scratch;
  scratch += statistics * boot->resamples;
  w->left_out = scratch;
  if (boot->method == TARE_BOOT_BCA)
    scratch += statistics * tare_plan_units(&boot->plan);
  w->index = (uint32_t *)scratch;
  scratch += tare_plan_doubles(&boot->plan);
  prepare(&w->fit, s, scratch);
}

/* out[0], out[stride], ... = values[0..n-1] */
static void scatter(const double *values, int n, double *out, size_t stride) {
  int i;
  for (i = 0; i < n; i++) out[(size_t)i * stride] = values[i];
}

/* Draws one resample and refits it into 'out'; 0 where it cannot be fitted. */
static int resample(work *w, const tare_plan *plan, tare_rng *rng,
                    double *out) {
  double sum[SUMS_MAX];
  size_t count = plan->rows;
  if (tare_plan_simple(plan)) {
    tare_gather_draw(&w->fit.table, rng, w->index, sum);
  } else {
    count = tare_plan_draw(plan, rng, w->index);
    tare_gather(&w->fit.table, w->index, count, sum);
  }
  return refit(&w->fit, sum, (double)count, out);
}

/* Fills w->replicate; 0 where too few resamples can be fitted. */
static int replicate(work *w, const tare_boot *boot) {
  size_t done = 0, tries = 0;
  double out[TARE_TERMS_MAX + 1];
  tare_rng rng;
  tare_rng_seed(&rng, boot->seed);
  for (; done < boot->resamples; tries++) {
    if (tries == TRIES * boot->resamples) return 0;
    if (!resample(w, &boot->plan, &rng, out)) continue;
    scatter(out, w->fit.terms + 1, w->replicate + done++, boot->resamples);
  }
  return 1;
}

/* The sums of rows first..last-1 of the table. */
static void sum_rows(const tare_table *t, size_t first, size_t last,
                     double *sum) {
  size_t i;
  int v;
  memset(sum, 0, (size_t)t->values * sizeof *sum);
  for (i = first; i < last; i++)
    for (v = 0; v < t->values; v++) sum[v] += tare_table_at(t, i)[v];
}

/*
** Refits without each unit of the plan in turn. Skips units without which the
** rest cannot be fitted; returns the number of fits.
*/
static size_t jackknife(work *w, const tare_plan *plan, size_t stride) {
  const tare_table *t = &w->fit.table;
  double all[SUMS_MAX], part[SUMS_MAX], out[TARE_TERMS_MAX + 1];
  size_t units = tare_plan_units(plan), done = 0, u, first, last;
  int v;
  sum_rows(t, 0, t->rows, all);
  for (u = 0; u < units; u++) {
    tare_plan_unit(plan, u, &first, &last);
    if (last - first == t->rows) continue; /* nothing would be left */
    sum_rows(t, first, last, part);
    for (v = 0; v < t->values; v++) part[v] = all[v] - part[v];
    if (!refit(&w->fit, part, (double)(t->rows - last + first), out)) continue;
    scatter(out, w->fit.terms + 1, w->left_out + done++, stride);
  }
  return done;
}

static void set_bounds(work *w, const tare_boot *boot, const tare_ols *fit,
                       tare_bounds *bounds) {
  size_t units = tare_plan_units(&boot->plan), left = 0;
  int terms = w->fit.terms, i;
  if (boot->method == TARE_BOOT_BCA) left = jackknife(w, &boot->plan, units);
  for (i = 0; i <= terms; i++) {
    double *values = w->replicate + (size_t)i * boot->resamples;
    double estimate = i < terms ? fit->coefficient[i] : fit->r2;
    if (isnan(estimate))
      bounds[i].low = bounds[i].high = NAN;
    else
      bounds[i] = tare_boot_bounds(boot, terms, estimate, values,
                                   w->left_out + (size_t)i * units, left);
  }
}

tare_fit_status tare_boot_fit(const tare_design *d, const tare_boot *boot,
                              double *scratch, tare_ols *fit,
                              tare_bounds *bounds, int *column) {
  tare_lsq s;
  work w;
  int terms = tare_design_terms(d);
  tare_fit_status status;
  *column = -1;
  if (d->rows <= (size_t)terms) return TARE_FIT_TOO_FEW_ROWS;
  status = tare_lsq_solve(&s, d, scratch, column);
  if (status != TARE_FIT_OK) return status;
  tare_ols_summary(&s, fit);
  set_up(&w, &s, boot, scratch + tare_lsq_doubles(d->rows, terms));
  if (!replicate(&w, boot)) return TARE_FIT_DEGENERATE;
  set_bounds(&w, boot, fit, bounds);
  return TARE_FIT_OK;
}
