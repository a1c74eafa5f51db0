/*
** The Lua part of tare as it is built in: packed, one entry per module. The
** first entry is no module: it holds the text that is the history of the others
** when they are packed and unpacked. All are in one array, each where the one
** before ends: arrays of their own have padding, and addresses that each
** program that loads the library has to fill in.
*/
#ifndef TARE_MODULES_H
#define TARE_MODULES_H

#include <stddef.h>

typedef struct tare_module {
  const char *name; /* "tare.base.json"; NULL after the last */
  unsigned at;      /* where it is in tare_packed: up to that of the next */
  unsigned size;    /* bytes when it is unpacked (see pure/unpack.h) */
} tare_module;

extern const unsigned char tare_packed[];
extern const tare_module tare_modules[];

#endif
