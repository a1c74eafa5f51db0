#include "pure/robust_fit.h"
#include "pure/distributions.h"
#include "pure/moments.h"
#include "pure/order.h"
#include "pure/rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Huber's M-estimate ---- */

#define TUNING 1.345
#define STEPS_MAX 500
#define LEAST_SCALE 1e-14 /* of a response that is at most 1 */

size_t tare_huber_doubles(size_t rows, int terms) {
  return tare_lsq_doubles(rows, terms);
}

static double clip(double r, double bound) {
  return r > bound ? bound : r < -bound ? -bound : r;
}

/* Standard deviation of the residuals by their median size. */
static double scale_of(const double *residual, size_t n, double *work) {
  size_t i;
  for (i = 0; i < n; i++) work[i] = fabs(residual[i]);
  return fmax(TARE_MAD_SCALE * tare_median(work, n), LEAST_SCALE);
}

/* The size of a step, divided by the size of the coefficients. */
static double relative_step(const tare_lsq *s, const double *step) {
  double moved = 0.0, size = 0.0;
  int t;
  for (t = 0; t < s->qr.terms; t++) {
    moved += fabs(step[t]);
    size += fabs(s->beta[t]);
  }
  return moved / fmax(size, LEAST_SCALE);
}

/*
** Moves the fit by the regression of the clipped residuals, until it no longer
** moves. Returns the scale.
*/
static double come_to_rest(tare_lsq *s, double *work) {
  size_t n = s->qr.rows, i;
  double scale = 0.0;
  int k;
  for (k = 0; k < STEPS_MAX; k++) {
    scale = scale_of(s->residual, n, work);
    for (i = 0; i < n; i++) work[i] = clip(s->residual[i], TUNING * scale);
    tare_lsq_move(s, work);
    if (relative_step(s, work) < 1e-13) break;
  }
  return scale;
}

/*
** What to multiply the diagonal of (x'x)^-1 by to get variances: with psi the
** clipped residuals and m the share that is not clipped,
** k^2 sum(psi^2) / (n - p) / m^2, k = 1 + p (1 - m) / (n m).
*/
static double variance_factor(const tare_lsq *s, double scale) {
  double n = (double)s->qr.rows, p = s->qr.terms, squares = 0.0, inside = 0.0;
  double share, k;
  size_t i;
  for (i = 0; i < s->qr.rows; i++) {
    double psi = clip(s->residual[i], TUNING * scale);
    squares += psi * psi;
    if (psi == s->residual[i]) inside += 1.0;
  }
  share = inside / n;
  k = 1.0 + p * (1.0 - share) / (n * share);
  return n > p ? k * k * squares / (n - p) / (share * share) : NAN;
}

void tare_robust_set(tare_robust *fit, const tare_lsq *s, const double *sd,
                     double reach) {
  int t;
  fit->share = fit->excess = fit->power = NAN;
  for (t = 0; t < s->qr.terms; t++) {
    double unit = tare_lsq_unit(s, t), half = reach * sd[t] * unit;
    int slot = tare_lsq_slot(s, t);
    fit->coefficient[slot] = s->beta[t] * unit;
    fit->bounds[slot].low = fit->coefficient[slot] - half;
    fit->bounds[slot].high = fit->coefficient[slot] + half;
  }
}

tare_fit_status tare_huber_fit(const tare_design *d, double confidence,
                               double *scratch, tare_robust *fit, int *column) {
  tare_lsq s;
  tare_fit_status status = tare_lsq_solve(&s, d, scratch, column);
  double sd[TARE_TERMS_MAX], scale, factor, dof, reach;
  int t;
  if (status != TARE_FIT_OK) return status;
  scale = come_to_rest(&s, s.work);
  factor = variance_factor(&s, scale);
  tare_qr_inverse_gram(&s.qr, sd);
  for (t = 0; t < s.qr.terms; t++) sd[t] = sqrt(sd[t] * factor);
  dof = (double)d->rows - s.qr.terms;
  reach = dof > 0.0 ? tare_t_quantile(0.5 * (1.0 + confidence), dof) : NAN;
  tare_robust_set(fit, &s, sd, reach);
  fit->noise_sd = scale > LEAST_SCALE ? ldexp(scale, s.y_exponent) : 0.0;
  return TARE_FIT_OK;
}

/* ---- Theil and Sen's median of slopes ---- */

#define PAIRS_MAX 524288 /* all of them up to 1,024 rows */

static double pairs_of(size_t rows) {
  return 0.5 * (double)rows * (double)(rows - 1);
}

static size_t slopes_max(size_t rows) {
  double pairs = pairs_of(rows);
  if (pairs > PAIRS_MAX) return PAIRS_MAX;
  return pairs < (double)rows ? rows : (size_t)pairs;
}

size_t tare_theil_sen_doubles(size_t rows, int terms) {
  (void)terms;
  return slopes_max(rows) + rows;
}

/* Adds the slope between rows i and j, unless they share their x. */
static size_t add_slope(const tare_design *d, size_t i, size_t j, double *slope,
                        size_t count) {
  const double *x = d->x[0];
  if (x[i] != x[j]) slope[count++] = (d->y[j] - d->y[i]) / (x[j] - x[i]);
  return count;
}

/*
** Fills slope[] with those of all pairs, or of pairs drawn; returns how many.
*/
static size_t pair_slopes(const tare_design *d, double *slope) {
  size_t count = 0, n = d->rows, i, j;
  tare_rng rng;
  if (pairs_of(n) <= PAIRS_MAX) {
    for (i = 0; i < n; i++)
      for (j = i + 1; j < n; j++) count = add_slope(d, i, j, slope, count);
    return count;
  }
  tare_rng_seed(&rng, 1);
  for (i = 0; i < PAIRS_MAX; i++) {
    uint64_t word = tare_rng_next(&rng);
    count = add_slope(d, tare_low_below(word, n), tare_high_below(word, n),
                      slope, count);
  }
  return count;
}

/* Slopes of the lines from the origin to each row. */
static size_t origin_slopes(const tare_design *d, double *slope) {
  size_t count = 0, i;
  for (i = 0; i < d->rows; i++)
    if (d->x[0][i] != 0.0) slope[count++] = d->y[i] / d->x[0][i];
  return count;
}

/* Over groups of t equal values: sums of t (t-1) and t (t-1) (2t+5). */
static void count_ties(const double *sorted, size_t n, double *pairs,
                       double *weighted) {
  size_t i, first = 0;
  *pairs = *weighted = 0.0;
  for (i = 1; i <= n; i++) {
    double t = (double)(i - first);
    if (i < n && sorted[i] == sorted[first]) continue;
    *pairs += t * (t - 1.0);
    *weighted += t * (t - 1.0) * (2.0 * t + 5.0);
    first = i;
  }
}

/*
** The standard deviation of Kendall's S (Sen 1968, with ties in x), divided by
** the number of pairs: for rank_bounds().
*/
static double pair_rank_sd(const tare_design *d, double *work) {
  double n = (double)d->rows, tied, weighted, pairs;
  memcpy(work, d->x[0], d->rows * sizeof *work);
  tare_sort(work, d->rows);
  count_ties(work, d->rows, &tied, &weighted);
  pairs = 0.5 * (n * (n - 1.0) - tied);
  return sqrt((n * (n - 1.0) * (2.0 * n + 5.0) - weighted) / 18.0) / pairs;
}

/* The value at a rank, from 0; NaN where there is none. */
static double at_rank(double *xs, size_t n, double rank) {
  if (rank < 0.0 || rank >= (double)n) return NAN;
  return tare_select(xs, n, (size_t)rank);
}

/*
** The interval of a median of n values. n * sd / 2 is the standard deviation of
** the median's rank: the ends are at the ranks z times as far out on either
** side. NaN where so few values reach no such confidence.
*/
static tare_bounds rank_bounds(double *xs, size_t n, double sd, double z) {
  double count = (double)n;
  double out = floor(0.5 * (count + 1.0) - 0.5 * z * sd * count);
  tare_bounds b;
  b.low = at_rank(xs, n, out - 1.0);
  b.high = at_rank(xs, n, count - out);
  return b;
}

/* Heights of the rows over the slope's line, at the mean of x. */
static void heights(const tare_design *d, double slope, double mean,
                    double *out) {
  size_t i;
  for (i = 0; i < d->rows; i++) out[i] = d->y[i] - slope * (d->x[0][i] - mean);
}

/*
** The intercept: the median height at the mean of x, less slope * mean. The two
** intervals are combined as if independent, which they nearly are.
*/
static void set_intercept(const tare_design *d, tare_robust *fit, double z,
                          double *work) {
  double mean = tare_mean(d->x[0], d->rows), slope = fit->coefficient[0];
  double n = (double)d->rows, height, a = mean * fit->bounds[0].low;
  double b = mean * fit->bounds[0].high;
  tare_bounds h;
  heights(d, slope, mean, work);
  height = tare_median(work, d->rows);
  h = rank_bounds(work, d->rows, 1.0 / sqrt(n), z);
  fit->coefficient[1] = height - slope * mean;
  fit->bounds[1].low =
      fit->coefficient[1] - hypot(height - h.low, fmax(a, b) - slope * mean);
  fit->bounds[1].high =
      fit->coefficient[1] + hypot(h.high - height, slope * mean - fmin(a, b));
}

/* Median size of the distances from the line, scaled to a deviation. */
static double noise_sd(const tare_design *d, const tare_robust *fit,
                       double *work) {
  double intercept = d->intercept ? fit->coefficient[1] : 0.0;
  size_t i;
  for (i = 0; i < d->rows; i++)
    work[i] = fabs(d->y[i] - intercept - fit->coefficient[0] * d->x[0][i]);
  return TARE_MAD_SCALE * tare_median(work, d->rows);
}

tare_fit_status tare_theil_sen_fit(const tare_design *d, double confidence,
                                   double *scratch, tare_robust *fit,
                                   int *column) {
  tare_fit_status status = tare_design_check(d, column);
  double *work = scratch + slopes_max(d->rows), sd;
  double z = tare_normal_quantile(0.5 * (1.0 + confidence));
  size_t count;
  if (status != TARE_FIT_OK) return status;
  count = d->intercept ? pair_slopes(d, scratch) : origin_slopes(d, scratch);
  if (count == 0) {
    *column = 0;
    return TARE_FIT_COLLINEAR;
  }
  sd = d->intercept ? pair_rank_sd(d, work) : 1.0 / sqrt((double)count);
  fit->coefficient[0] = tare_median(scratch, count);
  fit->bounds[0] = rank_bounds(scratch, count, sd, z);
  if (d->intercept) set_intercept(d, fit, z, work);
  fit->noise_sd = noise_sd(d, fit, work);
  fit->share = fit->excess = fit->power = NAN;
  return TARE_FIT_OK;
}

/* ---- quantile regression ---- */

#define GOLDEN 0.61803398874989485 /* (sqrt(5) - 1) / 2 */
#define EXPANSIONS 200             /* of the bracket, each by a factor of 2 */
#define REFINEMENTS 90             /* each by the golden section: to 1e-19 */

typedef struct problem {
  const double *x, *y;
  size_t n;
  double tau;
  double *work; /* n doubles */
} problem;

static double total(const double *xs, size_t n) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < n; i++) sum += xs[i];
  return sum;
}

/* Sum of the x whose ratio y / x is at most 'ratio'. */
static double weight_up_to(const problem *p, double ratio) {
  double sum = 0.0;
  size_t i;
  for (i = 0; i < p->n; i++)
    if (p->y[i] / p->x[i] <= ratio) sum += p->x[i];
  return sum;
}

double tare_quantreg_origin(const double *x, const double *y, size_t n,
                            double tau, double *work) {
  problem p = {NULL, NULL, 0, 0.0, NULL};
  double wanted = tau * total(x, n);
  size_t low = 0, high = n - 1, i;
  assert(n >= 1 && tau > 0.0 && tau < 1.0);
  p.x = x, p.y = y, p.n = n, p.tau = tau, p.work = work;
  for (i = 0; i < n; i++) work[i] = y[i] / x[i];
  tare_sort(work, n);
  while (low < high) { /* the first ratio up to which the weight is enough */
    size_t middle = low + (high - low) / 2;
    if (weight_up_to(&p, work[middle]) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  return work[low];
}

/* The best intercept for a slope: the quantile of what the slope leaves. */
static double best_intercept(const problem *p, double slope) {
  size_t i, k = (size_t)ceil(p->tau * (double)p->n);
  for (i = 0; i < p->n; i++) p->work[i] = p->y[i] - slope * p->x[i];
  return tare_select(p->work, p->n, k > 0 ? k - 1 : 0);
}

/* Koenker and Bassett's loss at a slope and its best intercept. */
static double loss(const problem *p, double slope) {
  double intercept = best_intercept(p, slope), sum = 0.0;
  size_t i;
  for (i = 0; i < p->n; i++) {
    double left = p->y[i] - slope * p->x[i] - intercept;
    sum += left >= 0.0 ? p->tau * left : (p->tau - 1.0) * left;
  }
  return sum;
}

/* Widens [*low, *high] until the loss at the ends is not below the middle. */
static void bracket(const problem *p, double middle, double *low,
                    double *high) {
  double step = fabs(middle) * 1e-3 + 1e-300, inside = loss(p, middle);
  int i;
  for (i = 0; i < EXPANSIONS && loss(p, middle - step) < inside; i++)
    step *= 2.0;
  *low = middle - step;
  step = fabs(middle) * 1e-3 + 1e-300;
  for (i = 0; i < EXPANSIONS && loss(p, middle + step) < inside; i++)
    step *= 2.0;
  *high = middle + step;
}

tare_line tare_quantreg_line(const double *x, const double *y, size_t n,
                             double tau, double *work) {
  problem p = {NULL, NULL, 0, 0.0, NULL};
  tare_line line = {0.0, 0.0};
  double low, high, left, right;
  int i;
  assert(n >= 2 && tau > 0.0 && tau < 1.0);
  p.x = x, p.y = y, p.n = n, p.tau = tau, p.work = work;
  bracket(&p, tare_quantreg_origin(x, y, n, tau, work), &low, &high);
  for (i = 0; i < REFINEMENTS; i++) { /* both anew: kept points would drift */
    left = high - GOLDEN * (high - low);
    right = low + GOLDEN * (high - low);
    if (loss(&p, left) <= loss(&p, right))
      high = right;
    else
      low = left;
  }
  line.slope = (low + high) / 2.0;
  line.intercept = best_intercept(&p, line.slope);
  return line;
}
