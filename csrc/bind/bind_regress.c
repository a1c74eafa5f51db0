#include "bind/regress.h"

#include <math.h>
#include <string.h>

double *tare_push_scratch(lua_State *L, size_t count) {
  return (double *)lua_newuserdata(L, (count + 1) * sizeof(double));
}

void tare_set_whole(lua_State *L, const char *name, double value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, name);
}

void tare_push_estimate(lua_State *L, double value, double low, double high) {
  if (isnan(value)) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, 3);
  tare_set_number(L, "value", value);
  tare_set_number(L, "low", low);
  tare_set_number(L, "high", high);
}

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

/* Counts the columns at 'arg' and sorts their names, if they have any. */
static int count_columns(lua_State *L, int arg, tare_regress *r) {
  int count = 0, i;
  if (lua_rawlen(L, arg) > 0) return count_listed(L, arg, r);
  for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1)) {
    const char *name;
    luaL_argcheck(L, lua_type(L, -2) == LUA_TSTRING, arg,
                  "must be a list of columns or name them all");
    luaL_argcheck(L, count < TARE_COLUMNS_MAX, arg, "too many columns");
    name = lua_tostring(L, -2); /* lives as long as the table's key */
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

void tare_set_column(lua_State *L, const tare_regress *r, int c) {
  if (r->name[c] != NULL)
    lua_setfield(L, -2, r->name[c]);
  else
    lua_rawseti(L, -2, c + 1);
}

void tare_set_columns(lua_State *L, const tare_regress *r, const char *name,
                      const double *values) {
  int c;
  lua_newtable(L);
  for (c = 0; c < r->design.columns; c++) {
    if (isnan(values[c])) continue;
    lua_pushnumber(L, values[c]);
    tare_set_column(L, r, c);
  }
  lua_setfield(L, -2, name);
}

void tare_push_ols(lua_State *L, const tare_regress *r, const tare_ols *fit) {
  int intercept = tare_design_terms(&r->design) - 1;
  lua_newtable(L);
  tare_set_columns(L, r, "coefficients", fit->coefficient);
  tare_set_columns(L, r, "stderr", fit->stderror);
  tare_set_columns(L, r, "vif", fit->vif);
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
