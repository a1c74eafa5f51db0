/*
** How the built-in Lua part is loaded: by a 'require' of its own, so that it
** needs nothing of the state's package library.
*/
#ifndef TARE_LOADER_H
#define TARE_LOADER_H

#include "compat.h"

/*
** Pushes require(name): gives a built-in module, loaded when first asked for;
** else what the state's own 'require' gives. Where there is package.preload,
** every built-in module is entered there. Raises Lua errors.
*/
void tare_push_require(lua_State *L);

#endif
