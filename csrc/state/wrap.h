/*
** An allocator put around that of a state for a while. Several may be around
** one another and taken away in any order. Where somebody else's has been put
** around one that is to go, it stays, and only passes requests on.
**
** In 5.5 a string that a buffer has made is freed by the allocator under which it
** was made, so one that is taken away must pass on what these ask of it: its
** memory lasts as long as the state (tare_wrap_new).
*/
#ifndef TARE_WRAP_H
#define TARE_WRAP_H

#include "compat.h"

struct tare_wrap;

/* What an allocator does that is put around; passes on by tare_wrap_pass(). */
typedef void *(*tare_wrapper)(struct tare_wrap *w, void *ptr, size_t osize,
                              size_t nsize);

/* First member of what the wrapper needs. Zeroed: not in place. */
typedef struct tare_wrap {
  tare_wrapper wrapper;
  lua_Alloc next; /* the one that was found */
  void *next_ud;
  int in_place;
  struct tare_wrap *above; /* the one of ours that is around this, or NULL */
} tare_wrap;

/*
** Memory of so many bytes for one, zeroed except for what it passes requests on
** to, or NULL. Outside of the heap; in 5.5, where it must last, in a userdata,
** which may raise.
*/
void *tare_wrap_new(lua_State *L, size_t size);

/* Gives up the memory of one that is not in place. */
void tare_wrap_free(lua_State *L, void *w, size_t size);

/* Puts it around; it must be ended before its memory is given up. */
void tare_wrap_begin(lua_State *L, tare_wrap *w, tare_wrapper wrapper);

/*
** Takes it away. Returns 0, and stays in place, if somebody else's is around
** it: then its memory must stay as long as the state. Ending twice does no
** harm.
*/
int tare_wrap_end(lua_State *L, tare_wrap *w);

/*
** The allocator inside all of ours: for memory that may outlast them. 'ud' is
** its own in and out.
*/
lua_Alloc tare_wrap_inside(lua_Alloc alloc, void **ud);

/* What the allocator that was found makes of a request. */
void *tare_wrap_pass(const tare_wrap *w, void *ptr, size_t osize, size_t nsize);

#endif
