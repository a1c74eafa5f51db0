/*
** Runs the collector at its own pace: tare asks it at chosen moments to do the
** work that it would have done by itself, and it does nothing in between.
**
** Lua 5.3 and 5.4 count a debt of bytes, in both modes, and the collector runs
** when the debt is positive. lua_gc(LUA_GCSTEP, n) adds n KB to the debt and
** then looks at it. So tare holds the collector with a loan, a step of -n KB,
** and a look pays the loan back. Then Lua itself decides whether a step is due,
** minor or major. All state of the pace stays inside Lua, also after a release.
** Stopping the collector would not do: restarting it clears the debt.
**
** Lua 5.5 has no negative steps, but its parameters give how much is allocated
** between two steps. There tare stops the collector and counts for itself. In
** generational mode a major collection is done in steps, like an incremental
** one. So after a minor collection tare asks Lua at once whether a major one
** follows.
**
** Lua 5.1, 5.2 and LuaJIT have a threshold, which every explicit step
** overwrites. There tare stops the collector and keeps the threshold itself:
** within a cycle a step for every 1,024 bytes, after it the pause, in percent
** of the live heap. If the function has run the collector meanwhile, the
** collector is taken to be in a pause if the heap is below the end of the last
** pause, else in a cycle.
*/
#ifndef TARE_PACE_H
#define TARE_PACE_H

#include "compat.h"
#include "state/gcwatch.h"

typedef enum tare_turn {
  TARE_TURN_IDLE,  /* nothing was due */
  TARE_TURN_MAYBE, /* a step was done, or none was due: Lua reports neither */
  TARE_TURN_STEP,  /* a step was done; more may be due */
  TARE_TURN_CYCLE  /* a step was done, and it ended a cycle */
} tare_turn;

/* What the last step was. It decides when the next one is due. */
typedef enum tare_after {
  TARE_AFTER_STEP,  /* a step within a cycle: after some more bytes */
  TARE_AFTER_CYCLE, /* the end of a cycle: at a certain size of the heap */
  TARE_AFTER_MINOR, /* a minor collection: after a share of the heap */
  TARE_AFTER_MAJOR  /* a major one: the same, or a larger share */
} tare_after;

typedef struct tare_pace {
  int held;           /* whether tare holds the automatic collector */
  int was_running;    /* whether it ran before; else the host stopped it */
  double heap_bytes;  /* after the last look */
  double since_bytes; /* allocated since the last step */
  double born_bytes;  /* allocated since the last marking; INFINITY if others
                         ran that one */
  double left_bytes;  /* the heap after the last step; 0: not known, or not
                         kept (where no collection is minor) */
  int is_bounded;     /* see tare_pace_bound */
  double lent_bytes;  /* if bounded: the heap from which on Lua collects by
                         itself */
  int lost;           /* others ran the collector: the next step is unknown */
  /* Where Lua keeps a debt, and in 5.5: */
  tare_after after;  /* what the last step was */
  double base_bytes; /* the heap that determines the wait: after the last step;
                        in 5.5, after the last major collection */
  /* Where Lua keeps a debt: */
  int loan_kb;        /* the loan: the debt is smaller by this */
  int generational;   /* a minor collection was seen, and no cycle since */
  int leapt;          /* no look was taken on the way to the expected step */
  int overshot;       /* steps in a row found due at the end of a leap */
  int surprises;      /* long waits in a row; one alone is ignored */
  double wait_bytes;  /* bytes from the last step to the next, if known */
  double step_bytes;  /* the last wait within a cycle */
  double start_bytes; /* the heap at which the last cycle began */
  double minor_share; /* wait after a minor collection, as share of the heap */
  double major_share; /* the longer wait after a major collection, likewise */
  /* Where tare decides when a step is due (Lua keeps a threshold, and 5.5): */
  double due_bytes;  /* heap at which the next step is due */
  double rest_bytes; /* heap at which the last pause ends; 0: none was seen */
  int in_cycle;      /* whether the release was in a cycle, or begins one */
  /* In 5.5, whose parameters give the waits: */
  double owed_bytes;    /* bytes by which the last step was late */
  double spent_bytes;   /* allocated since the hold */
  double bare_bytes;    /* bytes of the heap that are no object */
  double granted_bytes; /* wait that Lua was given at the release */
  double kept_share;    /* share of base_bytes that minor collections run by
                           others have added since; gives base_bytes at the next
                           one. -1: base_bytes is known */
  int asks;             /* whether the next look asks if a cycle is under way */
  int unmarked;         /* no marking since the last minor collection */
} tare_pace;

/*
** To be called once, before the first hold. In 5.5 it runs full collections, so
** that it is known when the collector's wait began and how long it is; may
** raise there.
*/
void tare_pace_weigh(lua_State *L, tare_pace *p);

/*
** To be called before the first hold, where the next look may never come: the
** held collector then runs by itself once more is allocated than was lent.
** Returns 0 if this Lua can't do that (5.1, 5.2 and 5.5, where a held collector
** is a stopped one).
*/
int tare_pace_bound(tare_pace *p);

/*
** Holds the automatic collector; harmless if it is held already. Where Lua
** keeps a debt, this may do a step that is due, as may tare_pace_lend and
** tare_pace_others; errors of finalizers are lost there.
*/
void tare_pace_hold(lua_State *L, tare_pace *p);

/*
** To be called after a hold: 'seen' is the collection that ended since the last
** release. If there was none, a cycle that was under way still is. 'count': the
** collections that ended while the collector ran by itself.
*/
void tare_pace_found(lua_State *L, tare_pace *p, tare_seen seen,
                     const tare_gccount *count);

/*
** Bytes to allocate before the next look. 'call_bytes' is what one call
** allocates: looks can't be closer than that.
*/
double tare_pace_next(tare_pace *p, double call_bytes);

/*
** Announces that up to 'bytes' may be allocated before the next look: Lua's
** debt must not become positive until then. Where bounded, to be called after
** each hold and look.
*/
void tare_pace_lend(lua_State *L, tare_pace *p, double bytes);

/* Where bounded: to be called when the heap is larger than 'lent_bytes'. */
void tare_pace_overran(tare_pace *p);

/* Accounts for what was allocated since the last look. */
void tare_pace_see(lua_State *L, tare_pace *p);

/*
** To be called when the function under test has run a collection, which clears
** Lua's debt and with it the loan.
*/
void tare_pace_others(lua_State *L, tare_pace *p);

/*
** Pushes an object in place of the one that Lua has just made whenever it runs
** the collector. It has to be on the stack during a look between calls. May
** raise (no memory).
*/
void tare_pace_push_newest(lua_State *L, const tare_pace *p);

/* Whether the next look comes at once, although no step may be due. */
int tare_pace_asks(const tare_pace *p);

/*
** Does a step if one is due. May raise in 5.1 to 5.3: errors of the host's
** finalizers.
*/
tare_turn tare_pace_look(lua_State *L, tare_pace *p);

/*
** Costs as much as a look that finds nothing due. Called an even number of
** times, with i = 0, 1, 2..., it has no effect.
*/
void tare_pace_look_idly(lua_State *L, int i);

/*
** Records that the last look did a step, which ended the collection 'seen'. To
** be called after TARE_TURN_STEP and TARE_TURN_CYCLE, and after TARE_TURN_MAYBE
** if there was a step.
*/
void tare_pace_stepped(lua_State *L, tare_pace *p, tare_turn turn,
                       tare_seen seen);

/*
** Releases the automatic collector in the state in which it was found. Its next
** step is due when it would have been, if this Lua can set that. Never raises.
*/
void tare_pace_release(lua_State *L, tare_pace *p);

#endif
