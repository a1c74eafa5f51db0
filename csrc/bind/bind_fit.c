/* core.stats, the regressions: ols. */
#include "bind/regress.h"
#include "pure/ols.h"

#include <math.h>

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
  int terms, column;
  tare_check_regress(L, &r);
  terms = tare_design_terms(&r.design);
  scratch = tare_push_scratch(L, tare_lsq_doubles(r.design.rows, terms));
  status = tare_ols_fit(&r.design, scratch, &fit, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  lua_newtable(L);
  tare_set_columns(L, &r, "coefficients", fit.coefficient);
  tare_set_columns(L, &r, "stderr", fit.stderror);
  tare_set_columns(L, &r, "vif", fit.vif);
  if (r.design.intercept) {
    tare_set_number(L, "intercept", fit.coefficient[terms - 1]);
    tare_set_number(L, "intercept_stderr", fit.stderror[terms - 1]);
  }
  tare_set_number(L, "r2", fit.r2);
  tare_set_number(L, "adjusted_r2", fit.adjusted_r2);
  tare_set_number(L, "residual_sd", fit.residual_sd);
  tare_set_number(L, "dof", (double)fit.dof);
  tare_set_number(L, "rows", (double)r.design.rows);
  return 1;
}

static const luaL_Reg functions[] = {
    {"ols", fit_ols},
    {NULL, NULL},
};

void tare_bind_fit(lua_State *L) {
  tare_add_stats(L, functions);
}
