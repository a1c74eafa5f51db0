/*
** Counts what a Lua state allocates, by wrapping its allocator. Exact, but it
** costs some nanoseconds per allocation, so it has a pass of its own.
*/
#ifndef TARE_CENSUS_H
#define TARE_CENSUS_H

#include "compat.h"
#include "state/wrap.h"

/* Kinds of blocks that stock Lua (from 5.2 on) passes to its allocator. */
typedef enum tare_block {
  TARE_BLOCK_STRING,
  TARE_BLOCK_TABLE,
  TARE_BLOCK_FUNCTION,
  TARE_BLOCK_USERDATA,
  TARE_BLOCK_THREAD,
  TARE_BLOCK_OTHER, /* array and hash parts, prototypes, upvalues, buffers */
  TARE_BLOCK_KINDS
} tare_block;

typedef struct tare_tally {
  double allocs, bytes;
} tare_tally;

typedef struct tare_census {
  tare_wrap wrap;
  double allocs;      /* new blocks */
  double reallocs;    /* blocks that changed their size */
  double bytes;       /* sizes of new blocks and growth of others */
  double freed_bytes; /* sizes of freed blocks and shrinking of others */
  double peak_bytes;  /* most that 'bytes' was ever ahead of 'freed_bytes' */
  tare_tally kind[TARE_BLOCK_KINDS];
} tare_census;

/*
** Starts counting. 'c' must outlive the counting, which has to be ended before
** 'c' is freed: the state allocates through it meanwhile.
*/
void tare_census_begin(lua_State *L, tare_census *c);

/* Ends the counting: see tare_wrap_end(). */
int tare_census_end(lua_State *L, tare_census *c);

/* "string", "table", ... */
const char *tare_block_name(tare_block kind);

#endif
