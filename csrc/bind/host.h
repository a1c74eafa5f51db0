/*
** What a host supplied for a state: its clock, its memory, its output.
*/
#ifndef TARE_BIND_HOST_H
#define TARE_BIND_HOST_H

#include "compat.h"
#include "platform/clock.h"
#include "tare.h"

/*
** Remembers a copy of '*host' for the state, unless there is one already. May
** raise (no memory).
*/
void tare_set_host(lua_State *L, const tare_host *host);

/* What was supplied, or NULL. Lives as long as the state. */
const tare_host *tare_host_of(lua_State *L);

/* The host's clock, or the system's. */
tare_clock tare_wall_of(lua_State *L);

/*
** The allocator for what must stay out of the Lua heap: that of a host, or the
** state's (NULL). What it gave goes back to the same one, also where the state
** has got a host since: so who has such memory remembers the host.
*/
lua_Alloc tare_alloc_of(lua_State *L, const tare_host *host, void **ud);

/*
** A block of such memory, or NULL, and back. The allocator is asked for in the
** same breath: a call of Lua in between may run finalizers, and one of these may
** end a profile, or a census, whose allocator that was.
*/
void *tare_new_block(lua_State *L, const tare_host *host, size_t size);
void tare_free_block(lua_State *L, const tare_host *host, void *block,
                     size_t size);

#endif
