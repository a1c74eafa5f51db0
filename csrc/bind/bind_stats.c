/*
** core.stats of one sample: location, spread, outliers, density, modes. A
** 'list' is a table of numbers, at least one; none of them is NaN or infinite
** unless a function allows it. The rest of core.stats: bind_distributions.c,
** bind_two_samples.c, bind_regression.c (rows of several columns),
** bind_bootstrap.c, bind_growth.c.
*/
#include "bind/bind.h"
#include "pure/bimodal.h"
#include "pure/density.h"
#include "pure/moments.h"
#include "pure/order.h"
#include "pure/outliers.h"

#include <math.h>

/* mean(list) -> number */
static int stats_mean(lua_State *L) {
  size_t n;
  const double *xs = tare_check_numbers(L, 1, &n, 0);
  lua_pushnumber(L, tare_mean(xs, n));
  return 1;
}

/* variance(list) -> sample variance (n - 1 below); 0 of a single value */
static int stats_variance(lua_State *L) {
  size_t n;
  const double *xs = tare_check_numbers(L, 1, &n, 0);
  lua_pushnumber(L, tare_variance(xs, n));
  return 1;
}

/* stddev(list) -> square root of the variance */
static int stats_stddev(lua_State *L) {
  size_t n;
  const double *xs = tare_check_numbers(L, 1, &n, 0);
  lua_pushnumber(L, sqrt(tare_variance(xs, n)));
  return 1;
}

/* median(list) -> number; infinite values may take part */
static int stats_median(lua_State *L) {
  size_t n;
  double *xs = tare_check_ordered(L, 1, &n);
  lua_pushnumber(L, tare_median(xs, n));
  return 1;
}

/*
** mad(list) -> median absolute deviation, times 1.4826 so that it estimates
** the standard deviation of normal data; and the same, not scaled
*/
static int stats_mad(lua_State *L) {
  size_t n;
  double *xs = tare_check_numbers(L, 1, &n, 0), raw = tare_mad(xs, n);
  lua_pushnumber(L, raw * TARE_MAD_SCALE);
  lua_pushnumber(L, raw);
  return 2;
}

/* quantile(list, p) -> number (type 7); infinite values may take part */
static int stats_quantile(lua_State *L) {
  size_t n;
  double p = luaL_checknumber(L, 2), *xs;
  luaL_argcheck(L, p >= 0.0 && p <= 1.0, 2, "must be in [0, 1]");
  xs = tare_check_ordered(L, 1, &n);
  lua_pushnumber(L, tare_quantile(xs, n, p));
  return 1;
}

/* trimmed_mean(list [, share = 0.1 off either end]) -> number */
static int stats_trimmed_mean(lua_State *L) {
  size_t n;
  double share = luaL_optnumber(L, 2, 0.1), *xs;
  luaL_argcheck(L, share >= 0.0 && share < 0.5, 2, "must be in [0, 0.5)");
  xs = tare_check_numbers(L, 1, &n, 0);
  lua_pushnumber(L, tare_trimmed_mean(xs, n, share));
  return 1;
}

/* autocorrelation(list [, lag = 1]) -> in [-1, 1]; 0 of constant data */
static int stats_autocorrelation(lua_State *L) {
  size_t n;
  double lag = luaL_optnumber(L, 2, 1.0);
  const double *xs = tare_check_numbers(L, 1, &n, 0);
  luaL_argcheck(L, lag >= 1.0 && lag < (double)n && lag == floor(lag), 2,
                "must be whole, and below the count of values");
  lua_pushnumber(L, tare_autocorrelation(xs, n, (size_t)lag));
  return 1;
}

/*
** outliers(list) -> {low_severe, low_mild, high_mild, high_severe, samples}:
** counts of values that are 1.5 (mild) or 3 (severe) interquartile ranges or
** more outside the quartiles
*/
static int stats_outliers(lua_State *L) {
  size_t n;
  double *xs = tare_check_numbers(L, 1, &n, 0);
  tare_outliers o = tare_outliers_count(xs, n);
  lua_createtable(L, 0, 5);
  tare_set_number(L, "samples", (double)o.samples);
  tare_set_number(L, "low_severe", (double)o.low_severe);
  tare_set_number(L, "low_mild", (double)o.low_mild);
  tare_set_number(L, "high_mild", (double)o.high_mild);
  tare_set_number(L, "high_severe", (double)o.high_severe);
  return 1;
}

/* Mean, standard deviation and number of samples, at 1, 2 and 3. */
static void check_figures(lua_State *L, double *mean, double *sd, double *n) {
  *mean = luaL_checknumber(L, 1);
  *sd = luaL_checknumber(L, 2);
  *n = luaL_checknumber(L, 3);
  luaL_argcheck(L, fabs(*mean) <= 1e150, 1, "must be in [-1e150, 1e150]");
  luaL_argcheck(L, *sd >= 0.0 && *sd <= 1e150, 2, "must be in [0, 1e150]");
  luaL_argcheck(L, *n >= 1.0 && isfinite(*n), 3, "must be at least 1");
}

/* The same from a list at 1; at 2 is the number of samples if it lacks some. */
static void summarise(lua_State *L, double *mean, double *sd, double *n) {
  size_t count;
  const double *xs;
  lua_settop(L, 2);
  xs = tare_check_numbers(L, 1, &count, 0);
  *mean = tare_mean(xs, count);
  *sd = sqrt(tare_variance(xs, count));
  *n = luaL_optnumber(L, 2, (double)count);
  luaL_argcheck(L, isfinite(*n) && *n >= (double)count, 2,
                "must count all samples");
}

/*
** outlier_variance(mean, sd, n) -> {fraction, effect}: the share of the
** variance that outliers account for, and how bad that is: "unaffected" below
** 1 %, "slight" below 10 %, "moderate" below 50 %, else "severe". n counts all
** samples, also those that mean and sd leave out. outlier_variance(list [, n])
** takes mean and sd of the list.
*/
static int stats_outlier_variance(lua_State *L) {
  static const char *const effects[] = {"unaffected", "slight", "moderate",
                                        "severe"};
  double mean, sd, n, fraction;
  if (lua_istable(L, 1))
    summarise(L, &mean, &sd, &n);
  else
    check_figures(L, &mean, &sd, &n);
  fraction = tare_outlier_variance(mean, sd, n);
  lua_createtable(L, 0, 2);
  tare_set_number(L, "fraction", fraction);
  lua_pushstring(L, effects[tare_outlier_effect(fraction)]);
  lua_setfield(L, -2, "effect");
  return 1;
}

/*
** density(list) -> {x = {...}, y = {...}, bandwidth}: kernel density at 128
** points, from a tenth of the range below the values to a tenth above them
*/
static int stats_density(lua_State *L) {
  size_t n;
  double *xs = tare_check_numbers(L, 1, &n, TARE_DENSITY_WORK);
  double x[TARE_DENSITY_POINTS], y[TARE_DENSITY_POINTS];
  double bandwidth = tare_density(xs, n, x, y, xs + n);
  lua_createtable(L, 0, 3);
  tare_push_numbers(L, x, TARE_DENSITY_POINTS);
  lua_setfield(L, -2, "x");
  tare_push_numbers(L, y, TARE_DENSITY_POINTS);
  lua_setfield(L, -2, "y");
  tare_set_number(L, "bandwidth", bandwidth);
  return 1;
}

/*
** sign_interval(ratios [, confidence = 0.95]) -> {value, low, high,
** confidence}: median of positive ratios (in logarithms) with an interval
** that holds whatever their distribution, and the confidence that it has.
** low and high are absent where there are too few (below 6 at 0.95).
*/
static int stats_sign_interval(lua_State *L) {
  size_t n, i;
  double confidence = tare_opt_share(L, 2, 0.95);
  double *xs = tare_check_numbers(L, 1, &n, 0);
  tare_interval interval;
  for (i = 0; i < n; i++)
    luaL_argcheck(L, xs[i] > 0.0, 1, "ratios must be above 0");
  interval = tare_sign_interval(xs, n, confidence);
  lua_createtable(L, 0, 4);
  tare_set_number(L, "value", interval.value);
  tare_set_number(L, "low", interval.low);
  tare_set_number(L, "high", interval.high);
  tare_set_number(L, "confidence", interval.covered);
  return 1;
}

/*
** bimodality(list) -> {bimodal, p, dip, coefficient, low, high, share}: dip is
** Hartigan's, p is its p-value for a single mode, bimodal is whether p is below
** 0.05. On made-up timings the dip distinguished two speeds from one speed with
** a tail of outliers; Sarle's coefficient (kept for comparison) and the peaks
** of the density took the tail for a second mode. Where bimodal, low and high
** are the means of the two parts and share is that of the lower one.
*/
static int stats_bimodality(lua_State *L) {
  size_t n;
  double *xs = tare_check_numbers(L, 1, &n, 0), *work, dip, p;
  work = tare_push_scratch(L, TARE_DIP_WORK(n));
  tare_sort(xs, n);
  dip = tare_dip(xs, n, work);
  p = tare_dip_p(dip, n);
  lua_createtable(L, 0, 7);
  tare_set_number(L, "dip", dip);
  tare_set_number(L, "p", p);
  tare_set_number(L, "coefficient", tare_sarle(xs, n));
  lua_pushboolean(L, p < 0.05);
  lua_setfield(L, -2, "bimodal");
  if (p < 0.05) {
    tare_split s = tare_split_in_two(xs, n);
    tare_set_number(L, "low", s.low);
    tare_set_number(L, "high", s.high);
    tare_set_number(L, "share", (double)s.below / (double)n);
  }
  return 1;
}

static const luaL_Reg functions[] = {
    {"mean", stats_mean},
    {"variance", stats_variance},
    {"stddev", stats_stddev},
    {"median", stats_median},
    {"mad", stats_mad},
    {"quantile", stats_quantile},
    {"trimmed_mean", stats_trimmed_mean},
    {"autocorrelation", stats_autocorrelation},
    {"outliers", stats_outliers},
    {"outlier_variance", stats_outlier_variance},
    {"density", stats_density},
    {"bimodality", stats_bimodality},
    {"sign_interval", stats_sign_interval},
    {NULL, NULL},
};

void tare_bind_stats(lua_State *L) {
  tare_add_stats(L, functions);
}
