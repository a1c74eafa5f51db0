/* What the Lua module tare.embed does for the C interface. */
#ifndef TARE_EMBED_SERVED_H
#define TARE_EMBED_SERVED_H

#include "compat.h"

/* Pushes a function of that module; raises where tare is not open in 'L'. */
void tare_push_served(lua_State *L, const char *name);

#endif
