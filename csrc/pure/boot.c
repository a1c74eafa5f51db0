#include "pure/boot.h"
#include "pure/moments.h"

#include <math.h>
#include <string.h>

#define TRIES 20 /* for each resample wanted, before the fit is refused */
#define SUMS_MAX ((TARE_TERMS_MAX + 1) * (TARE_TERMS_MAX + 4) / 2 + TARE_BLOCK)

/* What a run works on; its arrays lie in the caller's scratch. */
typedef struct work {
  tare_moments moments;
  double *replicate; /* a row of 'resamples' values for each statistic */
  double *left_out;  /* a row of 'units' values for each statistic */
  uint32_t *index;
} work;

static size_t index_doubles(const tare_plan *plan) {
  return (tare_plan_capacity(plan) + 2) / 2 + 1;
}

size_t tare_boot_fit_doubles(const tare_design *d, const tare_boot *boot) {
  int terms = tare_design_terms(d);
  size_t statistics = (size_t)terms + 1;
  return tare_lsq_doubles(d->rows, terms) +
         tare_moments_doubles(d->rows, terms, d->intercept) +
         statistics * boot->resamples +
         (boot->method == TARE_BOOT_BCA
              ? statistics * tare_plan_units(&boot->plan)
              : 0) +
         index_doubles(&boot->plan);
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
  scratch += index_doubles(&boot->plan);
  tare_moments_init(&w->moments, s, scratch);
}

double tare_boot_confidence(const tare_boot *boot, int terms) {
  if (boot->method != TARE_BOOT_EXPANDED) return boot->confidence;
  return tare_expanded_confidence(boot->confidence,
                                  tare_plan_units(&boot->plan), terms);
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
    tare_gather_draw(&w->moments.table, rng, w->index, sum);
  } else {
    count = tare_plan_draw(plan, rng, w->index);
    tare_gather(&w->moments.table, w->index, count, sum);
  }
  return tare_moments_refit(&w->moments, sum, (double)count, out);
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
    scatter(out, w->moments.terms + 1, w->replicate + done++, boot->resamples);
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
** Refits without each unit of the plan in turn. Units without which the rest
** cannot be fitted are passed over; returns how many were not.
*/
static size_t jackknife(work *w, const tare_plan *plan, size_t stride) {
  const tare_table *t = &w->moments.table;
  double all[SUMS_MAX], part[SUMS_MAX], out[TARE_TERMS_MAX + 1];
  size_t units = tare_plan_units(plan), done = 0, u, first, last;
  int v;
  sum_rows(t, 0, t->rows, all);
  for (u = 0; u < units; u++) {
    tare_plan_unit(plan, u, &first, &last);
    if (last - first == t->rows) continue; /* nothing would be left */
    sum_rows(t, first, last, part);
    for (v = 0; v < t->values; v++) part[v] = all[v] - part[v];
    if (!tare_moments_refit(&w->moments, part, (double)(t->rows - last + first),
                            out))
      continue;
    scatter(out, w->moments.terms + 1, w->left_out + done++, stride);
  }
  return done;
}

static void set_bounds(work *w, const tare_boot *boot, const tare_ols *fit,
                       tare_bounds *bounds) {
  size_t units = tare_plan_units(&boot->plan), left = 0;
  int terms = w->moments.terms, i;
  double confidence = tare_boot_confidence(boot, terms);
  if (boot->method == TARE_BOOT_BCA) left = jackknife(w, &boot->plan, units);
  for (i = 0; i <= terms; i++) {
    double *values = w->replicate + (size_t)i * boot->resamples;
    double estimate = i < terms ? fit->coefficient[i] : fit->r2;
    if (isnan(estimate))
      bounds[i].low = bounds[i].high = NAN;
    else if (boot->method == TARE_BOOT_BCA)
      bounds[i] = tare_bounds_bca(
          values, boot->resamples, boot->confidence, estimate,
          tare_acceleration(w->left_out + (size_t)i * units, left));
    else
      bounds[i] = tare_bounds_percentile(values, boot->resamples, confidence);
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
