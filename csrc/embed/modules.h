/*
** The Lua part of tare as it is built in: packed, one entry per module. The
** first entry is no module: it holds the text that is the history of the others
** when they are packed and unpacked.
*/
#ifndef TARE_MODULES_H
#define TARE_MODULES_H

#include <stddef.h>

typedef struct tare_module {
  const char *name;            /* "tare.base.json"; NULL after the last */
  const unsigned char *packed; /* see pure/unpack.h */
  unsigned packed_size, size;  /* bytes */
} tare_module;

extern const tare_module tare_modules[];

#endif
