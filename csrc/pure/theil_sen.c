#include "pure/robust.h"
#include "pure/dist.h"
#include "pure/order.h"
#include "pure/rng.h"
#include "pure/stats.h"

#include <math.h>
#include <string.h>

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

/* Fills slope[] with those of all pairs, or of a drawn part: so many. */
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

/* Sum of t (t - 1) of the groups of t equal values, and of those by 2t + 5. */
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
** By how large a share of the slopes their median's rank may be off: the
** standard deviation of Kendall's S (Sen 1968, with ties in x), against the
** number of pairs.
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
** The interval of a median of n values, of which the rank is off by 'sd' of
** them: at the ranks that far out on either side. NaN where so few values
** reach no such confidence.
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
** The intercept: the median height at the mean of x less the slope's share.
** Reaches of the two are joined, as they are independent but for little.
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
