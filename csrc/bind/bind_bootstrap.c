/* core.stats, resampling: bootstraps and the draws they make. */
#include "bind/bind_regression.h"
#include "pure/bootstrap_fit.h"

#include <math.h>
#include <string.h>

#define RESAMPLES 10000 /* where nothing else is asked for */

/* In the order of tare_boot_method. */
static const char *const method_names[] = {"percentile", "expanded", "bca",
                                           NULL};

/* ---- options ---- */

/*
** Field 'name' of the options at 'arg': a whole number from 'least' to 'most',
** which is 'limit' in words.
*/
static double opt_whole(lua_State *L, int arg, const char *name,
                        double fallback, int least, double most,
                        const char *limit) {
  double v = fallback;
  lua_getfield(L, arg, name);
  if (!lua_isnil(L, -1)) {
    v = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    if (!(v >= least && v <= most && v == floor(v)))
      luaL_error(L, "bad option '%s' (a whole number from %d to %s)", name,
                 least, limit);
  }
  lua_pop(L, 1);
  return v;
}

static int opt_method(lua_State *L, int arg, int fallback) {
  int i = fallback;
  lua_getfield(L, arg, "method");
  if (!lua_isnil(L, -1)) {
    const char *name = lua_tostring(L, -1);
    i = 0;
    while (method_names[i] != NULL &&
           (name == NULL || strcmp(name, method_names[i]) != 0))
      i++;
    if (method_names[i] == NULL)
      luaL_error(L, "bad option 'method' (percentile, expanded or bca)");
  }
  lua_pop(L, 1);
  return i;
}

/*
** Numbers the groups in the list on top of the stack in the order in which they
** first appear, from 0, and gives each row the number of its group. Returns the
** number of groups. A table that it pops maps group to number.
*/
static size_t number_groups(lua_State *L, size_t rows, uint32_t *group) {
  size_t count = 0, i;
  if (!lua_istable(L, -1) || lua_rawlen(L, -1) != rows)
    luaL_error(L, "bad option 'groups' (a list with the group of each row)");
  lua_newtable(L);
  for (i = 0; i < rows; i++) {
    lua_rawgeti(L, -2, (int)i + 1);
    if (lua_isnil(L, -1) || /* the name "nan" is a number to lua_tonumber */
        (lua_type(L, -1) == LUA_TNUMBER &&
         lua_tonumber(L, -1) != lua_tonumber(L, -1)))
      luaL_error(L, "bad option 'groups' (row %d has none)", (int)i + 1);
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    if (lua_isnil(L, -1)) {
      lua_pushvalue(L, -2);
      lua_pushnumber(L, (lua_Number)count);
      lua_rawset(L, -5);
      group[i] = (uint32_t)count++;
    } else
      group[i] = (uint32_t)lua_tonumber(L, -1);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  return count;
}

/*
** Brings rows together by group: place[i] becomes the place of row i; start[]
** becomes the first place of each group and, last, 'rows'.
*/
static void place_groups(const uint32_t *group, size_t rows, size_t groups,
                         uint32_t *start, uint32_t *place) {
  size_t i;
  memset(start, 0, (groups + 1) * sizeof *start);
  for (i = 0; i < rows; i++) start[group[i] + 1]++;
  for (i = 0; i < groups; i++) start[i + 1] += start[i];
  for (i = 0; i < rows; i++) place[i] = start[group[i]]++;
  for (i = groups; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/*
** Reads options.groups, if it is there, into the plan, and pushes a userdata
** that the plan points into. Returns the place of each row, or NULL where rows
** stay in place.
*/
static const uint32_t *opt_groups(lua_State *L, int arg, tare_plan *plan) {
  uint32_t *group, *start, *place;
  lua_getfield(L, arg, "groups");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return NULL;
  }
  group = (uint32_t *)lua_newuserdata(L, (3 * plan->rows + 1) * sizeof *group);
  place = group + plan->rows;
  start = place + plan->rows;
  lua_insert(L, -2);
  plan->groups = number_groups(L, plan->rows, group);
  lua_pop(L, 1);
  place_groups(group, plan->rows, plan->groups, start, place);
  plan->start = start;
  return place;
}

/* Resampling by rows, before options are read. */
static tare_boot default_boot(size_t resamples, tare_boot_method method) {
  tare_boot boot;
  memset(&boot, 0, sizeof boot);
  boot.resamples = resamples;
  boot.method = method;
  return boot;
}

/*
** Reads the options at 'arg', which may be nil, for so many rows; 'boot' holds
** the defaults. Groups bring rows together: returns the place of each row, or
** NULL where rows stay in place. Pushes at most one userdata, which the result
** and boot->plan point into.
*/
static const uint32_t *check_boot(lua_State *L, int arg, size_t rows,
                                  tare_boot *boot) {
  const uint32_t *place;
  if (lua_isnil(L, arg)) {
    lua_newtable(L);
    lua_replace(L, arg);
  }
  luaL_checktype(L, arg, LUA_TTABLE);
  boot->plan.rows = rows;
  boot->resamples = (size_t)opt_whole(L, arg, "resamples",
                                      (double)boot->resamples, 1, 1e7, "1e7");
  boot->seed =
      (uint64_t)opt_whole(L, arg, "seed", 1, 0, 9007199254740992.0, "2^53");
  boot->plan.block = (size_t)opt_whole(
      L, arg, "block", 1, 1, rows < 1 ? 1 : (double)rows, "the number of rows");
  boot->confidence = tare_opt_confidence(L, arg);
  boot->method = (tare_boot_method)opt_method(L, arg, (int)boot->method);
  place = opt_groups(L, arg, &boot->plan);
  if (place != NULL && boot->plan.block > 1)
    luaL_error(L, "options 'block' and 'groups' exclude each other");
  return place;
}

/* ---- the bootstraps ---- */

/* Moves xs[i] to place[i], through 'work'. */
static void rearrange(double *xs, size_t n, const uint32_t *place,
                      double *work) {
  size_t i;
  memcpy(work, xs, n * sizeof *xs);
  for (i = 0; i < n; i++) xs[place[i]] = work[i];
}

/* Brings the rows of all columns together by group. */
static void regroup(tare_regress *r, const uint32_t *place, double *work) {
  size_t rows = r->design.rows;
  int c;
  for (c = 0; c <= r->design.columns; c++)
    rearrange(r->values + (size_t)c * rows, rows, place, work);
}

static double adjusted(const tare_design *d, double r2) {
  return tare_adjusted_r2(r2, d->rows, tare_design_terms(d), d->intercept);
}

/* Replaces the plain values of the fit on top of the stack by estimates. */
static void set_estimates(lua_State *L, const tare_regress *r,
                          const tare_ols *fit, const tare_bounds *bounds) {
  const tare_bounds *r2 = bounds + tare_design_terms(&r->design);
  tare_set_estimates(L, r, fit->coefficient, bounds);
  tare_push_estimate(L, fit->r2, r2->low, r2->high);
  lua_setfield(L, -2, "r2");
  tare_push_estimate(L, fit->adjusted_r2, adjusted(&r->design, r2->low),
                     adjusted(&r->design, r2->high));
  lua_setfield(L, -2, "adjusted_r2");
}

/* Sets how the resampling was done, in the table on top of the stack. */
static void set_settings(lua_State *L, const tare_boot *boot) {
  tare_set_whole(L, "resamples", (double)boot->resamples);
  tare_set_whole(L, "seed", (double)boot->seed);
  tare_set_number(L, "confidence", boot->confidence);
  lua_pushstring(L, method_names[boot->method]);
  lua_setfield(L, -2, "method");
}

/*
** bootstrap(y, columns [, options]) -> fit, or nil, code, message: what ols()
** gives, with {value, low, high} for each of coefficients, intercept, r2 and
** adjusted_r2. Options: intercept (true); resamples (10000); confidence
** (0.95); seed (1); method: "percentile" (default), "expanded" (wider where
** rows are few, as Student's t is) or "bca"; block: length of moving blocks,
** for rows that depend on their neighbours; groups: the group of each row (its
** launch), for two levels: groups are drawn, then rows within each.
** Besides the refusals of ols(): "degenerate", when fewer than one resample in
** 20 can be fitted, because a column is nearly always the same.
*/
static int boot_fit(lua_State *L) {
  tare_regress r;
  tare_boot boot = default_boot(RESAMPLES, TARE_BOOT_PERCENTILE);
  tare_ols fit;
  tare_bounds bounds[TARE_TERMS_MAX + 1];
  const uint32_t *place;
  double *scratch;
  tare_fit_status status;
  int column;
  lua_settop(L, 3);
  tare_check_regress(L, &r);
  place = check_boot(L, 3, r.design.rows, &boot);
  scratch = tare_push_scratch(L, tare_boot_fit_doubles(&r.design, &boot));
  if (place != NULL) regroup(&r, place, scratch);
  status = tare_boot_fit(&r.design, &boot, scratch, &fit, bounds, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  tare_push_ols(L, &r, &fit);
  set_estimates(L, &r, &fit, bounds);
  set_settings(L, &boot);
  return 1;
}

/* The share below the quantile: options.p for "quantile", 0.5 for "median". */
static double check_share(lua_State *L, int arg, int is_quantile) {
  double p = 0.5;
  if (!is_quantile) return p;
  lua_getfield(L, arg, "p");
  p = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
  if (!(p >= 0.0 && p <= 1.0)) luaL_error(L, "bad option 'p' (from 0 to 1)");
  lua_pop(L, 1);
  return p;
}

/*
** bootstrap_statistic(list, name [, options]) -> {value, low, high, resamples,
** confidence, seed, method}: name is "mean", "stddev", "median" or "quantile"
** (then options.p is the share below it); the other options are those of
** bootstrap(). The method is by default the one that covers best: for a mean
** "expanded", for a standard deviation "bca", for quantiles "percentile".
*/
static int boot_statistic(lua_State *L) {
  static const char *const names[] = {"mean", "stddev", "median", "quantile",
                                      NULL};
  static const tare_statistic statistics[] = {
      TARE_STATISTIC_MEAN, TARE_STATISTIC_STDDEV, TARE_STATISTIC_QUANTILE,
      TARE_STATISTIC_QUANTILE};
  static const tare_boot_method methods[] = {TARE_BOOT_EXPANDED, TARE_BOOT_BCA,
                                             TARE_BOOT_PERCENTILE,
                                             TARE_BOOT_PERCENTILE};
  int name = luaL_checkoption(L, 2, NULL, names);
  tare_boot boot = default_boot(RESAMPLES, methods[name]);
  tare_bounds bounds;
  const uint32_t *place;
  double *xs, *scratch, p, value;
  size_t rows;
  lua_settop(L, 3);
  xs = tare_check_numbers(L, 1, &rows, 0);
  place = check_boot(L, 3, rows, &boot);
  p = check_share(L, 3, name == 3);
  scratch = tare_push_scratch(L, tare_boot_value_doubles(&boot));
  if (place != NULL) rearrange(xs, rows, place, scratch);
  value = tare_boot_value(xs, statistics[name], p, &boot, scratch, &bounds);
  tare_push_estimate(L, value, bounds.low, bounds.high);
  set_settings(L, &boot);
  return 1;
}

/* Pushes a list of rows; row[i], if given, is the row that was moved to i. */
static void push_rows(lua_State *L, const uint32_t *index, size_t count,
                      const uint32_t *row) {
  size_t i;
  lua_createtable(L, (int)count, 0);
  for (i = 0; i < count; i++) {
    uint32_t at = row == NULL ? index[i] : row[index[i]];
    lua_pushinteger(L, (lua_Integer)at + 1);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

/* The inverse of opt_groups(): the row at each place. */
static const uint32_t *rows_of(lua_State *L, const uint32_t *place,
                               size_t rows) {
  uint32_t *row;
  size_t i;
  if (place == NULL) return NULL;
  row = (uint32_t *)lua_newuserdata(L, rows * sizeof *row);
  for (i = 0; i < rows; i++) row[place[i]] = (uint32_t)i;
  return row;
}

/*
** draws(rows [, options]) -> {{row, ...}, ...}: the rows that the first
** options.resamples (1) resamples of the bootstraps take, with their options
** seed, block and groups: to bootstrap a statistic of one's own.
*/
static int boot_draws(lua_State *L) {
  tare_boot boot = default_boot(1, TARE_BOOT_PERCENTILE);
  tare_rng rng;
  lua_Number rows = luaL_checknumber(L, 1);
  const uint32_t *row;
  uint32_t *index;
  size_t r;
  lua_settop(L, 2);
  luaL_argcheck(L, rows >= 1 && rows <= 1e7, 1, "must be in [1, 1e7]");
  row = rows_of(L, check_boot(L, 2, (size_t)rows, &boot), (size_t)rows);
  index = (uint32_t *)tare_push_scratch(L, tare_plan_doubles(&boot.plan));
  tare_rng_seed(&rng, boot.seed);
  lua_newtable(L);
  for (r = 0; r < boot.resamples; r++) {
    push_rows(L, index, tare_plan_draw(&boot.plan, &rng, index), row);
    lua_rawseti(L, -2, (int)r + 1);
  }
  return 1;
}

/* A state from a seed at 'arg', or from a list of its four words. */
static void check_state(lua_State *L, int arg, tare_rng *rng) {
  int i;
  if (!lua_istable(L, arg)) {
    lua_Number seed = luaL_checknumber(L, arg);
    luaL_argcheck(L, seed >= 0 && seed <= 9007199254740992.0, arg,
                  "must be in [0, 2^53]");
    tare_rng_seed(rng, (uint64_t)seed);
    return;
  }
  for (i = 0; i < 4; i++) {
    lua_Number word;
    lua_rawgeti(L, arg, i + 1);
    word = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    luaL_argcheck(L, word >= 0 && word <= 9007199254740992.0, arg,
                  "must be four numbers in [0, 2^53]");
    rng->s[i] = (uint64_t)word;
    lua_pop(L, 1);
  }
}

/*
** random_words(n, seed | {s0, s1, s2, s3}) -> {"0123456789abcdef", ...}: what
** the generator gives, in hexadecimal, from a seed or from a state.
*/
static int boot_random_words(lua_State *L) {
  static const char digits[] = "0123456789abcdef";
  lua_Number n = luaL_checknumber(L, 1);
  int i, k;
  tare_rng rng;
  luaL_argcheck(L, n >= 0 && n <= 1e7, 1, "must be in [0, 1e7]");
  check_state(L, 2, &rng);
  lua_newtable(L);
  for (i = 0; i < n; i++) {
    uint64_t word = tare_rng_next(&rng);
    char text[16];
    for (k = 15; k >= 0; k--, word >>= 4) text[k] = digits[word & 15];
    lua_pushlstring(L, text, sizeof text);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static const luaL_Reg functions[] = {
    {"bootstrap", boot_fit},
    {"bootstrap_statistic", boot_statistic},
    {"draws", boot_draws},
    {"random_words", boot_random_words},
    {NULL, NULL},
};

void tare_bind_bootstrap(lua_State *L) {
  tare_add_stats(L, functions);
}
