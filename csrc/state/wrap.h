/*
** Wrappers: allocators that are put around the allocator of a state for a
** while. Several may be nested, and removed in any order. A wrapper that a foreign
** allocator was put around can't be removed: it stays, and only passes requests
** on.
**
** In 5.5 a string that a buffer has made is freed by the allocator that was set
** when it was made. So a wrapper that was removed must still pass on the
** requests of such strings: its memory lasts as long as the state
** (tare_wrap_new).
*/
#ifndef TARE_WRAP_H
#define TARE_WRAP_H

#include "compat.h"

struct tare_wrap;

/*
** What a wrapper does with a request. It passes requests on by
** tare_wrap_pass().
*/
typedef void *(*tare_wrapper)(struct tare_wrap *w, void *ptr, size_t osize,
                              size_t nsize);

/* First member of the wrapper's data. All 0: not in place. */
typedef struct tare_wrap {
  tare_wrapper wrapper;
  lua_Alloc next; /* the allocator that was found */
  void *next_ud;
  int in_place;
  struct tare_wrap *above; /* our wrapper directly around this one, or NULL */
} tare_wrap;

/*
** Memory of 'size' bytes for a wrapper, or NULL. It is all 0, except for the
** allocator to which a wrapper there still passes requests on (5.5). It is
** outside of the heap; in 5.5, where it must last, it is a userdata, and making
** it may raise.
*/
void *tare_wrap_new(lua_State *L, size_t size);

/* Gives up the memory of a wrapper that is not in place. */
void tare_wrap_free(lua_State *L, void *w, size_t size);

/*
** Puts a wrapper around the state's allocator. It must be ended before its
** memory is given up.
*/
void tare_wrap_begin(lua_State *L, tare_wrap *w, tare_wrapper wrapper);

/*
** Removes a wrapper. Returns 0, and leaves it in place, if a foreign allocator
** is around it: then its memory must stay as long as the state. Ending it twice
** does no harm.
*/
int tare_wrap_end(lua_State *L, tare_wrap *w);

/*
** The allocator inside all our wrappers, for memory that may outlast them.
** '*ud': the argument of 'alloc', and then that of the result.
*/
lua_Alloc tare_wrap_inside(lua_Alloc alloc, void **ud);

/* Passes a request on to the allocator that was found. */
void *tare_wrap_pass(const tare_wrap *w, void *ptr, size_t osize, size_t nsize);

#endif
