/*
** How the built-in Lua part is loaded: by a 'require' of its own, so that it
** needs nothing of the state's package library.
*/
#ifndef TARE_LOADER_H
#define TARE_LOADER_H

#include "compat.h"

/*
** Pushes a function require(name). It returns a built-in module, which is
** loaded when first asked for, or else what the state's own 'require' returns.
** Where there is package.preload, every built-in module is entered there.
** Raises Lua errors.
*/
void tare_push_require(lua_State *L);

#endif
