/*
** The Lua part of tare as it is built in: packed, one entry a module. The first
** entry is none: it holds what the others are packed with as their history.
*/
#ifndef TARE_MODULES_H
#define TARE_MODULES_H

#include <stddef.h>

typedef struct tare_module {
  const char *name;            /* "tare.run.policy"; NULL after the last */
  const unsigned char *packed; /* see pure/unpack.h */
  unsigned packed_size, size;  /* bytes */
} tare_module;

extern const tare_module tare_modules[];

#endif
