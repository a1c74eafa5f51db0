#include "pure/growth.h"
#include "pure/shape.h"

#include <assert.h>
#include <math.h>

#define LAW_NAME(id, name) name,
static const char *const names[] = {TARE_LAWS(LAW_NAME)};

const char *tare_law_name(int law) {
  assert(law >= 0 && law < TARE_LAW_COUNT);
  return names[law];
}

static double grow(int law, double n) {
  switch (law) {
  case TARE_LAW_LOG: return log(n);
  case TARE_LAW_LINEAR: return n;
  case TARE_LAW_N_LOG_N: return n * log(n);
  case TARE_LAW_SQUARE: return n * n;
  case TARE_LAW_CUBE: return n * n * n;
  default: return 1.0;
  }
}

static int has_logarithm(int law) {
  return law == TARE_LAW_LOG || law == TARE_LAW_N_LOG_N;
}

/* The best fit of a law; its shape stays in s->g. */
static tare_shape_fit fit_law(int law, const double *ns, tare_sweep *s) {
  tare_shape shape;
  tare_shape_fit fit;
  size_t i;
  shape.n = s->n, shape.log_t = s->log_t, shape.g = s->g;
  for (i = 0; i < s->n; i++) s->g[i] = grow(law, ns[i]);
  fit = tare_shape_fit_of(&shape);
  if (law == TARE_LAW_CONSTANT) { /* g is 1 too: all of it is constant */
    fit.constant += fit.factor;
    fit.factor = 0.0;
  }
  return fit;
}

/* The slope of a law alone, over the same sizes; NaN where it is 0 at one. */
static double slope_of(int law, const double *ns, tare_sweep *s) {
  size_t i;
  for (i = 0; i < s->n; i++) {
    s->g[i] = log(grow(law, ns[i]));
    if (isinf(s->g[i])) return NAN;
  }
  return tare_sweep_slope(s, s->g);
}

/* The growing law with the least criterion among those not in 'taken'. */
static int next_best(const tare_growth *g, const int *taken) {
  int best = -1, law;
  for (law = TARE_LAW_CONSTANT + 1; law < TARE_LAW_COUNT; law++)
    if (!taken[law] && (best < 0 || g->aicc[law] < g->aicc[best])) best = law;
  return best;
}

/* Marks the smallest set of growing laws of that weight. */
static void mark_growing(tare_growth *g, double confidence) {
  double total = 0.0, sum = 0.0;
  int best = next_best(g, g->tied), law;
  for (law = TARE_LAW_CONSTANT + 1; law < TARE_LAW_COUNT; law++)
    total += exp(0.5 * (g->aicc[best] - g->aicc[law]));
  for (law = best; law >= 0 && sum < confidence * total;
       law = next_best(g, g->tied)) {
    g->tied[law] = 1;
    sum += exp(0.5 * (g->aicc[best] - g->aicc[law]));
  }
}

/* Marks the laws that the interval of the slope holds. */
static void mark_within(tare_growth *g, const double *ns, tare_sweep *s,
                        const tare_exponent *slope) {
  int law;
  for (law = TARE_LAW_CONSTANT + 1; law < TARE_LAW_COUNT; law++) {
    double own = slope_of(law, ns, s);
    if (g->aicc[law] < HUGE_VAL && own >= slope->low && own <= slope->high)
      g->tied[law] = 1;
  }
}

/*
** A slope that is surely above this is no level series, though a handful of
** noisy points is best described by a constant.
*/
#define SURELY_GROWS 0.25

/* Chooses the law and what is tied with it, by criteria and slope. */
static void choose_law(tare_growth *g, const double *ns, tare_sweep *s,
                       const tare_exponent *slope, double confidence) {
  int level = slope->low <= 0.0 && slope->high >= 0.0;
  int best = next_best(g, g->tied);
  g->law = TARE_LAW_CONSTANT;
  if (g->aicc[best] < g->aicc[TARE_LAW_CONSTANT] || slope->low > SURELY_GROWS)
    g->law = best;
  if (g->law == TARE_LAW_CONSTANT && level)
    mark_within(g, ns, s, slope);
  else
    mark_growing(g, confidence);
  if (g->law != TARE_LAW_CONSTANT) g->tied[TARE_LAW_CONSTANT] = level;
  g->tied[g->law] = 0;
}

/* Whether there are three different sizes among them. */
static int has_three_sizes(const double *ns, size_t n) {
  size_t i, other = 0;
  for (i = 1; i < n; i++) {
    if (ns[i] == ns[0]) continue;
    if (other == 0)
      other = i;
    else if (ns[i] != ns[other])
      return 1;
  }
  return 0;
}

void tare_growth_fit(const double *ns, const double *ts, size_t n,
                     double confidence, double *work, tare_growth *out) {
  tare_growth none = {-1, {0}, {0.0}, NAN, NAN, {NAN, NAN, NAN}};
  tare_sweep s = tare_sweep_of(ns, ts, n, work);
  tare_shape_fit fit;
  double least = HUGE_VAL;
  size_t i;
  int law;
  *out = none;
  for (law = 0; law < TARE_LAW_COUNT; law++) out->aicc[law] = HUGE_VAL;
  if (!has_three_sizes(ns, n)) return;
  out->exponent = tare_exponent_pure(&s, confidence);
  if (n < 5) return;
  for (i = 0; i < n; i++) least = fmin(least, ns[i]);
  for (law = 0; law < TARE_LAW_COUNT; law++)
    if (least >= 1.0 || !has_logarithm(law))
      out->aicc[law] = tare_aicc(fit_law(law, ns, &s).rss, n, law == 0 ? 2 : 3);
  choose_law(out, ns, &s, &out->exponent, confidence);
  fit = fit_law(out->law, ns, &s);
  out->constant = fit.constant;
  out->factor = fit.factor;
  if (out->law != TARE_LAW_CONSTANT)
    out->exponent = tare_exponent_raised(&s, confidence);
}
