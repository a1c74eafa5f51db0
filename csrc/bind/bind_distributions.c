/* core.stats: shares and quantiles of distributions. */
#include "bind/bind.h"
#include "pure/distributions.h"

#include <math.h>

/* A probability at index i, strictly between 0 and 1. */
static double check_share(lua_State *L, int i) {
  double p = luaL_checknumber(L, i);
  luaL_argcheck(L, p > 0.0 && p < 1.0, i, "must be between 0 and 1");
  return p;
}

static double check_freedom(lua_State *L, int i) {
  double df = luaL_checknumber(L, i);
  luaL_argcheck(L, df >= 1.0, i, "must be at least 1");
  return df;
}

static double check_not_nan(lua_State *L, int i) {
  double x = luaL_checknumber(L, i);
  luaL_argcheck(L, !isnan(x), i, "is NaN");
  return x;
}

/* normal_cdf(z) -> share of the standard normal distribution below z */
static int stats_normal_cdf(lua_State *L) {
  lua_pushnumber(L, tare_normal_cdf(check_not_nan(L, 1)));
  return 1;
}

/* normal_quantile(p) -> z with normal_cdf(z) == p */
static int stats_normal_quantile(lua_State *L) {
  lua_pushnumber(L, tare_normal_quantile(check_share(L, 1)));
  return 1;
}

/* t_cdf(t, df) -> share of Student's t below t; df >= 1 */
static int stats_t_cdf(lua_State *L) {
  double t = check_not_nan(L, 1);
  lua_pushnumber(L, tare_t_cdf(t, check_freedom(L, 2)));
  return 1;
}

/* t_quantile(p, df) -> t with t_cdf(t, df) == p */
static int stats_t_quantile(lua_State *L) {
  double p = check_share(L, 1);
  lua_pushnumber(L, tare_t_quantile(p, check_freedom(L, 2)));
  return 1;
}

static const luaL_Reg functions[] = {
    {"normal_cdf", stats_normal_cdf},
    {"normal_quantile", stats_normal_quantile},
    {"t_cdf", stats_t_cdf},
    {"t_quantile", stats_t_quantile},
    {NULL, NULL},
};

void tare_bind_distributions(lua_State *L) {
  tare_add_stats(L, functions);
}
