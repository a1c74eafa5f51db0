#include "pure/bootstrap.h"
#include "pure/distributions.h"
#include "pure/moments.h"
#include "pure/order.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- intervals ---- */

static tare_bounds quantiles(double *replicate, size_t n, double low,
                             double high) {
  tare_bounds b;
  b.low = tare_quantile(replicate, n, low);
  b.high = tare_quantile(replicate, n, high);
  return b;
}

/*
** The confidence at which the method EXPANDED takes its quantiles. With no more
** units than terms it is that for one unit more than terms.
*/
static double expanded_confidence(double confidence, size_t units, int terms) {
  double dof = fmax((double)units - terms, 1.0), p = 0.5 * (1.0 + confidence);
  double reach = sqrt((dof + terms) / dof) * tare_t_quantile(p, dof);
  p = 1.0 - 2.0 * tare_normal_cdf(-reach);
  /* of two or three units it rounds to 1, of next to no confidence to 0 */
  return fmax(fmin(p, 1.0 - DBL_EPSILON), DBL_EPSILON);
}

/* Normal score of the share of replicates below the estimate. */
static double bias_score(const double *replicate, size_t n, double estimate) {
  double below = 0.0, least = 0.5 / (double)n, share;
  size_t i;
  for (i = 0; i < n; i++) {
    if (replicate[i] < estimate)
      below += 1.0;
    else if (replicate[i] == estimate)
      below += 0.5;
  }
  share = below / (double)n; /* kept off 0 and 1, whose scores are infinite */
  return tare_normal_quantile(fmin(fmax(share, least), 1.0 - least));
}

/* The share whose quantile BCA takes in place of that of normal score z. */
static double corrected_share(double z, double bias, double acceleration) {
  double w = bias + z, slope = 1.0 - acceleration * w;
  if (slope <= 0.0) return w > 0.0 ? 1.0 : 0.0; /* beyond the formula's pole */
  return tare_normal_cdf(bias + w / slope);
}

/*
** Acceleration from the n leave-one-out values of the statistic (Efron and
** Tibshirani 1993, 14.15): sum d^3 / (6 (sum d^2)^(3/2)), d = mean - value.
** 0 where the values are all alike.
*/
static double acceleration_of(const double *left_out, size_t n) {
  double mean, unit = 0.0, squares = 0.0, cubes = 0.0;
  size_t i;
  if (n == 0) return 0.0;
  mean = tare_mean(left_out, n);
  for (i = 0; i < n; i++) unit = fmax(unit, fabs(mean - left_out[i]));
  if (!(unit > 0.0)) return 0.0;
  for (i = 0; i < n; i++) { /* in units in which no cube overflows */
    double d = (mean - left_out[i]) / unit;
    squares += d * d;
    cubes += d * d * d;
  }
  return cubes / (6.0 * squares * sqrt(squares));
}

tare_bounds tare_boot_bounds(const tare_boot *boot, int terms, double value,
                             double *replicate, const double *left_out,
                             size_t left) {
  double confidence = boot->confidence, tail, z, bias, acceleration;
  size_t n = boot->resamples;
  assert(n >= 1 && confidence > 0.0 && confidence < 1.0);
  if (boot->method == TARE_BOOT_BCA) {
    z = tare_normal_quantile(0.5 * (1.0 + confidence));
    bias = bias_score(replicate, n, value);
    acceleration = acceleration_of(left_out, left);
    return quantiles(replicate, n, corrected_share(-z, bias, acceleration),
                     corrected_share(z, bias, acceleration));
  }
  if (boot->method == TARE_BOOT_EXPANDED)
    confidence =
        expanded_confidence(confidence, tare_plan_units(&boot->plan), terms);
  tail = 0.5 * (1.0 - confidence);
  return quantiles(replicate, n, tail, 1.0 - tail);
}

/* ---- the statistics of one column ---- */

/* What a run works on; its arrays lie in the caller's scratch. */
typedef struct work {
  tare_statistic statistic;
  double p;
  const tare_plan *plan;
  double mean, scale; /* the table is about the mean, in units of the scale */
  tare_table table;
  double *sorted;
  uint32_t *rank, *times; /* a row's place among the sorted; how often drawn */
  uint32_t *index;
  double *replicate, *left_out;
} work;

static size_t whole_doubles(size_t count) { /* of so many uint32_t */
  return count / 2 + 1;
}

size_t tare_boot_value_doubles(const tare_boot *boot) {
  size_t rows = boot->plan.rows;
  return rows + 2 * whole_doubles(rows) + tare_plan_doubles(&boot->plan) +
         boot->resamples + tare_plan_units(&boot->plan) +
         tare_table_doubles(rows, 2);
}

static double *take(double **scratch, size_t count) {
  double *taken = *scratch;
  *scratch += count;
  return taken;
}

/* Each row's distance from the mean, and its square. */
static void fill_table(work *w, const double *xs) {
  size_t rows = w->plan->rows, i;
  w->mean = tare_mean(xs, rows);
  w->scale = sqrt(tare_variance(xs, rows));
  if (!(w->scale > 0.0)) w->scale = 1.0;
  for (i = 0; i < rows; i++) {
    double *row = tare_table_at(&w->table, i);
    row[0] = (xs[i] - w->mean) / w->scale;
    row[1] = row[0] * row[0];
  }
}

static void set_up(work *w, const double *xs, const tare_boot *boot,
                   double *scratch) {
  size_t rows = boot->plan.rows, i;
  w->plan = &boot->plan;
  w->sorted = take(&scratch, rows);
  w->rank = (uint32_t *)take(&scratch, whole_doubles(rows));
  w->times = (uint32_t *)take(&scratch, whole_doubles(rows));
  w->index = (uint32_t *)take(&scratch, tare_plan_doubles(w->plan));
  w->replicate = take(&scratch, boot->resamples);
  w->left_out = take(&scratch, tare_plan_units(w->plan));
  tare_table_init(&w->table, scratch, rows, 2);
  fill_table(w, xs);
  memcpy(w->sorted, xs, rows * sizeof *xs);
  tare_sort(w->sorted, rows);
  for (i = 0; i < rows; i++)
    w->rank[i] = (uint32_t)tare_count_below(w->sorted, rows, xs[i]);
}

/* Mean or standard deviation from the sums of 'count' rows. */
static double from_sums(const work *w, const double *sum, double count) {
  double mean = sum[0] / count, squares;
  if (w->statistic == TARE_STATISTIC_MEAN) return w->mean + w->scale * mean;
  squares = fmax(sum[1] - count * mean * mean, 0.0);
  return count > 1.0 ? w->scale * sqrt(squares / (count - 1.0)) : 0.0;
}

/* The quantile of 'count' rows, of which times[r] have rank r. */
static double from_times(const work *w, size_t count) {
  double position = w->p * (double)(count - 1), low;
  size_t below = (size_t)position, seen = w->times[0], r = 0;
  while (seen <= below) seen += w->times[++r];
  low = w->sorted[r];
  if (below + 1 >= count || seen > below + 1) return low;
  while (w->times[++r] == 0) continue;
  return low + (position - (double)below) * (w->sorted[r] - low);
}

static void count_rank(work *w, size_t row, uint32_t by) {
  w->times[w->rank[row]] += by;
}

static double resample(work *w, tare_rng *rng) {
  double sum[TARE_BLOCK];
  size_t count = w->plan->rows, i;
  if (w->statistic != TARE_STATISTIC_QUANTILE && tare_plan_simple(w->plan)) {
    tare_gather_draw(&w->table, rng, w->index, sum);
    return from_sums(w, sum, (double)count);
  }
  count = tare_plan_draw(w->plan, rng, w->index);
  if (w->statistic != TARE_STATISTIC_QUANTILE) {
    tare_gather(&w->table, w->index, count, sum);
    return from_sums(w, sum, (double)count);
  }
  memset(w->times, 0, w->plan->rows * sizeof *w->times);
  for (i = 0; i < count; i++) count_rank(w, w->index[i], 1);
  return from_times(w, count);
}

/* The statistic of all rows but first..last-1. Requires times[] of all rows. */
static double without(work *w, const double *all, size_t first, size_t last) {
  double sum[2] = {all[0], all[1]}, value;
  size_t count = w->plan->rows - (last - first), i;
  if (w->statistic == TARE_STATISTIC_QUANTILE) {
    for (i = first; i < last; i++) count_rank(w, i, (uint32_t)-1);
    value = from_times(w, count);
    for (i = first; i < last; i++) count_rank(w, i, 1);
    return value;
  }
  for (i = first; i < last; i++) {
    sum[0] -= tare_table_at(&w->table, i)[0];
    sum[1] -= tare_table_at(&w->table, i)[1];
  }
  return from_sums(w, sum, (double)count);
}

/* The statistic without each unit of the plan; returns of how many units. */
static size_t jackknife(work *w, const double *all) {
  size_t units = tare_plan_units(w->plan), done = 0, u, first, last;
  for (u = 0; u < units; u++) {
    tare_plan_unit(w->plan, u, &first, &last);
    if (last - first == w->plan->rows) continue; /* nothing would be left */
    w->left_out[done++] = without(w, all, first, last);
  }
  return done;
}

double tare_boot_value(const double *xs, tare_statistic statistic, double p,
                       const tare_boot *boot, double *scratch,
                       tare_bounds *bounds) {
  work w;
  tare_rng rng;
  double all[2] = {0.0, 0.0}, value;
  size_t left = 0, r, i;
  assert(boot->plan.rows >= 1 && p >= 0.0 && p <= 1.0);
  w.statistic = statistic;
  w.p = p;
  set_up(&w, xs, boot, scratch);
  tare_rng_seed(&rng, boot->seed);
  for (r = 0; r < boot->resamples; r++) w.replicate[r] = resample(&w, &rng);
  memset(w.times, 0, boot->plan.rows * sizeof *w.times);
  for (i = 0; i < boot->plan.rows; i++) {
    count_rank(&w, i, 1);
    all[0] += tare_table_at(&w.table, i)[0];
    all[1] += tare_table_at(&w.table, i)[1];
  }
  value = without(&w, all, 0, 0);
  if (boot->method == TARE_BOOT_BCA) left = jackknife(&w, all);
  *bounds = tare_boot_bounds(boot, 1, value, w.replicate, w.left_out, left);
  return value;
}
