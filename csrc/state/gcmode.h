/*
** How the collector of a Lua state is set: asked, changed, and put back.
**
** Lua tells the mode only to who sets one, which may run a full collection,
** and the step size and the two multipliers of generational mode to nobody.
** The mode is found out from a few single steps of the collector; the others
** are what tare last set, or else Lua's defaults.
*/
#ifndef TARE_GCMODE_H
#define TARE_GCMODE_H

#include "compat.h"

typedef enum tare_gcmode {
  TARE_GC_UNKNOWN = -1,
  TARE_GC_INCREMENTAL,
  TARE_GC_GENERATIONAL
} tare_gcmode;

/* X(field, name): the numbers; in order: those of any mode, of 5.4 only. */
#define TARE_GC_NUMBERS(X)                                                     \
  X(pause, "pause")                       /* percent of what is alive */       \
  X(step_multiplier, "step_multiplier")   /* percent of allocation */          \
  X(step_size, "step_size")               /* logarithm of bytes */             \
  X(minor_multiplier, "minor_multiplier") /* percent of growth */              \
  X(major_multiplier, "major_multiplier") /* percent of growth */

/* -1 where a field has no meaning, is not known, or is to stay as it is. */
typedef struct tare_gcstate {
  tare_gcmode mode;
  int pause, step_multiplier, step_size, minor_multiplier, major_multiplier;
  int running; /* 5.1 does not tell: taken for true */
} tare_gcstate;

/* Whether the automatic collector runs. */
int tare_gc_is_running(lua_State *L);

/* Lets it run or stops it; nothing is touched if that is so already. */
void tare_gc_set_running(lua_State *L, int running);

/* Nothing to change. */
tare_gcstate tare_gc_nothing(void);

/* What is told without a step of the collector; the mode is unknown. */
tare_gcstate tare_gc_settings(lua_State *L);

/*
** How the collector is set. In 5.4 it does up to a few steps (minor
** collections); needs some stack and may raise (no memory).
*/
tare_gcstate tare_gc_capture(lua_State *L);

/*
** Sets all fields of 's' that are not -1. Returns 0, with nothing changed, if
** this Lua has no such mode. To change the mode is a full collection.
*/
int tare_gc_apply(lua_State *L, const tare_gcstate *s);

/*
** Puts back what tare_gc_settings() told. Neither this nor tare_gc_restore()
** allocates or raises.
*/
void tare_gc_put_back(lua_State *L, const tare_gcstate *s);

/* Puts back all that tare_gc_capture() told. */
void tare_gc_restore(lua_State *L, const tare_gcstate *s);

#endif
