/*
** Saves the debug hook, and restores it after code that may have set another
** one. A hook that a bench leaves behind would slow the next bench, or raise
** errors in tare itself.
*/
#ifndef TARE_HOOK_H
#define TARE_HOOK_H

#include "compat.h"

typedef struct tare_hook {
  lua_Hook function;
  int mask, count;
} tare_hook;

/* The hook that is set now. */
tare_hook tare_hook_get(lua_State *L);

/* Sets a hook again, if another one is set now. */
void tare_hook_put(lua_State *L, const tare_hook *hook);

#endif
