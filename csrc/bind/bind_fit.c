/* core.stats, the regressions: ols. */
#include "bind/regress.h"

/*
** ols(y, columns [, {intercept = true}]) -> fit, or nil, code, message.
** fit = {coefficients, stderr, vif (each a list in the order of the columns, or
** by their names), intercept and intercept_stderr (where there is one), r2,
** adjusted_r2, residual_sd, dof, rows}. What is undefined is absent: errors
** without degrees of freedom, r2 of a response that does not vary. r2 is about
** the mean with an intercept, and about zero without.
*/
static int fit_ols(lua_State *L) {
  tare_regress r;
  tare_ols fit;
  double *scratch;
  tare_fit_status status;
  int column;
  tare_check_regress(L, &r);
  scratch = tare_push_scratch(
      L, tare_lsq_doubles(r.design.rows, tare_design_terms(&r.design)));
  status = tare_ols_fit(&r.design, scratch, &fit, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  tare_push_ols(L, &r, &fit);
  return 1;
}

static const luaL_Reg functions[] = {
    {"ols", fit_ols},
    {NULL, NULL},
};

void tare_bind_fit(lua_State *L) {
  tare_add_stats(L, functions);
}
