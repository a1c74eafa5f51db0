/* core.stats.quantile_line: quantile regression of one column on another. */
#include "bind/bind.h"
#include "pure/quantreg.h"

static int has_two(const double *xs, size_t n) {
  size_t i;
  for (i = 1; i < n; i++)
    if (xs[i] != xs[0]) return 1;
  return 0;
}

/*
** quantile_line(x, y [, tau = 0.5 [, through_origin = false]]) -> slope,
** intercept: the line that has a share 'tau' of the points below it (Koenker
** and Bassett 1978). x must be positive; through the origin where asked, or
** where all x are the same.
*/
static int stats_quantile_line(lua_State *L) {
  size_t n, rows;
  double tau = tare_opt_share(L, 3, 0.5);
  int through_origin = lua_toboolean(L, 4);
  const double *x = tare_check_numbers(L, 1, &n, 0);
  double *y = tare_check_numbers(L, 2, &rows, n);
  tare_line line = {0.0, 0.0};
  size_t i;
  luaL_argcheck(L, rows == n, 2, "must be as long as the first");
  for (i = 0; i < n; i++) luaL_argcheck(L, x[i] > 0.0, 1, "must be positive");
  if (through_origin || !has_two(x, n))
    line.slope = tare_quantreg_origin(x, y, n, tau, y + n);
  else
    line = tare_quantreg_line(x, y, n, tau, y + n);
  lua_pushnumber(L, line.slope);
  lua_pushnumber(L, line.intercept);
  return 2;
}

static const luaL_Reg functions[] = {
    {"quantile_line", stats_quantile_line},
    {NULL, NULL},
};

void tare_bind_quantreg(lua_State *L) {
  tare_add_stats(L, functions);
}
