#include "bind/resample.h"

#include <math.h>
#include <string.h>

/*
** Field 'name' of the options at 'arg': a whole number from 'least' to 'most',
** which is 'limit' in words.
*/
static double opt_whole(lua_State *L, int arg, const char *name,
                        double fallback, int least, double most,
                        const char *limit) {
  double v = fallback;
  lua_getfield(L, arg, name);
  if (!lua_isnil(L, -1)) {
    v = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    if (!(v >= least && v <= most && v == floor(v)))
      luaL_error(L, "bad option '%s' (a whole number from %d to %s)", name,
                 least, limit);
  }
  lua_pop(L, 1);
  return v;
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
  return tare_inner_share(v);
}

static int opt_method(lua_State *L, int arg, int fallback) {
  static const char *const methods[] = {"percentile", "expanded", "bca", NULL};
  int i = fallback;
  lua_getfield(L, arg, "method");
  if (!lua_isnil(L, -1)) {
    const char *name = lua_tostring(L, -1);
    i = 0;
    while (methods[i] != NULL &&
           (name == NULL || strcmp(name, methods[i]) != 0))
      i++;
    if (methods[i] == NULL)
      luaL_error(L, "bad option 'method' (percentile, expanded or bca)");
  }
  lua_pop(L, 1);
  return i;
}

/*
** Numbers the groups in the list on top of the stack in the order in which
** they first appear, and each row with its group's number, from 0. Returns how
** many groups there are. A table that it pops maps group to number.
*/
static size_t number_groups(lua_State *L, size_t rows, uint32_t *group) {
  size_t count = 0, i;
  if (!lua_istable(L, -1) || lua_rawlen(L, -1) != rows)
    luaL_error(L, "bad option 'groups' (a list with the group of each row)");
  lua_newtable(L);
  for (i = 0; i < rows; i++) {
    lua_rawgeti(L, -2, (int)i + 1);
    if (lua_isnil(L, -1) || lua_tonumber(L, -1) != lua_tonumber(L, -1))
      luaL_error(L, "bad option 'groups' (row %d has none)", (int)i + 1);
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    if (lua_isnil(L, -1)) {
      lua_pushvalue(L, -2);
      lua_pushnumber(L, (lua_Number)count);
      lua_rawset(L, -5);
      group[i] = (uint32_t)count++;
    } else
      group[i] = (uint32_t)lua_tonumber(L, -1);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  return count;
}

/*
** Where rows go when they are brought together by group: place[i] for row i;
** start[] becomes the first place of each group and, last, 'rows'.
*/
static void place_groups(const uint32_t *group, size_t rows, size_t groups,
                         uint32_t *start, uint32_t *place) {
  size_t i;
  memset(start, 0, (groups + 1) * sizeof *start);
  for (i = 0; i < rows; i++) start[group[i] + 1]++;
  for (i = 0; i < groups; i++) start[i + 1] += start[i];
  for (i = 0; i < rows; i++) place[i] = start[group[i]]++;
  for (i = groups; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/*
** Reads options.groups, if it is there, into the plan: a userdata that it
** pushes keeps it. Returns the place of each row, or NULL where rows stay.
*/
static const uint32_t *opt_groups(lua_State *L, int arg, tare_plan *plan) {
  uint32_t *group, *start, *place;
  lua_getfield(L, arg, "groups");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return NULL;
  }
  group = (uint32_t *)lua_newuserdata(L, (3 * plan->rows + 1) * sizeof *group);
  place = group + plan->rows;
  start = place + plan->rows;
  lua_insert(L, -2);
  plan->groups = number_groups(L, plan->rows, group);
  lua_pop(L, 1);
  place_groups(group, plan->rows, plan->groups, start, place);
  plan->start = start;
  return place;
}

tare_boot tare_boot_default(size_t resamples, tare_boot_method method) {
  tare_boot boot;
  memset(&boot, 0, sizeof boot);
  boot.resamples = resamples;
  boot.method = method;
  return boot;
}

const uint32_t *tare_check_boot(lua_State *L, int arg, size_t rows,
                                tare_boot *boot) {
  const uint32_t *place;
  if (lua_isnil(L, arg)) {
    lua_newtable(L);
    lua_replace(L, arg);
  }
  luaL_checktype(L, arg, LUA_TTABLE);
  boot->plan.rows = rows;
  boot->resamples = (size_t)opt_whole(L, arg, "resamples",
                                      (double)boot->resamples, 1, 1e7, "1e7");
  boot->seed =
      (uint64_t)opt_whole(L, arg, "seed", 1, 0, 9007199254740992.0, "2^53");
  boot->plan.block = (size_t)opt_whole(
      L, arg, "block", 1, 1, rows < 1 ? 1 : (double)rows, "the number of rows");
  boot->confidence = tare_opt_confidence(L, arg);
  boot->method = (tare_boot_method)opt_method(L, arg, (int)boot->method);
  place = opt_groups(L, arg, &boot->plan);
  if (place != NULL && boot->plan.block > 1)
    luaL_error(L, "options 'block' and 'groups' exclude each other");
  return place;
}
