/*
** The settings of a Lua state's collector: read, changed and restored.
**
** Lua returns the mode only when a mode is set, which may run a full
** collection; 5.4 never returns the step size and the two multipliers of
** generational mode. The mode is found from a few single steps of the
** collector. The others are the values that tare last set, or Lua's defaults.
** 5.5 returns all numbers, as far as it keeps them: rounded.
*/
#ifndef TARE_GCSETTINGS_H
#define TARE_GCSETTINGS_H

#include "compat.h"

typedef enum tare_gcmode {
  TARE_GC_UNKNOWN = -1,
  TARE_GC_INCREMENTAL,
  TARE_GC_GENERATIONAL
} tare_gcmode;

/*
** X(field, name): the numbers; in order: those of any Lua, of 5.4 and 5.5, of
** 5.5 only. Bytes of a step are exact, its size only nearly; where both are to
** be set, the bytes are.
*/
#define TARE_GC_NUMBERS(X)                                                     \
  X(pause, "pause")                       /* percent of what is alive */       \
  X(step_multiplier, "step_multiplier")   /* percent of allocation */          \
  X(step_size, "step_size")               /* logarithm of bytes */             \
  X(minor_multiplier, "minor_multiplier") /* percent of growth */              \
  X(major_multiplier, "major_multiplier") /* percent of growth */              \
  X(step_bytes, "step_bytes")                                                  \
  X(back_multiplier, "back_multiplier") /* percent: from major to minor */

/* -1 where a field has no meaning, is not known, or is to stay as it is. */
typedef struct tare_gcstate {
  tare_gcmode mode;
  int pause, step_multiplier, step_size, minor_multiplier, major_multiplier;
  int step_bytes, back_multiplier;
  int running; /* 5.1 cannot report it: taken for true */
} tare_gcstate;

/* Bytes in use by the Lua state. */
double tare_heap_bytes(lua_State *L);

/* The same; NaN inside of a finalizer, where 5.4 and 5.5 don't say. */
double tare_known_heap_bytes(lua_State *L);

/* Whether the automatic collector runs. */
int tare_gc_is_running(lua_State *L);

/* Starts or stops it; does nothing if it is in that state already. */
void tare_gc_set_running(lua_State *L, int running);

/* A state of which tare_gc_apply() changes nothing. */
tare_gcstate tare_gc_nothing(void);

/* The settings that can be read without a step; the mode is unknown. */
tare_gcstate tare_gc_settings(lua_State *L);

/* The setting 'pause': the next cycle begins at this percentage of the heap. */
int tare_gc_pause_percent(lua_State *L);

/*
** How the collector is set. In 5.4 and 5.5 it does up to a few steps (minor
** collections); needs some stack and may raise (no memory).
*/
tare_gcstate tare_gc_capture(lua_State *L);

/* The mode that was found or set last; asks nothing, allocates nothing. */
tare_gcmode tare_gc_last_mode(lua_State *L);

/*
** Sets all fields of 's' that are not -1. Returns 0, with nothing changed, if
** this Lua has no such mode. To change the mode is a full collection.
*/
int tare_gc_apply(lua_State *L, const tare_gcstate *s);

/*
** Restores what tare_gc_settings() returned. Neither this nor tare_gc_restore()
** allocates or raises.
*/
void tare_gc_put_back(lua_State *L, const tare_gcstate *s);

/*
** Restores all that tare_gc_capture() returned; in 5.4, which can't report the
** numbers of a mode, those of them that tare has set since.
*/
void tare_gc_restore(lua_State *L, const tare_gcstate *s);

#endif
