/* core.stats.growth: how a cost grows with a size. */
#include "bind/bind.h"
#include "pure/growth.h"

#include <math.h>

/* The list at index i, every value of it above 0 and at most 1e100. */
static double *check_positive(lua_State *L, int i, size_t *n, size_t extra) {
  double *xs = tare_check_numbers(L, i, n, extra);
  size_t k;
  for (k = 0; k < *n; k++)
    luaL_argcheck(L, xs[k] > 0.0 && xs[k] <= 1e100, i,
                  "values must be above 0, up to 1e100");
  return xs;
}

/* Sets what is known of the laws in the table on top. */
static void set_laws(lua_State *L, const tare_growth *g) {
  int law, count = 0;
  lua_newtable(L); /* also */
  lua_newtable(L); /* aicc */
  for (law = 0; law < TARE_LAW_COUNT; law++) {
    if (g->aicc[law] < HUGE_VAL)
      tare_set_number(L, tare_law_name(law), g->aicc[law]);
    if (!g->tied[law]) continue;
    lua_pushstring(L, tare_law_name(law));
    lua_rawseti(L, -3, ++count);
  }
  lua_setfield(L, -3, "aicc");
  lua_setfield(L, -2, "also");
  if (g->law < 0) return;
  lua_pushstring(L, tare_law_name(g->law));
  lua_setfield(L, -2, "law");
  lua_createtable(L, 0, 2);
  tare_set_number(L, "constant", g->constant);
  tare_set_number(L, "factor", g->factor);
  lua_setfield(L, -2, "coefficients");
}

/*
** growth(sizes, costs [, confidence = 0.95]) -> {law, also, aicc, coefficients,
** exponent}. law is the best of "1", "log n", "n", "n log n", "n^2" and "n^3"
** for cost = constant + factor * g(n); coefficients has constant and factor;
** also lists the laws that can't be excluded, in ascending order; aicc has the
** criterion of each by name (less is better). exponent = {value, low, high} is
** that of constant + factor * n^p, or of factor * n^p where law is "1" or
** absent; an end that is not known is absent. law needs 5 points, exponent 3,
** and both 3 different sizes; else they are absent.
*/
static int stats_growth(lua_State *L) {
  size_t n, count;
  double confidence = tare_opt_share(L, 3, 0.95), *ns, *ts;
  tare_growth growth;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 3);
  ns = check_positive(L, 1, &n, TARE_GROWTH_WORK(lua_rawlen(L, 1)));
  ts = check_positive(L, 2, &count, 0);
  luaL_argcheck(L, count == n, 2, "must be as many as the sizes");
  tare_growth_fit(ns, ts, n, confidence, ns + n, &growth);
  lua_createtable(L, 0, 5);
  set_laws(L, &growth);
  tare_push_estimate(L, growth.exponent.value, growth.exponent.low,
                     growth.exponent.high);
  lua_setfield(L, -2, "exponent");
  return 1;
}

static const luaL_Reg functions[] = {
    {"growth", stats_growth},
    {NULL, NULL},
};

void tare_bind_growth(lua_State *L) {
  tare_add_stats(L, functions);
}
