/* The metatables of our userdata. */
#ifndef TARE_USERDATA_H
#define TARE_USERDATA_H

#include "compat.h"

/*
** Gives the type of userdata 'name' its methods and metamethods, each with the
** 'nup' values on top of the stack as its upvalues; pops these. Methods are
** found through __index. Each must check its first argument (luaL_checkudata):
** a script that has an object can call any of them, __gc too, with anything.
*/
void tare_define_type(lua_State *L, const char *name, const luaL_Reg *methods,
                      int nup);

#endif
