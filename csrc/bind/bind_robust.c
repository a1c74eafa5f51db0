/* core.stats, the robust regressions: theil_sen, huber, skew_fit. */
#include "bind/regress.h"
#include "bind/resample.h"
#include "pure/skew.h"

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
  tare_set_number(L, "noise_share", fit->share);
  tare_set_number(L, "noise_excess", fit->excess);
  tare_set_number(L, "noise_power", fit->power);
  tare_set_number(L, "confidence", confidence);
  tare_set_whole(L, "rows", (double)r->design.rows);
}

typedef size_t (*doubles_of)(size_t rows, int terms);
typedef tare_fit_status (*fitter)(const tare_design *d, double confidence,
                                  double *scratch, tare_robust *fit,
                                  int *column);

/* Fits what stands at 1 to 3, and pushes the fit or its refusal. */
static int push_fit(lua_State *L, doubles_of doubles, fitter fit_design,
                    int one_column) {
  tare_regress r;
  tare_robust fit;
  double confidence, *scratch;
  tare_fit_status status;
  int column;
  lua_settop(L, 3);
  confidence = tare_opt_confidence(L, 3);
  tare_check_regress(L, &r);
  luaL_argcheck(L, !one_column || r.design.columns == 1, 2,
                "must be one column");
  scratch = tare_push_scratch(
      L, doubles(r.design.rows, tare_design_terms(&r.design)));
  status = fit_design(&r.design, confidence, scratch, &fit, &column);
  if (status != TARE_FIT_OK) return tare_push_refusal(L, &r, status, column);
  push_robust(L, &r, &fit, confidence);
  return 1;
}

/*
** huber(y, columns [, {intercept = true, confidence = 0.95}]) -> {coefficients,
** intercept (each {value, low, high}), noise_sd, confidence, rows}, or nil,
** code, message as ols()
*/
static int robust_huber(lua_State *L) {
  return push_fit(L, tare_huber_doubles, tare_huber_fit, 0);
}

/* theil_sen(y, column or {column} [, options]): as huber(), of one column. */
static int robust_theil_sen(lua_State *L) {
  return push_fit(L, tare_theil_sen_doubles, tare_theil_sen_fit, 1);
}

/*
** skew_fit(y, columns [, options]): as huber(), for noise that is on the high
** side; with noise_share, the share of rows that are disturbed, noise_excess,
** the mean of a disturbance in y's unit (absent where there is none), and
** noise_power, the power of a row's size that noise goes with (0 to 1).
*/
static int robust_skew(lua_State *L) {
  return push_fit(L, tare_skew_doubles, tare_skew_fit, 0);
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
