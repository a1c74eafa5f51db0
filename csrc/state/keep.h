/*
** Values that stay alive for as long as something in C needs them: in the
** registry, each under an address that nothing else uses as a key. Not under
** numbers (luaL_ref): where memory runs out while a table grows, LuaJIT 2.1
** loses entries of that kind.
*/
#ifndef TARE_KEEP_H
#define TARE_KEEP_H

#include "compat.h"

/* Pops the value on top of the stack and keeps it. May run out of memory. */
void tare_keep(lua_State *L, const void *key);

/*
** Makes room for a key, so that keeping a value under it needs no memory. May run
** out of memory. tare_let_go() gives the room back.
*/
void tare_keep_room(lua_State *L, const void *key);

/* Pushes what is kept, nil, or false for mere room. */
void tare_push_kept(lua_State *L, const void *key);

/* The address of the userdata (full or light) that is kept, or NULL. */
void *tare_kept(lua_State *L, const void *key);

/*
** Keeps the address of what is active now. NULL: nothing is active; this needs
** no memory.
*/
void tare_keep_address(lua_State *L, const void *key, void *address);

/* Keeps it no more, if it is kept. Needs no memory. */
void tare_let_go(lua_State *L, const void *key);

/* Pushes a table of so many slots, with weak values. May run out of memory. */
void tare_push_weak(lua_State *L, int slots);

#endif
