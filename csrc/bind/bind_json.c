/* Numbers as JSON: most of what a report is made of. */
#include "bind/bind.h"
#include "pure/json.h"

/* json_number(x) -> its text; "null" for NaN and infinities */
static int json_number(lua_State *L) {
  char text[TARE_JSON_NUMBER_SIZE];
  size_t length = tare_json_number(text, luaL_checknumber(L, 1));
  lua_pushlstring(L, text, length);
  return 1;
}

/*
** json_numbers(list) -> "[1,2.5,null]"; nil where an item is no number.
** See json_number.
*/
static int json_numbers(lua_State *L) {
  luaL_Buffer out;
  int i, count;
  luaL_checktype(L, 1, LUA_TTABLE);
  count = (int)lua_rawlen(L, 1);
  lua_settop(L, 1);
  luaL_buffinit(L, &out);
  luaL_addchar(&out, '[');
  for (i = 1; i <= count; i++) {
    char text[TARE_JSON_NUMBER_SIZE];
    int is_number;
    lua_rawgeti(L, 1, i);
    is_number = lua_type(L, -1) == LUA_TNUMBER;
    if (is_number) (void)tare_json_number(text, lua_tonumber(L, -1));
    lua_pop(L, 1);
    if (!is_number) return 0;
    if (i > 1) luaL_addchar(&out, ',');
    luaL_addstring(&out, text);
  }
  luaL_addchar(&out, ']');
  luaL_pushresult(&out);
  return 1;
}

static const luaL_Reg functions[] = {
    {"json_number", json_number},
    {"json_numbers", json_numbers},
    {NULL, NULL},
};

void tare_bind_json(lua_State *L) {
  luaL_setfuncs(L, functions, 0);
}
