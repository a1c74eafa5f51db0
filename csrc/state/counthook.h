/*
** Counts the instructions that the virtual machine executes, with a hook on
** each of them. This is slow, but gives the same number in every process. Code
** that LuaJIT compiled calls no hooks, so LuaJIT's compiler has to be off.
*/
#ifndef TARE_COUNTHOOK_H
#define TARE_COUNTHOOK_H

#include "state/hook.h"

typedef struct tare_counthook {
  struct tare_counthook *outer; /* the counter active before, or NULL */
  tare_hook hook;               /* the hook that was set before */
  double instructions;
} tare_counthook;

/*
** Starts counting on 'L' and on the coroutines that it will make. 'c' must
** live until the end. Needs two free stack slots; may raise (no memory).
*/
void tare_counthook_begin(lua_State *L, tare_counthook *c);

/*
** Ends the counting and restores the hook. The counter that was active before
** gets these instructions, too.
*/
void tare_counthook_end(lua_State *L, tare_counthook *c);

#endif
