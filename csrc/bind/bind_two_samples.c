/*
** core.stats of two samples: tests of a difference and of equivalence; and the
** correction of a list of p-values (holm). A 'list' is a table of numbers, none
** of them NaN or infinite: of at least two, unless the function says otherwise.
*/
#include "bind/bind.h"
#include "pure/distributions.h"
#include "pure/two_samples.h"

/* A list at index i of two values or more. */
static double *check_sample(lua_State *L, int i, size_t *n) {
  double *xs = tare_check_numbers(L, i, n, 0);
  luaL_argcheck(L, *n >= 2, i, "needs at least 2 values");
  return xs;
}

/* Mean of the list at index 1 minus that at 2, or minus a number at 2. */
static tare_difference check_difference(lua_State *L, int number_allowed) {
  size_t na, nb;
  const double *a = check_sample(L, 1, &na), *b;
  if (number_allowed && lua_type(L, 2) == LUA_TNUMBER)
    return tare_one_sample(a, na, lua_tonumber(L, 2));
  b = check_sample(L, 2, &nb);
  return tare_welch(a, na, b, nb);
}

/* Sets value, low and high of the table on top: the interval on the mean. */
static void set_interval(lua_State *L, const tare_difference *d,
                         double confidence) {
  double reach = tare_t_quantile(0.5 + 0.5 * confidence, d->df) * d->error;
  tare_set_number(L, "difference", d->value);
  tare_set_number(L, "low", d->value - reach);
  tare_set_number(L, "high", d->value + reach);
}

/*
** welch(a, b [, confidence = 0.95]) -> {difference, low, high, t, df, p}:
** mean of list a minus mean of list b, its interval, and the two-sided p of
** no difference
*/
static int stats_welch(lua_State *L) {
  double confidence = tare_opt_share(L, 3, 0.95), t;
  tare_difference d;
  lua_settop(L, 3);
  d = check_difference(L, 0);
  t = tare_difference_t(&d, 0.0);
  lua_createtable(L, 0, 6);
  set_interval(L, &d, confidence);
  tare_set_number(L, "t", t);
  tare_set_number(L, "df", d.df);
  tare_set_number(L, "p", tare_t_two_sided(t, d.df));
  return 1;
}

/* The margin at index i: a number above 0, or {low, high}. */
static void check_margin(lua_State *L, int i, double *low, double *high) {
  if (lua_istable(L, i)) {
    lua_rawgeti(L, i, 1);
    lua_rawgeti(L, i, 2);
    luaL_argcheck(L, lua_isnumber(L, -2) && lua_isnumber(L, -1), i,
                  "must be {low, high}");
    *low = lua_tonumber(L, -2);
    *high = lua_tonumber(L, -1);
    lua_pop(L, 2);
  } else {
    *high = luaL_checknumber(L, i);
    *low = -*high;
  }
  luaL_argcheck(L, *low < *high, i, "low must be below high");
}

/*
** tost(a, b, margin [, confidence = 0.95]) -> {equivalent, p, difference, low,
** high}: is the mean of list a equal to that of b, or to b where it is a
** number, within -margin..margin or {low, high}? Yes where p is at most
** 1 - confidence. low and high are then inside the margin: as usual for two
** one-sided tests, their confidence is 2 confidence - 1.
*/
static int stats_tost(lua_State *L) {
  double confidence = tare_opt_share(L, 4, 0.95), low, high, p;
  tare_difference d;
  luaL_argcheck(L, confidence > 0.5, 4, "must be above 0.5");
  lua_settop(L, 4);
  check_margin(L, 3, &low, &high);
  d = check_difference(L, 1);
  p = tare_tost(&d, low, high);
  lua_createtable(L, 0, 5);
  set_interval(L, &d, 2.0 * confidence - 1.0);
  tare_set_number(L, "p", p);
  lua_pushboolean(L, p <= 1.0 - confidence);
  lua_setfield(L, -2, "equivalent");
  return 1;
}

/*
** mann_whitney(a, b) -> {u, superiority, p, exact}: u counts the pairs with
** a's value above b's (ties half), superiority is their share, p is two-sided;
** exact: whether p is from the permutation distribution (up to 625 pairs).
** Takes infinite values and lists of one value, too.
*/
static int stats_mann_whitney(lua_State *L) {
  size_t na, nb;
  double *a, *b, *work;
  tare_ranks r;
  lua_settop(L, 2);
  a = tare_check_ordered(L, 1, &na);
  b = tare_check_ordered(L, 2, &nb);
  work = tare_push_scratch(L, tare_ranks_work(na, nb));
  r = tare_mann_whitney(a, na, b, nb, work);
  lua_createtable(L, 0, 4);
  tare_set_number(L, "u", r.u);
  tare_set_number(L, "superiority", r.superior);
  tare_set_number(L, "p", r.p);
  lua_pushboolean(L, r.exact);
  lua_setfield(L, -2, "exact");
  return 1;
}

/* holm(ps) -> adjusted p-values, in the same order; ps has one or more */
static int stats_holm(lua_State *L) {
  size_t n, i;
  double *ps = tare_check_numbers(L, 1, &n, 0), *work;
  for (i = 0; i < n; i++)
    luaL_argcheck(L, ps[i] >= 0.0 && ps[i] <= 1.0, 1, "p must be in [0, 1]");
  work = tare_push_scratch(L, 3 * n);
  tare_holm(ps, n, work, work + n);
  tare_push_numbers(L, work, n);
  return 1;
}

static const luaL_Reg functions[] = {
    {"welch", stats_welch},
    {"tost", stats_tost},
    {"mann_whitney", stats_mann_whitney},
    {"holm", stats_holm},
    {NULL, NULL},
};

void tare_bind_two_samples(lua_State *L) {
  tare_add_stats(L, functions);
}
