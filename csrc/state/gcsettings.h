/*
** The settings of a Lua state's collector: read, changed and restored.
**
** Lua returns the mode only when a mode is set, which may run a full
** collection. So tare finds the mode by a few single steps of the collector.
** Lua 5.4 never returns the step size and the two multipliers of generational
** mode: there they are the values that tare has set last, or else Lua's
** defaults. Lua 5.5 returns all numbers, rounded as it keeps them.
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
** X(field, name): the numbers, in order: those of any Lua, those of 5.4 and
** 5.5, those of 5.5 only. 'step_bytes' is exact; 'step_size' is its rounded
** logarithm. If both are given, 'step_bytes' is set.
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

/* The same; NaN inside of a finalizer, where 5.4 and 5.5 don't report it. */
double tare_known_heap_bytes(lua_State *L);

/* Whether the automatic collector runs. */
int tare_gc_is_running(lua_State *L);

/* Starts or stops it; does nothing if it is in that state already. */
void tare_gc_set_running(lua_State *L, int running);

/* A state with which tare_gc_apply() changes nothing. */
tare_gcstate tare_gc_nothing(void);

/* The settings that can be read without a step; the mode is unknown. */
tare_gcstate tare_gc_settings(lua_State *L);

/* The setting 'pause': the next cycle begins at this percentage of the heap. */
int tare_gc_pause_percent(lua_State *L);

/*
** All settings of the collector. In 5.4 and 5.5 this does a few steps of the
** collector, which may be minor collections. Needs some stack, and may raise
** (no memory).
*/
tare_gcstate tare_gc_capture(lua_State *L);

/* The mode that was found or set last; does no step and allocates nothing. */
tare_gcmode tare_gc_last_mode(lua_State *L);

/*
** Sets all fields of 's' that are not -1. Returns 0, with nothing changed, if
** this Lua has no such mode. A change of the mode runs a full collection.
*/
int tare_gc_apply(lua_State *L, const tare_gcstate *s);

/*
** Restores what tare_gc_settings() returned. Neither this nor tare_gc_restore()
** allocates or raises.
*/
void tare_gc_put_back(lua_State *L, const tare_gcstate *s);

/*
** Restores all that tare_gc_capture() returned. Of the numbers of a mode, which
** 5.4 can't report, it restores there only those that tare has set since.
*/
void tare_gc_restore(lua_State *L, const tare_gcstate *s);

#endif
