/* core.stats: ols, huber, theil_sen, skew_fit, quantile_line. */
#include "bind/bind_regression.h"
#include "pure/moments.h"
#include "pure/skew.h"

#include <math.h>
#include <string.h>

/* Copies the list on top of the stack, of 'rows' numbers, to 'to'. */
static void copy_list(lua_State *L, int arg, double *to, size_t rows) {
  size_t i;
  luaL_argcheck(L, lua_istable(L, -1), arg, "a column must be a table");
  luaL_argcheck(L, lua_rawlen(L, -1) == rows, arg,
                "columns differ in their number of values");
  for (i = 0; i < rows; i++) {
    lua_rawgeti(L, -1, (int)i + 1);
    luaL_argcheck(L, lua_type(L, -1) == LUA_TNUMBER, arg,
                  "values must be numbers");
    to[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* Counts the columns at 'arg', a list of them or just one. */
static int count_listed(lua_State *L, int arg, tare_regress *r) {
  size_t n = lua_rawlen(L, arg);
  lua_rawgeti(L, arg, 1);
  r->bare = lua_type(L, -1) == LUA_TNUMBER;
  lua_pop(L, 1);
  luaL_argcheck(L, r->bare || n <= TARE_COLUMNS_MAX, arg, "too many columns");
  return r->bare ? 1 : (int)n;
}

/*
** Counts the columns at 'arg' and sorts their names, if they have any. Pushes a
** list that keeps the names: to read options may run code that drops columns.
*/
static int count_columns(lua_State *L, int arg, tare_regress *r) {
  int count = 0, i, kept;
  lua_newtable(L);
  kept = lua_gettop(L);
  if (lua_rawlen(L, arg) > 0) return count_listed(L, arg, r);
  for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1)) {
    const char *name;
    luaL_argcheck(L, lua_type(L, -2) == LUA_TSTRING, arg,
                  "must be a list of columns or name them all");
    luaL_argcheck(L, count < TARE_COLUMNS_MAX, arg, "too many columns");
    name = lua_tostring(L, -2);
    lua_pushvalue(L, -2);
    lua_rawseti(L, kept, count + 1);
    for (i = count++; i > 0 && strcmp(r->name[i - 1], name) > 0; i--)
      r->name[i] = r->name[i - 1];
    r->name[i] = name;
  }
  return count;
}

static int wants_intercept(lua_State *L, int arg) {
  int wanted;
  if (lua_isnoneornil(L, arg)) return 1;
  luaL_checktype(L, arg, LUA_TTABLE);
  lua_getfield(L, arg, "intercept");
  wanted = lua_isnil(L, -1) || lua_toboolean(L, -1);
  lua_pop(L, 1);
  return wanted;
}

/* Pushes column 'c' (from 0) of those at 'arg'. */
static void push_column(lua_State *L, int arg, const tare_regress *r, int c) {
  if (r->bare)
    lua_pushvalue(L, arg);
  else if (r->name[c] != NULL)
    lua_getfield(L, arg, r->name[c]);
  else
    lua_rawgeti(L, arg, c + 1);
}

/* Copies the list at 1 and the columns at 2 to scratch that 'r' points into. */
static void copy_values(lua_State *L, tare_regress *r) {
  size_t rows = lua_rawlen(L, 1);
  double *next = tare_push_scratch(L, rows * ((size_t)r->design.columns + 1));
  int c;
  r->design.rows = rows;
  r->design.y = r->values = next;
  r->design.x = r->x;
  lua_pushvalue(L, 1);
  copy_list(L, 1, next, rows);
  lua_pop(L, 1);
  for (c = 0; c < r->design.columns; c++) {
    r->x[c] = next += rows;
    push_column(L, 2, r, c);
    copy_list(L, 2, next, rows);
    lua_pop(L, 1);
  }
}

void tare_check_regress(lua_State *L, tare_regress *r) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  memset(r, 0, sizeof *r);
  r->design.columns = count_columns(L, 2, r);
  r->design.intercept = wants_intercept(L, 3);
  luaL_argcheck(L, tare_design_terms(&r->design) > 0, 2,
                "without intercept there must be a column");
  copy_values(L, r);
}

int tare_push_refusal(lua_State *L, const tare_regress *r,
                      tare_fit_status status, int column) {
  const char *message = tare_fit_message(status);
  lua_pushnil(L);
  lua_pushstring(L, tare_fit_code(status));
  if (column < 0)
    lua_pushstring(L, message);
  else if (r->name[column] != NULL)
    lua_pushfstring(L, "%s (column '%s')", message, r->name[column]);
  else
    lua_pushfstring(L, "%s (column %d)", message, column + 1);
  return 3;
}

/* Sets t[c + 1], or t[name of c], of the table on top to the value below it. */
static void set_column(lua_State *L, const tare_regress *r, int c) {
  if (r->name[c] != NULL)
    lua_setfield(L, -2, r->name[c]);
  else
    lua_rawseti(L, -2, c + 1);
}

/*
** Sets field 'name' of the table on top to a table of one value per column: a
** list, or by name if the columns have names. NaN leaves a hole.
*/
static void set_columns(lua_State *L, const tare_regress *r, const char *name,
                        const double *values) {
  int c;
  lua_newtable(L);
  for (c = 0; c < r->design.columns; c++) {
    if (isnan(values[c])) continue;
    lua_pushnumber(L, values[c]);
    set_column(L, r, c);
  }
  lua_setfield(L, -2, name);
}

void tare_push_ols(lua_State *L, const tare_regress *r, const tare_ols *fit) {
  int intercept = tare_design_terms(&r->design) - 1;
  lua_newtable(L);
  set_columns(L, r, "coefficients", fit->coefficient);
  set_columns(L, r, "stderr", fit->stderror);
  set_columns(L, r, "vif", fit->vif);
  if (r->design.intercept) {
    tare_set_number(L, "intercept", fit->coefficient[intercept]);
    tare_set_number(L, "intercept_stderr", fit->stderror[intercept]);
  }
  tare_set_number(L, "r2", fit->r2);
  tare_set_number(L, "adjusted_r2", fit->adjusted_r2);
  tare_set_number(L, "residual_sd", fit->residual_sd);
  tare_set_whole(L, "dof", (double)fit->dof);
  tare_set_whole(L, "rows", (double)r->design.rows);
}

void tare_set_estimates(lua_State *L, const tare_regress *r,
                        const double *coefficient, const tare_bounds *bounds) {
  int columns = r->design.columns, c;
  lua_createtable(L, columns, 0);
  for (c = 0; c < columns; c++) {
    tare_push_estimate(L, coefficient[c], bounds[c].low, bounds[c].high);
    set_column(L, r, c);
  }
  lua_setfield(L, -2, "coefficients");
  if (!r->design.intercept) return;
  tare_push_estimate(L, coefficient[columns], bounds[columns].low,
                     bounds[columns].high);
  lua_setfield(L, -2, "intercept");
}

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

/* Pushes {coefficients, intercept, noise_sd, rows, confidence}. */
static void push_robust(lua_State *L, const tare_regress *r,
                        const tare_robust *fit, double confidence) {
  lua_newtable(L);
  tare_set_estimates(L, r, fit->coefficient, fit->bounds);
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

/* Fits the regression at 1 to 3, and pushes the fit or its refusal. */
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
  if (through_origin || tare_all_equal(x, n))
    line.slope = tare_quantreg_origin(x, y, n, tau, y + n);
  else
    line = tare_quantreg_line(x, y, n, tau, y + n);
  lua_pushnumber(L, line.slope);
  lua_pushnumber(L, line.intercept);
  return 2;
}

static const luaL_Reg functions[] = {
    {"ols", fit_ols},
    {"huber", robust_huber},
    {"theil_sen", robust_theil_sen},
    {"skew_fit", robust_skew},
    {"quantile_line", stats_quantile_line},
    {NULL, NULL},
};

void tare_bind_regression(lua_State *L) {
  tare_add_stats(L, functions);
}
