#include "pure/growth.h"
#include "pure/distributions.h"

#include <assert.h>
#include <math.h>

/* ---- the least value of a function of one variable ---- */

typedef double (*function)(void *context, double x);

#define GOLDEN 0.61803398874989484820

static double golden_section(function f, void *context, double low, double high,
                             double tolerance) {
  double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
  double fa = f(context, a), fb = f(context, b);
  while (high - low > tolerance) {
    if (fa <= fb) {
      high = b;
      b = a, fb = fa;
      a = high - GOLDEN * (high - low), fa = f(context, a);
    } else {
      low = a;
      a = b, fa = fb;
      b = low + GOLDEN * (high - low), fb = f(context, b);
    }
  }
  return fa <= fb ? a : b;
}

/*
** Where f(context, x) is least in low..high: the best of 'cells' + 1 points
** spread evenly, then golden-section search around it (Kiefer 1953,
** Proceedings of the AMS 4) until it is known to 'tolerance'. Finds the
** least of several minima if they are further apart than a cell.
** Requires low < high, cells >= 2 and tolerance > 0.
*/
static double least_at(function f, void *context, double low, double high,
                       int cells, double tolerance) {
  double width = (high - low) / cells, least = f(context, low), x;
  int best = 0, i;
  assert(low < high && cells >= 2 && tolerance > 0.0);
  for (i = 1; i <= cells; i++) {
    double value = f(context, low + i * width);
    if (value < least) least = value, best = i;
  }
  x = golden_section(f, context, low + (best > 0 ? best - 1 : 0) * width,
                     low + (best < cells ? best + 1 : cells) * width,
                     tolerance);
  return f(context, x) <= least ? x : low + best * width;
}

/* ---- a sweep, and costs of a known shape ---- */

/* A sweep in logarithms, those of the sizes about their mean. */
typedef struct sweep {
  size_t n;
  double *log_n, *log_t;
  double *g; /* a shape: 0 or more, one at least above 0 */
} sweep;

/*
** The best of constant + factor * g, with relative noise, so that the fit is
** over logarithms. Both coefficients are 0 or more.
*/
typedef struct shape_fit {
  double rss; /* squared distances in logarithms */
  double constant, factor;
} shape_fit;

/* constant / factor is searched from 1 / REACH of the least g to REACH times
** the largest. Beyond, the constant or the factor does not show. */
#define REACH 1e4

/* Fits c * (g + ratio): c is the mean of what is left over in logarithms. */
static shape_fit fit_ratio(const sweep *s, double ratio) {
  shape_fit fit = {0.0, 0.0, 0.0};
  double mean = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) {
    double rest = s->log_t[i] - log(s->g[i] + ratio), gap = rest - mean;
    mean += gap / (double)(i + 1); /* Welford (1962), Technometrics 4(3) */
    fit.rss += gap * (rest - mean);
  }
  fit.factor = exp(mean);
  fit.constant = ratio > 0.0 ? ratio * fit.factor : 0.0;
  return fit;
}

static double rss_at(void *context, double log_ratio) {
  return fit_ratio((const sweep *)context, exp(log_ratio)).rss;
}

/*
** The best fit; its constant may be 0. A shape that no double holds, because it
** overflows at a size or underflows at all, fits nothing.
*/
static shape_fit fit_shape(sweep *s) {
  double least = HUGE_VAL, most = 0.0;
  shape_fit pure, raised = {HUGE_VAL, 0.0, 0.0};
  int zeros = 0;
  size_t i;
  for (i = 0; i < s->n; i++) {
    if (s->g[i] > 0.0)
      least = fmin(least, s->g[i]);
    else
      zeros = 1;
    most = fmax(most, s->g[i]);
  }
  if (!(most > 0.0 && most < HUGE_VAL)) return raised;
  raised = fit_ratio(s, exp(least_at(rss_at, s, log(least) - log(REACH),
                                     log(most) + log(REACH), 40, 1e-7)));
  if (zeros) return raised;
  pure = fit_ratio(s, 0.0);
  return pure.rss <= raised.rss ? pure : raised;
}

/*
** Akaike's criterion, corrected for few points (AICc: Hurvich and Tsai 1989,
** Biometrika 76), of a fit with k parameters, the variance included; infinite
** where n is too small for k.
*/
static double aicc(double rss, size_t n, int k) {
  double points = (double)n, rest = points - k - 1.0;
  if (rest <= 0.0 || isinf(rss)) return HUGE_VAL;
  /* the least variance stands for rounding: a fit can't be better than that */
  return points * log(fmax(rss / points, 1e-30)) + 2.0 * k * points / rest;
}

/* ---- the exponent, with its interval ---- */

/* Puts sizes and costs in logarithms into 'work', 3 n doubles long. */
static sweep sweep_of(const double *ns, const double *ts, size_t n,
                      double *work) {
  sweep s;
  double mean = 0.0;
  size_t i;
  s.n = n, s.log_n = work, s.log_t = work + n, s.g = work + 2 * n;
  for (i = 0; i < n; i++) mean += log(ns[i]) / (double)n;
  for (i = 0; i < n; i++) {
    s.log_n[i] = log(ns[i]) - mean;
    s.log_t[i] = log(ts[i]);
  }
  return s;
}

/* Squared distances of the log sizes from their mean. */
static double spread_of(const sweep *s) {
  double spread = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) spread += s->log_n[i] * s->log_n[i];
  return spread;
}

/* The slope that the least-squares line of ys[] over log_n has. */
static double sweep_slope(const sweep *s, const double *ys) {
  double product = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) product += s->log_n[i] * (ys[i] - ys[0]);
  return product / spread_of(s);
}

/* Squared distances of the log costs from the line of that slope. */
static double rss_of_line(const sweep *s, double slope) {
  double mean = 0.0, rss = 0.0;
  size_t i;
  for (i = 0; i < s->n; i++) mean += s->log_t[i] / (double)s->n;
  for (i = 0; i < s->n; i++) {
    double rest = s->log_t[i] - mean - slope * s->log_n[i];
    rss += rest * rest;
  }
  return rss;
}

/*
** p of cost = factor * n^p with the interval of the regression of logarithms.
** Requires n >= 3 and more than one size.
*/
static tare_exponent pure_exponent(const sweep *s, double confidence) {
  double df = (double)s->n - 2.0, reach;
  tare_exponent e;
  assert(s->n >= 3);
  e.value = sweep_slope(s, s->log_t);
  reach = tare_t_quantile(0.5 + 0.5 * confidence, df) *
          sqrt(rss_of_line(s, e.value) / df / spread_of(s));
  e.low = e.value - reach;
  e.high = e.value + reach;
  return e;
}

#define LOWEST (-2.0) /* exponents between which the best is searched */
#define HIGHEST 8.0

/* Least squared distances that constant + factor * n^p leaves. */
static double rss_of(void *context, double p) {
  sweep *s = (sweep *)context;
  size_t i;
  for (i = 0; i < s->n; i++) s->g[i] = exp(p * s->log_n[i]);
  return fit_shape(s).rss;
}

/*
** The exponent at which rss_of() has risen to 'most', on the way from p to
** 'end'; NaN where it has not by then.
*/
static double profile_end(sweep *s, double p, double end, double most) {
  double step = end > p ? 0.01 : -0.01, inside = p, outside = p + step;
  int i;
  while ((outside - end) * step < 0.0 && rss_of(s, outside) <= most) {
    inside = outside;
    step *= 1.5;
    outside += step;
  }
  if ((outside - end) * step >= 0.0) {
    outside = end;
    if (rss_of(s, end) <= most) return NAN;
  }
  for (i = 0; i < 30; i++) {
    double middle = 0.5 * (inside + outside);
    if (rss_of(s, middle) <= most)
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

/*
** p of cost = constant + factor * n^p, with the interval of the profile
** likelihood (Bates and Watts 1988, Nonlinear Regression Analysis, section
** 6.1). The constant is always fitted. If it was left out where it did not pay
** (by AICc or F), simulated intervals missed p up to nine times in ten; fitting
** it hardly widens them where there is none. Ends beyond the range searched, -2
** to 8, are not known. Requires n >= 5 and three sizes.
*/
static tare_exponent raised_exponent(sweep *s, double confidence) {
  tare_exponent e;
  double df = (double)s->n - 3.0, p, rss, t;
  assert(s->n >= 5);
  p = least_at(rss_of, s, LOWEST, HIGHEST, 50, 1e-6);
  rss = rss_of(s, p);
  t = tare_t_quantile(0.5 + 0.5 * confidence, df);
  rss *= 1.0 + t * t / df;
  e.value = p;
  e.low = profile_end(s, p, LOWEST, rss);
  e.high = profile_end(s, p, HIGHEST, rss);
  return e;
}

/* ---- the law ---- */

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
static shape_fit fit_law(int law, const double *ns, sweep *s) {
  shape_fit fit;
  size_t i;
  for (i = 0; i < s->n; i++) s->g[i] = grow(law, ns[i]);
  fit = fit_shape(s);
  if (law == TARE_LAW_CONSTANT) { /* g is 1 too: all of it is constant */
    fit.constant += fit.factor;
    fit.factor = 0.0;
  }
  return fit;
}

/* The slope of log(law) over log(size); NaN if the law is 0 at a size. */
static double slope_of(int law, const double *ns, sweep *s) {
  size_t i;
  for (i = 0; i < s->n; i++) {
    s->g[i] = log(grow(law, ns[i]));
    if (isinf(s->g[i])) return NAN;
  }
  return sweep_slope(s, s->g);
}

/* The growing law with the least criterion among those not in 'taken'. */
static int next_best(const tare_growth *g, const int *taken) {
  int best = -1, law;
  for (law = TARE_LAW_CONSTANT + 1; law < TARE_LAW_COUNT; law++)
    if (!taken[law] && (best < 0 || g->aicc[law] < g->aicc[best])) best = law;
  return best;
}

/* Marks the smallest set of growing laws with that total Akaike weight. */
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

/* Marks the laws whose own slope lies in the interval of the slope. */
static void mark_within(tare_growth *g, const double *ns, sweep *s,
                        const tare_exponent *slope) {
  int law;
  for (law = TARE_LAW_CONSTANT + 1; law < TARE_LAW_COUNT; law++) {
    double own = slope_of(law, ns, s);
    if (g->aicc[law] < HUGE_VAL && own >= slope->low && own <= slope->high)
      g->tied[law] = 1;
  }
}

/*
** A series whose slope is surely above this is not level, even where a constant
** describes a handful of noisy points best.
*/
#define SURELY_GROWS 0.25

/* Chooses the law, and the laws tied with it, by criteria and slope. */
static void choose_law(tare_growth *g, const double *ns, sweep *s,
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
  sweep s = sweep_of(ns, ts, n, work);
  shape_fit fit;
  double least = HUGE_VAL;
  size_t i;
  int law;
  *out = none;
  for (law = 0; law < TARE_LAW_COUNT; law++) out->aicc[law] = HUGE_VAL;
  if (!has_three_sizes(ns, n)) return;
  out->exponent = pure_exponent(&s, confidence);
  if (n < 5) return;
  for (i = 0; i < n; i++) least = fmin(least, ns[i]);
  for (law = 0; law < TARE_LAW_COUNT; law++)
    if (least >= 1.0 || !has_logarithm(law))
      out->aicc[law] = aicc(fit_law(law, ns, &s).rss, n, law == 0 ? 2 : 3);
  choose_law(out, ns, &s, &out->exponent, confidence);
  fit = fit_law(out->law, ns, &s);
  out->constant = fit.constant;
  out->factor = fit.factor;
  if (out->law != TARE_LAW_CONSTANT)
    out->exponent = raised_exponent(&s, confidence);
}
