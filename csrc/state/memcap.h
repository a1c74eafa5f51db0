/*
** A cap on what a state allocates while a batch runs: the allocator is wrapped,
** and once so much was handed out it refuses until the batch has ended. For
** batches of a stopped collector, which nothing else would stop.
*/
#ifndef TARE_MEMCAP_H
#define TARE_MEMCAP_H

#include "compat.h"

typedef struct tare_memcap {
  lua_Alloc next; /* NULL: not active */
  void *next_ud;
  size_t left; /* bytes that may still be handed out */
  int reached; /* whether the cap was met since tare_memcap_begin() */
} tare_memcap;

/* Lets the state have 'bytes' more than it has now. */
void tare_memcap_begin(lua_State *L, tare_memcap *c, size_t bytes);

/* The allocator is again what it was. Does nothing if 'c' is not active. */
void tare_memcap_end(lua_State *L, tare_memcap *c);

#endif
