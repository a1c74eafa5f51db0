/*
** What was counted, by call stack: a tree of places. A place is a line of a
** function that was called from the parent place; the root is outside of all
** functions. All memory comes from a given allocator, so that none of it is in
** the heap under test.
*/
#ifndef TARE_CALLTREE_H
#define TARE_CALLTREE_H

#include <stddef.h>
#include <stdint.h>

#include "compat.h"

#define TARE_ROOT 0u
#define TARE_CALLTREE_DEPTH 200 /* deeper places are kept at this depth */

/* A function. All its closures count as this one. */
typedef struct tare_callee {
  size_t source;       /* offset of its text; "" for a C function */
  size_t name;         /* offset of its text; "" if no name is known */
  int line, last_line; /* of its definition; 0 for a C function */
  int is_c, is_named;  /* is_named: the name is final */
  double calls;
  double ns; /* of a C function, without the functions that it called */
} tare_callee;

typedef struct tare_place {
  uint32_t parent, callee;
  int line; /* the executed line; 0 in a C function */
  int depth;
  double calls, instructions, allocs, bytes, freed_bytes;
  double ns;        /* in a C function, as in tare_callee */
  double intervals; /* number of intervals that 'ns' is the sum of */
} tare_place;

/* A growing array of texts, functions, places or numbers of them. */
typedef struct tare_rows {
  void *data;
  size_t count, room, size; /* 'size': bytes of each */
} tare_rows;

typedef struct tare_calltree {
  lua_Alloc alloc;
  void *ud;
  int failed; /* no memory: from then on all places are the root */
  tare_rows texts, callees, places;
  tare_rows callee_slots, place_slots; /* hash tables of numbers, 0: free */
} tare_calltree;

/* An empty tree: a root alone. 'failed' if there is no memory. */
void tare_calltree_init(tare_calltree *t, lua_Alloc alloc, void *ud);

void tare_calltree_free(tare_calltree *t);

/* Sets all counts to 0. */
void tare_calltree_zero(tare_calltree *t);

/*
** The number of a Lua function, which is defined in 'source' from 'line' to
** 'last_line'; or of a C function, which has no source (NULL) and is found by
** its name.
*/
uint32_t tare_calltree_callee(tare_calltree *t, const char *source, int line,
                              int last_line, const char *name);

/*
** Suggests a name for a Lua function. Of several names the first in the
** alphabet is kept, in whatever order they come, unless one is 'final'.
*/
void tare_calltree_name(tare_calltree *t, uint32_t callee, const char *name,
                        int final);

/* The number of a place below another. */
uint32_t tare_calltree_place(tare_calltree *t, uint32_t parent, uint32_t callee,
                             int line);

static inline tare_callee *tare_callee_at(const tare_calltree *t, uint32_t i) {
  return (tare_callee *)t->callees.data + i;
}

static inline tare_place *tare_place_at(const tare_calltree *t, uint32_t i) {
  return (tare_place *)t->places.data + i;
}

static inline const char *tare_calltree_text(const tare_calltree *t,
                                             size_t offset) {
  return (const char *)t->texts.data + offset;
}

/*
** Makes room for 'more' in an array that grows; returns where they begin, or
** NULL where there is no memory.
*/
void *tare_rows_grow(tare_rows *r, lua_Alloc alloc, void *ud, size_t more);

/* Frees an array that grew, which is not used after that. */
void tare_rows_free(tare_rows *r, lua_Alloc alloc, void *ud);

#endif
