/*
** The collector's own pace, taken in hand: the automatic collector is stopped
** and asked at chosen moments to do what it would have done by itself.
**
** Lua 5.3 and 5.4 keep a debt of bytes and act when it is positive, whichever
** mode they are in. It goes on counting while the collector is stopped, and a
** step of n KB adds n KB to it and then looks at it. So a look pays back what
** was lent before: a step runs if one is due, does what is due, major or
** minor, and all that the pace depends on stays where Lua keeps it.
**
** Lua 5.1, 5.2 and LuaJIT keep a threshold that every explicit step loses.
** There it is kept here: a step for every 1,024 bytes in a cycle, and after
** one the pause, in percent of what was alive. Who had the collector in
** between has left it in a pause if the heap is smaller than where the last
** pause ends; else in a cycle.
*/
#ifndef TARE_PACE_H
#define TARE_PACE_H

#include "compat.h"
#include "state/gcwatch.h"

typedef enum tare_turn {
  TARE_TURN_IDLE,  /* nothing was due */
  TARE_TURN_MAYBE, /* a step was done, or none was due: Lua does not tell */
  TARE_TURN_STEP,  /* a step was done; more may be due */
  TARE_TURN_CYCLE  /* a step was done, and it ended a cycle */
} tare_turn;

/* What the last step left behind: the next one is due accordingly. */
typedef enum tare_after {
  TARE_AFTER_STEP,  /* a cycle under way: a number of bytes on */
  TARE_AFTER_CYCLE, /* a pause: until the heap has a size */
  TARE_AFTER_MINOR, /* a minor collection: a share of the heap on */
  TARE_AFTER_MAJOR  /* the same, or after a bad one a larger share */
} tare_after;

typedef struct tare_pace {
  int held;           /* whether the automatic collector is stopped by us */
  int was_running;    /* ... and is to run again when it is let go */
  double heap_bytes;  /* after the last look */
  double since_bytes; /* allocated since the last step */
  /* Where Lua keeps a debt: */
  int loan_kb;        /* lent: the debt is smaller by this */
  int lost;           /* others had the collector: when is not known */
  int generational;   /* a minor collection was seen, and no cycle since */
  int leapt;          /* whether the way to the next was gone at once */
  int overshot;       /* steps in a row that were due when it was */
  int surprises;      /* long waits in a row; one is an exception */
  tare_after after;   /* what the last step was, ... */
  double base_bytes;  /* ... the heap when it was done, ... */
  double wait_bytes;  /* ... and what is allocated until the next, if known */
  double step_bytes;  /* the wait within a cycle, as last seen */
  double start_bytes; /* the heap at which the last cycle began */
  double minor_share; /* the wait after a minor collection, of the heap */
  double major_share; /* the long wait after a major one */
  /* Where Lua keeps a threshold: */
  double due_bytes;  /* heap at which the next step is due */
  double rest_bytes; /* heap at which the last pause ends; 0: none was seen */
  double born_bytes; /* allocated since what is alive was marked; INFINITY
                        where others had it marked */
  int in_cycle;      /* whether it was let go in a cycle, or begins one */
} tare_pace;

/* Bytes in use by the Lua state. */
double tare_heap_bytes(lua_State *L);

/* Stops the automatic collector; again does no harm. */
void tare_pace_hold(lua_State *L, tare_pace *p);

/*
** After a hold: tells whether others have had what is alive marked since the
** last release. If not, a cycle that goes on since then is still under way.
*/
void tare_pace_found(tare_pace *p, tare_seen seen);

/*
** Bytes to allocate before the next look is worth it. 'call_bytes' is what
** one call allocates: the pace can't be told more finely.
*/
double tare_pace_next(tare_pace *p, double call_bytes);

/*
** Announces that up to 'bytes' more than tare_pace_next said may be allocated
** before the next look: Lua must not find its debt positive until then.
*/
void tare_pace_lend(lua_State *L, tare_pace *p, double bytes);

/* Accounts for what was allocated since the last look. */
void tare_pace_see(lua_State *L, tare_pace *p);

/* Does a step if one is due. May raise: finalizers of the host, in 5.1-5.3. */
tare_turn tare_pace_look(lua_State *L, tare_pace *p);

/*
** Costs what a look costs that finds nothing due, and does nothing if called
** an even number of times, with i = 0, 1, 2...
*/
void tare_pace_look_idly(lua_State *L, int i);

/*
** Tells that the last look did a step, and what it saw of a collection. To be
** called after TARE_TURN_STEP and TARE_TURN_CYCLE, and after TARE_TURN_MAYBE
** if it is found so.
*/
void tare_pace_stepped(lua_State *L, tare_pace *p, tare_turn turn,
                       tare_seen seen);

/*
** Lets the automatic collector go on as it was found; its next step is due
** when it would have been, where that can be set. Never raises.
*/
void tare_pace_release(lua_State *L, tare_pace *p);

#endif
