/* Functions that the bindings share: numbers in and out, and outcomes. */
#include "bind/bind.h"
#include "state/batch.h"

#include <math.h>

/* Squares of greater values, or sums of them, are infinite. */
#define LARGEST 1e150

static double *check_list(lua_State *L, int i, size_t *n, size_t extra,
                          int infinite) {
  double *xs;
  size_t k;
  luaL_checktype(L, i, LUA_TTABLE);
  *n = lua_rawlen(L, i);
  luaL_argcheck(L, *n > 0, i, "must not be empty");
  xs = (double *)lua_newuserdata(L, (*n + extra) * sizeof *xs);
  for (k = 0; k < *n; k++) {
    const char *fault = NULL;
    lua_rawgeti(L, i, (int)k + 1);
    xs[k] = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER)
      fault = luaL_typename(L, -1);
    else if (isnan(xs[k]))
      fault = "NaN";
    else if (isinf(xs[k]) && !infinite)
      fault = "infinite";
    else if (fabs(xs[k]) > LARGEST && !infinite)
      fault = "too large";
    if (fault != NULL)
      luaL_argerror(L, i,
                    lua_pushfstring(L, "value %d is %s", (int)k + 1, fault));
    lua_pop(L, 1);
  }
  return xs;
}

double *tare_check_numbers(lua_State *L, int i, size_t *n, size_t extra) {
  return check_list(L, i, n, extra, 0);
}

double *tare_check_ordered(lua_State *L, int i, size_t *n) {
  return check_list(L, i, n, 0, 1);
}

double tare_check_iters(lua_State *L, int i) {
  lua_Number iters = luaL_checknumber(L, i);
  luaL_argcheck(L, iters >= 1 && iters <= 9007199254740992.0, i,
                "must be in [1, 2^53]");
  return iters;
}

int tare_push_outcome(lua_State *L, int status) {
  if (status == LUA_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* Kept so far within 0 and 1 that a sum with it does not round to them. */
static double inner_share(double share) {
  return fmin(fmax(share, 1e-15), 1.0 - 1e-15);
}

double tare_opt_share(lua_State *L, int i, double fallback) {
  double share = luaL_optnumber(L, i, fallback);
  luaL_argcheck(L, share > 0.0 && share < 1.0, i, "must be between 0 and 1");
  return inner_share(share);
}

double tare_opt_confidence(lua_State *L, int arg) {
  double v = 0.95;
  if (lua_isnil(L, arg)) return v;
  luaL_checktype(L, arg, LUA_TTABLE);
  lua_getfield(L, arg, "confidence");
  if (!lua_isnil(L, -1)) {
    v = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    if (!(v > 0.0 && v < 1.0))
      luaL_error(L, "bad option 'confidence' (between 0 and 1)");
  }
  lua_pop(L, 1);
  return inner_share(v);
}

double *tare_push_scratch(lua_State *L, size_t count) {
  return (double *)lua_newuserdata(L, count * sizeof(double));
}

void tare_push_numbers(lua_State *L, const double *xs, size_t n) {
  size_t i;
  lua_createtable(L, (int)n, 0);
  for (i = 0; i < n; i++) {
    lua_pushnumber(L, xs[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

void tare_set_number(lua_State *L, const char *name, double value) {
  if (isnan(value)) return;
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

void tare_set_whole(lua_State *L, const char *name, double value) {
  tare_push_count(L, value);
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

void tare_add_stats(lua_State *L, const luaL_Reg *functions) {
  lua_getfield(L, -1, "stats");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "stats");
  }
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
