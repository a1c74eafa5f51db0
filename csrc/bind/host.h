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

/* What the host supplied, or NULL. Lives as long as the state. */
const tare_host *tare_host_of(lua_State *L);

/* The host's clock, or the system's. */
tare_clock tare_wall_of(lua_State *L);

/*
** The allocator for what must stay out of the Lua heap: that of 'host', or the
** state's where there is none (NULL). Memory has to go back to the allocator
** that it came from, also if the state has got a host since. So whoever has
** such memory remembers the host.
*/
lua_Alloc tare_alloc_of(lua_State *L, const tare_host *host, void **ud);

/*
** Allocates a block of such memory, or returns NULL; and frees it. Both look up
** the allocator right before they use it. A call of Lua in between may run a
** finalizer that ends a profile or a census, whose allocator that was.
*/
void *tare_new_block(lua_State *L, const tare_host *host, size_t size);
void tare_free_block(lua_State *L, const tare_host *host, void *block,
                     size_t size);

#endif
