/* core.stats, the robust regressions: theil_sen, huber, skew_fit. */
#include "bind/regress.h"
#include "pure/skew.h"

#include <math.h>

/* options.confidence at 'arg', 0.95 where it is absent. */
static double opt_confidence(lua_State *L, int arg) {
  double v = 0.95;
  if (!lua_istable(L, arg)) return v;
  lua_getfield(L, arg, "confidence");
  if (!lua_isnil(L, -1)) {
    v = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    if (!(v > 0.0 && v < 1.0))
      luaL_error(L, "bad option 'confidence' (between 0 and 1)");
  }
  lua_pop(L, 1);
  return v;
}

/* Pushes {coefficients, intercept, noise_sd, rows, confidence}. */
static void push_robust(lua_State *L, const tare_regress *r,
                        const tare_robust *fit, double confidence) {
  int columns = r->design.columns, c;
  lua_newtable(L);
  lua_createtable(L, columns, 0);
  for (c = 0; c < columns; c++) {
    tare_push_estimate(L, fit->coefficient[c], fit->bounds[c].low,
                       fit->bounds[c].high);
    tare_set_column(L, r, c);
  }
  lua_setfield(L, -2, "coefficients");
  if (r->design.intercept) {
    tare_push_estimate(L, fit->coefficient[columns], fit->bounds[columns].low,
                       fit->bounds[columns].high);
    lua_setfield(L, -2, "intercept");
  }
  tare_set_number(L, "noise_sd", fit->noise_sd);
  tare_set_number(L, "confidence", confidence);
  tare_set_whole(L, "rows", (double)r->design.rows);
}

/*
** huber(y, columns [, {intercept = true, confidence = 0.95}]) -> {coefficients,
** intercept (each {value, low, high}), noise_sd, confidence, rows}, or nil,
** code, message as ols()
*/
static int robust_huber(lua_State *L) {
  tare_regress r;
  tare_robust fit;
  double confidence = opt_confidence(L, 3), *scratch;
  tare_fit_status status;
  int column;
  tare_check_regress(L, &r);
  scratch = tare_push_scratch(
      L, tare_huber_doubles(r.design.rows, tare_design_terms(&r.design)));
  status = tare_huber_fit(&r.design, confidence, scratch, &fit, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  push_robust(L, &r, &fit, confidence);
  return 1;
}

/* theil_sen(y, column or {column} [, options]): as huber(), of one column. */
static int robust_theil_sen(lua_State *L) {
  tare_regress r;
  tare_robust fit;
  double confidence = opt_confidence(L, 3), *scratch;
  tare_fit_status status;
  int column;
  tare_check_regress(L, &r);
  luaL_argcheck(L, r.design.columns == 1, 2, "must be one column");
  scratch = tare_push_scratch(L, tare_theil_sen_doubles(r.design.rows));
  status = tare_theil_sen_fit(&r.design, confidence, scratch, &fit, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  push_robust(L, &r, &fit, confidence);
  return 1;
}

/*
** skew_fit(y, columns [, options]): as huber(), for noise that is on the high
** side; with noise_share, the share of rows that are disturbed, and
** noise_excess, the mean of a disturbance in y's unit.
*/
static int robust_skew(lua_State *L) {
  tare_regress r;
  tare_skew fit;
  double confidence = opt_confidence(L, 3), *scratch;
  tare_fit_status status;
  int column;
  tare_check_regress(L, &r);
  scratch = tare_push_scratch(
      L, tare_skew_doubles(r.design.rows, tare_design_terms(&r.design)));
  status = tare_skew_fit(&r.design, confidence, scratch, &fit, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  push_robust(L, &r, &fit.fit, confidence);
  tare_set_number(L, "noise_share", fit.share);
  tare_set_number(L, "noise_excess", fit.excess);
  return 1;
}

static const luaL_Reg functions[] = {
    {"huber", robust_huber},
    {"theil_sen", robust_theil_sen},
    {"skew_fit", robust_skew},
    {NULL, NULL},
};

void tare_bind_robust(lua_State *L) {
  tare_add_stats(L, functions);
}
