/*
** What require "tare" loads, for hosts that load C modules: tare.so, tare.dll.
**
**   cc -O2 -ffp-contract=off -DNDEBUG -fPIC -shared -I<headers of its Lua> \
**     tare.c module.c -lm -o tare.so
*/
#include <lua.h>

#include "tare.h"

TARE_API int luaopen_tare(lua_State *L);

TARE_API int luaopen_tare(lua_State *L) {
  return tare_open(L, NULL) == TARE_OK ? 1 : lua_error(L);
}
