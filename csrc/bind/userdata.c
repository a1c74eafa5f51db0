#include "bind/userdata.h"

void tare_define_type(lua_State *L, const char *name, const luaL_Reg *methods,
                      int nup) {
  luaL_newmetatable(L, name); /* or the one that is there */
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_insert(L, -(nup + 1));
  luaL_setfuncs(L, methods, nup);
  lua_pop(L, 1);
}
