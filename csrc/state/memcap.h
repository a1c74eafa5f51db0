/*
** A cap on what a state allocates while a batch runs. The allocator is wrapped:
** once it has handed out that much, it refuses until the batch ends. For
** batches with the collector stopped, whose heap has no other limit.
*/
#ifndef TARE_MEMCAP_H
#define TARE_MEMCAP_H

#include "compat.h"
#include "state/wrap.h"

typedef struct tare_memcap {
  tare_wrap wrap;
  size_t left; /* bytes that may still be handed out */
  int reached; /* whether the cap was hit since tare_memcap_begin() */
  int depth;   /* batches within batches that have the same cap */
} tare_memcap;

/*
** Lets the state have 'bytes' more than it has now. A batch that runs inside
** another batch with this cap has what is left of it.
*/
void tare_memcap_begin(lua_State *L, tare_memcap *c, size_t bytes);

/*
** Restores the allocator: see tare_wrap_end(). Does nothing if 'c' is not
** active.
*/
int tare_memcap_end(lua_State *L, tare_memcap *c);

#endif
