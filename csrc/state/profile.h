/*
** Instructions and allocations of a Lua state by source line and call stack:
** hooks on each instruction, call and return, and an allocator around that of
** the state. Exact, and the same in every run; some fifty times slower, so it
** has a pass of its own. Code that LuaJIT compiled calls no hooks, so LuaJIT's
** compiler has to be off.
*/
#ifndef TARE_PROFILE_H
#define TARE_PROFILE_H

#include "compat.h"
#include "platform/clock.h"
#include "state/calltree.h"
#include "state/hook.h"
#include "state/wrap.h"

/* A function that is running. */
typedef struct tare_profile_frame {
  intptr_t level; /* what distinguishes it from others, by version of Lua */
  uint32_t callee, place;
  int line;
} tare_profile_frame;

/* The functions that run in a thread of Lua. */
typedef struct tare_profile_thread {
  lua_State *L;
  tare_rows frames;
  uint32_t base;  /* the place that resumed it */
  size_t resumer; /* number of the thread that resumed it; NO_THREAD: none */
  int is_fresh;   /* a Lua function was entered, and nothing executed since */
} tare_profile_thread;

typedef struct tare_profile {
  tare_wrap wrap; /* the allocator */
  struct tare_profile *outer;
  tare_hook hook; /* that was set before */
  tare_clock clock;
  tare_calltree tree;
  tare_rows threads;
  tare_rows slots; /* hash table of threads by address: numbers, 0: free */
  size_t thread;   /* the running one */
  uint32_t place;  /* the present place, to which allocations are charged */
  uint32_t timed;  /* the place of the C function that is running, or 0 */
  uint64_t since_ns;
  double lag_ns;      /* from one event to the next where nothing is between */
  int is_timing_lag;  /* events are those of a function that does nothing */
  int expects_caller; /* the next function called is the one that calls the
                         profiled function */
  int is_counting;    /* whether events count */
  int is_in_parts;    /* coroutines made before the profile may run */
  lua_State *hooked;  /* the thread that has our hook, or NULL; kept */
} tare_profile;

/*
** Prepares to profile 'L' and the coroutines that it will make. Keeps the table
** of names on top of the stack, and pops it: names of functions, by function.
** Memory of the profile comes from the allocator of 'p->tree', that of 'p' from
** tare_wrap_new(). May raise (no memory).
*/
void tare_profile_begin(lua_State *L, tare_profile *p);

/*
** From here on all is counted, from 0. The hook is set again, since functions
** that were called before may have removed it. The next function that is called
** must be the C function that repeats the profiled function: it is part of no
** stack.
*/
void tare_profile_count(lua_State *L, tare_profile *p);

/* Events do not count from here on. */
void tare_profile_pause(tare_profile *p);

/*
** The same for parts of a running program. Between resume and rest all is
** counted, by stacks that begin with the function that runs at resume. Rest may
** be called in another coroutine than resume; the coroutine of resume then has
** its own hook again. Resume and rest raise nothing. Prepare, which comes
** before the first resume, may raise.
*/
void tare_profile_prepare(lua_State *L, tare_profile *p);
void tare_profile_resume(lua_State *L, tare_profile *p);
void tare_profile_rest(lua_State *L, tare_profile *p);

/* Whether a profile of this state has begun and not ended. */
int tare_profile_is_active(lua_State *L);

/*
** Ends a profile: restores hook and allocator. False if a foreign allocator is
** around ours: see tare_wrap_end(). The tree stays.
*/
int tare_profile_end(lua_State *L, tare_profile *p);

/* Frees the tree, and all else that 'p' has. */
void tare_profile_free(tare_profile *p);

#endif
