/*
** Counts the instructions that the virtual machine executes, with a hook on
** each: slow, but the same number in every process. Code that LuaJIT compiled
** calls no hooks: there it needs the compiler off.
*/
#ifndef TARE_COUNTHOOK_H
#define TARE_COUNTHOOK_H

#include "state/hook.h"

typedef struct tare_counthook {
  struct tare_counthook *outer; /* what counted before, or NULL */
  tare_hook hook;               /* that was found, to be put back */
  double instructions;
} tare_counthook;

/*
** Starts counting on 'L' and on the coroutines that it will make. 'c' must
** live until the end. Needs two free stack slots; may raise (no memory).
*/
void tare_counthook_begin(lua_State *L, tare_counthook *c);

/*
** Ends the counting and puts the hook back that was found. What counted before
** gets the instructions too.
*/
void tare_counthook_end(lua_State *L, tare_counthook *c);

#endif
